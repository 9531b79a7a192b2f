"""Leveled compaction: targets and scores of levels, which files are merged, and what is due.

Rules are those of RocksDB 7.8 to 11.8, by file and function: db/version_set.cc (`CalculateBaseBytes`,
`ComputeCompactionScore`, `SortFileByOverlappingRatio`, `EstimateCompactionBytesNeeded`),
db/compaction/compaction_picker_level.cc (`SetupInitialFiles`, `PickFileToCompact`, `PickIntraL0Compaction`) and
db/compaction/compaction_picker.cc (`SetupOtherInputs`, `FindIntraL0Compaction`).
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import collect_garbage, collected_slots, count_used, forced_file, open_slot
from lsmtune.lsm_model.tree._jobs import (
    begin,
    close_level_0,
    entries,
    estimate,
    measure_level,
    overlap,
    set_work,
)
from lsmtune.lsm_model.tree._merge import (
    SAME_EDGE,
    codec_level,
    collect,
    copy_row,
    drop_files,
    merge,
    replace_files,
    stored,
    union_of_level_0,
)
from lsmtune.lsm_model.tree._state import (
    BY_SIZE,
    BYTES,
    HIGH,
    JOB,
    LEAST_OVERLAP,
    LOW,
    LOWER,
    MERGED,
    MOST_LEVELS,
    NEWEST,
    OLDEST,
    OLDEST_LARGEST,
    OLDEST_SMALLEST,
    UPPER,
    Record,
)

_LEAST_WITHIN = 4
"""kMinFilesForIntraL0Compaction."""
_SCORE_SCALE = 10.0
"""kScoreScale, of a level above its target where levels are dynamic."""
_NEVER = 1e300


@compiled
def weigh_levels(tree: Record) -> None:
    """Set the sizes, targets and scores of all levels."""
    plan, clock = tree.plan[0], tree.clock[0]
    for level in range(plan.levels):
        measure_level(tree, level)
    if plan.is_dynamic:
        _dynamic_targets(tree)
    else:
        clock.base_level = 1
        target = plan.base
        for level in range(1, plan.levels):
            clock.target[level] = target
            target *= plan.multiplier
    _score(tree)


@compiled
def _dynamic_targets(tree: Record) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    largest, first = 0.0, -1
    for level in range(1, plan.levels):
        clock.target[level] = _NEVER
        if clock.total[level] > 0 and first < 0:
            first = level
        largest = max(largest, clock.total[level])
    if first < 0:
        clock.base_level = plan.levels - 1
        return
    least, size = plan.base / plan.multiplier, largest
    for _ in range(plan.levels - 2, first - 1, -1):
        size /= plan.multiplier
    base_level = first
    if size <= least:
        size = least + 1
    else:
        while base_level > 1 and size > plan.base:
            base_level -= 1
            size /= plan.multiplier
        size = min(size, plan.base)
    clock.base_level = base_level
    for level in range(base_level, plan.levels):
        clock.target[level] = max(size, plan.base)
        size *= plan.multiplier


@compiled
def _score(tree: Record) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    idle, coming = 0, clock.total[0]
    for place in range(tree.counts[0]):
        idle += tree.files[0, place, JOB] == 0
    score, base = idle / plan.trigger, clock.base_level
    if plan.is_dynamic:
        if clock.bytes[0] >= plan.base:
            score = max(score, 1.01)
        if clock.bytes[0] > clock.target[base]:
            score = max(score, clock.bytes[0] / max(clock.total[base], clock.target[base]))
        if score > 1:
            score *= _SCORE_SCALE
    else:
        score = max(score, clock.bytes[0] / plan.base)
    clock.score[0] = score
    for level in range(1, plan.levels - 1):
        target, free = clock.target[level], clock.bytes[level]
        if level < base or target <= 0:
            clock.score[level] = 0.0
        elif plan.is_dynamic and free >= target:
            clock.score[level] = free / (target + coming) * _SCORE_SCALE
        else:
            clock.score[level] = free / target
        if clock.total[level] > target:
            coming += clock.total[level] - target


@compiled
def debt(tree: Record) -> float:
    """Return the bytes of compactions that are due, as the engine estimates them."""
    plan, clock = tree.plan[0], tree.clock[0]
    due, moved = 0.0, 0.0
    is_level_0_due = tree.counts[0] >= plan.trigger or clock.total[0] >= plan.base
    if is_level_0_due:
        due = moved = clock.total[0]
    for level in range(clock.base_level, plan.levels):
        size = clock.total[level]
        if level == clock.base_level and is_level_0_due:
            due += size
        size += moved
        moved = 0.0
        if size > clock.target[level]:
            moved = size - clock.target[level]
            if level + 1 < plan.levels and clock.total[level + 1] > 0:
                due += moved * (clock.total[level + 1] / size + 1)
    return due


@compiled
def start_leveled(tree: Record) -> bool:
    """Start the compaction that the engine would pick; return whether there is one. `weigh_levels` comes before."""
    plan, clock = tree.plan[0], tree.clock[0]
    skipped, level = False, -1
    for _ in range(plan.levels - 1):
        level = _next_level(tree, level)
        if level < 0 or clock.score[level] < 1:
            break
        if level == 0:
            if _from_level_0(tree) or _within_level_0(tree):
                return True
            skipped = True
        elif not (skipped and level == clock.base_level) and _between_levels(tree, level):
            return True
    return bool(plan.is_collecting == 1 and _for_garbage(tree))


@compiled
def _next_level(tree: Record, after: int) -> int:
    """Return the level with the next lower score than one, levels above first where they are alike; -1: none."""
    plan, score = tree.plan[0], tree.clock[0].score
    best = -1
    for level in range(plan.levels - 1):
        is_next = after < 0 or score[level] < score[after] or (score[level] == score[after] and level > after)
        if is_next and (best < 0 or score[level] > score[best]):
            best = level
    return best


@compiled
def _for_garbage(tree: Record) -> bool:
    """Rewrite a file that refers to the oldest blob files within its level, where these are mostly garbage."""
    level, place = forced_file(tree)
    if level < 0:
        return False
    job = begin(tree, level, level)
    tree.files[level, place, JOB] = job.number
    read, written = estimate(tree, level, level, job.number)
    set_work(tree, job, read, written, level, 1.0)
    return True


@compiled
def _is_busy(tree: Record, level: int) -> bool:
    busy = False
    for place in range(tree.counts[level]):
        busy |= tree.files[level, place, JOB] != 0
    return busy


@compiled
def _is_level_0_busy(tree: Record) -> bool:
    busy = False
    for place in range(tree.clock[0].jobs):
        busy |= not tree.jobs[place].is_flush and tree.jobs[place].source == 0
    return busy


@compiled
def _is_written_to(tree: Record, level: int) -> bool:
    busy = False
    for place in range(tree.clock[0].jobs):
        busy |= not tree.jobs[place].is_flush and tree.jobs[place].target == level
    return busy


@compiled
def _from_level_0(tree: Record) -> bool:
    """Merge all files of level 0 into the base level, which they cover as a whole."""
    plan, clock = tree.plan[0], tree.clock[0]
    base = clock.base_level
    if tree.counts[0] == 0 or _is_level_0_busy(tree) or _is_busy(tree, base) or _is_written_to(tree, base):
        return False
    job = begin(tree, 0, base)
    for level in (0, base):
        for place in range(tree.counts[level]):
            tree.files[level, place, JOB] = job.number
    read, written = estimate(tree, 0, base, job.number)
    shares = min(plan.subcompactions, max(1.0, tree.counts[base]))
    set_work(tree, job, read, written, base, shares)
    return True


@compiled
def _within_level_0(tree: Record) -> bool:
    """Merge the newest files of level 0 while the way down is barred."""
    plan = tree.plan[0]
    if tree.counts[0] < plan.trigger + 2 or tree.files[0, 0, JOB] != 0:
        return False
    count, size, cost = 0, 0.0, np.inf
    while count < tree.counts[0] and tree.files[0, count, JOB] == 0:
        further = size + tree.files[0, count, BYTES]
        each = further / count if count > 0 else np.inf
        if count > 0 and (each > cost or further > plan.most):
            break
        size, cost, count = further, each, count + 1
    if count < _LEAST_WITHIN:
        return False
    job = begin(tree, 0, 0)
    for place in range(count):
        tree.files[0, place, JOB] = job.number
    read = 0.0
    upper = collect(tree, 0, job.number, UPPER)
    for place in range(upper):
        read += entries(tree, tree.files[UPPER, place])
    union_of_level_0(tree, upper)
    set_work(tree, job, read, entries(tree, tree.files[UPPER, 0]), 0, 1.0)
    return True


@compiled
def _rank(tree: Record, level: int, place: int) -> float:
    """Return a number by which files of a level are picked, the least first."""
    plan = tree.plan[0]
    row = tree.files[level, place]
    if plan.priority == LEAST_OVERLAP:
        first, end = overlap(tree, level + 1, row[LOW], row[HIGH])
        met = 0.0
        for below in range(first, end):
            met += tree.files[level + 1, below, BYTES]
        return float(met / row[BYTES])
    # Where files are alike, which goes first is chance; a part of the golden ratio of their edges stands for it.
    chance = (row[LOW] + row[HIGH] + 1) * 6180339.887
    chance -= np.floor(chance)
    if plan.priority == BY_SIZE:
        return float(-row[BYTES] * (1 + 1e-3 * chance))
    if plan.priority == OLDEST_LARGEST:
        return float(row[NEWEST] + chance)
    if plan.priority == OLDEST_SMALLEST:
        return float(row[OLDEST] + chance)
    ahead = row[LOW] - tree.clock[0].cursor[level] + SAME_EDGE
    return float(ahead if ahead >= 0 else ahead + 1)


@compiled
def _is_range_free(tree: Record, level: int, low: float, high: float) -> bool:
    """Return whether no file of a level in a range is held, and no other job writes there."""
    first, end = overlap(tree, level, low, high)
    for place in range(first, end):
        if tree.files[level, place, JOB] != 0:
            return False
    for place in range(tree.clock[0].jobs):
        job = tree.jobs[place]
        if job.is_flush or job.target != level:
            continue
        if job.source == 0:
            return False
        for other in range(tree.counts[job.source]):
            row = tree.files[job.source, other]
            if row[JOB] == job.number and row[LOW] < high and row[HIGH] > low:
                return False
    return True


@compiled
def _pick(tree: Record, level: int) -> int:
    """Return the file of a level that goes first, or -1."""
    best, lowest = -1, np.inf
    for place in range(tree.counts[level]):
        row = tree.files[level, place]
        if row[JOB] != 0:
            continue
        rank = _rank(tree, level, place)
        if rank < lowest and _is_range_free(tree, level + 1, row[LOW], row[HIGH]):
            best, lowest = place, rank
    return best


@compiled
def _between_levels(tree: Record, level: int) -> bool:
    """Merge a file, and what lies beside it within the range of what it meets, into the next level."""
    plan = tree.plan[0]
    picked = _pick(tree, level)
    if picked < 0:
        return False
    files, below = tree.files[level], tree.files[level + 1]
    low, high = files[picked, LOW], files[picked, HIGH]
    first, end = overlap(tree, level + 1, low, high)
    job = begin(tree, level, level + 1)
    files[picked, JOB] = job.number
    tree.clock[0].cursor[level] = high
    if end == first:
        job.written = entries(tree, files[picked])
        job.is_move = int(plan.cost[codec_level(tree, level)] == plan.cost[codec_level(tree, level + 1)])
        if job.is_move:
            job.left, job.demand = 1.0, 0.0
            return True
    size = files[picked, BYTES]
    for place in range(first, end):
        below[place, JOB] = job.number
        size += below[place, BYTES]
        low, high = min(low, below[place, LOW]), max(high, below[place, HIGH])
    if end > first:
        _expand(tree, job, picked, low, high, size)
    read, written = estimate(tree, level, level + 1, job.number)
    set_work(tree, job, read, written, level + 1, 1.0)
    return True


@compiled
def _expand(tree: Record, job: Record, picked: int, low: float, high: float, size: float) -> None:
    """Take in further files of the upper level that lie within what is read below, as far as that is allowed."""
    level = job.source
    files, plan = tree.files[level], tree.plan[0]
    first, last = picked, picked
    while first > 0 and files[first - 1, LOW] >= low - SAME_EDGE:
        first -= 1
    while last + 1 < tree.counts[level] and files[last + 1, HIGH] <= high + SAME_EDGE:
        last += 1
    for place in range(first, last + 1):
        if place != picked:
            if files[place, JOB] != 0:
                return
            size += files[place, BYTES]
    if size < 2 * plan.most:
        for place in range(first, last + 1):
            files[place, JOB] = job.number


@compiled
def finish_leveled(tree: Record, job: Record) -> None:
    """Put the result of a compaction where it belongs."""
    clock = tree.clock[0]
    source, target, number = job.source, job.target, job.number
    slot = open_slot(tree) if tree.plan[0].is_collecting and not job.is_move else -1
    upper = collect(tree, source, number, UPPER)
    if job.is_move:
        moved = tree.files[MERGED, 0]
        copy_row(tree, tree.files[UPPER, 0], moved)
        moved[JOB], moved[BYTES] = 0.0, stored(tree, moved, target)
        drop_files(tree, source, number)
        replace_files(tree, target, number, 1)
        clock.count_moves += 1
        return
    lower = collect(tree, target, number, LOWER) if target != source else 0
    old = collected_slots(tree)
    count_used(tree, UPPER, upper, -1.0)
    count_used(tree, LOWER, lower, -1.0)
    if source == 0:
        upper = union_of_level_0(tree, upper)
    clock.count_compactions += 1
    if target == 0:
        collect_garbage(tree, UPPER, 1, old, slot)
        count_used(tree, UPPER, 1, 1.0)
        close_level_0(tree, number)
        return
    below = target + 1 if target + 1 < tree.plan[0].levels and tree.counts[target + 1] > 0 else -1
    is_bottom = True
    for level in range(target + 1, MOST_LEVELS):
        is_bottom = is_bottom and tree.counts[level] == 0
    count = merge(tree, upper, lower, target, below, is_bottom)
    collect_garbage(tree, MERGED, count, old, slot)
    count_used(tree, MERGED, count, 1.0)
    for place in range(count):
        clock.written[target] += tree.files[MERGED, place, BYTES]
    drop_files(tree, source, number)
    replace_files(tree, target, number, count)
