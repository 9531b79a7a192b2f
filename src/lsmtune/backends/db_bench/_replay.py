"""What db_bench's replay of a trace did: it counts a whole replay as one operation, and ends well when it fails."""

import re
from dataclasses import replace

from lsmtune.backends._base import ProcessRecord
from lsmtune.backends._results import PhaseResult
from lsmtune.backends.db_bench._output import Output
from lsmtune.errors import RunError
from lsmtune.model import Workload

_REPLAY = "replay"
_FAILED = re.compile(r"^(?:Replay failed|Prepare for replay failed)\. Error: (.*)$", re.MULTILINE)
_COUNTED = ("number.keys.read", "number.keys.written", "number.multiget.keys.read", "number.db.seek")


def replayed(output: Output, record: ProcessRecord, workload: Workload) -> Output:
    """Return the output with the operations of the trace where there was a replay; other outputs as they are.

    What the engine counted comes first, then what the workload says.

    Raises:
        RunError: the replay stopped before the end of the trace.
    """
    if _REPLAY not in workload.benchmarks or record.stopped is not None:
        return output
    failed = _FAILED.search(record.stderr)
    if failed is not None:
        raise RunError(f"db_bench did not get through the trace: {failed[1]}")
    counted = sum(output.tickers.get(f"rocksdb.{name}", 0) for name in _COUNTED)
    operations = counted or workload.operations
    phases = tuple(_counting(each, operations) if each.name == _REPLAY else each for each in output.phases)
    return replace(output, phases=phases)


def _counting(result: PhaseResult, operations: int | None) -> PhaseResult:
    """Return the result of a replay by operations of its trace; as printed, its one operation took all the time."""
    seconds = result.micros_per_op / 1e6
    if not operations or not seconds:
        return replace(result, ops_s=None, operations=None)
    micros = result.micros_per_op / operations
    return replace(result, micros_per_op=micros, ops_s=operations / seconds, seconds=seconds, operations=operations)
