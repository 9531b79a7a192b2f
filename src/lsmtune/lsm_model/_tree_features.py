"""What knowledge of an LSM tree says about a configuration before it is run, as features for a model.

No cost model is right in absolute terms (Dayan et al. 2017, Monkey; Lim et al. 2016, FAST): write rate, lag of
compaction and skew are missing. As features beside the options they spare a model from finding products of options by
itself: how large level 0 is against level 1, how many levels the data fills, which share of it is compressed.
"""

from collections.abc import Callable, Mapping

import numpy as np

from lsmtune.lsm_model._simulated_features import Simulated
from lsmtune.lsm_model._tree_known import PLAIN, Columns, Floats, Known, stored_share, stored_shares
from lsmtune.model import Value, Workload

_DEEPEST = 7
_MERGE_NS = 2.0
"""Processor time to merge and write a byte without compressing it, files and all, in ns: an order of magnitude."""
_MEMTABLE_USE = 0.9
"""Share of a memtable that is data when it is flushed."""


def tree_features(
    workload: Workload, reference: Mapping[str, Value], cores: int, scale: float
) -> Callable[[Columns], dict[str, Floats]]:
    """Return a function that derives features of a tree under random writes from the values of options.

    Args:
        workload: of the study, at full size; a column ``workload.<field>`` takes the place of its field.
        reference: value of each of `TREE_OPTIONS` that does not vary, at full size.
        cores: processors of the host; more background threads than that share them.
        scale: what sizes are multiplied with in the runs; features that are ratios do not depend on it.

    Returns:
        A function of columns (values by option, each of shape (n,)) to features by name, each of shape (n,): natural
        logarithms of sizes, counts and amplifications, and shares.
    """
    simulated = Simulated(cores, scale)

    def derive(columns: Columns) -> dict[str, Floats]:
        known = Known(workload, reference, columns)
        return _features(known, cores) | simulated.features(known)

    return derive


def _features(known: Known, cores: int) -> dict[str, Floats]:
    pair = known.asked("key_size_bytes") + known.asked("value_size_bytes")
    threads = known.asked("threads")
    written = known.keys * threads * pair
    distinct = known.keys * (1 - np.exp(-threads)) * pair
    stored, at_level = stored_share(known, pair), list(stored_shares(known, pair, _DEEPEST + 1).T)
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
    compressed = np.where(is_level, levelled.compressed, at_level[_DEEPEST] < PLAIN)
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
    flush_work = _MERGE_NS + np.where(at_level[0] < PLAIN, cost, 0.0)
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


class _Levels:
    """A leveled tree that holds the distinct data, its upper levels full."""

    def __init__(self, known: Known, distinct: Floats, at_level: list[Floats]) -> None:
        self.base = known.number("max_bytes_for_level_base")
        self._multiplier = known.number("max_bytes_for_level_multiplier", 2.0)
        self._at_level = at_level
        deepest = known.number("num_levels") - 1
        self.sizes: list[Floats] = []
        left, filled, compressed = distinct.copy(), np.zeros_like(distinct), np.zeros_like(distinct)
        for level in range(1, _DEEPEST + 1):
            capacity = np.where(level >= deepest, np.inf, self.base * self._multiplier ** (level - 1))
            size = np.where(level > deepest, 0.0, np.minimum(left * at_level[level], capacity))
            left = left - size / at_level[level]
            filled = filled + np.where(np.isfinite(capacity), size / capacity, size / (self.base + size))
            compressed = compressed + np.where(at_level[level] < PLAIN, size, 0.0)
            self.sizes.append(size)
        self.size = np.maximum(sum(self.sizes, np.zeros_like(distinct)), 1.0)
        self.filled = filled
        self.compressed = compressed / self.size

    def writes(self, level0: Floats) -> Floats:
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


def _tiered_writes(flushes: Floats, runs: Floats, at_level: list[Floats]) -> Floats:
    """Return bytes written for each byte of the user where up to `runs` sorted runs are merged at once."""
    merges = np.log(np.maximum(flushes, 2.0)) / np.log(np.maximum(runs, 2.0))
    return at_level[0] + at_level[_DEEPEST] * np.maximum(merges, 0.1)
