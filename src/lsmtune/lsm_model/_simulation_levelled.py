"""Leveled compaction in the simulation: which level goes into the next."""

import numpy as np

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model._simulation_tiered import begin_merge, merge_runs
from lsmtune.lsm_model._simulation_tree import Record

_LEAST_WITHIN = 4
"""kMinFilesForIntraL0Compaction."""
_LARGEST = 25
"""max_compaction_bytes, in files."""
_STEP = 0.05
"""Share of a level that one simulated compaction moves at least; RocksDB goes file by file, which comes to the same."""


@compiled
def start_levelled(plan: Record, tree: Record) -> bool:
    """Start the compaction with the highest score above 1 that can start; return whether any did."""
    is_level_0_busy = False
    for place in range(tree.job_count):
        job = tree.jobs[place]
        is_level_0_busy |= not job.is_flush and job.source == 0 and job.target == 1
    idle, size = 0, 0.0
    for place in range(tree.run_count):
        if tree.runs[place].job == 0:
            idle += 1
            size += tree.runs[place].keys * plan.pair * plan.share[0]
    score = max(idle / plan.trigger, size / plan.target[1])
    best, source = 1.0, -1
    if score >= 1 and idle > 0 and not is_level_0_busy and tree.levels[1].busy <= 0:
        best, source = score, 0
    for level in range(1, int(plan.levels) - 1):
        free = (tree.levels[level].keys - tree.levels[level].busy) * plan.pair * plan.share[level]
        if free > best * plan.target[level] and not (level == 1 and is_level_0_busy):
            best, source = free / plan.target[level], level
    if source > 0:
        _between_levels(plan, tree, source)
    elif source == 0:
        _from_level_0(plan, tree)
    else:
        return score >= 1 and _within_level_0(plan, tree)
    return True


@compiled
def finish_levelled(plan: Record, tree: Record, job: Record) -> None:
    """Put the result of a compaction where it belongs."""
    if not job.is_move:
        tree.written += job.keys * plan.share[job.target]
    if job.target == 0:
        merge_runs(tree, job)
        return
    if job.source == 0:
        _drop_runs(tree, job.number)
        tree.levels[1].keys, tree.levels[1].busy = job.keys, 0.0
        return
    upper, lower = tree.levels[job.source], tree.levels[job.target]
    upper.keys -= job.taken
    upper.busy -= job.taken
    lower.keys += job.keys - job.met
    lower.busy -= job.met
    for level in (upper, lower):
        if level.busy < 1e-9:
            level.busy = 0.0
    if upper.keys < 1e-6:
        upper.keys = 0.0


@compiled
def _drop_runs(tree: Record, number: int) -> None:
    kept = 0
    for place in range(tree.run_count):
        if tree.runs[place].job != number:
            tree.runs[kept] = tree.runs[place]
            kept += 1
    tree.run_count = kept


@compiled
def _from_level_0(plan: Record, tree: Record) -> None:
    """Merge all idle files of level 0 into level 1, which they cover as a whole."""
    tree.last_job += 1
    missing, keys = 1 - tree.levels[1].keys / plan.keys, tree.levels[1].keys
    for place in range(tree.run_count):
        if tree.runs[place].job == 0:
            missing *= max(0.0, 1 - tree.runs[place].keys / plan.keys)
            keys += tree.runs[place].keys
            tree.runs[place].job = tree.last_job
    begin_merge(plan, tree, 1, keys, plan.keys * (1 - missing))
    tree.levels[1].busy = tree.levels[1].keys


@compiled
def _within_level_0(plan: Record, tree: Record) -> bool:
    """Merge the newest files of level 0 while the way down is barred; return whether there are enough."""
    if tree.run_count < plan.trigger + 2:
        return False
    count, keys, missing, cost = 0, 0.0, 1.0, np.inf
    while count < tree.run_count and tree.runs[count].job == 0:
        further = keys + tree.runs[count].keys
        # FindIntraL0Compaction: bytes for each file that goes away must not rise.
        if count > 0 and (further / count > cost or further * plan.pair * plan.share[0] > _LARGEST * plan.file[1]):
            break
        cost = further / count if count > 0 else np.inf
        missing *= max(0.0, 1 - tree.runs[count].keys / plan.keys)
        keys, count = further, count + 1
    if count < _LEAST_WITHIN:
        return False
    tree.last_job += 1
    for place in range(count):
        tree.runs[place].job = tree.last_job
    begin_merge(plan, tree, 0, keys, plan.keys * (1 - missing))
    return True


@compiled
def _between_levels(plan: Record, tree: Record, source: int) -> None:
    """Move a part of a level into the next, with what it meets there."""
    upper, lower = tree.levels[source], tree.levels[source + 1]
    file_keys = plan.file[source] / (plan.pair * plan.share[source])
    taken = min(upper.keys - upper.busy, max(file_keys, _STEP * upper.keys))
    part = taken / upper.keys
    met = max(0.0, min(lower.keys * part * plan.overlap, lower.keys - lower.busy))
    there = plan.keys * part
    keys = there * (1 - (1 - min(1.0, taken / there)) * (1 - min(1.0, met / there))) if met > 0 else taken
    tree.last_job += 1
    job = begin_merge(plan, tree, source + 1, taken + met, keys)
    job.source, job.taken, job.met = source, taken, met
    job.left += plan.job_us * max(0.0, taken / file_keys - 1)
    if met == 0 and plan.cost[source] == plan.cost[source + 1]:
        job.is_move, job.left = 1, 1.0
    upper.busy += taken
    lower.busy += met
