"""A study keeps how far it is when a run begins, so that others can follow it from outside."""

from pathlib import Path

from lsmtune.executors import Limits, Watcher
from lsmtune.model import Outcome, Run
from lsmtune.result import Progress, checkpoints
from lsmtune.store import read_study
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakeExecutor, FakePlan, Surface, fake_study


class Onlooker(FakeExecutor):
    """Looks into the study while a run is under way."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Surface(0.8))
        self.folder = folder
        self.seen: list[tuple[int, Progress]] = []

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        with read_study(self.folder) as study:
            kept = study.saved(checkpoints.PROGRESS)
        assert kept is not None
        self.seen.append((run.id, kept))
        return super().run(run, limits, watch)


class Heard(Listener):
    """Hears what the terminal hears."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, int, str, float | None]] = []
        self.now = ("", "")

    def stage(self, name: str, purpose: str) -> None:
        self.now = (name, purpose)

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        self.told.append((*self.now, run.id, about, left_s))


def test_what_is_kept_is_what_the_terminal_hears(tmp_path: Path) -> None:
    onlooker, heard = Onlooker(tmp_path / "s"), Heard()
    with fake_study(tmp_path / "s", FakePlan(Budget(600.0, 120)), onlooker, heard) as study:
        study.tune()
    told = [(each.stage, each.purpose, each.run, each.about, each.left_s) for _, each in onlooker.seen]
    assert told == heard.told
    assert all(run == kept.run for run, kept in onlooker.seen)
    assert {stage for stage, *_ in told} >= {"baseline", "search", "verify"}
    assert all(left is not None for *_, left in told)


def test_a_study_without_a_limit_of_time_knows_no_time_that_is_left(tmp_path: Path) -> None:
    onlooker = Onlooker(tmp_path / "s")
    with fake_study(tmp_path / "s", FakePlan(Budget(None, 60)), onlooker) as study:
        study.tune()
    assert {kept.left_s for _, kept in onlooker.seen if kept.stage == "search"} == {None}
