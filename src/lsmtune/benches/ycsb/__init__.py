"""lsmtune-ycsb, lsmtune's own driver for the workloads of YCSB: commands, output, measurements."""

from lsmtune.benches.ycsb._bench import YcsbBench
from lsmtune.benches.ycsb._command import Command, CommandBuilder
from lsmtune.benches.ycsb._core import CORE_WORKLOADS
from lsmtune.benches.ycsb._options import OptionWriter
from lsmtune.benches.ycsb._phases import LOAD, SETTLE, phases_of
from lsmtune.benches.ycsb._records import record_bytes
from lsmtune.benches.ycsb._series import timed_series
from lsmtune.benches.ycsb._unsupported import unsupported

__all__ = [
    "CORE_WORKLOADS",
    "LOAD",
    "SETTLE",
    "Command",
    "CommandBuilder",
    "OptionWriter",
    "YcsbBench",
    "phases_of",
    "record_bytes",
    "timed_series",
    "unsupported",
]
