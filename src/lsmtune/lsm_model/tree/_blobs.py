"""Blob files by age: what tables refer to in them, which values a compaction moves, and when a file goes.

Rules are those of RocksDB 7.8 to 11.8, by file and function: db/blob/blob_file_builder.cc (`Add`,
`CloseBlobFileIfNeeded`), db/compaction/compaction_iterator.cc (`ComputeBlobGarbageCollectionCutoffFileNumber`,
`GarbageCollectBlobIfNeeded`), db/version_builder.cc (`AddBlobFileIfNeeded`) and db/version_set.cc
(`ComputeFilesMarkedForForcedBlobGC`).

A slot is a few blob files that are neighbours in age, one where there are few. Values die evenly among the files of a
slot, so that of files with r used values each on average exp(-r) have none left, and are gone.
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._merge import Floats
from lsmtune.lsm_model.tree._state import BLOBS, FILES, FIRST, HIGH, JOB, LOW, MOST_LEVELS, MOST_SLOTS, USED, Record

_LINKED = 0.5
"""Values in a blob file from which a table counts as one that refers to it."""


@compiled
def _living(tree: Record, slot: int) -> float:
    """Return which share of the files of a slot has a value left that some table refers to."""
    slots = tree.slots
    files = slots[slot, FILES]
    return float(1 - np.exp(-max(slots[slot, USED], 0.0) / files)) if files > 0 else 0.0


@compiled
def weigh_blobs(tree: Record) -> None:
    """Set the bytes of all blob files."""
    clock = tree.clock[0]
    clock.blobs = 0.0
    for slot in range(clock.slots):
        clock.blobs += tree.slots[slot, BLOBS] * _living(tree, slot) * tree.plan[0].blob_record


@compiled
def open_slot(tree: Record) -> int:
    """Return a new slot for the youngest blob files; call it before rows are copied, as it may move their columns."""
    clock = tree.clock[0]
    if clock.slots == MOST_SLOTS:
        _join_slots(tree)
    slot = clock.slots
    clock.slots += 1
    for column in range(3):
        tree.slots[slot, column] = 0.0
    return int(slot)


@compiled
def fill_slot(tree: Record, slot: int, values: float) -> None:
    """Write so many values into the files of the youngest slot; without any, it is given back."""
    plan, clock, slots = tree.plan[0], tree.clock[0], tree.slots
    if values <= 0:
        clock.slots -= 1
        return
    size = values * plan.blob_record
    clock.blobs_written += size
    slots[slot, FILES] = max(1.0, np.ceil(size / plan.blob_file))
    slots[slot, BLOBS] = values


@compiled
def _join_slots(tree: Record) -> None:
    """Join slots that are neighbours, so that at most about half of them remain, each with as many living files.

    Slots move forward alone, so that both they and the columns of rows are joined where they stand.
    """
    clock, slots, into = tree.clock[0], tree.slots, tree.joined
    total = 0.0
    for slot in range(clock.slots):
        total += _living(tree, slot) * slots[slot, FILES]
    kept, size = 0, 0.0
    for slot in range(clock.slots):
        living = _living(tree, slot)
        files = living * slots[slot, FILES]
        if slot > 0 and size + files > total / (MOST_SLOTS / 4):
            kept, size = kept + 1, 0.0
        size += files
        into[slot] = kept
        values, used = living * slots[slot, BLOBS], slots[slot, USED]
        is_first = slot == 0 or into[slot - 1] < kept
        slots[kept, FILES] = files if is_first else slots[kept, FILES] + files
        slots[kept, BLOBS] = values if is_first else slots[kept, BLOBS] + values
        slots[kept, USED] = used if is_first else slots[kept, USED] + used
    for slot in range(kept + 1, MOST_SLOTS):
        for column in range(3):
            slots[slot, column] = 0.0
    for level in range(MOST_LEVELS):
        for place in range(tree.counts[level]):
            _join_columns(tree, tree.files[level, place])
    clock.slots = kept + 1


@compiled
def _join_columns(tree: Record, row: Floats) -> None:
    """Join what a row refers to in slots that have been joined."""
    into, first = tree.joined, tree.width - MOST_SLOTS
    for slot in range(tree.clock[0].slots):
        values = row[first + slot]
        row[first + slot] = 0.0
        row[first + into[slot]] += values


@compiled
def count_used(tree: Record, room: int, count: int, sign: float) -> None:
    """Add what rows of the room refer to, or with a sign of -1 take it away."""
    places = tree.places
    first = tree.width - places
    for slot in range(min(tree.clock[0].slots, places)):
        for place in range(count):
            tree.slots[slot, USED] += sign * tree.files[room, place, first + slot]


@compiled
def collected_slots(tree: Record) -> int:
    """Return how many slots, the oldest ones, a compaction moves values out of."""
    plan, clock, slots = tree.plan[0], tree.clock[0], tree.slots
    if plan.is_collecting == 0 or tree.places == 0:
        return 0
    files = 0.0
    for slot in range(clock.slots):
        files += slots[slot, FILES] * _living(tree, slot)
    if plan.age_cutoff >= 1:
        return int(clock.slots)
    old, before = np.floor(plan.age_cutoff * files + 1e-6), 0.0
    for slot in range(clock.slots):
        own = slots[slot, FILES] * _living(tree, slot)
        if before + own / 2 >= old:
            return slot
        before += own
    return int(clock.slots)


@compiled
def held_by(tree: Record, job: Record, slots: int) -> float:
    """Return how many values of the oldest slots the files of a job refer to."""
    first = tree.width - tree.places
    total = 0.0
    if slots == 0:
        return total
    for level in range(MOST_LEVELS):
        for place in range(tree.counts[level]):
            if tree.files[level, place, JOB] == job.number:
                for slot in range(slots):
                    total += tree.files[level, place, first + slot]
    return total


@compiled
def collect_garbage(tree: Record, room: int, count: int, old: int, slot: int) -> None:
    """Move the values of the oldest slots that a compaction's result refers to into the youngest one.

    Args:
        tree: with its slots.
        room: where the result is.
        count: rows of it.
        old: slots whose values move.
        slot: that is open for them, or -1 where nothing is collected.
    """
    if slot < 0:
        return
    first = tree.width - tree.places
    moved = 0.0
    for place in range(count):
        row = tree.files[room, place]
        for each in range(min(old, slot)):
            moved += row[first + each]
            row[first + slot] += row[first + each]
            row[first + each] = 0.0
    fill_slot(tree, slot, moved)


@compiled
def forced_file(tree: Record) -> tuple[int, int]:
    """Return level and place of a file that is merged with nothing for the sake of garbage, or -1, -1."""
    plan, slots = tree.plan[0], tree.slots
    old = collected_slots(tree) if plan.forced < 1 else 0
    values, used, oldest = 0.0, 0.0, -1
    for slot in range(old):
        living = _living(tree, slot)
        values += slots[slot, BLOBS] * living
        used += slots[slot, USED]
        if oldest < 0 and living * slots[slot, FILES] > _LINKED:
            oldest = slot
    if oldest < 0 or values - used < plan.forced * values:
        return -1, -1
    column = tree.width - tree.places + oldest
    for level in range(1, plan.levels):
        for place in range(tree.counts[level]):
            row = tree.files[level, place]
            if row[JOB] == 0 and row[column] / slots[oldest, FILES] >= _LINKED:
                return level, place
    return -1, -1


@compiled
def fill_slots_in_order(tree: Record, values: float) -> None:
    """Set the slots as a load in the order of keys leaves them: each value used, each file of a range of its own.

    Args:
        tree: with all its tables.
        values: that were written.
    """
    plan, clock = tree.plan[0], tree.clock[0]
    if tree.places == 0 or values <= 0:
        return
    of_flush = max(1.0, np.ceil(plan.memtable * plan.blob_record / plan.blob_file))
    files = max(1.0, values / plan.memtable * of_flush)
    slots = int(min(files, MOST_SLOTS // 2))
    clock.slots = slots
    clock.blobs_written = values * plan.blob_record
    first = tree.width - MOST_SLOTS
    for level in range(MOST_LEVELS):
        for place in range(tree.counts[level]):
            row = tree.files[level, place]
            sets = 0.0
            for c in range(tree.classes):
                sets += row[FIRST + c]
            for slot in range(slots):
                inside = min((slot + 1) / slots, row[HIGH]) - max(slot / slots, row[LOW])
                row[first + slot] = sets * max(inside, 0.0) / max(row[HIGH] - row[LOW], 1e-300)
    for slot in range(slots):
        tree.slots[slot, FILES], tree.slots[slot, BLOBS] = files / slots, values / slots
        tree.slots[slot, USED] = values / slots
