"""A running study: where it stands, and how long it still takes."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lsmtune.model import FRESH, Purpose, Run, Status
from lsmtune.report._values import ratio_text
from lsmtune.result import History, Ranked, Rules, rank
from lsmtune.stats import LOOKS
from lsmtune.units import format_percent, format_seconds

_REDRAW_S = 0.5  # the display runs on the machine that measures
_BAR_WIDTH = 24
_PATIENCE_S = 5.0  # of waiting for the host, before a view that is not redrawn says so
_MOST_HOSTS = 12
_WAITING = "waiting"  # phase of a run whose host another one has


@dataclass(frozen=True)
class Tally:
    """What a study has so far.

    Attributes:
        ok, disturbed, failed, censored: numbers of runs that ended so.
        best: log gain of the best trial that holds guards and limits; None while there is none. No claim.
        best_arm: its name; empty while there is none.
    """

    ok: int = 0
    disturbed: int = 0
    failed: int = 0
    censored: int = 0
    best: float | None = None
    best_arm: str = ""


def tally(history: History, rules: Rules) -> Tally:
    """Count the runs of a history and find its best trial."""
    counts = Counter(stored.status for stored in history.runs)
    held = (trial for trial in rank(history, rules) if trial.violation == 0 and trial.log_gain is not None)
    best = next(held, None)
    numbers = (counts[Status.OK], counts[Status.DISTURBED], counts[Status.FAILED], counts[Status.CENSORED])
    return Tally(*numbers) if best is None else Tally(*numbers, best.log_gain, best.stored.run.arm)


def ended_text(ranked: Ranked) -> str:
    """Word an ended run: ``trial 12: 1.08x (not a claim)  6.9 s``. Only trials show a gain.

    `ranked` is the run against reference runs nearby in time, see `lsmtune.result.score`.
    """
    stored = ranked.stored
    if stored.status is not Status.OK:
        outcome = f"{stored.status}: {stored.reason}" if stored.reason else str(stored.status)
    elif stored.run.purpose is not Purpose.TRIAL:
        outcome = "ok"
    else:
        gain = None if ranked.log_gain is None else math.exp(ranked.log_gain)
        outcome = f"{ratio_text(gain)} (not a claim)"
        if ranked.violation > 0:
            outcome += ", a guard or limit passed"
    return f"{_name(stored.run)}: {outcome}  {format_seconds(stored.elapsed_s)}"


def _name(run: Run) -> str:
    """Name a run: ``trial 12``, ``anchor db_bench``, ``verify finalist-1, pair 3``, ``step step-2 before, pair 1``."""
    if run.purpose is Purpose.TRIAL:
        return run.arm.replace("-", " ")
    if run.purpose is Purpose.RUNG:
        return f"{run.arm.replace('-', ' ')} with {run.rung} of the data"
    name = f"{run.purpose} {run.arm.replace(':', ' ')}"
    if run.purpose is Purpose.CLIMB:
        return f"{name} with {run.rung}x the data, pair {(run.block or 0) % LOOKS[-1] + 1}"
    return name if run.block is None or run.purpose not in FRESH else f"{name}, pair {run.block + 1}"


@dataclass(frozen=True)
class HostAtWork:
    """What a host is at: its run in words, and when that began on the clock of the view in s."""

    text: str
    began_s: float


class LiveView(ABC):
    """Shows a running study: a few lines that are redrawn, and above them lines that stay.

    Used as a context manager; its methods are called from the thread that runs the study and return at once. There is
    no thread of its own: `progress` redraws, at most twice a second. Stages, notes and runs that are not ok stay.
    `ConsoleView` shows it on a terminal, `NotebookView` below a cell of a notebook.
    """

    def __init__(self, *, redrawn: bool, clock: Callable[[], float]) -> None:
        """`redrawn` says whether lines are redrawn, else all runs stay; `clock` tells seconds, for the rate only."""
        self._clock = clock
        self._drawn_at = -math.inf
        self._redrawn = redrawn
        self._lines = LiveLines(clock)

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take away what is redrawn; what stays stays."""

    @abstractmethod
    def _keep(self, line: Text) -> None:
        """Show a line that stays."""

    @abstractmethod
    def _draw(self) -> None:
        """Draw the lines anew."""

    def stage(self, name: str, purpose: str) -> None:
        """A stage begins."""
        self._lines.stage = name
        self._keep(Text(f"{name}: {purpose}", style="bold"))

    def started(self, text: str, left_s: float | None, host: str = "") -> None:
        """A run starts on a host, named by `text` ("run 34: trial 22"); the study takes about `left_s` more."""
        lines = self._lines
        if host:
            lines.hosts.add(host)
            lines.at_work[host] = HostAtWork(text, self._clock())
        lines.run, lines.left_s = text, left_s
        lines.phase, lines.done, lines.elapsed_s, lines.detail = "", None, 0.0, ""
        self._draw()

    def progress(self, phase: str, done: float | None, elapsed_s: float, detail: str = "") -> None:
        """The run goes on: its phase, the share of it that is done, the time since its start, a word of the engine."""
        lines = self._lines
        if phase == _WAITING and not self._redrawn and lines.elapsed_s < _PATIENCE_S <= elapsed_s:
            self._keep(Text(f"waiting for {detail}, which measures on this host", style="dim"))
        lines.phase, lines.done, lines.elapsed_s, lines.detail = phase, done, elapsed_s, detail
        if self._is_due:
            self._draw()

    def waiting(self) -> None:
        """Runs go on elsewhere, and nothing is heard of them."""
        if self._is_due:
            self._draw()

    def left(self, host: str) -> None:
        """A host is at no run any more."""
        self._lines.at_work.pop(host, None)

    def ended(self, text: str, ok: bool, counts: Tally | None = None) -> None:
        """A run ended, told by `text` (see `ended_text`); where lines are redrawn, one that is not ok stays visible."""
        self._lines.tally = counts or self._lines.tally
        self._lines.last = text
        if not self._redrawn or not ok:
            self._keep(Text(text, style="" if ok else "red"))
        self._draw()

    def note(self, text: str) -> None:
        """Something worth knowing happened or was decided."""
        self._keep(Text(text, style="yellow"))

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._drawn_at >= _REDRAW_S


class LiveLines:
    """The lines that are redrawn: the run, what the study has so far, the time that is left, the last run.

    Where there are several hosts there is a line for each that is at work, with the time since its run began; of many,
    those that are at theirs for longest.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` tells seconds."""
        self._clock = clock
        self.hosts: set[str] = set()
        self.at_work: dict[str, HostAtWork] = {}
        self.stage = self.run = self.phase = self.detail = self.last = ""
        self.done: float | None = None
        self.elapsed_s = 0.0
        self.left_s: float | None = None
        self.tally = Tally()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._host_lines() if len(self.hosts) > 1 else self._run_line()
        if self.detail:
            yield Text(f"  {self.detail}", no_wrap=True, overflow="crop", style="dim")
        yield Text(self._study_line(), no_wrap=True, overflow="crop", style="dim")
        if self.last:
            yield Text(f"last  {self.last}", no_wrap=True, overflow="crop", style="dim")

    def _run_line(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        for _ in range(4):
            grid.add_column(no_wrap=True, overflow="crop")
        known = self.done is not None
        grid.add_row(
            Text(f"{self.stage}  {self.run}" if self.stage else self.run, style="bold"),
            Text(self.phase),
            ProgressBar(total=1.0, completed=self.done or 0.0, width=_BAR_WIDTH) if known else Text(""),
            Text(
                f"{format_percent(self.done)}  {format_seconds(self.elapsed_s)}"
                if known
                else format_seconds(self.elapsed_s)
            ),
        )
        return grid

    def _host_lines(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        for _ in range(3):
            grid.add_column(no_wrap=True, overflow="crop")
        longest = sorted(self.at_work.items(), key=lambda each: (each[1].began_s, each[0]))
        for host, work in longest[:_MOST_HOSTS]:
            took = format_seconds(max(0.0, self._clock() - work.began_s))
            grid.add_row(Text(host, style="bold"), Text(work.text), Text(took))
        if len(longest) > _MOST_HOSTS:
            grid.add_row(Text(f"and {len(longest) - _MOST_HOSTS} more hosts", style="dim"), Text(""), Text(""))
        return grid

    def _study_line(self) -> str:
        counts = self.tally
        disturbed = f"disturbed {counts.disturbed}, " if counts.disturbed else ""
        parts = [f"ok {counts.ok}, {disturbed}failed {counts.failed}, censored {counts.censored}"]
        if counts.best is not None:
            parts.append(f"best so far {ratio_text(math.exp(counts.best))} ({counts.best_arm}; not a claim)")
        if self.left_s is not None:
            ran_s = 0.0 if self.phase == _WAITING else self.elapsed_s  # what a run waits is no part of it
            parts.append(f"about {format_seconds(max(0.0, self.left_s - ran_s))} left")
        return "   ".join(parts)
