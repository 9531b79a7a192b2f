"""What a workload wrote, as far as it can be known: user bytes and distinct keys."""

from collections.abc import Iterable

from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.backends.db_bench._command import CommandBuilder, writes
from lsmtune.backends.db_bench._output import Output
from lsmtune.model import Workload

_VARIABLE_VALUES = frozenset({"mixgraph", "replay", "appendrandom", "fill100K"})
_VARIABLE_FLAG = "value_size_distribution_type"
_DELETING = frozenset(
    {
        *("deleteseq", "deleterandom", "fillanddeleteuniquerandom", "randomreplacekeys"),
        *("randomtransaction", "randomwithverify", "timeseries", "replay"),
    }
)
_DELETING_FLAGS = frozenset({"writes_per_range_tombstone", "disposable_entries_batch_size", "seek_nexts_to_delete"})
"""Flags with which fills and seeks delete, ranges as well; disposable entries have values of other sizes, too."""
_REPEATING_FLAG = "overwrite_probability"
_MERGING = frozenset(["mergerandom", "readwhilemerging", "readrandommergerandom", "seekrandomwhilemerging"])
_BATCH_BYTES_PER_PAIR = 16  # header, type byte and lengths of a write batch of one pair
_IN_ORDER = frozenset({"fillseq", "fillbatch", "filluniquerandom", "fillseqdeterministic"})
_AT_RANDOM = frozenset({"fillrandom", "overwrite", "updaterandom"})  # not fillsync, of a thousandth of the keys


def user_bytes(workload: Workload, output: Output) -> float | None:
    """Return the key and value bytes that the measured process wrote; None where nothing says.

    The engine counts the written keys; without statistics the result lines of fills and overwrites say it. Where
    values vary in size, the batch bytes less their usual overhead stand in. Deletions count as keys too, without
    telling how many they are: nothing is known then.
    """
    if _deletes(workload, workload.benchmarks):
        return None
    keys = output.tickers.get("rocksdb.number.keys.written")
    if keys is not None and _vary(workload):
        return max(0.0, output.tickers.get("rocksdb.bytes.written", 0) - _BATCH_BYTES_PER_PAIR * keys)
    if keys is not None:
        return float(keys * workload.pair_bytes)
    written = [result for result in output.phases if writes(result.name)]
    if not written or _vary(workload):
        return None
    if any(result.operations is None or not fills(result.name) for result in written):
        return None
    return float(sum(result.operations or 0 for result in written) * workload.pair_bytes)


def distinct_keys(commands: CommandBuilder) -> float | None:
    """Return how many distinct pairs of the workload's size exist after the run; None where the phases do not tell.

    Random fills draw with replacement: after m draws from n keys, n (1 - (1 - 1/n)^m) are expected to exist.
    """
    workload, keys = commands.workload, commands.keys
    absent = 1.0
    names = (*workload.load, *workload.benchmarks)
    if _vary(workload) or _deletes(workload, names) or _REPEATING_FLAG in dict(workload.flags):
        return None
    if any(name not in BENCHMARKS or name in _MERGING for name in names):
        return None
    draws = None if workload.duration_s is not None else commands.operations * workload.threads
    phases = [
        *((phase, keys, keys) for phase in workload.load),
        *((phase, commands.operations, draws) for phase in workload.benchmarks),
    ]
    for phase, in_order, at_random in phases:
        if phase in _IN_ORDER and in_order >= keys:
            absent = 0.0
        elif phase in _AT_RANDOM and at_random is not None:
            absent *= (1 - 1 / keys) ** at_random
        elif absent and writes(phase):
            return None
    return keys * (1 - absent)


def fills(name: str) -> bool:
    """Whether a benchmark does nothing but write, so that its operations are writes."""
    benchmark = BENCHMARKS.get(name)
    return benchmark is not None and benchmark.only_writes


def _deletes(workload: Workload, phases: Iterable[str]) -> bool:
    """Whether one of the phases deletes, by itself or by a flag that is not 0."""
    asked = {name for name, value in workload.flags if value != "0"}
    return not (_DELETING.isdisjoint(phases) and _DELETING_FLAGS.isdisjoint(asked))


def _vary(workload: Workload) -> bool:
    """Whether values are of other sizes than the workload's."""
    names = (*workload.load, *workload.benchmarks)
    return bool(_VARIABLE_VALUES.intersection(names)) or _VARIABLE_FLAG in dict(workload.flags)
