"""What a workload wrote, as far as it can be known: user bytes and distinct keys."""

from lsmtune.backends._benchmark import BenchmarkKind
from lsmtune.backends.leveldb_bench._benchmarks import DELETES, LARGE_VALUE_BYTES, LEVELDB_BENCHMARKS, writes
from lsmtune.backends.leveldb_bench._command import CommandBuilder
from lsmtune.backends.leveldb_bench._output import Output
from lsmtune.model import Workload

_IN_ORDER = frozenset({"fillseq", "fillbatch"})


def since_opened(workload: Workload) -> tuple[str, ...]:
    """Return the phases whose work the LOG and the statistics hold: a fill and ``open`` begin both anew."""
    phases = workload.benchmarks
    begins = [place for place, phase in enumerate(phases) if phase == "open" or _fills(phase)]
    return phases[begins[-1] :] if begins else phases


def user_bytes(workload: Workload, output: Output) -> float | None:
    """Return the key and value bytes that the phases of `since_opened` wrote; None where that is not known.

    Deletions write keys alone, and a writer beside readers is not counted by db_bench: nothing is known then.
    """
    total = 0
    for phase in filter(writes, since_opened(workload)):
        benchmark, result = LEVELDB_BENCHMARKS.get(phase), output.phase(phase)
        if benchmark is None or not benchmark.only_writes or phase in DELETES:
            return None
        if result is None or result.operations is None:
            return None
        value_bytes = LARGE_VALUE_BYTES if phase == "fill100K" else workload.value_size_bytes
        total += result.operations * (workload.key_size_bytes + value_bytes)
    return float(total) or None


def distinct_keys(commands: CommandBuilder) -> float | None:
    """Return how many distinct pairs of the workload's size exist after the run; None where the phases do not tell.

    A random fill draws with replacement: after m draws from n keys, n (1 - (1 - 1/n)^m) are expected to exist. What
    random writes add to a random fill is not known: some versions draw the same keys again.
    """
    workload, keys, absent = commands.workload, commands.keys, 1.0
    phases = [*((phase, 1) for phase in workload.load), *((phase, workload.threads) for phase in workload.benchmarks)]
    for phase, threads in phases:
        if phase in _IN_ORDER:
            absent = 0.0
        elif phase == "fillrandom":
            absent = (1 - 1 / keys) ** (keys * threads)
        elif writes(phase) and (absent or _fills(phase) or phase in DELETES or phase not in LEVELDB_BENCHMARKS):
            return None
    return keys * (1 - absent)


def _fills(phase: str) -> bool:
    return phase in LEVELDB_BENCHMARKS and LEVELDB_BENCHMARKS[phase].kind is BenchmarkKind.FILL
