"""Jobs: which files a flush or compaction holds, and how long it takes, whatever rules it was picked by."""

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._merge import (
    SAME_EDGE,
    Floats,
    add_keys,
    codec_level,
    collect,
    copy_row,
    empty_row,
    lay_over,
    size_level,
    stored,
    union_of_level_0,
)
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    INTO,
    JOB,
    LOW,
    LOWER,
    MOST_FILES,
    NEWER,
    OLDER,
    ROOM,
    UPPER,
    Record,
)


@compiled
def begin(tree: Record, source: int, target: int) -> Record:
    """Return a new compaction, which holds no file yet."""
    clock = tree.clock[0]
    clock.number += 1
    job = tree.jobs[clock.jobs]
    clock.jobs += 1
    job.is_flush, job.is_move, job.memtables = 0, 0, 0
    job.number, job.source, job.target, job.level = clock.number, source, target, 0.0
    clock.is_measured[source] = clock.is_measured[target] = 0
    return job


@compiled
def set_work(tree: Record, job: Record, read: float, written: float, target: int, shares: float) -> None:
    """Say how long a compaction takes that reads `read` and writes `written` entries, split among so many threads."""
    plan = tree.plan[0]
    pair = plan.pair - plan.blob
    codec = codec_level(tree, target)
    files = max(1.0, written * plan.entry[codec] / plan.file[size_level(tree, target)]) if target > 0 else 1.0
    work = pair * (read * plan.merge_ns + written * plan.cost[codec]) * 1e-3 + plan.job_us + files * plan.file_us
    job.left = max(work / shares, 1e-3)
    job.written = written
    job.demand = written * plan.entry[codec] / job.left


@compiled
def entries(tree: Record, row: Floats) -> float:
    """Return how many keys a row sets or deletes."""
    total = 0.0
    for column in range(FIRST, FIRST + 2 * tree.classes):
        total += row[column]
    return total


@compiled
def measure_level(tree: Record, level: int) -> None:
    """Set the bytes of a level, and those of them that no job holds, where its files or what holds them changed."""
    clock = tree.clock[0]
    if clock.is_measured[level] == 0:
        free, total = 0.0, 0.0
        for place in range(tree.counts[level]):
            size = tree.files[level, place, BYTES]
            total += size
            if tree.files[level, place, JOB] == 0:
                free += size
        clock.bytes[level], clock.total[level], clock.is_measured[level] = free, total, 1


@compiled
def estimate(tree: Record, source: int, target: int, number: int) -> tuple[float, float]:
    """Return how many entries a job reads and about how many it writes."""
    files = tree.files
    upper = collect(tree, source, number, UPPER)
    lower = collect(tree, target, number, LOWER) if target != source else 0
    read = 0.0
    for place in range(upper):
        read += entries(tree, files[UPPER, place])
    for place in range(lower):
        read += entries(tree, files[LOWER, place])
    if source == 0:
        upper = union_of_level_0(tree, upper)
    # All in one range: what the parts come to where keys lie evenly, which is near enough for a time.
    newer, older, into = files[ROOM, NEWER], files[ROOM, OLDER], files[ROOM, INTO]
    empty_row(tree, newer)
    empty_row(tree, older)
    low, high = 2.0, -1.0
    for place in range(upper):
        add_keys(tree, files[UPPER, place], newer, 1.0)
        low, high = min(low, files[UPPER, place, LOW]), max(high, files[UPPER, place, HIGH])
    for place in range(lower):
        add_keys(tree, files[LOWER, place], older, 1.0)
        low, high = min(low, files[LOWER, place, LOW]), max(high, files[LOWER, place, HIGH])
    newer[LOW], newer[HIGH] = low, high
    lay_over(tree, newer, older, into)
    return read, entries(tree, into)


@compiled
def overlap(tree: Record, level: int, low: float, high: float) -> tuple[int, int]:
    """Return the first file of a level that meets a range, and one past the last."""
    files, count = tree.files, tree.counts[level]
    first, last = 0, count
    while first < last:  # files are sorted and do not meet one another
        middle = (first + last) // 2
        if files[level, middle, HIGH] <= low + SAME_EDGE:
            first = middle + 1
        else:
            last = middle
    end = first
    while end < count and files[level, end, LOW] < high - SAME_EDGE:
        end += 1
    return first, end


@compiled
def close_level_0(tree: Record, number: int) -> None:
    """Put the first row of `UPPER` in the place of the newest file of level 0 that a job holds, and drop the others."""
    clock, files, counts = tree.clock[0], tree.files, tree.counts
    kept, is_placed = 0, False
    for place in range(counts[0]):
        if files[0, place, JOB] != number:
            if kept != place:
                copy_row(tree, files[0, place], files[0, kept])
            kept += 1
        elif not is_placed:
            copy_row(tree, files[UPPER, 0], files[0, kept])
            files[0, kept, LOW], files[0, kept, HIGH], files[0, kept, JOB] = 0.0, 1.0, 0.0
            files[0, kept, BYTES] = stored(tree, files[UPPER, 0], 0)
            clock.written[0] += files[0, kept, BYTES]
            kept, is_placed = kept + 1, True
    counts[0] = min(kept, MOST_FILES)
