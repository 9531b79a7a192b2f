"""Systems that embed RocksDB: a verified configuration in the syntax, the units and the defaults of each.

What a system calls an option, in which unit and with what default is data, one file a system; see the head of
``kvrocks.toml``. The code here is the same for all of them.
"""

from lsmtune.exporters.targets._plan import Left, Plan, Setting, plan
from lsmtune.exporters.targets._table import Absent, Block, Companion, Key, Target, find_target, target_names
from lsmtune.exporters.targets._text import code, target_text

__all__ = [
    "Absent",
    "Block",
    "Companion",
    "Key",
    "Left",
    "Plan",
    "Setting",
    "Target",
    "code",
    "find_target",
    "plan",
    "target_names",
    "target_text",
]
