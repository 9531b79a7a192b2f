"""The values of options that memory depends on, with what the engine does where nothing is said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lsmtune.errors import OptionError
from lsmtune.model import Value

ROCKSDB_DEFAULTS: Mapping[str, Value] = MappingProxyType(
    {
        "write_buffer_size": 64 << 20,
        "max_write_buffer_number": 2,
        "min_write_buffer_number_to_merge": 1,
        "max_write_buffer_size_to_maintain": 0,
        "max_write_buffer_number_to_maintain": 0,
        "db_write_buffer_size": 0,
        "cost_write_buffer_to_cache": False,
        "arena_block_size": 0,
        "memtable_bloom_size_ratio": 0.0,
        "cache_size": 8 << 20,
        "no_block_cache": False,
        "row_cache_size": 0,
        "block_size": 4096,
        "bloom_bits": -1.0,
        "optimize_filters_for_hits": False,
        "cache_index_and_filter_blocks": False,
        "partition_index_and_filters": False,
        "compaction_style": "level",
        "max_bytes_for_level_multiplier": 10.0,
        "num_levels": 7,
        "level0_file_num_compaction_trigger": 4,
        "level0_stop_writes_trigger": 36,
        "target_file_size_base": 64 << 20,
        "max_background_jobs": 2,
        "max_background_compactions": -1,
        "max_background_flushes": -1,
        "subcompactions": 1,
        "compaction_readahead_size": 0,
        "use_direct_reads": False,
        "writable_file_max_buffer_size": 1 << 20,
        "compression_type": "snappy",
        "compression_max_dict_bytes": 0,
        "compression_max_dict_buffer_bytes": 0,
        "mmap_read": False,
        "open_files": -1,
        "enable_blob_files": False,
        "min_blob_size": 0,
    }
)
"""RocksDB's own values of the options that memory depends on, in the names of the catalogue; those that it does not
have are named as RocksDB names them. ``cost_write_buffer_to_cache`` is whether the write buffer manager charges the
memtables to the block cache."""

LEVELDB_DEFAULTS: Mapping[str, Value] = MappingProxyType(
    {
        "write_buffer_size": 4 << 20,
        "cache_size": 8 << 20,
        "block_size": 4096,
        "filter_bits": 0,
        "max_file_size": 2 << 20,
        "max_open_files": 1000,
        "compression": "snappy",
    }
)
"""LevelDB's own values of the options that memory depends on."""


@dataclass(frozen=True)
class Options:
    """Values of the options of one column family, those of its database among them.

    Attributes:
        values: in base units, by name; what is left out stands at its default.
        defaults: the values of all options that memory depends on.
    """

    values: Mapping[str, Value]
    defaults: Mapping[str, Value] = field(default_factory=lambda: ROCKSDB_DEFAULTS)

    def number(self, name: str) -> float:
        """Return the value of an option that is a number.

        Raises:
            OptionError: it is a text.
        """
        value = self._value(name)
        if isinstance(value, str):
            raise OptionError(f'{name} is "{value}"; give a number')
        return value

    def whole(self, name: str) -> int:
        """Return the value of an option that is a whole number, such as a size in B.

        Raises:
            OptionError: it is a text.
        """
        return int(self.number(name))

    def flag(self, name: str) -> bool:
        """Return whether an option is switched on."""
        return bool(self._value(name))

    def word(self, name: str) -> str:
        """Return the value of a choice."""
        return str(self._value(name))

    def _value(self, name: str) -> Value:
        return self.values.get(name, self.defaults[name])
