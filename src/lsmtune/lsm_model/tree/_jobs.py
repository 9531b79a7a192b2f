"""Jobs: which files a flush or compaction holds, and how long it takes, whatever rules it was picked by."""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._merge import SAME_EDGE, collect, lay_over, stored, union_of_level_0
from lsmtune.lsm_model.tree._state import BYTES, FIRST, HIGH, JOB, LOW, MOST_FILES, Record, Tree


@compiled
def begin(tree: Tree, source: int, target: int) -> Record:
    """Return a new compaction, which holds no file yet."""
    clock = tree.clock[0]
    clock.number += 1
    job = tree.jobs[clock.jobs]
    clock.jobs += 1
    job.is_flush, job.is_move, job.memtables = 0, 0, 0
    job.number, job.source, job.target, job.level = clock.number, source, target, 0.0
    return job


@compiled
def set_work(tree: Tree, job: Record, read: float, written: float, target: int, shares: float) -> None:
    """Say how long a compaction takes that reads `read` and writes `written` entries, split among so many threads."""
    plan = tree.plan[0]
    pair = plan.pair - plan.blob
    files = max(1.0, written * plan.entry[target] / plan.file[target]) if target > 0 else 1.0
    work = pair * (read * plan.merge_ns + written * plan.cost[target]) * 1e-3 + plan.job_us + files * plan.file_us
    job.left = max(work / shares, 1e-3)
    job.written = written
    job.demand = written * plan.entry[target] / job.left


@compiled
def entries(tree: Tree, row: np.ndarray) -> float:
    """Return how many keys a row sets or deletes."""
    total = 0.0
    for column in range(FIRST, FIRST + 2 * len(tree.keys)):
        total += row[column]
    return total


@compiled
def estimate(tree: Tree, source: int, target: int, number: int) -> tuple[float, float]:
    """Return how many entries a job reads and about how many it writes."""
    upper = collect(tree, source, number, tree.upper)
    lower = collect(tree, target, number, tree.lower) if target != source else 0
    read = 0.0
    for place in range(upper):
        read += entries(tree, tree.upper[place])
    for place in range(lower):
        read += entries(tree, tree.lower[place])
    if source == 0:
        upper = union_of_level_0(tree, upper)
    # All in one range: what the parts come to where keys lie evenly, which is near enough for a time.
    width = len(tree.lost)
    newer, older, into = np.zeros(width), np.zeros(width), np.zeros(width)
    low, high = 2.0, -1.0
    for place in range(upper):
        newer[FIRST:] += tree.upper[place, FIRST:]
        low, high = min(low, tree.upper[place, LOW]), max(high, tree.upper[place, HIGH])
    for place in range(lower):
        older[FIRST:] += tree.lower[place, FIRST:]
        low, high = min(low, tree.lower[place, LOW]), max(high, tree.lower[place, HIGH])
    newer[LOW], newer[HIGH] = low, high
    lay_over(tree, newer, older, into, tree.plan[0].is_unique == 1)
    return read, entries(tree, into)


@compiled
def overlap(tree: Tree, level: int, low: float, high: float) -> tuple[int, int]:
    """Return the first file of a level that meets a range, and one past the last."""
    files, count = tree.files[level], tree.counts[level]
    first, last = 0, count
    while first < last:  # files are sorted and do not meet one another
        middle = (first + last) // 2
        if files[middle, HIGH] <= low + SAME_EDGE:
            first = middle + 1
        else:
            last = middle
    end = first
    while end < count and files[end, LOW] < high - SAME_EDGE:
        end += 1
    return first, end


@compiled
def close_level_0(tree: Tree, number: int) -> None:
    """Put the files of a job within level 0 in the place of the newest of them."""
    clock, files = tree.clock[0], tree.files[0]
    kept, is_placed = 0, False
    for place in range(tree.counts[0]):
        if files[place, JOB] != number:
            files[kept] = files[place]
            kept += 1
        elif not is_placed:
            files[kept] = tree.upper[0]
            files[kept, LOW], files[kept, HIGH], files[kept, JOB] = 0.0, 1.0, 0.0
            files[kept, BYTES] = stored(tree, tree.upper[0], 0)
            clock.written[0] += files[kept, BYTES]
            kept, is_placed = kept + 1, True
    tree.counts[0] = min(kept, MOST_FILES)
