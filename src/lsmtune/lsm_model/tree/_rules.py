"""The rules of an engine and of its style of compaction, behind one door: each style has the same few parts.

`weigh` says what follows from the files, `start_compaction` picks, `finish_compaction` puts a result in its place,
`flush_level` says where a memtable goes, `stall_mode` what holds writes back.
"""

from lsmtune.lsm_model._compiled import compiled
from lsmtune.lsm_model.tree._blobs import collected_slots, held_by, weigh_blobs
from lsmtune.lsm_model.tree._fifo import files_of, finish_fifo, start_fifo, weigh_fifo
from lsmtune.lsm_model.tree._leveldb import memtable_level, start_leveldb, switch_leveldb, weigh_leveldb
from lsmtune.lsm_model.tree._leveled import debt, finish_leveled, start_leveled, weigh_levels
from lsmtune.lsm_model.tree._state import FIFO, LEVELDB, LEVELED, Record
from lsmtune.lsm_model.tree._universal import finish_universal, start_universal, weigh_runs

FREE, DELAYED, STOPPED = 0, 1, 2
"""How writes go."""
_FURTHER_WRITER = 0.35
"""What a second writer adds to the rate of the first, as they wait for each other (decision 0016)."""
_MOVED_US = 2.5
"""Processor time of each value that a compaction moves, beside its bytes, as it is read by itself: assumed, about what
db_bench 11.8.1 took on a shared machine, 2026-11-24."""


@compiled
def weigh(tree: Record) -> None:
    """Set what follows from the files; called whenever they, or the jobs that hold them, have changed."""
    style = tree.plan[0].style
    if style == LEVELED:
        weigh_levels(tree)
        tree.clock[0].due = debt(tree)
    elif style == LEVELDB:
        weigh_leveldb(tree)
    elif style == FIFO:
        weigh_fifo(tree)
    else:
        weigh_runs(tree)
    weigh_blobs(tree)


@compiled
def between_writes(plan: Record) -> float:
    """Return the time from one write of all writers to the next where nothing holds them back, in us."""
    return float(plan.write_us / (1 + _FURTHER_WRITER * (plan.writers - 1)) + plan.sync_us)


@compiled
def start_compaction(tree: Record) -> bool:
    """Start the compaction that the engine would pick; return whether there is one. `weigh` comes before."""
    style = tree.plan[0].style
    if style == LEVELED:
        started = start_leveled(tree)
    elif style == LEVELDB:
        started = start_leveldb(tree)
    elif style == FIFO:
        started = start_fifo(tree)
    else:
        started = start_universal(tree)
    if started:
        _move_values(tree, tree.jobs[tree.clock[0].jobs - 1])
    return bool(started)


@compiled
def _move_values(tree: Record, job: Record) -> None:
    """Add to the work of a compaction the values that it moves out of old blob files."""
    plan = tree.plan[0]
    values = held_by(tree, job, collected_slots(tree))
    size = values * plan.blob_record
    if size > 0 and not job.is_move:
        written = job.demand * job.left + size
        job.left += size * plan.flush_ns * 1e-3 + values * _MOVED_US
        job.demand = written / job.left


@compiled
def finish_compaction(tree: Record, job: Record) -> None:
    """Put the result of a compaction in its place."""
    style = tree.plan[0].style
    if style in (LEVELED, LEVELDB):
        finish_leveled(tree, job)
    elif style == FIFO:
        finish_fifo(tree, job)
    else:
        finish_universal(tree, job)


@compiled
def flush_level(tree: Record) -> int:
    """Return the level that a memtable is flushed into; it covers all keys."""
    return memtable_level(tree, 0.0, 1.0) if tree.plan[0].style == LEVELDB else 0


@compiled
def may_switch(tree: Record) -> bool:
    """Return whether a full memtable gives way to the next one."""
    return switch_leveldb(tree) if tree.plan[0].style == LEVELDB else True


@compiled
def sorted_runs(tree: Record) -> float:
    """Return the files of level 0, or all sorted runs where there are no levels."""
    return files_of(tree) if tree.plan[0].style == FIFO else float(tree.counts[0])


@compiled
def stall_mode(tree: Record) -> int:
    """Return whether writes go freely, are held back, or stand still."""
    plan, clock = tree.plan[0], tree.clock[0]
    if plan.style == LEVELDB:
        # DBImpl::MakeRoomForWrite: a full memtable waits, and each write while level 0 is full.
        if clock.memtable >= plan.memtable * (1 - 1e-9):
            return STOPPED
        return DELAYED if tree.counts[0] >= plan.slowdown else FREE
    if clock.immutable >= plan.memtables or tree.counts[0] >= plan.stop:
        return STOPPED
    if clock.due >= plan.hard:
        return STOPPED
    few = plan.memtables > 3 and clock.immutable >= plan.memtables - 1 and clock.immutable - 1 >= plan.merged
    return DELAYED if few or tree.counts[0] >= plan.slowdown or clock.due >= plan.soft else FREE
