"""Universal compaction: which sorted runs are merged.

Rules are those of RocksDB 7.8 to 11.8, db/compaction/compaction_picker_universal.cc: `PickCompaction`,
`PickCompactionToReduceSizeAmp`, `PickCompactionToReduceSortedRuns`. A sorted run is one row, newest first, all in the
files of level 0 with the level where the engine keeps them.
"""

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import collect_garbage, collected_slots, count_used, open_slot
from lsmtune.lsm_model.tree._jobs import begin, entries, set_work
from lsmtune.lsm_model.tree._merge import collect, copy_row, stored, union_of_level_0
from lsmtune.lsm_model.tree._state import BYTES, FIRST, HIGH, JOB, LEVEL, LOW, UPPER, Record


@compiled
def weigh_runs(tree: Record) -> None:
    """Set the sizes of all runs."""
    clock = tree.clock[0]
    clock.bytes[0] = clock.total[0] = 0.0
    for place in range(tree.counts[0]):
        clock.total[0] += tree.files[0, place, BYTES]


@compiled
def start_universal(tree: Record) -> bool:
    """Start the compaction that the engine would pick, in the order in which it looks; return whether there is one."""
    plan, files, count = tree.plan[0], tree.files, tree.counts[0]
    if count < plan.trigger or count < 2:
        return False
    first, end = _by_amplification(tree)
    if first < 0:
        first, end = _by_size(tree, plan.size_ratio, count)
    if first < 0:
        idle = 0
        for place in range(count):
            idle += files[0, place, JOB] == 0
        if idle > plan.trigger:
            first, end = _by_size(tree, 0.0, int(idle - plan.trigger + 1))
    if first < 0:
        return False
    target = plan.levels - 1
    if end < count:
        target = max(int(files[0, end, LEVEL]) - 1, 0)
    job = begin(tree, 0, 0)
    job.level = float(target)
    read = 0.0
    for place in range(first, end):
        files[0, place, JOB] = job.number
        read += entries(tree, files[0, place])
    union_of_level_0(tree, collect(tree, 0, job.number, UPPER))
    shares = plan.subcompactions if target > 0 else 1.0
    set_work(tree, job, read, entries(tree, files[UPPER, 0]), target, shares)
    return True


@compiled
def _by_amplification(tree: Record) -> tuple[int, int]:
    """Merge all idle runs down to the oldest where the newer ones are too large against it."""
    files, last = tree.files, tree.counts[0] - 1
    if files[0, last, JOB] != 0:
        return -1, -1
    first, newer = last, 0.0
    while first > 0 and files[0, first - 1, JOB] == 0:
        first -= 1
        newer += files[0, first, BYTES]
    if first == last or newer < tree.plan[0].amplification * files[0, last, BYTES]:
        return -1, -1
    return first, last + 1


@compiled
def _by_size(tree: Record, ratio: float, most: int) -> tuple[int, int]:
    """Merge the newest neighbours of which none is much larger than those before it; a ratio of 0 is none."""
    files, count = tree.files, tree.counts[0]
    most = min(most, tree.plan[0].most_merged)
    first = 0
    while first < count:
        if files[0, first, JOB] != 0:
            first += 1
            continue
        size, end = files[0, first, BYTES], first + 1
        while end < count and end - first < most and files[0, end, JOB] == 0:
            further = files[0, end, BYTES]
            if ratio > 0 and size * ratio < further:
                break
            size, end = size + further, end + 1
        if end - first >= max(tree.plan[0].least_merged, 2):
            return first, end
        first += 1
    return -1, -1


@compiled
def finish_universal(tree: Record, job: Record) -> None:
    """Put the result of a compaction in the place of the runs that it read."""
    clock, plan, files = tree.clock[0], tree.plan[0], tree.files
    counts, level, classes = tree.counts, int(job.level), tree.classes
    slot = open_slot(tree) if plan.is_collecting else -1
    upper = collect(tree, 0, job.number, UPPER)
    old = collected_slots(tree)
    count_used(tree, UPPER, upper, -1.0)
    union_of_level_0(tree, upper)
    if files[0, counts[0] - 1, JOB] == job.number:
        for column in range(FIRST + classes, FIRST + 2 * classes):
            files[UPPER, 0, column] = 0.0
    collect_garbage(tree, UPPER, 1, old, slot)
    count_used(tree, UPPER, 1, 1.0)
    clock.count_compactions += 1
    kept, is_placed = 0, False
    for place in range(counts[0]):
        if files[0, place, JOB] != job.number:
            if kept != place:
                copy_row(tree, files[0, place], files[0, kept])
            kept += 1
        elif not is_placed:
            copy_row(tree, files[UPPER, 0], files[0, kept])
            files[0, kept, LOW], files[0, kept, HIGH], files[0, kept, JOB], files[0, kept, LEVEL] = 0.0, 1.0, 0.0, level
            files[0, kept, BYTES] = stored(tree, files[UPPER, 0], min(level, plan.levels - 1))
            clock.written[min(level, plan.levels - 1)] += files[0, kept, BYTES]
            kept, is_placed = kept + 1, True
    counts[0] = kept
