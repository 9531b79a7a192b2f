"""The options that the driver cannot set."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.model import EngineBuild, Value
from lsmtune.space import Option

CACHE = "cache_size"
KIND = "cache_type"
RATE_LIMIT = "rate_limiter_bytes_per_sec"
_TOOL_OPTIONS = frozenset({CACHE, RATE_LIMIT})
"""Options that an OPTIONS file never holds and that the driver can set all the same."""
MADE: Mapping[str, Value] = MappingProxyType({KIND: "lru_cache"})
"""What becomes of RocksDB's options that the driver cannot set, where that is not RocksDB's default.

The size of the cache travels as text, of which RocksDB's parser makes an LRU cache; its default is another since 10.7,
where the size is therefore always told.
"""


def unsupported(option: Option, build: EngineBuild) -> bool:
    """Whether the driver has no way to set an option.

    Of RocksDB that is ``cache_type``: its own parser makes an LRU cache of every text, in 7.8.3 as in 11.8.1.
    """
    return build.engine == "rocksdb" and option.section == "tool" and option.name not in _TOOL_OPTIONS
