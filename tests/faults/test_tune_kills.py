"""A study on the fake engine is killed two hundred times, at any moment, and loses nothing that it reported."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from lsmtune.executors import Limits, Watcher
from lsmtune.model import Outcome, Run, Status
from lsmtune.result import History
from lsmtune.store import StoredRun, read_study
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakeExecutor, FakePlan, Noise, Surface, fake_study

KILLS = int(os.environ.get("LSMTUNE_KILLS", "60"))  # make test-slow asks for more
MOST_RUNS = 8  # that a child reports before it is killed
LONGEST_S = 0.006
PLAN = FakePlan(Budget(None, 110), Surface(0.4), Noise(rate=0.03), seed=5)


class _Slowed(FakeExecutor):
    """Takes 2 ms a run, so that kills fall into runs as well as between them."""

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        time.sleep(0.002)
        return super().run(run, limits, watch)


class _Reporter(Listener):
    """Writes the id of each run into a pipe when it is finished."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def ended(self, stored: StoredRun, history: History) -> None:
        os.write(self._pipe, b"%d\n" % stored.run.id)


@dataclass
class _Tally:
    """What the kills hit."""

    kills: int = 0
    studies: int = 0
    reported: int = 0
    lost: int = 0
    before_a_run: int = 0


@contextmanager
def _tuning_child(folder: Path) -> Iterator[tuple[int, int]]:
    """A child that opens the study, goes on with it and reports its runs; its process id and the pipe's end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            executor = _Slowed(PLAN.surface, PLAN.noise, PLAN.seed)
            with fake_study(folder, PLAN, executor, _Reporter(writing)) as study:
                study.tune()
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    try:
        yield child, reading
    finally:
        os.close(reading)


def _killed(folder: Path, after_runs: int, after_s: float) -> tuple[bool, list[int]]:
    """Let a child report so many runs and work on for some time, then kill it, however fast the machine is.

    Returns:
        Whether it had come to its end before, and what it reported.
    """
    with _tuning_child(folder) as (child, reading):
        text = b""
        while text.count(b"\n") < after_runs and (part := os.read(reading, 65536)):
            text += part
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        while part := os.read(reading, 65536):
            text += part
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed"
    return not os.WIFSIGNALED(status), [int(line) for line in text.splitlines()]


def _check(folder: Path, reported: list[int]) -> None:
    """Check that every reported run is there with all that it gave, and that no run vanished."""
    with read_study(folder) as study:
        runs = {stored.run.id: stored for stored in study.runs()}
        values = {name: study.indicator(name) for name in PLAN.surface.indicators({})}
    assert sorted(runs) == list(range(1, len(runs) + 1)), "a run vanished"
    for number in reported:
        assert runs[number].status is Status.OK
        assert runs[number].elapsed_s is not None
        assert all(number in column for column in values.values())


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # the numeric library's
def test_kills_at_any_moment_lose_no_reported_run(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", PLAN) as study:  # loads all libraries before the first fork, too
        whole = study.tune()
    chance, tally = random.Random(7), _Tally()
    while tally.kills < KILLS:
        folder, reported, done = tmp_path / str(tally.studies), list[int](), False
        with fake_study(folder, PLAN):
            tally.studies += 1
        while not done and tally.kills < KILLS:
            done, more = _killed(folder, chance.randrange(MOST_RUNS + 1), chance.uniform(0, LONGEST_S))
            tally.kills += not done
            tally.before_a_run += not done and not more
            assert not set(more) & set(reported), "a finished run was made again"
            reported += more
            _check(folder, reported)
        with fake_study(folder, PLAN) as study:
            tally.reported += len(reported)
            tally.lost += sum(stored.status is Status.LOST for stored in study.history.runs)
            again = study.tune()
        assert (again.decisions, again.final) == (whole.decisions, whole.final), "the kills changed the result"
    assert tally.lost >= KILLS // 10, "hardly a kill fell into a run"
    assert tally.before_a_run >= KILLS // 50, "hardly a kill fell into the opening of a study"
    assert tally.reported >= 2 * KILLS, "the children hardly worked"
    assert tally.studies >= 2, "hardly a study came to its end"
