"""What db_bench prints, as values in base units."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.benches._results import StepResult, last_of

_STOPS = ("level0_numfiles", "stop for pending_compaction_bytes", "memtable_compaction")
_DELAYS = ("level0_slowdown", "slowdown for pending_compaction_bytes", "memtable_slowdown")
"""Names up to 8.x; the `..._with_compaction` ones are parts of these."""
_BUFFER_MANAGER_STOPS = "write-buffer-manager-limit-stops"


@dataclass(frozen=True)
class TickerHistogram:
    """A histogram of STATISTICS, in the unit that its name ends in (``micros``: us)."""

    p50: float
    p95: float
    p99: float
    p100: float
    count: int
    sum: int


@dataclass(frozen=True)
class LevelFiles:
    """A level as ``levelstats`` prints it; `size_bytes` is rounded to 1 MiB."""

    level: int
    files: int
    size_bytes: int


@dataclass(frozen=True)
class CompactionRow:
    """A row of the compaction table.

    Attributes:
        level: ``"L0"``, ``"L1"``, ..., ``"Sum"`` over the levels, or ``"Int"``, the changes since the last dump.
        files, compacting: files, and how many of them are being compacted.
        size_bytes: of the files, printed with two decimals of its prefix.
        columns: the other columns by their printed name (``"W-Amp"``, ``"Write(GB)"``), in the printed unit.
    """

    level: str
    files: int
    compacting: int
    size_bytes: int
    columns: Mapping[str, float]


@dataclass(frozen=True)
class Output:
    """All that one db_bench process printed.

    `compaction_table`, `pending_compaction_bytes`, `stall_seconds`, `stall_percent` and `stalls` come from the last
    complete statistics dump of stdout; they count since the database was opened.

    Attributes:
        version: ``"7.8.3"``; None if no header was printed.
        assertions: the build warned that it checks assertions.
        steps: in the order in which they ran, without the averages over repeats (``[AVG 3 runs]``).
        tickers: count by name, over the whole process.
        ticker_histograms: histogram by name, over the whole process.
        compaction_table: row by level; empty if no dump was printed.
        levels: the last ``levelstats``; empty if it did not run.
        pending_compaction_bytes: the engine's estimate; None where the version does not print it (7.8.3).
        stall_seconds: time in s that writes were delayed or stopped, cumulative.
        stall_percent: the same, of the time since the database was opened, idle time included.
        stalls: count by the engine's own reason.
        problems: ``stdout:LINE what`` for each line that could not be read.
    """

    version: str | None = None
    assertions: bool = False
    steps: tuple[StepResult, ...] = ()
    tickers: Mapping[str, int] = field(default_factory=dict)
    ticker_histograms: Mapping[str, TickerHistogram] = field(default_factory=dict)
    compaction_table: Mapping[str, CompactionRow] = field(default_factory=dict)
    levels: tuple[LevelFiles, ...] = ()
    pending_compaction_bytes: int | None = None
    stall_seconds: float | None = None
    stall_percent: float | None = None
    stalls: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def step(self, name: str) -> StepResult | None:
        """Return the last result of the benchmark `name`; None if it printed none."""
        return last_of(self.steps, name)

    @property
    def stop_count(self) -> int | None:
        """Times that writes were stopped, over all reasons; None if not printed."""
        if "total-stops" in self.stalls:
            return self.stalls["total-stops"] + self.stalls.get(_BUFFER_MANAGER_STOPS, 0)
        return self._total(_STOPS)

    @property
    def stall_count(self) -> int | None:
        """Times that writes were delayed or stopped, over all reasons; None if not printed."""
        stops = self.stop_count
        delays = self.stalls["total-delays"] if "total-delays" in self.stalls else self._total(_DELAYS)
        return None if stops is None or delays is None else stops + delays

    def _total(self, reasons: tuple[str, ...]) -> int | None:
        if any(reason not in self.stalls for reason in reasons):
            return None
        return sum(self.stalls[reason] for reason in reasons)
