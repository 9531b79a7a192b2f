"""How much memory a configuration needs, part by part, from its options and what is known of its workload."""

from lsmtune.memory_model._bound import MemoryBound, memory_bound
from lsmtune.memory_model._leveldb import leveldb_memory
from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import Memory, MemoryPart
from lsmtune.memory_model._model import LEVELDB_MEMORY, ROCKSDB_MEMORY, MemoryModel
from lsmtune.memory_model._options import LEVELDB_DEFAULTS, ROCKSDB_DEFAULTS, Options
from lsmtune.memory_model._process import DB_BENCH, ProcessMemory
from lsmtune.memory_model._rocksdb import rocksdb_memory

__all__ = [
    "DB_BENCH",
    "LEVELDB_DEFAULTS",
    "LEVELDB_MEMORY",
    "ROCKSDB_DEFAULTS",
    "ROCKSDB_MEMORY",
    "Load",
    "Memory",
    "MemoryBound",
    "MemoryModel",
    "MemoryPart",
    "Options",
    "ProcessMemory",
    "leveldb_memory",
    "memory_bound",
    "rocksdb_memory",
]
