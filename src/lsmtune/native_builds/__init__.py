"""Building programs from source on this machine: the driver, RocksDB, LevelDB's db_bench.

Each `build_*` checks what it needs, fetches its source where that does not come along, compiles it below the cache and
puts the result where the backends look. What is built already is left alone; what was interrupted goes on.
"""

from lsmtune.native_builds._driver import build_driver
from lsmtune.native_builds._leveldb import build_leveldb
from lsmtune.native_builds._place import Built, Place
from lsmtune.native_builds._rocksdb import NEWEST_ROCKSDB, ROCKSDB_VERSIONS, build_rocksdb
from lsmtune.native_builds._steps import Order, Watcher

__all__ = [
    "NEWEST_ROCKSDB",
    "ROCKSDB_VERSIONS",
    "Built",
    "Order",
    "Place",
    "Watcher",
    "build_driver",
    "build_leveldb",
    "build_rocksdb",
]
