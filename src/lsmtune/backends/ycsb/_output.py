"""Parser of what lsmtune-ycsb prints: JSON lines, tolerant of lines that are cut, as values in base units.

Fields are named as in its JSON lines, which native/ycsb/README.md describes; those that lsmtune has no use for are left
out. None: the driver did not know, or there is none.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from pydantic import TypeAdapter

from lsmtune.backends.ycsb._driver import OUTPUT_FORMAT
from lsmtune.errors import RunError


@dataclass(frozen=True)
class PhaseId:
    """Where a phase stands in the sequence, from 0; its kind (load, run, settle) and its label."""

    index: int
    kind: str
    label: str


@dataclass(frozen=True)
class EngineFacts:
    """The engine as it was opened; `effective_options` is text by option by section."""

    name: str
    version: str
    effective_options: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Hello:
    """The first line, printed `t_s` after the process began, when the database was open, which took `open_s`."""

    format: int
    engine: EngineFacts
    warnings: tuple[str, ...]
    ignored_properties: tuple[str, ...]
    t_s: float | None = None
    open_s: float | None = None


@dataclass(frozen=True)
class Latency:
    """Times of the operations of one kind; quantiles are at most 0.1 % too high."""

    count: int
    mean_s: float
    p50_s: float
    p75_s: float
    p99_s: float
    p999_s: float
    p9999_s: float
    max_s: float


@dataclass(frozen=True)
class OperationOutcome:
    """How the operations of one kind went; `corrupt` counts rows that held wrong bytes."""

    operations: int
    not_found: int
    corrupt: int


@dataclass(frozen=True)
class Counters:
    """What the engine counted in a phase, or since it was opened; `stall_s` in s."""

    flush_bytes: int
    compaction_bytes: int
    compaction_read_bytes: int | None
    wal_bytes: int | None
    stall_s: float | None


@dataclass(frozen=True)
class Amplification:
    """Ratios of the engine's bytes to the user's, and of reads; formulas are in the driver's README."""

    waf: float | None
    waf_wal: float | None
    read_amp: float | None
    cache_hit_ratio: float | None


@dataclass(frozen=True)
class Level:
    """A level of the tree."""

    files: int
    bytes: int


@dataclass(frozen=True)
class Tree:
    """The tree at a moment."""

    levels: tuple[Level, ...]

    @property
    def bytes(self) -> int:
        """Size of the tables of all levels."""
        return sum(level.bytes for level in self.levels)


@dataclass(frozen=True)
class Debt:
    """What was left to do when the last operation of a phase had ended."""

    pending_compaction_bytes: int | None
    level0_files: int | None


@dataclass(frozen=True)
class Space:
    """Sizes of the database's files; `data_bytes` of tables, blobs, WAL and MANIFEST."""

    data_bytes: int
    blob_bytes: int = 0


@dataclass(frozen=True)
class Progress:
    """How far a phase is; operations are those of the phase.

    Attributes:
        t_s: when, from the start of the process.
        throughput_ops_s, latency: of the interval that ends here; None and empty where nothing was done in it.
    """

    phase: PhaseId
    operations: int
    tree: Tree
    t_s: float | None = None
    throughput_ops_s: float | None = None
    latency: Mapping[str, Latency] = field(default_factory=dict)


@dataclass(frozen=True)
class StepLatency:
    """Times of all operations of a hold together, from when each was due."""

    p50_s: float
    p99_s: float
    p999_s: float
    max_s: float


@dataclass(frozen=True)
class RateStep:
    """A rate that a search for the largest one held; of the hold alone, without its lead-in.

    Attributes:
        number: from 1; 0 is the closed loop, with which the search begins.
        rate_ops_s: at which operations were due; None for the closed loop.
        begin_s: of the hold, from the start of the process.
        hold_s: less than asked for where the outcome was certain before.
        late_operations: later than the limit, or not done that long after they were due.
        stops, slowdowns: times that the engine held all writes, or began to delay them.
        reasons: why it was not sustained, in the driver's words.
    """

    phase: PhaseId
    number: int
    rate_ops_s: float | None
    begin_s: float
    lead_s: float
    hold_s: float
    operations: int
    achieved_ops_s: float | None
    due_operations: int
    late_operations: int
    latency: StepLatency | None
    stops: int
    slowdowns: int
    stall_s: float | None
    flushes: int
    compactions: int
    debt_begin: Debt
    debt_end: Debt
    borne: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class MaxRateFound:
    """What a search for the largest rate came to; see `lsmtune.model.MaxRate` for what it kept.

    Attributes:
        ceiling_ops_s: of the closed loop.
        rate_ops_s: the largest that was sustained; None where none was.
        not_borne_ops_s: the least above it that was not; None where none is known.
        steps: rates that were held.
        confirmed: both were held at least twice.
        precise: both lie as close as asked for.
    """

    limit_s: float
    percentile: float
    ceiling_ops_s: float | None
    rate_ops_s: float | None
    not_borne_ops_s: float | None
    steps: int
    confirmed: bool
    precise: bool


@dataclass(frozen=True)
class PhaseEnd:
    """A whole phase.

    Attributes:
        ending: ``"complete"``, ``"time_limit"``, ``"idle"``, ``"failed"`` or ``"interrupted"``.
        elapsed_s: wall time from the first to the last operation.
        throughput_ops_s: None where it took no time.
        outcomes, latency: by kind of operation, for operations that happened; times of the database call.
        intended_latency: as `latency`, from when each operation was due; None without a target rate.
        user_written_bytes, user_read_bytes: keys and rows that the engine was given, and gave.
        counters: of the phase.
        max_rate: of a search for the largest rate, which has neither a throughput nor latencies of its own.
        reopen_s: time to close and open the database before it; None where it stayed open.
        t_s: when it was printed, from the start of the process.
    """

    phase: PhaseId
    ending: str
    elapsed_s: float
    operations: int
    throughput_ops_s: float | None
    outcomes: Mapping[str, OperationOutcome]
    latency: Mapping[str, Latency]
    intended_latency: Mapping[str, Latency] | None
    user_written_bytes: int
    user_read_bytes: int
    counters: Counters
    amplification: Amplification
    debt: Debt
    tree: Tree
    max_rate: MaxRateFound | None = None
    reopen_s: float | None = None
    t_s: float | None = None


@dataclass(frozen=True)
class Flush:
    """A flush that ended during the phase with number `phase`; one of an empty memtable has 0 bytes."""

    phase: int
    bytes: int


@dataclass(frozen=True)
class Compaction:
    """A compaction that ended during the phase with number `phase`; where `moved`, files were only relinked.

    `output_bytes` are of tables and blobs.
    """

    phase: int
    input_files: int
    output_bytes: int
    moved: bool
    elapsed_s: float | None = None


@dataclass(frozen=True)
class Stall:
    """Writes went over `to` normal, delayed or stopped during the phase with number `phase`."""

    phase: int
    to: str


@dataclass(frozen=True)
class Summary:
    """The last line: all phases together, and the end; counters are those since the database was opened."""

    interrupted: bool
    operations: int
    user_written_bytes: int
    counters: Counters
    amplification: Amplification
    tree: Tree
    space: Space
    space_peak_bytes: int


Line: TypeAlias = Hello | Progress | RateStep | PhaseEnd | Flush | Compaction | Stall | Summary


@dataclass(frozen=True)
class Output:
    """All that one process printed.

    Attributes:
        hello, summary: the first and the last line; None where they are missing.
        phases: those that ended, in order.
        flushes, compactions, stalls, progress, rate_steps: in the order in which they were printed.
        problems: ``stdout:LINE what`` for each line that could not be read.
    """

    hello: Hello | None = None
    phases: tuple[PhaseEnd, ...] = ()
    summary: Summary | None = None
    flushes: tuple[Flush, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    stalls: tuple[Stall, ...] = ()
    progress: tuple[Progress, ...] = ()
    rate_steps: tuple[RateStep, ...] = ()
    problems: tuple[str, ...] = field(default=())

    def phase(self, label: str) -> PhaseEnd | None:
        """Return the last phase with this label; None where none has ended."""
        return next((phase for phase in reversed(self.phases) if phase.phase.label == label), None)


_T = TypeVar("_T")
_TYPES: Mapping[str, type[Line]] = MappingProxyType(
    {
        "hello": Hello,
        "progress": Progress,
        "rate_step": RateStep,
        "phase_end": PhaseEnd,
        "flush": Flush,
        "compaction": Compaction,
        "stall": Stall,
        "summary": Summary,
    }
)
_STATES = ('{"type":"progress"', '{"type":"phase_end"')
_SUMMARY = '{"type":"summary"'


def parse_output(stdout: str) -> Output:
    """Return what a process of lsmtune-ycsb printed.

    A line that is cut or cannot be read becomes an entry of `Output.problems`, and what it would have told is missing.
    Lines of unknown types are passed over.

    Raises:
        RunError: the output has a format that is newer than this lsmtune.
    """
    lines: list[Line] = []
    problems: list[str] = []
    ended = 0
    for number, text in enumerate(stdout.split("\n"), 1):
        if not text.strip():
            continue
        try:
            line = _read(text, ended)
        except ValueError:
            problems.append(f'stdout:{number} a line cannot be read: "{text.strip()[:100]}"')
            continue
        if line is not None:
            lines.append(line)
            ended += isinstance(line, PhaseEnd)
    hello = _last(Hello, lines)
    if hello is not None and hello.format > OUTPUT_FORMAT:
        raise RunError(
            f"lsmtune-ycsb printed output format {hello.format}, and this lsmtune reads up to {OUTPUT_FORMAT}; update "
            "lsmtune, or run lsmtune build driver"
        )
    return Output(
        hello=hello,
        phases=_all(PhaseEnd, lines),
        summary=_last(Summary, lines),
        flushes=_all(Flush, lines),
        compactions=_all(Compaction, lines),
        stalls=_all(Stall, lines),
        progress=_all(Progress, lines),
        rate_steps=_all(RateStep, lines),
        problems=tuple(problems),
    )


def last_state(tail: str) -> Progress | PhaseEnd | None:
    """Return the last whole line about a phase in the end of an output; None where there is none.

    Args:
        tail: the end of what a process printed so far; its first and last line may be cut.
    """
    for text in reversed(tail.split("\n")[:-1]):
        if text.startswith(_STATES):
            try:
                line = _read(text, 0)
            except ValueError:
                continue
            if isinstance(line, Progress | PhaseEnd):
                return line
    return None


def has_summary(tail: str) -> bool:
    """Whether the end of an output holds the summary, after which nothing is left but closing the database."""
    return f"\n{_SUMMARY}" in f"\n{tail}"


def _read(text: str, phase: int) -> Line | None:
    """Return a line; None where its type is unknown.

    Args:
        text: one line of JSON.
        phase: the number of the phase that events belong to.

    Raises:
        ValueError: the line is no object, or lacks a field.
    """
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError(text)  # noqa: TRY004 - what cannot be read is one kind of trouble, whatever is wrong with it
    kind = fields.get("type")
    if kind not in _TYPES:
        return None
    return _adapter(kind).validate_python({"phase": phase, **fields})


@cache
def _adapter(kind: str) -> TypeAdapter[Line]:
    return TypeAdapter(_TYPES[kind])


def _all(kind: type[_T], lines: list[Line]) -> tuple[_T, ...]:
    return tuple(line for line in lines if isinstance(line, kind))


def _last(kind: type[_T], lines: list[Line]) -> _T | None:
    return next((line for line in reversed(lines) if isinstance(line, kind)), None)
