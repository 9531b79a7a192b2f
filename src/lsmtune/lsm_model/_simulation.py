"""Simulates how a tree of RocksDB takes random writes: flushes, stalls, and which compaction is picked when.

A run of seconds has a few thousand events (a memtable is full, a flush or a compaction ends), so that its simulation
takes a fraction of a millisecond once it is compiled. Rules are those of RocksDB 7.8: `LevelCompactionPicker`,
`UniversalCompactionBuilder`, `ColumnFamilyData::RecalculateWriteStallConditions`. Left out are the choice among the
files of a level, key ranges (every file covers its share of all keys evenly), limits of pending bytes, subcompactions,
and whatever a device does.
"""

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model._compiled import compiled, entry
from lsmtune.lsm_model._simulation_levelled import finish_levelled, start_levelled
from lsmtune.lsm_model._simulation_tiered import merge_runs, start_tiered
from lsmtune.lsm_model._simulation_tree import (
    MOST_JOBS,
    MOST_LEVELS,
    MOST_RUNS,
    TREE,
    Record,
    Records,
)

OUTCOMES = ("waf", "load_us", "total_us", "stored", "runs", "stalled")
"""Columns of what `simulate` returns."""

FOR_EVER = 1e9
"""Time in us that stands for a load that never ends."""
_MOST_EVENTS = 200_000
_FREE, _DELAYED, _STOPPED = 0, 1, 2
_FURTHER_WRITER = 0.35
"""What a second writer adds to the rate of the first, as they wait for each other."""
_WRITES_DELAYED = 0.1
"""Processors that a writer uses while it is held back."""
_LEAST_RATE = 1 / 16
"""RocksDB lowers the delayed rate further and further; a run of seconds does not see it fall below this share."""


def simulate(plans: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Simulate one load, and the settling after it, for each row.

    Args:
        plans: of type `PLAN`, shape (n,).

    Returns:
        Shape (n, 6), columns as in `OUTCOMES`: bytes written for each user byte, time until the last write and until
        nothing is due in us, stored bytes for each byte of distinct pairs, mean number of sorted runs or files of
        level 0 during the load, share of the load in which writes were held back. A row in which writes
        stop for ever, as nothing is left to compact, takes `FOR_EVER`.
    """
    outcomes = np.empty((len(plans), len(OUTCOMES)))
    simulate_rows(plans, outcomes)
    return outcomes


@entry
def simulate_rows(plans: Records, outcomes: npt.NDArray[np.float64]) -> None:
    """Simulate each row of `plans` into the same of `outcomes`."""
    trees = np.zeros(1, TREE)
    for row in range(len(plans)):
        _reset(plans[row], trees[0])
        _simulate_row(plans[row], trees[0])
        _judge(plans[row], trees[0], outcomes[row])


@compiled
def _reset(plan: Record, tree: Record) -> None:
    tree.time = tree.written = tree.stalled = tree.run_time = tree.load_end = 0.0
    tree.memtable = tree.waiting_ops = tree.debt = 0.0
    tree.immutable = tree.waiting = tree.run_count = tree.job_count = tree.last_job = 0
    tree.was_delayed = tree.stuck = 0
    tree.left, tree.rate = plan.operations, plan.delayed_rate
    for level in range(MOST_LEVELS):
        tree.levels[level].keys = tree.levels[level].busy = 0.0


@compiled
def _simulate_row(plan: Record, tree: Record) -> None:
    for _ in range(_MOST_EVENTS):
        mode = _stall_mode(plan, tree)
        _start_flush(plan, tree)
        _start_compactions(plan, tree, mode)
        if tree.job_count == 0 and (tree.left == 0 or mode == _STOPPED):
            tree.stuck = tree.left > 0
            return
        if _advance(plan, tree, mode):
            _adapt_rate(plan, tree)


@compiled
def _stall_mode(plan: Record, tree: Record) -> int:
    if tree.immutable >= plan.memtables or tree.run_count >= plan.stop:
        return _STOPPED
    return _DELAYED if _is_delayed(plan, tree) else _FREE


@compiled
def _is_delayed(plan: Record, tree: Record) -> bool:
    few_memtables = plan.memtables > 3 and tree.immutable >= plan.memtables - 1 and tree.immutable - 1 >= plan.merged
    return bool(few_memtables or tree.run_count >= plan.slowdown)


@compiled
def _start_flush(plan: Record, tree: Record) -> None:
    running = 0
    for place in range(tree.job_count):
        running += tree.jobs[place].is_flush
    is_due = tree.waiting > 0 and (tree.waiting >= plan.merged or tree.left == 0)
    if not is_due or running >= plan.flushes:
        return
    keys = plan.keys * (1 - np.exp(-tree.waiting_ops / plan.keys))
    job = tree.jobs[tree.job_count]
    tree.job_count += 1
    job.is_flush, job.is_move, job.number, job.memtables, job.keys = 1, 0, 0, tree.waiting, keys
    job.left = keys * plan.pair * (plan.flush_ns + plan.cost[0]) * 1e-3 + plan.flush_us
    tree.waiting, tree.waiting_ops = 0, 0.0


@compiled
def _start_compactions(plan: Record, tree: Record, mode: int) -> None:
    # GetL0ThresholdSpeedupCompaction: before it, only one compaction runs at a time.
    pressure = min(2 * plan.trigger, plan.trigger + (plan.slowdown - plan.trigger) // 4)
    limit = plan.compactions if mode != _FREE or tree.run_count >= pressure else 1.0
    running = 0
    for place in range(tree.job_count):
        running += 1 - tree.jobs[place].is_flush
    while running < limit and tree.job_count < MOST_JOBS:
        started = start_tiered(plan, tree) if plan.is_tiered else start_levelled(plan, tree)
        if not started:
            return
        running += 1


@compiled
def _advance(plan: Record, tree: Record, mode: int) -> bool:
    """Go on to the next event; return whether the tree changed."""
    writers = 1 + _FURTHER_WRITER * (plan.writers - 1) if tree.left > 0 and mode != _STOPPED else 0.0
    busy = tree.job_count + (_WRITES_DELAYED if mode == _DELAYED else writers)
    speed = min(1.0, plan.cores / busy)
    rate = speed * writers / plan.write_us
    if mode == _DELAYED:
        rate = min(rate, tree.rate)
    step = min(plan.memtable - tree.memtable, tree.left) / rate if rate > 0 else np.inf
    for place in range(tree.job_count):
        step = min(step, tree.jobs[place].left / speed)
    tree.time += step
    if tree.left > 0:
        tree.run_time += tree.run_count * step
        tree.stalled += step if mode != _FREE else 0.0
    changed = _finish_jobs(plan, tree, step * speed)
    return _write(plan, tree, rate * step) or changed


@compiled
def _write(plan: Record, tree: Record, operations: float) -> bool:
    """Put operations into the memtable; return whether it is full."""
    tree.memtable += operations
    was_loading = tree.left > 0
    tree.left = max(tree.left - operations, 0.0)
    if tree.left < 0.5:
        tree.left = 0.0
        if was_loading:
            tree.load_end = tree.time
    if tree.memtable <= 0 or (tree.memtable < plan.memtable - 1e-6 and tree.left > 0):
        return False
    tree.immutable += 1
    tree.waiting += 1
    tree.waiting_ops += tree.memtable
    tree.memtable = 0.0
    return True


@compiled
def _finish_jobs(plan: Record, tree: Record, work_us: float) -> bool:
    """Let all jobs work; return whether one ended."""
    changed = False
    place = 0
    while place < tree.job_count:
        job = tree.jobs[place]
        job.left -= work_us
        if job.left > 1e-6:
            place += 1
            continue
        changed = True
        if job.is_flush:
            _finish_flush(plan, tree, job)
        elif plan.is_tiered:
            tree.written += job.keys * plan.share[job.target]
            merge_runs(tree, job)
        else:
            finish_levelled(plan, tree, job)
        tree.job_count -= 1
        tree.jobs[place] = tree.jobs[tree.job_count]
    return changed


@compiled
def _finish_flush(plan: Record, tree: Record, job: Record) -> None:
    tree.immutable -= job.memtables
    tree.written += job.keys * plan.share[0]
    if tree.run_count == MOST_RUNS:
        return
    for place in range(tree.run_count, 0, -1):
        tree.runs[place] = tree.runs[place - 1]
    tree.runs[0].keys, tree.runs[0].level, tree.runs[0].job = job.keys, 0, 0
    tree.run_count += 1


@compiled
def _adapt_rate(plan: Record, tree: Record) -> None:
    """Change the delayed rate as SetupDelay in column_family.cc does."""
    if not _is_delayed(plan, tree):
        if tree.was_delayed:
            tree.rate = min(tree.rate * 1.4, plan.delayed_rate)
        tree.was_delayed = 0
        return
    debt = 0.0 if plan.is_tiered else _debt(plan, tree)
    if tree.run_count >= plan.stop - 2:
        tree.rate *= 0.6
    elif tree.was_delayed and tree.debt > 0:
        tree.rate *= 0.8 if tree.debt <= debt else 1.25
    tree.rate = min(max(tree.rate, plan.delayed_rate * _LEAST_RATE), plan.delayed_rate)
    tree.debt, tree.was_delayed = debt, 1


@compiled
def _debt(plan: Record, tree: Record) -> float:
    debt = 0.0
    for place in range(tree.run_count):
        debt += tree.runs[place].keys
    for level in range(1, int(plan.levels) - 1):
        debt += max(0.0, tree.levels[level].keys - plan.target[level] / (plan.pair * plan.share[level]))
    return debt


@compiled
def _judge(plan: Record, tree: Record, outcome: npt.NDArray[np.float64]) -> None:
    if tree.stuck:
        tree.load_end = tree.time = FOR_EVER
    stored = 0.0
    for place in range(tree.run_count):
        stored += tree.runs[place].keys * plan.share[tree.runs[place].level]
    for level in range(1, MOST_LEVELS):
        stored += tree.levels[level].keys * plan.share[level]
    outcome[0] = tree.written / plan.operations
    outcome[1], outcome[2] = tree.load_end, tree.time
    outcome[3] = stored / plan.keys
    outcome[4], outcome[5] = tree.run_time / tree.load_end, tree.stalled / tree.load_end
