"""The models of memory, as the backends of an engine offer them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lsmtune.memory_model._leveldb import leveldb_memory
from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import Memory
from lsmtune.memory_model._options import LEVELDB_DEFAULTS, ROCKSDB_DEFAULTS, Options
from lsmtune.memory_model._rocksdb import rocksdb_memory
from lsmtune.model import Value


@dataclass(frozen=True)
class MemoryModel:
    """How much memory an engine needs.

    Attributes:
        defaults: the options that it depends on, with the engine's own values.
        need: takes the options of each column family (an engine without them has one, ``default``), what is known of
            the workload, the number of databases in the process, and whether these share one block cache.
    """

    defaults: Mapping[str, Value]
    need: Callable[[Mapping[str, Options], Load, int, bool], Memory]


def _rocksdb(families: Mapping[str, Options], load: Load, stores: int, shares_cache: bool) -> Memory:
    return rocksdb_memory(families, load, stores, shares_cache=shares_cache)


def _leveldb(families: Mapping[str, Options], load: Load, stores: int, shares_cache: bool) -> Memory:
    del shares_cache  # each database of LevelDB has its own
    return leveldb_memory(families["default"], load, stores)


ROCKSDB_MEMORY = MemoryModel(ROCKSDB_DEFAULTS, _rocksdb)
LEVELDB_MEMORY = MemoryModel(LEVELDB_DEFAULTS, _leveldb)
