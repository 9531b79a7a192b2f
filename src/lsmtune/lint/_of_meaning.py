"""Rules about what a result means: those that qualify an improvement, and the milder one about short runs.

Each function returns what its rule says of the given values, or None where they leave no doubt.
"""

import math
from dataclasses import dataclass

from lsmtune.lint._rule import Finding, Rule
from lsmtune.units import format_bytes, format_seconds

_LEAST_MEASURED_S = 3.0
_LEAST_MEANT_S = 1.0
_LEAST_COMPACTIONS = 5  # of the reference; of fewer, none is chance
_FEW_COMPACTIONS = 3
_FEWER = 10

TOO_SHORT = Rule(
    code="too-short",
    looks_at="The wall time of the measured phase, where the tool prints it.",
    threshold=f"Below {_LEAST_MEASURED_S:g} s, down to {_LEAST_MEANT_S:g} s: a tenth of a second of start-up, or one "
    "hiccup of the host, is then more than 3 % of the result, the default minimum effect of interest.",
    why="A rate over a short time is a rate of the start: caches are cold, and compaction has not begun to push back.",
    next='Take more keys, a larger scale, or, where the tool has it, duration = "10s".',
    before=r"too short: ",
)

SUB_SECOND = Rule(
    code="sub-second",
    looks_at="The wall time of the measured phase, where the tool prints it.",
    threshold=f"Below {_LEAST_MEANT_S:g} s; too-short is not reported then. Start-up alone is more than 10 % of the "
    "result.",
    why="What is compared is how the engine starts; hardly anything was flushed, compacted or read.",
    next='Take more keys, a larger scale, or, where the tool has it, duration = "10s".',
    qualifies="in runs of less than a second",
)


def too_short(phase: str, seconds: float | None) -> Finding | None:
    """Judge how long the measured phase ran, by the stricter of two rules; None where its time is not known."""
    if seconds is None or seconds >= _LEAST_MEASURED_S:
        return None
    rule, least_s = (SUB_SECOND, _LEAST_MEANT_S) if seconds < _LEAST_MEANT_S else (TOO_SHORT, _LEAST_MEASURED_S)
    return rule.says(f"{phase} ran {format_seconds(seconds)}, less than {least_s:g} s")


MEMTABLE_SIZED_DATA = Rule(
    code="memtable-sized-data",
    looks_at="Bytes of all keys and values against write_buffer_size x max_write_buffer_number of all column families, "
    "both at full size; of runs that make their data themselves.",
    threshold="Data no larger than the memtables: then nothing has to be flushed before the end.",
    why="The run measures a sorted list in memory, not an LSM tree.",
    next="Take more keys, or bound the memtables with a constraint.",
    before=r"(?=the data \(.* fits the memtables )",
    qualifies="on data that fits the memtables",
)


def memtable_sized_data(data_bytes: float, memory_bytes: float) -> Finding | None:
    """Judge whether data ever needs to leave the memtables."""
    if memory_bytes < data_bytes:
        return None
    return MEMTABLE_SIZED_DATA.says(
        f"the data ({format_bytes(data_bytes)}) fits the memtables ({format_bytes(memory_bytes)}); more keys are needed"
    )


LITTLE_COMPACTED = Rule(
    code="little-compacted",
    looks_at="Compactions that rewrote data, in runs of a trial, of the final configuration or of another build, "
    "against those of the reference.",
    threshold=f"At most {_FEW_COMPACTIONS} compactions, no more than a tenth of the reference's, which has at least "
    f"{_LEAST_COMPACTIONS}, and fewer bytes written by them than were flushed. Many compactions that write little, as "
    "with blob files, do not count, nor do few that write much. A rule of thumb, not a measured limit.",
    why="Flushed files stayed where they were written: the run ended before the tree had to be kept in order. A store "
    "that keeps running needs the compactions that this run did not have.",
    next="Take more keys, so that the configuration compacts too, or bound memtables and triggers with a constraint.",
    qualifies="in runs that compact next to nothing",
)


@dataclass(frozen=True)
class Compacted:
    """How much runs of a configuration compact; None where it is not known.

    Attributes:
        count: compactions that rewrote data.
        written_bytes: that these wrote.
        flushed_bytes: that flushes wrote.
    """

    count: float | None
    written_bytes: float | None
    flushed_bytes: float | None


def little_compacted(ran: Compacted, reference: Compacted) -> Finding | None:
    """Judge whether runs compact next to nothing where those of the reference do."""
    slack = compacted_slack(ran, reference)
    if slack is None or slack >= 0:
        return None
    return LITTLE_COMPACTED.says(f"{ran.count:.0f} compactions, where the reference has {reference.count:.0f}")


def compacted_slack(ran: Compacted, reference: Compacted) -> float | None:
    """Return how far runs are from compacting next to nothing, as a log ratio, below 0 where they do.

    It is the larger of what their compactions and what the bytes that these wrote leave; None where the rule does not
    apply.
    """
    if ran.count is None or reference.count is None or reference.count < _LEAST_COMPACTIONS:
        return None
    few = math.floor(min(_FEW_COMPACTIONS, reference.count / _FEWER))
    slack = math.log((ran.count + 1) / (few + 1.5))  # no count is on the bound itself
    if ran.written_bytes and ran.flushed_bytes:
        return max(slack, math.log(ran.written_bytes / ran.flushed_bytes))
    return slack
