"""How long a phase took, in a db_bench that does not print it: up to 7.0 a result has a rate alone."""

from dataclasses import replace

from lsmtune.backends._results import PhaseResult
from lsmtune.backends.db_bench._output import Output
from lsmtune.model import Workload

_IN_BATCHES = frozenset({"fillbatch", "multireadrandom", "readrandomfast"})  # readrandomfast counts hundreds
_BATCH = "batch_size"


def with_durations(output: Output, workload: Workload) -> Output:
    """Return the output with operations and seconds of each phase that printed neither.

    Its histograms count the operations, which its rate, a whole number in a second, turns into a time. Where several
    operations count once there, as those of a batch do, both stay unknown.
    """
    if _BATCH in dict(workload.flags):
        return output
    return replace(output, phases=tuple(_timed(each) for each in output.phases))


def _timed(result: PhaseResult) -> PhaseResult:
    counted = sum(histogram.count for histogram in result.histograms.values())
    if result.seconds is not None or not counted or not result.ops_s or result.name in _IN_BATCHES:
        return result
    return replace(result, operations=counted, seconds=counted / result.ops_s)
