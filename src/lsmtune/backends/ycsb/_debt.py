"""What the phases that write left to be done, and how long that took."""

from lsmtune.backends.ycsb._command import CommandBuilder
from lsmtune.backends.ycsb._output import Output, PhaseEnd
from lsmtune.backends.ycsb._phases import PhaseKind

IDLE_S = 5.0
"""Time for which nothing runs before the driver ends a settle as idle."""
_STALLS = ("stall_time_s", "stall_share")
_PAID = ("complete", "idle")


def debt(commands: CommandBuilder, output: Output) -> dict[str, float | None]:
    """Return times and bytes of what was put off, read where the last phase that wrote ended, and after it was settled.

    A settle that ended as idle is one of an engine that wants to compact and does not: its last 5 s, in which nothing
    ran, do not count.
    """
    working = [phase for phase in output.phases if phase.phase.kind != PhaseKind.SETTLE]
    writing = [phase for phase in working if phase.user_written_bytes]
    settle_s = _settle_s(output)
    at_rates = any(phase.max_rate is not None for phase in working)  # times are those of holds, not of work
    paid = _is_paid(output, writing)
    total_s = sum(map(_spent_s, working)) + (settle_s or 0.0) if paid and not at_rates else None
    operations = sum(phase.operations for phase in working)
    loads = [phase for phase in working if phase.phase.kind == PhaseKind.LOAD and phase.ending == "complete"]
    return {
        **_at_load_end(commands, output, writing),
        **(dict.fromkeys(_STALLS) if at_rates else _stalls(output, writing)),
        "load_time_s": loads[-1].elapsed_s if loads else None,
        "settle_time_s": settle_s,
        "total_time_s": total_s,
        "throughput_settled_ops_s": operations / total_s if operations and total_s else None,
        "debt_bytes": _settled_bytes(output) if paid and settle_s is not None else None,
    }


def _spent_s(phase: PhaseEnd) -> float:
    """Return the wall time of a phase, with that of opening the database before it, which writes what closing left."""
    return phase.elapsed_s + (phase.reopen_s or 0.0)


def is_settled(phase: PhaseEnd) -> bool:
    """Whether a settle ended because there was nothing more to do."""
    return phase.ending in _PAID


def _settles(output: Output) -> list[PhaseEnd]:
    return [phase for phase in output.phases if phase.phase.kind == PhaseKind.SETTLE]


def _settle_s(output: Output) -> float | None:
    """Return the time of all settles together; None without one, or where one was cut short."""
    settles = _settles(output)
    if not settles or not all(map(is_settled, settles)):
        return None
    return sum(max(0.0, each.elapsed_s - IDLE_S * (each.ending == "idle")) for each in settles)


def _is_paid(output: Output, writing: list[PhaseEnd]) -> bool:
    """Whether all phases ran to their end and nothing was written after the last settle."""
    if output.summary is None or output.summary.interrupted or not output.phases:
        return False
    settles = _settles(output)
    last_settle = settles[-1].phase.index if settles else -1
    return all(map(is_settled, settles)) and all(phase.phase.index < last_settle for phase in writing)


def _settled_bytes(output: Output) -> int:
    """Return the bytes of the compactions that ended while settling."""
    settles = {phase.phase.index for phase in _settles(output)}
    return sum(each.output_bytes for each in output.compactions if each.phase in settles)


def _at_load_end(commands: CommandBuilder, output: Output, writing: list[PhaseEnd]) -> dict[str, float | None]:
    """Return what is seen where the last phase that wrote ended, debt unpaid."""
    if not writing:
        return dict.fromkeys(("pending_bytes", "l0_files_load_end", "waf_load_end", "space_load_end_bytes"))
    end = writing[-1]
    flushed = sum(each.bytes for each in output.flushes if each.phase <= end.phase.index)
    compacted = sum(each.output_bytes for each in output.compactions if each.phase <= end.phase.index)
    beside_tree = commands.workload.load or (output.summary is not None and output.summary.space.blob_bytes)
    return {
        "pending_bytes": end.debt.pending_compaction_bytes,
        "l0_files_load_end": end.debt.level0_files,
        "waf_load_end": (flushed + compacted) / sum(phase.user_written_bytes for phase in writing),
        "space_load_end_bytes": None if beside_tree else end.tree.bytes,
    }


def _stalls(output: Output, writing: list[PhaseEnd]) -> dict[str, float | None]:
    stall_s = output.summary.counters.stall_s if output.summary is not None else None
    writing_s = sum(phase.elapsed_s for phase in writing)
    return {
        "stall_time_s": stall_s,
        "stall_share": stall_s / writing_s if stall_s is not None and writing_s else None,
    }
