"""LevelDB and its forks through their db_bench: what a binary is and can, and what its LOG tells."""

from lsmtune.engines.leveldb._build import ENVIRONMENT_VARIABLE, discover_leveldb, find_leveldb_bench
from lsmtune.engines.leveldb._family import Family, family_of
from lsmtune.engines.leveldb._log import LevelDbLog, Rewrite
from lsmtune.engines.leveldb._log_reader import read_log
from lsmtune.engines.leveldb._timeline import leveldb_timeline
from lsmtune.engines.leveldb._tree import Level, pending_bytes

__all__ = [
    "ENVIRONMENT_VARIABLE",
    "Family",
    "Level",
    "LevelDbLog",
    "Rewrite",
    "discover_leveldb",
    "family_of",
    "find_leveldb_bench",
    "leveldb_timeline",
    "pending_bytes",
    "read_log",
]
