"""A load, event by event: a memtable is full, a flush or a compaction ends, writes are held back or stopped.

Rules are those of RocksDB 7.8 to 11.8: db/column_family.cc (`GetWriteStallConditionAndCause`,
`RecalculateWriteStallConditions`, `SetupDelay`, `GetL0FileCountForCompactionSpeedup`) and db/db_impl/
db_impl_compaction_flush.cc (`GetBGJobLimits`). Jobs and writers share the cores, flushes and compactions the device.
"""

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._leveled import debt, finish_leveled, start_leveled, weigh_levels
from lsmtune.lsm_model.tree._merge import stored
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIRST,
    HIGH,
    JOB,
    LEVEL,
    LEVELED,
    LOW,
    MOST_FILES,
    MOST_JOBS,
    MOST_LEVELS,
    NEWEST,
    OLDEST,
    Record,
    Tree,
)
from lsmtune.lsm_model.tree._universal import finish_universal, start_universal, weigh_runs

_MOST_EVENTS = 2_000_000
_FREE, _DELAYED, _STOPPED = 0, 1, 2
_FURTHER_WRITER = 0.35
"""What a second writer adds to the rate of the first, as they wait for each other (decision 0016)."""
_WRITES_DELAYED = 0.1
"""Cores that a writer uses while it is held back."""
_NEAR_STOP, _SLOWER, _FASTER, _RECOVERED = 0.6, 0.8, 1.25, 1.4
"""kNearStopSlowdownRatio, kIncSlowdownRatio, kDecSlowdownRatio, kDelayRecoverSlowdownRatio."""
_LEAST_RATE = 0.016384
"""kMinWriteRate, in B/us."""


@compiled
def run_load(tree: Tree) -> None:
    """Run the writes of the plan, and then all that is due, on a tree as it stands."""
    plan, clock = tree.plan[0], tree.clock[0]
    clock.left, clock.delayed_rate = plan.operations, plan.delayed
    clock.load_end = clock.time
    _weigh(tree)
    for _ in range(_MOST_EVENTS):
        mode = _stall_mode(tree)
        _start_flushes(tree)
        _start_compactions(tree, mode)
        if clock.jobs == 0 and (clock.left <= 0 or mode == _STOPPED):
            clock.is_stuck = int(clock.left > 0)
            return
        if _advance(tree, mode):
            _weigh(tree)
            _adapt_rate(tree)
    clock.is_stuck = 1


@compiled
def _weigh(tree: Tree) -> None:
    """Set what follows from the files; called whenever they, or the jobs that hold them, have changed."""
    if tree.plan[0].style == LEVELED:
        weigh_levels(tree)
        tree.clock[0].due = debt(tree)
    else:
        weigh_runs(tree)


@compiled
def _stall_mode(tree: Tree) -> int:
    plan, clock = tree.plan[0], tree.clock[0]
    if clock.immutable >= plan.memtables or tree.counts[0] >= plan.stop:
        return _STOPPED
    if clock.due >= plan.hard:
        return _STOPPED
    few = plan.memtables > 3 and clock.immutable >= plan.memtables - 1 and clock.immutable - 1 >= plan.merged
    return _DELAYED if few or tree.counts[0] >= plan.slowdown or clock.due >= plan.soft else _FREE


@compiled
def _start_flushes(tree: Tree) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    running = 0
    for place in range(clock.jobs):
        running += tree.jobs[place].is_flush
    is_due = clock.queued > 0 and (clock.queued >= plan.merged or clock.left <= 0)
    if not is_due or running >= plan.flushes or clock.jobs >= MOST_JOBS:
        return
    clock.number += 1
    job = tree.jobs[clock.jobs]
    clock.jobs += 1
    job.is_flush, job.is_move, job.number, job.source, job.target = 1, 0, clock.number, -1, 0
    job.memtables, job.operations = clock.queued, clock.waiting
    job.written = _distinct(tree, clock.waiting)
    size = job.written * plan.pair
    job.left = size * (plan.flush_ns + plan.cost[0]) * 1e-3 + plan.flush_us
    job.demand = job.written * (plan.entry[0] + plan.blob) / job.left
    clock.queued, clock.waiting = 0, 0.0


@compiled
def _distinct(tree: Tree, operations: float) -> float:
    """Return how many distinct keys so many writes touch."""
    total = 0.0
    for c in range(len(tree.keys)):
        total += _distinct_of(tree, c, operations)
    return total


@compiled
def _distinct_of(tree: Tree, c: int, operations: float) -> float:
    """Return how many distinct keys of a class so many writes of all classes touch."""
    count = operations * tree.weights[c]
    if tree.plan[0].is_unique == 1:
        return float(count)
    return float(tree.keys[c] * (1 - np.exp(-count / tree.keys[c])))


@compiled
def _start_compactions(tree: Tree, mode: int) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    pressure = min(2 * plan.trigger, plan.trigger + (plan.slowdown - plan.trigger) // 4)
    is_pressed = mode != _FREE or tree.counts[0] >= pressure or clock.due >= plan.soft / 4
    limit = plan.compactions if is_pressed else 1.0
    running = 0
    for place in range(clock.jobs):
        running += 1 - tree.jobs[place].is_flush
    while running < limit and clock.jobs < MOST_JOBS:
        started = start_leveled(tree) if plan.style == LEVELED else start_universal(tree)
        if not started:
            return
        running += 1
        _weigh(tree)


@compiled
def _advance(tree: Tree, mode: int) -> bool:
    """Go on to the next event; return whether the tree changed."""
    plan, clock = tree.plan[0], tree.clock[0]
    is_writing = clock.left > 0 and mode != _STOPPED
    writers = 1 + _FURTHER_WRITER * (plan.writers - 1) if is_writing else 0.0
    most = 1 / (plan.write_us / writers + plan.sync_us) if is_writing else 0.0
    wanted = min(most, plan.rate)
    if mode == _DELAYED:
        wanted = min(wanted, clock.delayed_rate)
    own = max(wanted * plan.write_us, _WRITES_DELAYED) if is_writing else 0.0
    demand = 0.0
    for place in range(clock.jobs):
        demand += tree.jobs[place].demand
    speed = _speed(plan, clock.jobs + own)
    of_jobs = min(speed, plan.bandwidth / max(demand, 1e-12))
    rate = min(wanted, speed * most)
    step = min(plan.memtable - clock.memtable, clock.left) / rate if rate > 0 else np.inf
    for place in range(clock.jobs):
        step = min(step, tree.jobs[place].left / of_jobs)
    clock.time += step
    if clock.left > 0:
        clock.run_time += tree.counts[0] * step
        if mode == _STOPPED:
            clock.stopped += step
        elif mode == _DELAYED:
            clock.delayed += step
    changed = _finish_jobs(tree, step * of_jobs)
    return _write(tree, rate * step) or changed


@compiled
def _speed(plan: Record, busy: float) -> float:
    """Return the speed of each of so many busy jobs and writers, against that of one by itself."""
    crowd = min(busy, plan.cores) - 1
    beside = 1 - (1 - plan.crowded) * crowd / (plan.cores - 1) if crowd > 0 else 1.0
    return float(beside * min(1.0, plan.cores / max(busy, 1e-9)))


@compiled
def _write(tree: Tree, operations: float) -> bool:
    """Put operations into the memtable; return whether it is full."""
    plan, clock = tree.plan[0], tree.clock[0]
    was_loading = clock.left > 0
    clock.memtable += operations
    clock.left = max(clock.left - operations, 0.0)
    if clock.left < 0.5:
        clock.left = 0.0
        if was_loading:
            clock.load_end = clock.time
    if clock.memtable <= 0 or (clock.memtable < plan.memtable * (1 - 1e-9) and clock.left > 0):
        return False
    clock.immutable += 1
    clock.queued += 1
    clock.waiting += clock.memtable
    clock.memtable = 0.0
    return True


@compiled
def _finish_jobs(tree: Tree, work_us: float) -> bool:
    """Let all jobs work; return whether one ended."""
    clock, changed, place = tree.clock[0], False, 0
    while place < clock.jobs:
        job = tree.jobs[place]
        job.left -= work_us
        if job.left > 1e-6:
            place += 1
            continue
        changed = True
        _finish(tree, job)
        clock.jobs -= 1
        tree.jobs[place] = tree.jobs[clock.jobs]
    return changed


@compiled
def _finish(tree: Tree, job: Record) -> None:
    clock, plan = tree.clock[0], tree.plan[0]
    if job.is_flush:
        _finish_flush(tree, job)
    elif plan.style == LEVELED:
        finish_leveled(tree, job)
    else:
        finish_universal(tree, job)
    space = clock.blobs
    for level in range(MOST_LEVELS):
        for place in range(tree.counts[level]):
            space += tree.files[level, place, BYTES]
    for place in range(clock.jobs):
        other = tree.jobs[place]
        if other.number != job.number and not other.is_flush and not other.is_move:
            space += other.written * plan.entry[other.target]
    if not job.is_flush and not job.is_move:
        space += job.written * plan.entry[job.target]
    clock.peak = max(clock.peak, space)


@compiled
def _finish_flush(tree: Tree, job: Record) -> None:
    clock, plan, files = tree.clock[0], tree.plan[0], tree.files[0]
    clock.immutable -= job.memtables
    clock.count_flushes += 1
    if tree.counts[0] == MOST_FILES:
        return
    for place in range(tree.counts[0], 0, -1):
        files[place] = files[place - 1]
    tree.counts[0] += 1
    classes = len(tree.keys)
    row = files[0]
    row[LOW], row[HIGH], row[JOB], row[LEVEL] = 0.0, 1.0, 0.0, 0.0
    clock.age += 1
    row[OLDEST] = row[NEWEST] = clock.age
    for c in range(classes):
        count = _distinct_of(tree, c, job.operations)
        row[FIRST + c] = count * (1 - plan.deletes)
        row[FIRST + classes + c] = count * plan.deletes
        clock.blobs_written += count * (1 - plan.deletes) * plan.blob
        clock.blobs += count * (1 - plan.deletes) * plan.blob
    row[BYTES] = stored(tree, row, 0)
    clock.flushed += row[BYTES]


@compiled
def _adapt_rate(tree: Tree) -> None:
    """Change the delayed rate as the engine does when the state of the tree has changed."""
    plan, clock = tree.plan[0], tree.clock[0]
    mode = _stall_mode(tree)
    if mode == _FREE:
        if clock.was_delayed:
            clock.delayed_rate = min(clock.delayed_rate * _RECOVERED, plan.delayed)
        clock.was_delayed = 0
        return
    if mode == _STOPPED:
        clock.was_delayed = 2
        return
    due = clock.due
    is_near = tree.counts[0] >= max(plan.stop - 2, plan.slowdown) or due - plan.soft > 0.75 * (plan.hard - plan.soft)
    if clock.was_delayed == 2 or (clock.was_delayed and is_near):
        clock.delayed_rate *= _NEAR_STOP
    elif clock.was_delayed and clock.debt > 0:
        clock.delayed_rate *= _SLOWER if clock.debt <= due else _FASTER
    least = min(_LEAST_RATE / plan.pair, plan.delayed)
    clock.delayed_rate = min(max(clock.delayed_rate, least), plan.delayed)
    clock.debt, clock.was_delayed = due, 1


def fill_sequentially(tree: Tree, counts: npt.NDArray[np.float64]) -> None:
    """Put all keys in place as a load in the order of keys leaves them: relinked from level to level, nothing merged.

    Args:
        tree: an empty one.
        counts: keys of each class, shape (classes,).
    """
    plan, clock = tree.plan[0], tree.clock[0]
    weigh_levels(tree)
    total = float(counts.sum())
    last = int(plan["levels"]) - 1
    room = np.zeros(MOST_LEVELS)
    if plan["style"] != LEVELED or plan["is_dynamic"]:
        room[0 if plan["style"] != LEVELED else last] = total
    else:
        left = total
        for level in range(1, last + 1):
            fits = clock["target"][level] / plan["entry"][level]
            room[level] = left if level == last else min(left, fits)
            left -= room[level]
    high = 1.0
    for level in range(last + 1):
        if room[level] <= 0:
            continue
        low = high - room[level] / total
        files = 1 if level == 0 else int(np.ceil(room[level] * plan["entry"][level] / plan["file"][level]))
        for place in range(files):
            row = tree.files[level, place]
            row[LOW], row[HIGH] = low + (high - low) * place / files, low + (high - low) * (place + 1) / files
            row[OLDEST], row[NEWEST], row[LEVEL] = 0.0, 0.0, last
            row[FIRST : FIRST + len(counts)] = counts * (row[HIGH] - row[LOW])
            row[BYTES] = stored(tree, row, last if level == 0 else level)
        tree.counts[level] = files
        high = low
