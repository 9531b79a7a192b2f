"""FIFO compaction: the oldest files are deleted, and small ones merged where that is allowed.

Rules are those of RocksDB 7.8 to 11.8, db/compaction/compaction_picker_fifo.cc (`PickTTLCompaction`,
`PickSizeCompaction`, `PickIntraL0Compaction`), db/compaction/compaction_picker.cc (`FindIntraL0Compaction`, newer
`PickCostBasedIntraL0Compaction`) and db/column_family.cc (`SanitizeOptions`: files of level 0 hold no writes back).
Deleting takes no time here. Level 0 has all files, newest first; where they are too many a row stands for several.
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import count_used
from lsmtune.lsm_model.tree._jobs import begin, close_level_0, entries, measure_level, set_work
from lsmtune.lsm_model.tree._merge import Floats, add_keys, collect, copy_row, empty_row, lay_over, union_of_level_0
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    JOB,
    LEVEL,
    LOST,
    LOW,
    MOST_FILES,
    ROOM,
    TIME,
    UPPER,
    WHOLE,
    Record,
)


@compiled
def weigh_fifo(tree: Record) -> None:
    """Delete what is too old or too much, and set the bytes of all files."""
    plan, clock = tree.plan[0], tree.clock[0]
    measure_level(tree, 0)
    total = clock.total[0]
    if not _is_merging(tree):
        oldest = tree.files[0, max(tree.counts[0] - 1, 0)]
        while tree.counts[0] > 0 and oldest[TIME] < clock.time - plan.ttl:
            total -= _drop_oldest(tree)
            oldest = tree.files[0, max(tree.counts[0] - 1, 0)]
        while tree.counts[0] > 0 and total > plan.keeps:
            total -= _drop_oldest(tree)
    clock.bytes[0] = clock.total[0] = max(total, 0.0)


@compiled
def _is_merging(tree: Record) -> bool:
    is_merging = False
    for place in range(tree.clock[0].jobs):
        is_merging |= tree.jobs[place].is_flush == 0
    return bool(is_merging)


@compiled
def _drop_oldest(tree: Record) -> float:
    """Delete the oldest file, with what it refers to; return its bytes."""
    clock = tree.clock[0]
    row, gone, lost = tree.files[0, tree.counts[0] - 1], tree.files[UPPER, 0], tree.files[ROOM, LOST]
    clock.is_measured[0] = 0
    share = 1 / max(row[LEVEL], 1.0)
    copy_row(tree, row, gone)
    _keep(tree, gone, share)
    count_used(tree, UPPER, 1, -1.0)
    clock.dropped += gone[BYTES]
    gone[LOW], gone[HIGH] = 0.0, 1.0
    lost[LOW], lost[HIGH] = 0.0, 1.0
    lay_over(tree, gone, lost, lost)
    if row[LEVEL] <= 1:
        tree.counts[0] -= 1
    else:
        _keep(tree, row, 1 - share)
        row[LEVEL] -= 1
    return float(gone[BYTES])


@compiled
def _keep(tree: Record, row: Floats, share: float) -> None:
    """Keep a share of what a row holds."""
    row[BYTES] *= share
    for column in range(FIRST, tree.width):
        row[column] *= share


@compiled
def start_fifo(tree: Record) -> bool:
    """Start to merge the newest files where that is allowed and each file that goes costs little; return whether."""
    plan, files, counts = tree.plan[0], tree.files, tree.counts
    if plan.small <= 0 or counts[0] < plan.trigger or _is_merging(tree):
        return False
    count, size, cost = 0, 0.0, np.inf
    while count < counts[0] and files[0, count, LEVEL] <= 1:
        further = size + files[0, count, BYTES]
        each = further / count if count > 0 else np.inf
        if count > 0 and (each > cost or further > plan.most):
            break
        size, cost, count = further, each, count + 1
    if count < max(plan.trigger, 2) or cost > plan.small:
        return False
    job = begin(tree, 0, 0)
    read = 0.0
    for place in range(count):
        files[0, place, JOB] = job.number
        read += entries(tree, files[0, place])
    union_of_level_0(tree, collect(tree, 0, job.number, UPPER))
    set_work(tree, job, read, entries(tree, files[UPPER, 0]), 0, 1.0)
    return True


@compiled
def finish_fifo(tree: Record, job: Record) -> None:
    """Put the merged file in the place of those that it was made of."""
    merged = tree.files[UPPER, 0]
    count = collect(tree, 0, job.number, UPPER)
    count_used(tree, UPPER, count, -1.0)
    newest = merged[TIME]
    union_of_level_0(tree, count)
    merged[TIME], merged[LEVEL] = newest, 1.0
    count_used(tree, UPPER, 1, 1.0)
    tree.clock[0].count_compactions += 1
    close_level_0(tree, job.number)


@compiled
def make_room(tree: Record) -> None:
    """Let each row stand for two, so that a further file has room."""
    files, counts, kept = tree.files, tree.counts, 0
    if counts[0] < MOST_FILES or _is_merging(tree):
        return
    for place in range(0, counts[0] - 1, 2):
        row = files[0, kept]
        copy_row(tree, files[0, place], row)
        add_keys(tree, files[0, place + 1], row, 1.0)
        row[BYTES] += files[0, place + 1, BYTES]
        row[LEVEL] += files[0, place + 1, LEVEL]
        kept += 1
    if counts[0] % 2:
        copy_row(tree, files[0, counts[0] - 1], files[0, kept])
        kept += 1
    counts[0] = kept


@compiled
def files_of(tree: Record) -> float:
    """Return how many files there are."""
    total = 0.0
    for place in range(tree.counts[0]):
        total += tree.files[0, place, LEVEL]
    return total


@compiled
def lost_keys(tree: Record) -> float:
    """Return how many keys were written and are in no file any more, as what is left does not set them."""
    newer, lost, whole = tree.files[UPPER, 0], tree.files[ROOM, LOST], tree.files[ROOM, WHOLE]
    if union_of_level_0(tree, collect(tree, 0, 0, UPPER)) == 0:
        empty_row(tree, newer)
    newer[LOW], newer[HIGH] = 0.0, 1.0
    lay_over(tree, newer, lost, whole)
    total = 0.0
    for c in range(tree.classes):
        total += whole[FIRST + c] - newer[FIRST + c]
    return max(0.0, total)
