"""Universal compaction in the simulation: which sorted runs are merged."""

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model._simulation_tree import Record

_MOST_AMPLIFICATION = 2.0
"""max_size_amplification_percent, as a ratio."""
_SIMILAR = 1.01
"""size_ratio of 1 %: a run joins while those before it, with this in hand, are not smaller than it."""


@compiled
def start_tiered(plan: Record, tree: Record) -> bool:
    """Start the compaction that universal compaction picks, in the order in which it looks; return whether any."""
    if tree.run_count < plan.trigger or tree.run_count < 2:
        return False
    low, high = _reduce_amplification(plan, tree)
    if low < 0:
        low, high = _merge_similar(plan, tree)
    if low < 0:
        low, high = _reduce_runs(plan, tree)
    if low < 0:
        return False
    missing, keys = 1.0, 0.0
    tree.last_job += 1
    for place in range(low, high):
        missing *= max(0.0, 1 - tree.runs[place].keys / plan.keys)
        keys += tree.runs[place].keys
        tree.runs[place].job = tree.last_job
    # A result goes just above the next older run, all of them to the bottom.
    target = int(plan.levels) - 1 if high == tree.run_count else max(tree.runs[high].level - 1, 0)
    begin_merge(plan, tree, target, keys, plan.keys * (1 - missing))
    return True


@compiled
def begin_merge(plan: Record, tree: Record, target: int, read: float, keys: float) -> Record:
    """Start to read and merge so many keys and to write `keys` of them into a level; return the job."""
    job = tree.jobs[tree.job_count]
    tree.job_count += 1
    job.is_flush, job.is_move, job.number, job.source, job.target, job.keys = 0, 0, tree.last_job, 0, target, keys
    files = max(1.0, keys * plan.pair * plan.share[target] / plan.file[target])
    work_ns = plan.pair * (read * plan.merge_ns + keys * plan.cost[target])
    job.left = work_ns * 1e-3 + plan.job_us + files * plan.file_us
    return job


@compiled
def merge_runs(tree: Record, job: Record) -> None:
    """Put the result of a compaction in the place of the runs that it read."""
    kept, is_placed = 0, False
    for place in range(tree.run_count):
        if tree.runs[place].job != job.number:
            tree.runs[kept] = tree.runs[place]
            kept += 1
        elif not is_placed:
            tree.runs[kept].keys, tree.runs[kept].level, tree.runs[kept].job = job.keys, job.target, 0
            kept, is_placed = kept + 1, True
    tree.run_count = kept


@compiled
def _reduce_amplification(plan: Record, tree: Record) -> tuple[int, int]:
    """Merge all where the newer runs are too large against the oldest."""
    last = tree.run_count - 1
    first = 0
    while first < tree.run_count and tree.runs[first].job != 0:
        first += 1
    if first >= last or tree.runs[last].job != 0:
        return -1, -1
    newer = 0.0
    for place in range(first, last):
        if tree.runs[place].job != 0:
            return -1, -1
        newer += tree.runs[place].keys * plan.share[tree.runs[place].level]
    oldest = tree.runs[last].keys * plan.share[tree.runs[last].level]
    return (first, tree.run_count) if newer >= _MOST_AMPLIFICATION * oldest else (-1, -1)


@compiled
def _merge_similar(plan: Record, tree: Record) -> tuple[int, int]:
    """Merge the newest neighbours of which none is much larger than those before it together."""
    for low in range(tree.run_count - 1):
        if tree.runs[low].job != 0:
            continue
        size, high = tree.runs[low].keys * plan.share[tree.runs[low].level], low + 1
        while high < tree.run_count and tree.runs[high].job == 0:
            further = tree.runs[high].keys * plan.share[tree.runs[high].level]
            if size * _SIMILAR < further:
                break
            size, high = size + further, high + 1
        if high - low >= 2:
            return low, high
    return -1, -1


@compiled
def _reduce_runs(plan: Record, tree: Record) -> tuple[int, int]:
    """Merge as many of the newest as bring the number of runs down to the trigger."""
    idle = 0
    for place in range(tree.run_count):
        idle += tree.runs[place].job == 0
    wanted = idle - plan.trigger + 1
    if wanted < 2:
        return -1, -1
    low = 0
    while low < tree.run_count - 1:
        high = low
        while high < tree.run_count and tree.runs[high].job == 0 and high - low < wanted:
            high += 1
        if high - low >= 2:
            return low, high
        low = high + 1
    return -1, -1
