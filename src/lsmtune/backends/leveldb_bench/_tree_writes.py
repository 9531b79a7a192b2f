"""What the benchmarks of LevelDB's db_bench write, as the model of a tree asks for it."""

from fractions import Fraction

from lsmtune.backends._benchmark import BenchmarkKind, check_fills_once, saying_compactions
from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS, writes
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Order, Rules, Writes
from lsmtune.model import Workload

_ORDERS = {
    "fillseq": Order.SEQUENTIAL,
    "fillbatch": Order.SEQUENTIAL,
    "fillrandom": Order.UNIFORM,
    "overwrite": Order.UNIFORM,
    "deleterandom": Order.UNIFORM,
}
"""Benchmarks whose keys are known; each thread of those drawn at random does all operations."""
_DELETES = "deleterandom"


def tree_writes(workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
    """Return the phases that write, in order, those that build the data first.

    Raises:
        UsageError: a phase writes what the model does not describe.
    """
    if workload.flags:
        raise UsageError(
            f"the model of a tree does not know what the flag {workload.flags[0][0]} changes; leave it out to predict"
        )
    names = [name for name in (*workload.load, *workload.benchmarks) if writes(name)]
    fills = [place for place, name in enumerate(names) if _is_fill(name)]
    if fills:
        names = names[fills[-1] :]  # it begins with an empty database
    found = tuple(_phase(name, workload, scale, is_load=name in workload.load) for name in names)
    drawn = [name for name in names if _ORDERS[name] is Order.UNIFORM]
    if len(drawn) > 1:
        raise UsageError(
            f'"{drawn[1]}" draws the same keys as "{drawn[0]}" in LevelDB up to 1.22, which the model of a tree does '
            "not describe; fill with fillseq to predict"
        )
    return saying_compactions(found, (*workload.load, *workload.benchmarks))


def _is_fill(name: str) -> bool:
    benchmark = LEVELDB_BENCHMARKS.get(name)
    return benchmark is not None and benchmark.kind is BenchmarkKind.FILL


def _phase(name: str, workload: Workload, scale: Fraction, is_load: bool) -> Writes:
    order = _ORDERS.get(name)
    if order is None:
        known = ", ".join(_ORDERS)
        raise UsageError(f'the model of a tree does not describe what "{name}" writes; it knows {known}')
    keys = round(workload.num * scale)
    threads = 1 if is_load else workload.threads
    if order is Order.SEQUENTIAL:
        check_fills_once(name, threads)
    return Writes(
        keys=keys,
        operations=keys * threads,
        key_bytes=workload.key_size_bytes,
        value_bytes=workload.value_size_bytes,
        order=order,
        deletes=1.0 if name == _DELETES else 0.0,
        threads=threads,
        compression_ratio=workload.compression_ratio,
        rules=Rules.LEVELDB,
        is_measured=not is_load,
    )
