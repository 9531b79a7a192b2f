"""What a workload wrote, as far as it can be known: user bytes and distinct keys."""

from lsmtune.backends._steps import BenchmarkKind
from lsmtune.backends.leveldb_bench._benchmarks import DELETES, LARGE_VALUE_BYTES, LEVELDB_BENCHMARKS, writes
from lsmtune.backends.leveldb_bench._command import CommandBuilder
from lsmtune.backends.leveldb_bench._output import Output
from lsmtune.model import Workload

_IN_ORDER = frozenset({"fillseq", "fillbatch"})


def since_opened(workload: Workload) -> tuple[str, ...]:
    """Return the steps whose work the LOG and the statistics hold: a fill and ``open`` begin both anew."""
    steps = workload.benchmarks
    begins = [place for place, step in enumerate(steps) if step == "open" or _fills(step)]
    return steps[begins[-1] :] if begins else steps


def user_bytes(workload: Workload, output: Output) -> float | None:
    """Return the key and value bytes that the steps of `since_opened` wrote; None where that is not known.

    Deletions write keys alone, and a writer beside readers is not counted by db_bench: nothing is known then.
    """
    total = 0
    for step in filter(writes, since_opened(workload)):
        benchmark, result = LEVELDB_BENCHMARKS.get(step), output.step(step)
        if benchmark is None or not benchmark.only_writes or step in DELETES:
            return None
        if result is None or result.operations is None:
            return None
        value_bytes = LARGE_VALUE_BYTES if step == "fill100K" else workload.value_size_bytes
        total += result.operations * (workload.key_size_bytes + value_bytes)
    return float(total) or None


def distinct_keys(commands: CommandBuilder) -> float | None:
    """Return how many distinct pairs of the workload's size exist after the run; None where the steps do not tell.

    A random fill draws with replacement: after m draws from n keys, n (1 - (1 - 1/n)^m) are expected to exist. What
    random writes add to a random fill is not known: some versions draw the same keys again.
    """
    workload, keys, absent = commands.workload, commands.keys, 1.0
    steps = [*((step, 1) for step in workload.load), *((step, workload.threads) for step in workload.benchmarks)]
    for step, threads in steps:
        if step in _IN_ORDER:
            absent = 0.0
        elif step == "fillrandom":
            absent = (1 - 1 / keys) ** (keys * threads)
        elif writes(step) and (absent or _fills(step) or step in DELETES or step not in LEVELDB_BENCHMARKS):
            return None
    return keys * (1 - absent)


def _fills(step: str) -> bool:
    return step in LEVELDB_BENCHMARKS and LEVELDB_BENCHMARKS[step].kind is BenchmarkKind.FILL
