"""Values of options and of the workload that knowledge of a tree needs, and what compressors do to db_bench's data."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value, Workload

Floats: TypeAlias = npt.NDArray[np.float64]
Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]

TREE_OPTIONS = (
    *("write_buffer_size", "max_write_buffer_number", "min_write_buffer_number_to_merge"),
    *("level0_file_num_compaction_trigger", "level0_slowdown_writes_trigger", "max_bytes_for_level_base"),
    *("max_bytes_for_level_multiplier", "target_file_size_base", "target_file_size_multiplier", "num_levels"),
    *("min_level_to_compress", "compression_type", "compaction_style", "level0_stop_writes_trigger"),
    *("max_background_compactions", "max_background_flushes", "max_background_jobs", "delayed_write_rate"),
)
"""Options whose values `tree_features` needs."""

PLAIN = 1.02
"""Stored bytes for each byte of a pair where nothing is compressed: index, block trailers, sequence numbers."""
_ENTROPY_CODED = ("zlib", "zstd", "bzip2")
_ENTROPY = 0.83
"""db_bench fills values with printable characters, so that entropy coders save log2(95) / 8 beyond the repeats."""
_REMAINS = 0.06
"""Share of a pair that no compressor saves: keys, sequence numbers, and the references to db_bench's repeats."""
_NOT_WORTH = 0.9
"""RocksDB keeps a block uncompressed unless it saves an eighth; what lies outside of blocks is in the share."""
CODEC_NS = MappingProxyType(
    {"none": 0.0, "lz4": 0.53, "snappy": 0.45, "zstd": 2.9, "lz4hc": 3.6, "zlib": 8.3, "bzip2": 57.0}
)
"""Processor time to compress a byte, in ns, fitted as `Speeds` is."""


class Known:
    """Values of options and of the workload, a number for each row."""

    def __init__(self, workload: Workload, reference: Mapping[str, Value], columns: Columns) -> None:
        self._reference = reference
        self._columns = columns
        self._rows = len(next(iter(columns.values())))
        self._workload = workload

    def number(self, name: str, least: float = 1.0) -> Floats:
        """Return an option; values below `least`, which mean "off" or "automatic", count as `least`."""
        return np.maximum(np.asarray(self._raw(name), dtype=np.float64), least)

    def word(self, name: str) -> npt.NDArray[np.str_]:
        return np.asarray(self._raw(name)).astype(str)

    def asked(self, field: str) -> Floats:
        column = self._columns.get(f"workload.{field}")
        value = column if column is not None else np.full(self._rows, getattr(self._workload, field))
        return np.asarray(value, dtype=np.float64)

    def codec_ns(self, costs: Mapping[str, float] = CODEC_NS) -> Floats:
        """Return the processor time to compress a byte, in ns; of an unknown codec that of the middle one."""
        middle = float(np.median(list(costs.values())))
        return np.array([costs.get(codec, middle) for codec in self.word("compression_type")])

    def background_jobs(self) -> tuple[Floats, Floats]:
        """Return how many flushes and compactions may run at a time (DBImpl::GetBGJobLimits)."""
        flushes, compactions = (self.number(f"max_background_{what}", -1.0) for what in ("flushes", "compactions"))
        jobs, are_free = self.number("max_background_jobs"), (flushes < 0) & (compactions < 0)
        share = np.maximum(1.0, jobs // 4)
        flushes = np.where(are_free, share, np.maximum(flushes, 1.0))
        return flushes, np.where(are_free, np.maximum(1.0, jobs - share), np.maximum(compactions, 1.0))

    @property
    def keys(self) -> int:
        return self._workload.num

    def _raw(self, name: str) -> npt.NDArray[Any]:
        column = self._columns.get(name)
        return column if column is not None else np.full(self._rows, self._reference[name])


def stored_share(known: Known, pair: Floats) -> Floats:
    """Return the stored bytes for each byte of a pair in a compressed block of db_bench's data."""
    codec = known.word("compression_type")
    repeats = known.asked("compression_ratio") * known.asked("value_size_bytes") / pair
    share = np.where(np.isin(codec, _ENTROPY_CODED), repeats * _ENTROPY, repeats) + _REMAINS
    return np.where((codec == "none") | (share > _NOT_WORTH), PLAIN, share)


def stored_shares(known: Known, pair: Floats, levels: int) -> Floats:
    """Return the stored bytes for each byte of a pair by level, shape (n, levels)."""
    is_compressed = np.arange(levels) >= known.number("min_level_to_compress", -1.0)[:, None]
    return np.where(is_compressed, stored_share(known, pair)[:, None], PLAIN)
