"""LevelDB's compaction: which files are merged, where a memtable goes, and when writes wait.

Rules are those of LevelDB 1.22 and 1.23, by file and function: db/dbformat.h (`config`), db/version_set.cc
(`MaxBytesForLevel`, `Finalize`, `PickCompaction`, `SetupOtherInputs`, `IsTrivialMove`, `PickLevelForMemTableOutput`;
`ShouldStopBefore` stands in `_merge.py`) and db/db_impl.cc (`MakeRoomForWrite`, `BackgroundCompaction`,
`DoCompactionWork`: one thread, which lays a compaction aside while it flushes).
"""

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._jobs import begin, entries, estimate, measure_level, overlap, set_work
from lsmtune.lsm_model.tree._state import BYTES, HIGH, JOB, LOW, Record

_LAST_OF_MEMTABLE = 2
"""kMaxMemCompactLevel."""


@compiled
def weigh_leveldb(tree: Record) -> None:
    """Set the sizes, targets and scores of all levels."""
    plan, clock = tree.plan[0], tree.clock[0]
    clock.base_level = 1
    target = plan.base
    for level in range(plan.levels):
        measure_level(tree, level)
        if level == 0:
            clock.score[0] = tree.counts[0] / plan.trigger
        else:
            clock.target[level] = target
            clock.score[level] = clock.total[level] / target if level < plan.levels - 1 else 0.0
            target *= plan.multiplier


@compiled
def memtable_level(tree: Record, low: float, high: float) -> int:
    """Return the level that a memtable's table goes into: the second one at most, and none where it meets a file."""
    level = 0
    if tree.counts[0] > 0:
        return level
    while level < _LAST_OF_MEMTABLE:
        first, end = overlap(tree, level + 1, low, high)
        if end > first or _met(tree, level + 2, low, high) > tree.plan[0].grandparents:
            break
        level += 1
    return level


@compiled
def _met(tree: Record, level: int, low: float, high: float) -> float:
    """Return the bytes of the files of a level that meet a range."""
    total = 0.0
    if level < tree.plan[0].levels:
        first, end = overlap(tree, level, low, high)
        for place in range(first, end):
            total += tree.files[level, place, BYTES]
    return total


@compiled
def start_leveldb(tree: Record) -> bool:
    """Start the compaction that the engine would pick; return whether there is one."""
    plan, clock = tree.plan[0], tree.clock[0]
    if clock.jobs > 0 or clock.queued > 0:
        return False
    level = 0
    for other in range(1, plan.levels - 1):
        if clock.score[other] > clock.score[level]:
            level = other
    if clock.score[level] < 1:
        return False
    first, end = (0, tree.counts[0]) if level == 0 else _next_file(tree, level)
    low, high = tree.files[level, first, LOW], tree.files[level, end - 1, HIGH]
    if level == 0:
        low, high = 0.0, 1.0
    first, end = _expanded(tree, level, first, end, low, high)
    if level > 0:
        low, high = tree.files[level, first, LOW], tree.files[level, end - 1, HIGH]
    clock.cursor[level] = high
    _hold(tree, level, first, end, low, high)
    return True


@compiled
def _next_file(tree: Record, level: int) -> tuple[int, int]:
    """Return the first file that ends behind the compaction pointer of a level, or else its first."""
    for place in range(tree.counts[level]):
        if tree.files[level, place, HIGH] > tree.clock[0].cursor[level]:
            return place, place + 1
    return 0, 1


@compiled
def _expanded(tree: Record, level: int, first: int, end: int, low: float, high: float) -> tuple[int, int]:
    """Return the files of the upper level, more of them where that takes in no further file of the lower one."""
    plan, files, below = tree.plan[0], tree.files[level], tree.files[level + 1]
    start, stop = overlap(tree, level + 1, low, high)
    if level == 0 or stop == start:
        return first, end
    low, high = min(low, below[start, LOW]), max(high, below[stop - 1, HIGH])
    wider, further = overlap(tree, level, low, high)
    size = 0.0
    for place in range(wider, further):
        size += files[place, BYTES]
    for place in range(start, stop):
        size += below[place, BYTES]
    if further - wider <= end - first or size >= plan.most:
        return first, end
    again, last = overlap(tree, level + 1, files[wider, LOW], files[further - 1, HIGH])
    return (wider, further) if last - again == stop - start else (first, end)


@compiled
def _hold(tree: Record, level: int, first: int, end: int, low: float, high: float) -> None:
    """Begin a compaction of files of a level with those that they meet in the next one."""
    below = tree.files[level + 1]
    start, stop = overlap(tree, level + 1, low, high)
    job = begin(tree, level, level + 1)
    for place in range(first, end):
        tree.files[level, place, JOB] = job.number
    if end - first == 1 and stop == start and _met(tree, level + 2, low, high) <= tree.plan[0].grandparents:
        job.is_move, job.left, job.demand = 1, 1.0, 0.0
        job.written = entries(tree, tree.files[level, first])
        return
    for place in range(start, stop):
        below[place, JOB] = job.number
    read, written = estimate(tree, level, level + 1, job.number)
    set_work(tree, job, read, written, level + 1, 1.0)


@compiled
def switch_leveldb(tree: Record) -> bool:
    """Return whether a full memtable may make room: the one before it is flushed, and level 0 is not too full."""
    return bool(tree.clock[0].immutable == 0 and (tree.counts[0] < tree.plan[0].stop or tree.clock[0].left <= 0))


@compiled
def at_work(tree: Record, job: Record) -> bool:
    """Return whether a job goes on: a compaction stands still while the only thread flushes."""
    is_flushing = False
    for place in range(tree.clock[0].jobs):
        is_flushing |= tree.jobs[place].is_flush == 1
    return bool(job.is_flush == 1 or not is_flushing)
