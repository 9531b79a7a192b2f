"""What happened inside one process of a run, over time.

The values stand here, below engines, as every side needs them: an engine's package turns its own LOG into a `Timeline`,
a benchmark tool's adds the series that its output has, `lsmtune.result` reads both from a study, and
`lsmtune.report` draws them without knowing an engine.

Time zero is the opening of the database, the first line of its LOG: some milliseconds after the process began, which no
LOG knows of. A tool that opens a database anew begins its LOG anew, and what was before is not in it.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from lsmtune.errors import UsageError


class JobKind(StrEnum):
    """What an engine does in the background."""

    FLUSH = "flush"
    COMPACTION = "compaction"


@dataclass(frozen=True)
class Job:
    """A flush or a compaction.

    Attributes:
        kind: see `JobKind`.
        level: where its output went; None where the LOG does not say, as for one that did not end.
        started_s: when, from the opening of the database.
        ended_s: None where the LOG ends before the job does.
        written_bytes: of the files that it wrote, as far as the LOG goes.
        read_bytes: of the files that it merged; None for a flush and where the LOG does not say.
        entries: of a flush, entries in the memtables, overwritten ones included; None where the LOG does not say.
        reason: in the engine's words; may be empty.
        recovered: a flush of what an earlier process had left in the write-ahead log.

    Raises:
        UsageError: it starts before the database was opened, or ends before it starts.
    """

    kind: JobKind
    level: int | None
    started_s: float
    ended_s: float | None
    written_bytes: int
    read_bytes: int | None = None
    entries: int | None = None
    reason: str = ""
    recovered: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.started_s <= (math.inf if self.ended_s is None else self.ended_s):
            raise UsageError(
                f"a {self.kind} lasts from {self.started_s} to {self.ended_s} s; give times in order, from 0"
            )


@dataclass(frozen=True)
class Move:
    """Files that went to a level unchanged: no byte was written; None where the LOG does not say how much went."""

    time_s: float
    level: int
    bytes: int | None
    files: int


@dataclass(frozen=True)
class WriteStall:
    """The engine began to slow writes down, or to hold them where `stopped`; `reason` in its words."""

    time_s: float
    stopped: bool
    reason: str


@dataclass(frozen=True)
class HeldRate:
    """A rate that a search for the largest one held.

    Attributes:
        begin_s: when it began to count, from the opening of the database.
        hold_s: how long it counted.
        rate_ops_s: at which operations were due; None for the closed loop, with which the search begins.
        achieved_ops_s: what was done; None where it took no time.
        latency_p99_s, latency_p999_s: of all operations from when they were due; of the closed loop, of their calls.
        borne: whether it kept the limit.
        reasons: why it did not.
    """

    begin_s: float
    hold_s: float
    rate_ops_s: float | None
    achieved_ops_s: float | None
    latency_p99_s: float | None
    latency_p999_s: float | None
    borne: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class TreeState:
    """Files in each level, from level 0, at a moment."""

    time_s: float
    files: tuple[int, ...]


@dataclass(frozen=True)
class TimedSeries:
    """A quantity over time, as a benchmark tool printed it.

    Attributes:
        name: ``"throughput"``, or ``"p99 latency of read"``.
        unit: ``"ops/s"`` or ``"s"``.
        times_s: ends of the intervals, ascending, from the opening of the database.
        values: means or quantiles of the intervals.

    Raises:
        UsageError: the lengths differ.
    """

    name: str
    unit: str
    times_s: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.times_s) != len(self.values):
            raise UsageError(f"{self.name} has {len(self.times_s)} times and {len(self.values)} values; give as many")


@dataclass(frozen=True)
class Timeline:
    """What happened inside a process while its database was open; times in s from then.

    Attributes:
        engine: its name, such as ``"rocksdb"``.
        end_s: time of the last line of the LOG.
        jobs: flushes and compactions in the order in which they began.
        moves: files that changed their level without being rewritten.
        stalls: when writes began to be slowed down or held.
        states: the tree, whenever the LOG tells.
        series: what the tool printed over time; empty where it printed nothing of the kind.
        rates: those that a search for the largest one held, in order; empty where there was none.
        unreadable: lines of the LOG that could not be read.
        untold: what a LOG of the engine does not tell, in a sentence; empty where it tells all of this.
        held: what the stalls are that held writes, in words.

    Raises:
        UsageError: the end lies before the opening.
    """

    engine: str
    end_s: float
    jobs: tuple[Job, ...] = ()
    moves: tuple[Move, ...] = ()
    stalls: tuple[WriteStall, ...] = ()
    states: tuple[TreeState, ...] = ()
    series: tuple[TimedSeries, ...] = ()
    rates: tuple[HeldRate, ...] = ()
    unreadable: int = 0
    untold: str = ""
    held: str = "writes stopped"

    def __post_init__(self) -> None:
        if not self.end_s >= 0:
            raise UsageError(f"a time line ends at {self.end_s} s; it cannot end before it begins")

    def of(self, kind: JobKind) -> tuple[Job, ...]:
        """Return the jobs of a kind, in the order in which they began."""
        return tuple(job for job in self.jobs if job.kind is kind)

    def lasted_s(self, job: Job) -> float:
        """Return how long a job ran in s; of one without an end, as far as the LOG goes."""
        return max((self.end_s if job.ended_s is None else job.ended_s) - job.started_s, 0.0)

    @property
    def levels(self) -> int:
        """Number of levels down to the deepest that held a file or got one; 0 where none is known."""
        held = [place + 1 for state in self.states for place, files in enumerate(state.files) if files]
        written = [job.level + 1 for job in self.jobs if job.level is not None]
        return max((*held, *written, *(move.level + 1 for move in self.moves)), default=0)
