"""What the benchmarks of a workload write, as the model of a tree asks for it."""

from collections.abc import Mapping
from fractions import Fraction

from lsmtune.backends._benchmark import check_fills_once, saying_compactions
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.backends.db_bench._command import MERGES_FLAG, MOST_FLAG, TTL_FLAG, limited_flags, writes
from lsmtune.backends.db_bench._tree_reads import BESIDE, number_of, share_read
from lsmtune.backends.db_bench._vocabulary import WRITE_RATE
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Fifo, Order, Writes
from lsmtune.model import Workload

_ORDERS = {
    "fillseq": Order.SEQUENTIAL,
    "filluniquerandom": Order.UNIQUE,
    "fillrandom": Order.UNIFORM,
    "overwrite": Order.UNIFORM,
    "updaterandom": Order.UNIFORM,
    "readrandomwriterandom": Order.UNIFORM,
}
"""Benchmarks whose keys are known; each thread of those drawn at random does all operations."""
_SYNC = "sync"
_OF_READS = (
    *("read_random_exp_range", "seek_nexts", "readwritepercent", "mix_get_ratio", "mix_put_ratio", "mix_seek_ratio"),
    *("key_dist_a", "key_dist_b", "keyrange_dist_a", "keyrange_dist_b", "keyrange_dist_c", "keyrange_dist_d"),
)
_HARMLESS = frozenset(
    {
        *("perf_level", "cache_type", "stats_per_interval", "progress_reports"),
        *(WRITE_RATE, _SYNC, MOST_FLAG, MERGES_FLAG),
        *_OF_READS,
    }
)
_MIXED = "readrandomwriterandom"


def tree_writes(workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
    """Return the phases that write, in order, those that build the data first.

    Raises:
        UsageError: a phase writes what the model does not describe.
    """
    known = {*_HARMLESS, TTL_FLAG} if MOST_FLAG in dict(workload.flags) else _HARMLESS
    strange = sorted(name for name, _ in workload.flags if name not in known)
    if strange:
        raise UsageError(
            f"the model of a tree does not know what the flag {strange[0]} changes; leave it out to predict"
        )
    found = [
        _phase(name, workload, scale, is_load)
        for names, is_load in ((workload.load, True), (workload.benchmarks, False))
        for name in names
        if (name not in BENCHMARKS or writes(name)) and name not in BESIDE and not _only_reads(name, workload)
    ]
    return saying_compactions(found, (*workload.load, *workload.benchmarks))


def _only_reads(name: str, workload: Workload) -> bool:
    """Return whether a mix has no writes in it."""
    if name == _MIXED:
        return share_read(workload) == 1
    return name == "mixgraph" and number_of(dict(workload.flags), "mix_put_ratio", 0.0) == 0


def _phase(name: str, workload: Workload, scale: Fraction, is_load: bool) -> Writes:
    order = _ORDERS.get(name)
    if order is None:
        known = ", ".join(_ORDERS)
        raise UsageError(f'the model of a tree does not describe what "{name}" writes; it knows {known}')
    if workload.duration_s is not None and not is_load and BENCHMARKS[name].timed:
        raise UsageError(f'how much "{name}" writes in {workload.duration_s:g} s is not known; give operations')
    keys = round(workload.num * scale)
    operations = keys if is_load or workload.operations is None else round(workload.operations * scale)
    if name == _MIXED:
        operations = max(1, round(operations * (1 - share_read(workload))))
    threads = 1 if is_load or order is Order.UNIQUE else workload.threads
    if order is Order.SEQUENTIAL:
        check_fills_once(name, threads)
    flags = dict(limited_flags(workload.flags, scale))
    limit = 0.0 if is_load else number_of(flags, WRITE_RATE, 0.0)
    rate = limit / workload.pair_bytes if limit > 0 else None
    return Writes(
        keys=keys,
        operations=operations * threads,
        key_bytes=workload.key_size_bytes,
        value_bytes=workload.value_size_bytes,
        order=order,
        threads=threads,
        rate=rate,
        compression_ratio=workload.compression_ratio,
        has_log=not workload.disable_wal,
        is_synced=_is_on(flags, _SYNC, "false") and not is_load,
        fifo=_fifo(flags),
        is_measured=not is_load,
    )


def _fifo(flags: Mapping[str, str]) -> Fifo:
    """Return what FIFO compaction keeps by flags; without them db_bench keeps nothing, and merges."""
    most_bytes = number_of(flags, MOST_FLAG, 0.0) * (1 << 20)
    return Fifo(most_bytes, number_of(flags, TTL_FLAG, Fifo().ttl_s), _is_on(flags, MERGES_FLAG, "true"))


def _is_on(flags: Mapping[str, str], name: str, default: str) -> bool:
    """Return whether a flag is on, by the words that gflags reads as true."""
    return flags.get(name, default).lower() in {"1", "t", "true", "y", "yes"}
