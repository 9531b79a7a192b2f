"""Blob files by age: what tables refer to in them, which values a compaction moves, and when a file goes.

Rules are those of RocksDB 7.8 to 11.8, by file and function: db/blob/blob_file_builder.cc (`Add`,
`CloseBlobFileIfNeeded`), db/compaction/compaction_iterator.cc (`ComputeBlobGarbageCollectionCutoffFileNumber`,
`GarbageCollectBlobIfNeeded`), db/version_builder.cc (`AddBlobFileIfNeeded`) and db/version_set.cc
(`ComputeFilesMarkedForForcedBlobGC`).

A slot is a few blob files that are neighbours in age, one where there are few. Values die evenly among the files of a
slot, so that of files with r used values each on average exp(-r) have none left, and are gone.
"""

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._state import BLOBS, FILES, FIRST, HIGH, JOB, LOW, MOST_SLOTS, USED, Record, Tree

_LINKED = 0.5
"""Values in a blob file from which a table counts as one that refers to it."""


@compiled
def _living(tree: Tree, slot: int) -> float:
    """Return which share of the files of a slot has a value left that some table refers to."""
    files = tree.slots[slot, FILES]
    return float(1 - np.exp(-max(tree.slots[slot, USED], 0.0) / files)) if files > 0 else 0.0


@compiled
def weigh_blobs(tree: Tree) -> None:
    """Set the bytes of all blob files."""
    clock = tree.clock[0]
    clock.blobs = 0.0
    for slot in range(clock.slots):
        clock.blobs += tree.slots[slot, BLOBS] * _living(tree, slot) * tree.plan[0].blob_record


@compiled
def open_slot(tree: Tree) -> int:
    """Return a new slot for the youngest blob files; call it before rows are copied, as it may move their columns."""
    clock = tree.clock[0]
    if clock.slots == MOST_SLOTS:
        _join_slots(tree)
    slot = clock.slots
    clock.slots += 1
    tree.slots[slot] = 0.0
    return int(slot)


@compiled
def fill_slot(tree: Tree, slot: int, values: float) -> None:
    """Write so many values into the files of the youngest slot; without any, it is given back."""
    plan, clock = tree.plan[0], tree.clock[0]
    if values <= 0:
        clock.slots -= 1
        return
    size = values * plan.blob_record
    clock.blobs_written += size
    tree.slots[slot, FILES] = max(1.0, np.ceil(size / plan.blob_file))
    tree.slots[slot, BLOBS] = values


@compiled
def _join_slots(tree: Tree) -> None:
    """Join slots that are neighbours, so that at most about half of them remain, each with as many living files."""
    clock = tree.clock[0]
    first = len(tree.lost) - MOST_SLOTS
    living = np.zeros(MOST_SLOTS)
    for slot in range(clock.slots):
        living[slot] = _living(tree, slot)
    most = np.sum(living * tree.slots[:, FILES]) / (MOST_SLOTS / 4)
    into = np.zeros(MOST_SLOTS, np.int64)
    kept, size = 0, 0.0
    for slot in range(clock.slots):
        files = living[slot] * tree.slots[slot, FILES]
        if slot > 0 and size + files > most:
            kept, size = kept + 1, 0.0
        size += files
        into[slot] = kept
    joined = np.zeros((MOST_SLOTS, 3))
    for slot in range(clock.slots):
        joined[into[slot], FILES] += living[slot] * tree.slots[slot, FILES]
        joined[into[slot], BLOBS] += living[slot] * tree.slots[slot, BLOBS]
        joined[into[slot], USED] += tree.slots[slot, USED]
    tree.slots[:] = joined
    row = np.zeros(MOST_SLOTS)
    for level in range(len(tree.counts)):
        for place in range(tree.counts[level]):
            row[:] = 0.0
            for slot in range(clock.slots):
                row[into[slot]] += tree.files[level, place, first + slot]
            tree.files[level, place, first:] = row
    clock.slots = kept + 1


@compiled
def count_used(tree: Tree, rows: npt.NDArray[np.float64], count: int, sign: float) -> None:
    """Add what rows refer to, or with a sign of -1 take it away."""
    first = len(tree.lost) - len(tree.slots)
    for slot in range(min(tree.clock[0].slots, len(tree.slots))):
        for place in range(count):
            tree.slots[slot, USED] += sign * rows[place, first + slot]


@compiled
def collected_slots(tree: Tree) -> int:
    """Return how many slots, the oldest ones, a compaction moves values out of."""
    plan, clock = tree.plan[0], tree.clock[0]
    if plan.is_collecting == 0 or len(tree.slots) == 0:
        return 0
    files = 0.0
    for slot in range(clock.slots):
        files += tree.slots[slot, FILES] * _living(tree, slot)
    if plan.age_cutoff >= 1:
        return int(clock.slots)
    old, before = np.floor(plan.age_cutoff * files + 1e-6), 0.0
    for slot in range(clock.slots):
        own = tree.slots[slot, FILES] * _living(tree, slot)
        if before + own / 2 >= old:
            return slot
        before += own
    return int(clock.slots)


@compiled
def held_by(tree: Tree, job: Record, slots: int) -> float:
    """Return how many values of the oldest slots the files of a job refer to."""
    first = len(tree.lost) - len(tree.slots)
    total = 0.0
    if slots == 0:
        return total
    for level in range(len(tree.counts)):
        for place in range(tree.counts[level]):
            if tree.files[level, place, JOB] == job.number:
                for slot in range(slots):
                    total += tree.files[level, place, first + slot]
    return total


@compiled
def collect_garbage(tree: Tree, rows: npt.NDArray[np.float64], count: int, old: int, slot: int) -> None:
    """Move the values of the oldest slots that a compaction's result refers to into the youngest one.

    Args:
        tree: with its slots.
        rows: the result.
        count: rows of it.
        old: slots whose values move.
        slot: that is open for them, or -1 where nothing is collected.
    """
    if slot < 0:
        return
    first = len(tree.lost) - len(tree.slots)
    moved = 0.0
    for place in range(count):
        for each in range(min(old, slot)):
            moved += rows[place, first + each]
            rows[place, first + slot] += rows[place, first + each]
            rows[place, first + each] = 0.0
    fill_slot(tree, slot, moved)


@compiled
def forced_file(tree: Tree) -> tuple[int, int]:
    """Return level and place of a file that is merged with nothing for the sake of garbage, or -1, -1."""
    plan = tree.plan[0]
    old = collected_slots(tree) if plan.forced < 1 else 0
    values, used, oldest = 0.0, 0.0, -1
    for slot in range(old):
        living = _living(tree, slot)
        values += tree.slots[slot, BLOBS] * living
        used += tree.slots[slot, USED]
        if oldest < 0 and living * tree.slots[slot, FILES] > _LINKED:
            oldest = slot
    if oldest < 0 or values - used < plan.forced * values:
        return -1, -1
    column = len(tree.lost) - len(tree.slots) + oldest
    for level in range(1, plan.levels):
        for place in range(tree.counts[level]):
            row = tree.files[level, place]
            if row[JOB] == 0 and row[column] / tree.slots[oldest, FILES] >= _LINKED:
                return level, place
    return -1, -1


def fill_slots_in_order(tree: Tree, values: float) -> None:
    """Set the slots as a load in the order of keys leaves them: each value used, each file of a range of its own.

    Args:
        tree: with all its tables.
        values: that were written.
    """
    plan, clock = tree.plan[0], tree.clock[0]
    if not len(tree.slots) or values <= 0:
        return
    of_flush = max(1.0, float(np.ceil(plan["memtable"] * plan["blob_record"] / plan["blob_file"])))
    files = max(1.0, values / plan["memtable"] * of_flush)
    slots = int(min(files, MOST_SLOTS // 2))
    clock["slots"] = slots
    clock["blobs_written"] = values * plan["blob_record"]
    edges = np.linspace(0, 1, slots + 1)
    first = len(tree.lost) - MOST_SLOTS
    for level in range(len(tree.counts)):
        rows = tree.files[level, : tree.counts[level]]
        for place, row in enumerate(rows):
            inside = np.clip(np.minimum(edges[1:], row[HIGH]) - np.maximum(edges[:-1], row[LOW]), 0, None)
            total = row[FIRST : FIRST + len(tree.keys)].sum()
            rows[place, first : first + slots] = total * inside / max(inside.sum(), 1e-300)
    tree.slots[:slots, FILES], tree.slots[:slots, BLOBS] = files / slots, values / slots
    tree.slots[:slots, USED] = values / slots
