"""A load, event by event: a memtable is full, a flush or a compaction ends, writes are held back or stopped.

What differs between engines and styles stands in `_rules.py`. How RocksDB's writes are held back follows 7.8 to 11.8:
db/column_family.cc (`GetWriteStallConditionAndCause`, `RecalculateWriteStallConditions`, `SetupDelay`,
`GetL0FileCountForCompactionSpeedup`) and db/db_impl/db_impl_compaction_flush.cc (`GetBGJobLimits`). Jobs and writers
share the cores, flushes and compactions the device.
"""

import numpy as np

from lsmtune.lsm_model._compiled import compiled, entry
from lsmtune.lsm_model.tree._blobs import fill_slot, open_slot
from lsmtune.lsm_model.tree._fifo import lost_keys, make_room
from lsmtune.lsm_model.tree._jobs import measure_level
from lsmtune.lsm_model.tree._leveldb import at_work
from lsmtune.lsm_model.tree._merge import codec_level, copy_row, empty_row, stored
from lsmtune.lsm_model.tree._rules import (
    DELAYED,
    FREE,
    STOPPED,
    between_writes,
    finish_compaction,
    flush_level,
    may_switch,
    sorted_runs,
    stall_mode,
    start_compaction,
    weigh,
)
from lsmtune.lsm_model.tree._sequential import fill_in_order
from lsmtune.lsm_model.tree._state import (
    BYTES,
    DONE,
    FIFO,
    FIRST,
    GIVEN_UP,
    HIGH,
    JOB,
    LEVEL,
    LOW,
    MOST_FILES,
    MOST_JOBS,
    MOST_LEVELS,
    NEWEST,
    OLDEST,
    STUCK,
    TIME,
    UNIVERSAL,
    USED,
    Record,
    Tree,
)

_WRITES_DELAYED = 0.1
"""Cores that a writer uses while it is held back."""
_NEAR_STOP, _SLOWER, _FASTER, _RECOVERED = 0.6, 0.8, 1.25, 1.4
"""kNearStopSlowdownRatio, kIncSlowdownRatio, kDecSlowdownRatio, kDelayRecoverSlowdownRatio."""
_LEAST_RATE = 0.016384
"""kMinWriteRate, in B/us."""


def run_load(tree: Tree) -> None:
    """Run the writes of the plan, and then all that is due, on a tree as it stands."""
    run_rows(tree.rows)


@entry
def run_rows(trees: Record) -> None:
    """Do so with trees of type `TREE`."""
    for place in range(len(trees)):
        _run_load(trees[place])


@compiled
def _run_load(tree: Record) -> None:
    clock = tree.clock[0]
    for level in range(MOST_LEVELS):
        clock.is_measured[level] = 0
    if tree.plan[0].is_in_order == 1 and tree.plan[0].style != UNIVERSAL:
        fill_in_order(tree)
    else:
        _run(tree)
    if tree.plan[0].style == FIFO:
        clock.lost = lost_keys(tree)


@compiled
def _run(tree: Record) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    clock.left, clock.delayed_rate = plan.operations, plan.delayed
    clock.load_end = clock.time
    weigh(tree)
    for _ in range(plan.events):
        if _is_full(tree):
            _switch(tree)
        mode = stall_mode(tree)
        _start_flushes(tree)
        _start_compactions(tree, mode)
        if clock.jobs == 0 and (clock.left <= 0 or mode == STOPPED):
            clock.end = STUCK if clock.left > 0 else DONE
            return
        if _advance(tree, mode):
            weigh(tree)
            _adapt_rate(tree)
    clock.end = GIVEN_UP


@compiled
def _start_flushes(tree: Record) -> None:
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
    job.demand = job.written * (plan.entry[0] + plan.blob_record) / job.left
    clock.queued, clock.waiting = 0, 0.0


@compiled
def _distinct(tree: Record, operations: float) -> float:
    """Return how many distinct keys so many writes touch."""
    total = 0.0
    for c in range(tree.classes):
        total += _distinct_of(tree, c, operations)
    return total


@compiled
def _distinct_of(tree: Record, c: int, operations: float) -> float:
    """Return how many distinct keys of a class so many writes of all classes touch."""
    count = operations * tree.weights[c]
    if tree.plan[0].is_unique == 1:
        return float(count)
    return float(tree.keys[c] * (1 - np.exp(-count / tree.keys[c])))


@compiled
def _start_compactions(tree: Record, mode: int) -> None:
    plan, clock = tree.plan[0], tree.clock[0]
    pressure = min(2 * plan.trigger, plan.trigger + (plan.slowdown - plan.trigger) // 4)
    is_pressed = mode != FREE or tree.counts[0] >= pressure or clock.due >= plan.soft / 4
    limit = plan.compactions if is_pressed else 1.0
    running = 0
    for place in range(clock.jobs):
        running += 1 - tree.jobs[place].is_flush
    while running < limit and clock.jobs < MOST_JOBS:
        if not start_compaction(tree):
            return
        running += 1
        weigh(tree)


@compiled
def _advance(tree: Record, mode: int) -> bool:
    """Go on to the next event; return whether the tree changed."""
    plan, clock = tree.plan[0], tree.clock[0]
    is_writing = clock.left > 0 and mode != STOPPED
    most = 1 / between_writes(plan) if is_writing else 0.0
    wanted = min(most, plan.rate)
    if mode == DELAYED:
        wanted = min(wanted, clock.delayed_rate)
    own = max(wanted * plan.write_us, _WRITES_DELAYED) if is_writing else 0.0
    demand, working = 0.0, 0
    for place in range(clock.jobs):
        if plan.is_single == 0 or at_work(tree, tree.jobs[place]):
            demand += tree.jobs[place].demand
            working += 1
    speed = _speed(plan, working + own)
    of_jobs = min(speed, plan.bandwidth / max(demand, 1e-12))
    rate = min(wanted, speed * most)
    step = min(plan.memtable - clock.memtable, clock.left) / rate if rate > 0 else np.inf
    for place in range(clock.jobs):
        if plan.is_single == 0 or at_work(tree, tree.jobs[place]):
            step = min(step, tree.jobs[place].left / of_jobs)
    clock.time += step
    if clock.left > 0:
        clock.run_time += sorted_runs(tree) * step
        if mode == STOPPED:
            clock.stopped += step
        elif mode == DELAYED:
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
def _write(tree: Record, operations: float) -> bool:
    """Put operations into the memtable; return whether it is full."""
    clock = tree.clock[0]
    was_loading = clock.left > 0
    clock.memtable += operations
    clock.left = max(clock.left - operations, 0.0)
    if clock.left < 0.5:
        clock.left = 0.0
        if was_loading:
            clock.load_end = clock.time
    return _is_full(tree) and _switch(tree)


@compiled
def _is_full(tree: Record) -> bool:
    """Return whether the memtable is to be flushed: it is full, or the last one."""
    plan, clock = tree.plan[0], tree.clock[0]
    return bool(clock.memtable > 0 and (clock.memtable >= plan.memtable * (1 - 1e-9) or clock.left <= 0))


@compiled
def _switch(tree: Record) -> bool:
    """Let the next memtable take the place of a full one, where the engine does; return whether."""
    clock = tree.clock[0]
    if not may_switch(tree):
        return False
    clock.immutable += 1
    clock.queued += 1
    clock.waiting += clock.memtable
    clock.memtable = 0.0
    return True


@compiled
def _finish_jobs(tree: Record, work_us: float) -> bool:
    """Let all jobs work; return whether one ended."""
    clock, changed, place = tree.clock[0], False, 0
    is_single = tree.plan[0].is_single == 1
    for each in range(clock.jobs):
        if not is_single or at_work(tree, tree.jobs[each]):
            tree.jobs[each].left -= work_us
    while place < clock.jobs:
        job = tree.jobs[place]
        if job.left > 1e-6:
            place += 1
            continue
        changed = True
        _finish(tree, job)
        clock.jobs -= 1
        tree.jobs[place] = tree.jobs[clock.jobs]
    return changed


@compiled
def _finish(tree: Record, job: Record) -> None:
    clock, plan = tree.clock[0], tree.plan[0]
    if job.is_flush:
        _finish_flush(tree, job)
    else:
        finish_compaction(tree, job)
        clock.is_measured[job.source] = clock.is_measured[job.target] = 0
    space = clock.blobs
    for level in range(MOST_LEVELS):
        measure_level(tree, level)
        space += clock.total[level]
    for place in range(clock.jobs):
        other = tree.jobs[place]
        if other.number != job.number and not other.is_flush and not other.is_move:
            space += other.written * plan.entry[codec_level(tree, other.target)]
    if not job.is_flush and not job.is_move:
        space += job.written * plan.entry[codec_level(tree, job.target)]
    clock.peak = max(clock.peak, space)


@compiled
def _finish_flush(tree: Record, job: Record) -> None:
    clock, plan = tree.clock[0], tree.plan[0]
    clock.immutable -= job.memtables
    clock.count_flushes += 1
    if plan.style == FIFO:
        make_room(tree)
    level = flush_level(tree)
    files, counts = tree.files, tree.counts
    if counts[level] == MOST_FILES:
        return
    slot = open_slot(tree) if tree.places > 0 else -1
    for place in range(counts[level], 0, -1):
        copy_row(tree, files[level, place - 1], files[level, place])
    counts[level] += 1
    clock.is_measured[level] = 0
    classes = tree.classes
    row = files[level, 0]
    empty_row(tree, row)
    row[LOW], row[HIGH], row[JOB], row[LEVEL] = 0.0, 1.0, 0.0, 1.0 if plan.style == FIFO else 0.0
    clock.age += 1
    row[OLDEST] = row[NEWEST] = clock.age
    row[TIME] = clock.time
    sets = 0.0
    for c in range(classes):
        count = _distinct_of(tree, c, job.operations)
        row[FIRST + c] = count * (1 - plan.deletes)
        row[FIRST + classes + c] = count * plan.deletes
        sets += row[FIRST + c]
    row[BYTES] = stored(tree, row, level)
    clock.flushed += row[BYTES]
    if slot >= 0:
        row[FIRST + 2 * classes + slot] = sets
        tree.slots[slot, USED] = sets
        fill_slot(tree, slot, sets)


@compiled
def _adapt_rate(tree: Record) -> None:
    """Change the delayed rate as the engine does when the state of the tree has changed."""
    plan, clock = tree.plan[0], tree.clock[0]
    mode = stall_mode(tree)
    if plan.is_single:
        return
    if mode == FREE:
        if clock.was_delayed:
            clock.delayed_rate = min(clock.delayed_rate * _RECOVERED, plan.delayed)
        clock.was_delayed = 0
        return
    if mode == STOPPED:
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
