"""A load in the order of keys into levels, which needs no events: each file goes down by relinking, without a merge.

Universal compaction needs events: it merges such files like others, as RocksDB relinks none of its files by default
(db/compaction/compaction.cc, `IsTrivialMove`; `CompactionOptionsUniversal::allow_trivial_move`).
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import fill_slots_in_order
from lsmtune.lsm_model.tree._merge import codec_level, size_level, stored
from lsmtune.lsm_model.tree._rules import between_writes, weigh
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    LEVEL,
    LEVELDB,
    LOW,
    MOST_FILES,
    MOST_LEVELS,
    NEWEST,
    OLDEST,
    Record,
)

_LEAST_OF_MEMTABLES = 2
"""The level that LevelDB puts memtables into which meet no other file."""


@compiled
def fill_in_order(tree: Record) -> None:
    """Put all keys of the plan in place as a load in the order of keys leaves them, and set the clock.

    They are relinked from level to level, nothing is merged. The tree is an empty one.
    """
    plan = tree.plan[0]
    for _ in range(1 + plan.is_dynamic):  # which level is the base, and with it codecs, follows from what is there
        weigh(tree)
        left, high = plan.operations, 1.0
        for level in range(plan.levels):
            here = left if level == plan.levels - 1 else min(left, _room(tree, level))
            if here > 0:
                low = high - here / plan.operations
                _fill_level(tree, level, here, low, high)
                left, high = left - here, low
    fill_slots_in_order(tree, plan.operations)
    _set_clock(tree)


@compiled
def _room(tree: Record, level: int) -> float:
    """Return how many keys a level above the last one takes."""
    plan = tree.plan[0]
    first = _LEAST_OF_MEMTABLES if plan.style == LEVELDB else 1
    if level < first or plan.is_dynamic == 1:
        return 0.0
    return float(tree.clock[0].target[level] / plan.entry[level])


@compiled
def _fill_level(tree: Record, level: int, count: float, low: float, high: float) -> None:
    """Cut so many keys, a range of them, into the files of a level."""
    plan = tree.plan[0]
    entry, size = plan.entry[codec_level(tree, level)], plan.file[size_level(tree, level)]
    if plan.style == LEVELDB:
        least = plan.operations * plan.entry[plan.levels - 1] / (MOST_FILES // 2)
        size = max(plan.memtable * entry, least)
    files = int(np.ceil(count * entry / size))
    for place in range(files):
        row = tree.files[level, place]
        row[LOW], row[HIGH] = low + (high - low) * place / files, low + (high - low) * (place + 1) / files
        row[OLDEST], row[NEWEST], row[LEVEL] = 0.0, 0.0, 0.0
        for c in range(tree.classes):
            row[FIRST + c] = tree.weights[c] * plan.operations * (row[HIGH] - row[LOW])
        row[BYTES] = stored(tree, row, level)
    tree.counts[level] = files
    tree.clock[0].is_measured[level] = 0


@compiled
def _set_clock(tree: Record) -> None:
    """Set the clock as such a load does: written once, and relinked; the slowest of what it takes says how long."""
    plan, clock = tree.plan[0], tree.clock[0]
    total = 0.0
    for level in range(MOST_LEVELS):
        clock.is_measured[level] = 0
        for place in range(tree.counts[level]):
            total += tree.files[level, place, BYTES]
    size = plan.operations * plan.pair
    jobs = size * (plan.flush_ns + plan.cost[0]) * 1e-3 / plan.flushes
    clock.flushed = total
    clock.blobs = clock.blobs_written
    device = (total + clock.blobs) / plan.bandwidth
    writes = plan.operations * max(between_writes(plan), 1 / plan.rate)
    clock.load_end = clock.time = max(writes, jobs, device)
    clock.count_flushes = int(np.ceil(plan.operations / plan.memtable))
    clock.peak = total + clock.blobs
