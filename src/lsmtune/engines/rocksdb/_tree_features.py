"""What knowledge of an LSM tree says about a configuration before it is run, as features for a model.

No cost model is right in absolute terms (Dayan et al. 2017, Monkey; Lim et al. 2016, FAST): write rate, lag of
compaction and skew are missing. As features beside the options they spare a model from finding products of options by
itself: how large level 0 is against level 1, how many levels the data fills, which share of it is compressed.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value, Workload

_Floats: TypeAlias = npt.NDArray[np.float64]
_Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]

TREE_OPTIONS = (
    *("write_buffer_size", "max_write_buffer_number", "min_write_buffer_number_to_merge"),
    *("level0_file_num_compaction_trigger", "level0_slowdown_writes_trigger", "max_bytes_for_level_base"),
    *("max_bytes_for_level_multiplier", "target_file_size_base", "num_levels", "min_level_to_compress"),
    *("compression_type", "compaction_style", "level0_stop_writes_trigger"),
    *("max_background_compactions", "max_background_flushes"),
)
"""Options whose values `tree_features` needs."""

_DEEPEST = 7
_PLAIN = 1.02
"""Stored bytes for each byte of a pair where nothing is compressed: index, block trailers, sequence numbers."""
_ENTROPY_CODED = ("zlib", "zstd", "bzip2")
_ENTROPY = 0.83
"""db_bench fills values with printable characters, so that entropy coders save log2(95) / 8 beyond the repeats."""
_CODEC_NS = {"none": 0.0, "lz4": 2.0, "snappy": 2.5, "zstd": 7.0, "lz4hc": 22.0, "zlib": 30.0, "bzip2": 110.0}
"""Processor time to compress a byte, in ns: orders of magnitude, known from the codecs' own benchmarks."""
_MERGE_NS = 8.0
"""Processor time to merge and write a byte without compressing it, in ns: an order of magnitude."""
_NOT_WORTH = 0.875
"""RocksDB keeps a block uncompressed unless it saves an eighth."""
_MEMTABLE_USE = 0.9
"""Share of a memtable that is data when it is flushed."""


def tree_features(
    workload: Workload, reference: Mapping[str, Value], cores: int
) -> Callable[[_Columns], dict[str, _Floats]]:
    """Return a function that derives features of a tree under random writes from the values of options.

    Args:
        workload: of the study, at full size; a column ``workload.<field>`` takes the place of its field.
        reference: value of each of `TREE_OPTIONS` that does not vary, at full size.

        cores: processors of the host; more background threads than that share them.

    Returns:
        A function of columns (values by option, each of shape (n,)) to features by name, each of shape (n,): natural
        logarithms of sizes, counts and amplifications, and shares.
    """

    def derive(columns: _Columns) -> dict[str, _Floats]:
        return _features(_Known(workload, reference, columns), cores)

    return derive


class _Known:
    """Values of options and of the workload, a number for each row."""

    def __init__(self, workload: Workload, reference: Mapping[str, Value], columns: _Columns) -> None:
        self._reference = reference
        self._columns = columns
        self._rows = len(next(iter(columns.values())))
        self._workload = workload

    def number(self, name: str, least: float = 1.0) -> _Floats:
        """Return an option; values below `least`, which mean "off" or "automatic", count as `least`."""
        return np.maximum(np.asarray(self._raw(name), dtype=np.float64), least)

    def word(self, name: str) -> npt.NDArray[np.str_]:
        return np.asarray(self._raw(name)).astype(str)

    def asked(self, field: str) -> _Floats:
        column = self._columns.get(f"workload.{field}")
        value = column if column is not None else np.full(self._rows, getattr(self._workload, field))
        return np.asarray(value, dtype=np.float64)

    def codec_ns(self) -> _Floats:
        """Return the processor time to compress a byte, in ns; of an unknown codec that of the middle one."""
        middle = float(np.median(list(_CODEC_NS.values())))
        return np.array([_CODEC_NS.get(codec, middle) for codec in self.word("compression_type")])

    @property
    def keys(self) -> int:
        return self._workload.num

    def _raw(self, name: str) -> npt.NDArray[Any]:
        column = self._columns.get(name)
        return column if column is not None else np.full(self._rows, self._reference[name])


def _features(known: _Known, cores: int) -> dict[str, _Floats]:
    pair = known.asked("key_size_bytes") + known.asked("value_size_bytes")
    threads = known.asked("threads")
    written = known.keys * threads * pair
    distinct = known.keys * (1 - np.exp(-threads)) * pair
    stored, plain = _stored_share(known, pair), np.full_like(pair, _PLAIN)
    first_compressed = known.number("min_level_to_compress", -1.0)
    at_level = [np.where(level >= first_compressed, stored, plain) for level in range(_DEEPEST + 1)]
    flushed = known.number("write_buffer_size") * known.number("min_write_buffer_number_to_merge") * _MEMTABLE_USE
    trigger = known.number("level0_file_num_compaction_trigger")
    slowdown = np.maximum(known.number("level0_slowdown_writes_trigger"), trigger)
    levelled = _Levels(known, distinct, at_level)
    is_level = known.word("compaction_style") == "level"
    features = {
        "flushes": np.log(written / flushed),
        "level 0 at its trigger": np.log(trigger * flushed * at_level[0]),
        "room for lag": np.log(slowdown / trigger),
        "level 0 over level 1": np.log(trigger * flushed * at_level[0] / levelled.base),
        "level 0 at slowdown over level 1": np.log(slowdown * flushed * at_level[0] / levelled.base),
        "data over level 0": np.log(distinct / (trigger * flushed)),
        "levels filled": levelled.filled,
        "stored share": stored,
        "share compressed": levelled.compressed,
        "tree size": np.log(np.where(is_level, levelled.size, distinct * at_level[_DEEPEST])),
        "memtables": np.log(known.number("write_buffer_size") * known.number("max_write_buffer_number")),
    }
    cost = known.codec_ns()
    compressed = np.where(is_level, levelled.compressed, at_level[_DEEPEST] < _PLAIN)
    for lag, files in (("keeping up", trigger), ("lagging", slowdown)):
        level0 = np.minimum(files * flushed * at_level[0], written)
        writes = np.where(is_level, levelled.writes(level0), _tiered_writes(written / flushed, files, at_level))
        work = writes / stored * (_MERGE_NS + cost * compressed)
        features[f"writes {lag}"] = np.log(writes)
        features[f"files {lag}"] = np.log(writes * written / known.number("target_file_size_base"))
        features[f"work {lag}"] = np.log(work)
        features[f"work of a thread {lag}"] = np.log(
            work / np.minimum(known.number("max_background_compactions"), cores)
        )
    flush_work = _MERGE_NS + np.where(at_level[0] < _PLAIN, cost, 0.0)
    stop = np.maximum(known.number("level0_stop_writes_trigger"), slowdown)
    spare = known.number("max_write_buffer_number") - known.number("min_write_buffer_number_to_merge")
    return features | {
        "flush work": np.log(flush_work),
        "flush work of a thread": np.log(flush_work / np.minimum(known.number("max_background_flushes"), cores)),
        "all work": np.log((np.exp(features["work lagging"]) + _MERGE_NS) * threads),
        "codec work": np.log(_MERGE_NS + cost),
        "room before writes stop": np.log(stop / slowdown),
        "spare memtables": np.log(np.maximum(spare, 0.5)),
    }


def _stored_share(known: _Known, pair: _Floats) -> _Floats:
    """Return the stored bytes for each byte of a pair in a compressed block of db_bench's data."""
    codec = known.word("compression_type")
    repeats = known.asked("compression_ratio") * known.asked("value_size_bytes") + known.asked("key_size_bytes")
    share = repeats / pair
    share = np.where(np.isin(codec, _ENTROPY_CODED), share * _ENTROPY, share)
    return np.where((codec == "none") | (share > _NOT_WORTH), _PLAIN, share)


class _Levels:
    """A levelled tree that holds the distinct data, its upper levels full."""

    def __init__(self, known: _Known, distinct: _Floats, at_level: list[_Floats]) -> None:
        self.base = known.number("max_bytes_for_level_base")
        self._multiplier = known.number("max_bytes_for_level_multiplier", 2.0)
        self._at_level = at_level
        deepest = known.number("num_levels") - 1
        self.sizes: list[_Floats] = []
        left, filled, compressed = distinct.copy(), np.zeros_like(distinct), np.zeros_like(distinct)
        for level in range(1, _DEEPEST + 1):
            capacity = np.where(level >= deepest, np.inf, self.base * self._multiplier ** (level - 1))
            size = np.where(level > deepest, 0.0, np.minimum(left * at_level[level], capacity))
            left = left - size / at_level[level]
            filled = filled + np.where(np.isfinite(capacity), size / capacity, size / (self.base + size))
            compressed = compressed + np.where(at_level[level] < _PLAIN, size, 0.0)
            self.sizes.append(size)
        self.size = np.maximum(sum(self.sizes, np.zeros_like(distinct)), 1.0)
        self.filled = filled
        self.compressed = compressed / self.size

    def writes(self, level0: _Floats) -> _Floats:
        """Return bytes written for each byte of the user, with compactions of `level0` bytes out of level 0.

        A byte is flushed, merged into level 1 with all that lies there, and from each level into the next together
        with the files that it overlaps; on average over the load a level is half as full as at its end.
        """
        total = self._at_level[0] + self._at_level[1] * (1 + 0.5 * self.sizes[0] / np.maximum(level0, 1.0))
        for above, below, share in zip(self.sizes, self.sizes[1:], self._at_level[2:], strict=False):
            reached = below > 0
            overlap = 0.5 * np.minimum(below / np.maximum(above, 1.0), self._multiplier)
            total = total + np.where(reached, share * (1 + overlap), 0.0)
        return total


def _tiered_writes(flushes: _Floats, runs: _Floats, at_level: list[_Floats]) -> _Floats:
    """Return bytes written for each byte of the user where up to `runs` sorted runs are merged at once."""
    merges = np.log(np.maximum(flushes, 2.0)) / np.log(np.maximum(runs, 2.0))
    return at_level[0] + at_level[_DEEPEST] * np.maximum(merges, 0.1)
