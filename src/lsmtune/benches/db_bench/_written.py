"""What a workload wrote, as far as it can be known: user bytes and distinct keys."""

from lsmtune.benches.db_bench._benchmarks import BENCHMARKS, BenchmarkKind
from lsmtune.benches.db_bench._command import CommandBuilder
from lsmtune.benches.db_bench._output import Output
from lsmtune.model import Workload

_VARIABLE_VALUES = frozenset({"mixgraph", "replay"})
_BATCH_BYTES_PER_PAIR = 16  # header, type byte and lengths of a write batch of one pair
_IN_ORDER = frozenset({"fillseq", "fillbatch", "filluniquerandom", "fillseqdeterministic"})
_AT_RANDOM = frozenset({"fillrandom", "fillsync", "overwrite", "updaterandom"})


def user_bytes(workload: Workload, output: Output) -> float | None:
    """Return the key and value bytes that the measured process wrote; None where nothing says.

    The engine counts the written keys, which holds for every benchmark; without statistics the result lines of fills
    and overwrites say it. Where values vary in size, the batch bytes less their usual overhead stand in.
    """
    keys = output.tickers.get("rocksdb.number.keys.written")
    if keys is not None and _VARIABLE_VALUES.intersection(workload.benchmarks):
        return max(0.0, output.tickers.get("rocksdb.bytes.written", 0) - _BATCH_BYTES_PER_PAIR * keys)
    if keys is not None:
        return float(keys * workload.pair_bytes)
    written = [result for result in output.steps if _writes_only(result.name)]
    if not written or any(result.operations is None for result in written):
        return None
    return float(sum(result.operations or 0 for result in written) * workload.pair_bytes)


def distinct_keys(commands: CommandBuilder) -> float | None:
    """Return how many distinct keys exist after the run; None where the steps do not tell.

    Random fills draw with replacement: after m draws from n keys, n (1 - (1 - 1/n)^m) are expected to exist.
    """
    workload, keys = commands.workload, commands.keys
    absent = 1.0
    steps = [*((step, keys) for step in workload.load), *((step, commands.operations) for step in workload.benchmarks)]
    for step, operations in steps:
        if step in _IN_ORDER and operations >= keys:
            absent = 0.0
        elif step in _AT_RANDOM and workload.duration_s is None:
            absent *= (1 - 1 / keys) ** (operations * workload.threads)
        elif absent and not _leaves_keys(step):
            return None
    return keys * (1 - absent)


def _writes_only(name: str) -> bool:
    benchmark = BENCHMARKS.get(name)
    return benchmark is not None and benchmark.kind in (BenchmarkKind.FILL, BenchmarkKind.WRITE)


def _leaves_keys(name: str) -> bool:
    benchmark = BENCHMARKS.get(name)
    return benchmark is not None and benchmark.kind in (BenchmarkKind.READ, BenchmarkKind.UTILITY)
