"""LevelDB and its forks through their db_bench: what a binary is and can, and what its LOG tells."""

from lsmtune.backends.leveldb._build import ENVIRONMENT_VARIABLE, discover_leveldb, find_leveldb_bench
from lsmtune.backends.leveldb._family import DEFAULTS, ONE_SIZE, Family, family_of
from lsmtune.backends.leveldb._log import LevelDbLog, Rewrite
from lsmtune.backends.leveldb._log_reader import read_log
from lsmtune.backends.leveldb._timeline import leveldb_timeline, read_timeline
from lsmtune.backends.leveldb._tree import Level, pending_bytes

__all__ = [
    "DEFAULTS",
    "ENVIRONMENT_VARIABLE",
    "ONE_SIZE",
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
    "read_timeline",
]
