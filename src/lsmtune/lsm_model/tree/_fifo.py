"""FIFO compaction: the oldest files are deleted, and small ones merged where that is allowed.

Rules are those of RocksDB 7.8 to 11.8, db/compaction/compaction_picker_fifo.cc (`PickTTLCompaction`,
`PickSizeCompaction`, `PickIntraL0Compaction`), db/compaction/compaction_picker.cc (`FindIntraL0Compaction`, newer
`PickCostBasedIntraL0Compaction`) and db/column_family.cc (`SanitizeOptions`: files of level 0 hold no writes back).
Deleting takes no time here. Level 0 has all files, newest first; where they are too many a row stands for several.
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import count_used
from lsmtune.lsm_model.tree._jobs import begin, close_level_0, entries, set_work
from lsmtune.lsm_model.tree._merge import collect, lay_over, union_of_level_0
from lsmtune.lsm_model.tree._state import BYTES, FIRST, HIGH, JOB, LEVEL, LOW, MOST_FILES, TIME, Record, Tree


@compiled
def weigh_fifo(tree: Tree) -> None:
    """Delete what is too old or too much, and set the bytes of all files."""
    plan, clock = tree.plan[0], tree.clock[0]
    total = 0.0
    for place in range(tree.counts[0]):
        total += tree.files[0, place, BYTES]
    if not _is_merging(tree):
        oldest = tree.files[0, max(tree.counts[0] - 1, 0)]
        while tree.counts[0] > 0 and oldest[TIME] < clock.time - plan.ttl:
            total -= _drop_oldest(tree)
            oldest = tree.files[0, max(tree.counts[0] - 1, 0)]
        while tree.counts[0] > 0 and total > plan.keeps:
            total -= _drop_oldest(tree)
    clock.bytes[0] = clock.total[0] = max(total, 0.0)


@compiled
def _is_merging(tree: Tree) -> bool:
    is_merging = False
    for place in range(tree.clock[0].jobs):
        is_merging |= tree.jobs[place].is_flush == 0
    return bool(is_merging)


@compiled
def _drop_oldest(tree: Tree) -> float:
    """Delete the oldest file, with what it refers to; return its bytes."""
    row, clock = tree.files[0, tree.counts[0] - 1], tree.clock[0]
    gone = row.copy()
    share = 1 / max(row[LEVEL], 1.0)
    gone[FIRST:] *= share
    gone[BYTES] *= share
    count_used(tree, gone.reshape(1, len(gone)), 1, -1.0)
    clock.dropped += gone[BYTES]
    gone[LOW], gone[HIGH] = 0.0, 1.0
    tree.lost[LOW], tree.lost[HIGH] = 0.0, 1.0
    lay_over(tree, gone, tree.lost.copy(), tree.lost, tree.plan[0].is_unique == 1)
    if row[LEVEL] <= 1:
        tree.counts[0] -= 1
    else:
        row[FIRST:] *= 1 - share
        row[BYTES] *= 1 - share
        row[LEVEL] -= 1
    return float(gone[BYTES])


@compiled
def start_fifo(tree: Tree) -> bool:
    """Start to merge the newest files where that is allowed and each file that goes costs little; return whether."""
    plan, files = tree.plan[0], tree.files[0]
    if plan.small <= 0 or tree.counts[0] < plan.trigger or _is_merging(tree):
        return False
    count, size, cost = 0, 0.0, np.inf
    while count < tree.counts[0] and files[count, LEVEL] <= 1:
        further = size + files[count, BYTES]
        each = further / count if count > 0 else np.inf
        if count > 0 and (each > cost or further > plan.most):
            break
        size, cost, count = further, each, count + 1
    if count < max(plan.trigger, 2) or cost > plan.small:
        return False
    job = begin(tree, 0, 0)
    read = 0.0
    for place in range(count):
        files[place, JOB] = job.number
        read += entries(tree, files[place])
    union_of_level_0(tree, collect(tree, 0, job.number, tree.upper))
    set_work(tree, job, read, entries(tree, tree.upper[0]), 0, 1.0)
    return True


@compiled
def finish_fifo(tree: Tree, job: Record) -> None:
    """Put the merged file in the place of those that it was made of."""
    count = collect(tree, 0, job.number, tree.upper)
    count_used(tree, tree.upper, count, -1.0)
    newest = tree.upper[0, TIME]
    union_of_level_0(tree, count)
    tree.upper[0, TIME], tree.upper[0, LEVEL] = newest, 1.0
    count_used(tree, tree.upper, 1, 1.0)
    tree.clock[0].count_compactions += 1
    close_level_0(tree, job.number)


@compiled
def make_room(tree: Tree) -> None:
    """Let each row stand for two, so that a further file has room."""
    files, kept = tree.files[0], 0
    if tree.counts[0] < MOST_FILES or _is_merging(tree):
        return
    for place in range(0, tree.counts[0] - 1, 2):
        row = files[place].copy()
        row[FIRST:] += files[place + 1, FIRST:]
        row[BYTES] += files[place + 1, BYTES]
        row[LEVEL] += files[place + 1, LEVEL]
        files[kept] = row
        kept += 1
    if tree.counts[0] % 2:
        files[kept] = files[tree.counts[0] - 1]
        kept += 1
    tree.counts[0] = kept


@compiled
def files_of(tree: Tree) -> float:
    """Return how many files there are."""
    total = 0.0
    for place in range(tree.counts[0]):
        total += tree.files[0, place, LEVEL]
    return total


def lost_keys(tree: Tree) -> float:
    """Return how many keys were written and are in no file any more, as what is left does not set them."""
    left = union_of_level_0(tree, collect(tree, 0, 0, tree.upper))
    newer = tree.upper[0] if left else np.zeros_like(tree.lost)
    newer[LOW], newer[HIGH] = 0.0, 1.0
    whole = np.zeros_like(tree.lost)
    lay_over(tree, newer, tree.lost, whole, bool(tree.plan[0]["is_unique"]))
    sets = slice(FIRST, FIRST + len(tree.keys))
    return max(0.0, float(whole[sets].sum() - newer[sets].sum()))
