"""A running study on the terminal and below a cell of a notebook."""

import errno
import io
import math
import re
import sys
from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from report_builders import RATE, RULES, SPACE, ranked, stored_run
from rich.console import Console

from lsmtune.model import Purpose, Status
from lsmtune.report import (
    ConsoleView,
    LiveView,
    NotebookView,
    ProgressConsole,
    Tally,
    cell_display,
    ended_text,
    tally,
)
from lsmtune.result import History, Ranked


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def console(*, terminal: bool, width: int = 100) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    environment = {"TERM": "xterm"}
    return Console(file=stream, width=width, force_terminal=terminal, color_system=None, _environ=environment), stream


def follow(view: LiveView) -> None:
    """Tell a view of a stage, a run that ends well, one that fails, and a note."""
    with view:
        view.stage("search", "trials of 3 options; nothing here is a claim yet")
        view.started("run 8: trial 1", 725.0)
        view.progress("measure", 0.4, 5.0, "L0 3 files, L1 4 files")
        view.ended("trial 1: 1.08x (not a claim)  6.9 s", ok=True, counts=Tally(8, 0, 0, 0, math.log(1.08), "trial-1"))
        view.started("run 9: trial 2", None)
        view.ended("trial 2: failed: no space left  1.2 s", ok=False)
        view.note("the budget holds no further look")


def test_a_terminal_that_cannot_go_back_is_written_to_like_a_file() -> None:
    stream = io.StringIO()
    dumb = {"TERM": "dumb"}
    follow(ConsoleView(Console(file=stream, width=100, force_terminal=True, color_system=None, _environ=dumb)))
    plain, expected = console(terminal=False)
    follow(ConsoleView(plain))
    assert stream.getvalue() == expected.getvalue()
    assert "trial 1: 1.08x" in stream.getvalue()


def test_a_plain_stream_gets_one_line_for_each_stage_run_and_note() -> None:
    page, stream = console(terminal=False, width=40)
    follow(ConsoleView(page))
    assert stream.getvalue().splitlines() == [
        "search: trials of 3 options; nothing here is a claim yet",
        "trial 1: 1.08x (not a claim)  6.9 s",
        "trial 2: failed: no space left  1.2 s",
        "the budget holds no further look",
    ]


def test_a_plain_stream_is_told_once_of_a_run_that_waits_for_the_host() -> None:
    page, stream = console(terminal=False)
    with ConsoleView(page) as view:
        for number in (1, 2):
            view.started(f"run {number}", None)
            for waited_s in (0.5, 4.9, 5.0, 60.0):
                view.progress("waiting", None, waited_s, "process 17")
            view.progress("measure", 0.1, 61.0)
        view.started("run 3", None)
        view.progress("waiting", None, 1.0, "process 17")
    assert stream.getvalue().splitlines() == ["waiting for process 17, which measures on this host"] * 2


def test_waiting_for_the_host_takes_nothing_from_the_time_that_is_left() -> None:
    page, stream = console(terminal=True)
    with ConsoleView(page) as view:
        view.started("run 8: trial 1", 725.0)
        view.progress("waiting", None, 600.0, "process 17")
        view.ended("trial 1: 1.08x (not a claim)  6.9 s", ok=True)
    assert set(re.findall("about .+? left", stream.getvalue())) == {"about 12m 05s left"}


def test_runs_that_others_disturbed_are_counted_where_there_are_any() -> None:
    page, stream = console(terminal=True)
    with ConsoleView(page) as view:
        view.ended("trial 1: 1.08x (not a claim)  6.9 s", ok=True, counts=Tally(8, 2))
    assert "ok 8, disturbed 2, failed 0, censored 0" in stream.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_a_quiet_view_shows_nothing(terminal: bool) -> None:
    page, stream = console(terminal=terminal)
    follow(ConsoleView(page, quiet=True))
    assert stream.getvalue() == ""


class Failing(io.StringIO):
    """A stream that cannot be written any more after a while."""

    def __init__(self, error: OSError, lasts: int = 0) -> None:
        super().__init__()
        self.error, self.left, self.failed = error, lasts, 0

    def write(self, text: str) -> int:
        if not self.left:
            self.failed += 1
            raise self.error
        self.left -= 1
        return super().write(text)


@pytest.mark.parametrize("lasts", range(6))
@pytest.mark.parametrize("terminal", [True, False])
def test_a_view_whose_stream_fails_goes_silent(terminal: bool, lasts: int) -> None:
    stream = Failing(OSError(errno.EIO, "Input/output error"), lasts)
    page = Console(file=stream, width=100, force_terminal=terminal, color_system=None, _environ={"TERM": "xterm"})
    follow(ConsoleView(page))
    assert stream.failed == (lasts < 4 or terminal)  # without a terminal there are four lines
    assert page.quiet == bool(stream.failed)


def test_progress_that_nobody_reads_any_more_goes_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Failing(BrokenPipeError(errno.EPIPE, "Broken pipe"), 1)
    monkeypatch.setattr(sys, "stderr", stream)
    follow(ConsoleView(ProgressConsole()))
    assert stream.failed == 1


def test_a_terminal_shows_the_run_the_counts_and_the_longest_time_left() -> None:
    page, stream = console(terminal=True)
    follow(ConsoleView(page))
    shown = stream.getvalue()
    assert "search  run 8: trial 1" in shown
    assert "40.0 %  5 s" in shown
    assert "L0 3 files, L1 4 files" in shown
    assert "about 12m 00s left" in shown
    assert "ok 8, failed 0, censored 0   best so far 1.08x (trial-1; not a claim)" in shown
    assert "last  trial 1: 1.08x (not a claim)  6.9 s" in shown


def test_a_failed_run_stays_visible_and_a_good_one_does_not() -> None:
    page, stream = console(terminal=True)
    follow(ConsoleView(page))
    lines = stream.getvalue().splitlines()
    assert any(line.endswith("trial 2: failed: no space left  1.2 s") and "last" not in line for line in lines)
    assert not any("trial 1: 1.08x" in line and "last" not in line for line in lines)


def test_progress_redraws_at_most_twice_a_second() -> None:
    page, stream = console(terminal=True)
    clock = Clock()
    with ConsoleView(page, clock=clock) as view:
        view.started("run 1", None)
        for tenth in range(1, 21):
            clock.now_s = tenth / 10
            view.progress("measure", None, clock.now_s, f"step {tenth}")
    drawn = {int(number) for number in re.findall(r"step (\d+)", stream.getvalue())}
    assert drawn - {20} == {5, 10, 15}


class Cell:
    """A place below a cell: what was shown there, in order."""

    def __init__(self) -> None:
        self.shown: list[Mapping[str, str]] = []
        self.updates = 0

    def display(self, obj: Mapping[str, str], *, raw: bool) -> None:
        assert raw
        assert not self.shown, "one place"
        self.shown.append(obj)

    def update(self, obj: Mapping[str, str], *, raw: bool) -> None:
        assert raw
        assert self.shown, "nothing to update"
        self.shown.append(obj)
        self.updates += 1

    def words(self, at: int) -> str:
        return self.shown[at]["text/plain"]


class Ticks(Clock):
    """A clock that is a second later whenever it is read."""

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


def test_a_notebook_shows_the_words_of_the_terminal_and_leaves_what_stays() -> None:
    cell = Cell()
    follow(NotebookView(cell, clock=Ticks()))
    drawn = "".join(each["text/plain"] for each in cell.shown)
    assert "search  run 8: trial 1" in drawn
    assert "40.0 %  5 s" in drawn
    assert "about 12m 00s left" in drawn
    assert "ok 8, failed 0, censored 0   best so far 1.08x (trial-1; not a claim)" in drawn
    assert cell.words(-1).splitlines() == [
        "search: trials of 3 options; nothing here is a claim yet",
        "trial 2: failed: no space left  1.2 s",
        "the budget holds no further look",
    ]


def test_a_notebook_is_given_html_that_loads_nothing() -> None:
    cell = Cell()
    with NotebookView(cell, clock=Ticks()) as view:
        view.note("a < b & c")
    page = cell.shown[-1]["text/html"]
    assert page.startswith("<pre ")
    assert "a &lt; b &amp; c" in page
    assert "http" not in page


def test_a_notebook_is_drawn_at_most_twice_a_second_and_at_the_end() -> None:
    cell, clock = Cell(), Clock()
    with NotebookView(cell, clock=clock) as view:
        for tenth in range(1, 21):
            clock.now_s = tenth / 10
            view.started(f"run {tenth}", None)
            view.note(f"note {tenth}")
            view.progress("measure", 0.5, 0.1)
            view.ended(f"run {tenth} failed", ok=False)
        before = len(cell.shown)
    assert before == 4
    assert cell.words(0).splitlines()[0].startswith("run 1 ")
    assert cell.words(-1).splitlines()[-2:] == ["note 20", "run 20 failed"]


def test_a_notebook_in_which_nothing_happened_stays_empty() -> None:
    cell = Cell()
    with NotebookView(cell):
        pass
    assert cell.shown == []


def test_outside_of_a_notebook_there_is_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cell_display() is None
    terminal = SimpleNamespace(get_ipython=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert cell_display() is None


def test_no_line_is_wider_than_a_narrow_terminal() -> None:
    page, stream = console(terminal=True, width=50)
    with ConsoleView(page) as view:
        view.stage("search", "x")
        view.started("run 8: trial 1", 725.0)
        view.progress("measure", 0.4, 5.0, "L0 3 files, L1 4 files, and many more words of the engine")
        before = stream.getvalue()
    drawn = before.replace("\x1b", "\n\x1b").splitlines()
    assert max(len(line) for line in drawn if not line.startswith("\x1b")) <= 50


def test_an_ended_trial_shows_its_gain_as_no_claim() -> None:
    assert ended_text(ranked(12, math.log(1.08), {})) == "trial 12: 1.08x (not a claim)  6.9 s"
    assert ended_text(ranked(12, None, {})) == "trial 12: ? (not a claim)  6.9 s"
    passed = ended_text(ranked(12, 0.0, {}, violation=0.1))
    assert passed == "trial 12: 1.00x (not a claim), a guard or limit passed  6.9 s"


def test_an_ended_run_that_is_not_ok_gives_its_reason() -> None:
    censored = ranked(3, None, {}, status=Status.CENSORED, reason="stopped at 3 times the reference")
    assert ended_text(censored) == "trial 3: censored: stopped at 3 times the reference  6.9 s"


@pytest.mark.parametrize(
    ("purpose", "arm", "block", "name"),
    [
        (Purpose.BASELINE, "db_bench", 2, "baseline db_bench"),
        (Purpose.ANCHOR, "db_bench", 8, "anchor db_bench"),
        (Purpose.VERIFY, "finalist-1", 2, "verify finalist-1, pair 3"),
        (Purpose.PRUNE, "2:without", 0, "prune 2 without, pair 1"),
        (Purpose.STEP, "step-2:before", 4, "step step-2 before, pair 5"),
    ],
)
def test_an_ended_run_that_is_no_trial_shows_no_gain(purpose: Purpose, arm: str, block: int, name: str) -> None:
    ended = Ranked(stored_run(5, purpose, arm, block=block), 0.3, 0.0)
    assert ended_text(ended) == f"{name}: ok  6.9 s"


def test_the_tally_counts_runs_and_finds_the_best_trial_within_the_guards() -> None:
    runs = (
        stored_run(1, Purpose.BASELINE, "db_bench", block=0),
        stored_run(2, Purpose.TRIAL, "trial-1"),
        stored_run(3, Purpose.TRIAL, "trial-2"),
        stored_run(4, Purpose.TRIAL, "trial-3", status=Status.FAILED),
        stored_run(5, Purpose.TRIAL, "trial-4", status=Status.CENSORED),
        stored_run(6, Purpose.TRIAL, "trial-5", status=Status.DISTURBED),
    )
    columns = {name: dict[int, float]() for name in RULES.shown}
    columns[RATE] = {1: 100.0, 2: 150.0, 3: 120.0}
    columns[SPACE] = {1: 10.0, 2: 20.0, 3: 10.0}
    counts = tally(History(runs, columns), RULES)
    assert (counts.ok, counts.disturbed, counts.failed, counts.censored) == (3, 1, 1, 1)
    assert counts.best_arm == "trial-2"
    assert counts.best == pytest.approx(math.log(1.2))


def test_a_tally_without_trials_has_no_best() -> None:
    columns = {name: dict[int, float]() for name in RULES.shown}
    assert tally(History((), columns), RULES) == Tally()
