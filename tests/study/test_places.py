"""Several runs at once: what an executor with more than one place makes of a study."""

import random
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from lsmtune.executors import Limits, Watcher
from lsmtune.experiment import NamedChange
from lsmtune.model import Outcome, Purpose, Run, Status
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakeExecutor, FakePlan, Fault, Noise, Surface, at_runs, fake_space, fake_study

PLAN = FakePlan(Budget(None, 120), Surface(0.4), Noise(rate=0.03), seed=3)


class ManyPlaces(FakeExecutor):
    """Three runs at once, which end in any order."""

    places = 3

    def __init__(self, plan: FakePlan) -> None:
        super().__init__(plan.surface, plan.noise, plan.seed, plan.faults)
        self.most_open = 0
        self.ended: list[int] = []
        self._open = 0
        self._rng = random.Random(plan.seed)

    def submit(self, run: Run, limits: Limits, watch: Watcher) -> "Future[Outcome]":
        outcome, future = self.run(run, limits, watch), Future[Outcome]()
        self._open += 1
        self.most_open = max(self.most_open, self._open)

        def end() -> None:
            self._open -= 1
            self.ended.append(run.id)
            future.set_result(outcome)

        Timer(self._rng.uniform(0.0, 0.01), end).start()
        return future


def test_a_study_with_several_places_is_tuned_within_its_budget(tmp_path: Path) -> None:
    executor = ManyPlaces(PLAN)
    with fake_study(tmp_path, PLAN, executor) as study:
        result = study.tune()
        runs = [stored.run for stored in study.study.runs()]
    assert result.improved
    assert executor.most_open == 3
    assert executor.ended != sorted(executor.ended)
    assert len(runs) <= 120
    assert len({(run.purpose, run.arm, run.block) for run in runs}) == len(runs), "a run was made twice"
    trials = [run.configuration for run in runs if run.purpose is Purpose.TRIAL]
    assert len(set(trials)) == len(trials), "a configuration that was open was proposed again"
    numbers = sorted(int(run.arm.removeprefix("trial-")) for run in runs if run.purpose is Purpose.TRIAL)
    assert numbers == list(range(1, len(trials) + 1))


def test_a_disturbed_run_is_made_again_while_others_go_on(tmp_path: Path) -> None:
    plan = replace(PLAN, faults=at_runs(dict.fromkeys((9, 15, 40), Fault.DISTURB)))
    with fake_study(tmp_path, plan, ManyPlaces(plan)) as study:
        study.tune()
        runs = list(study.study.runs())
    made = Counter((stored.run.purpose, stored.run.arm, stored.run.block) for stored in runs)
    disturbed = [stored.run for stored in runs if stored.status is Status.DISTURBED]
    assert len(disturbed) == 3
    assert [made[run.purpose, run.arm, run.block] for run in disturbed] == [2, 2, 2]


def test_what_was_open_when_a_study_was_stopped_is_made_again(tmp_path: Path) -> None:
    plan = replace(PLAN, faults=at_runs({17: Fault.INTERRUPT}))
    with fake_study(tmp_path, plan, ManyPlaces(plan)) as study, pytest.raises(KeyboardInterrupt):
        study.tune()
    with fake_study(tmp_path, PLAN, ManyPlaces(PLAN)) as study:
        study.tune()
        runs = list(study.study.runs())
    lost = [stored.run for stored in runs if stored.status is Status.LOST]
    assert {run.id for run in lost} >= {17}
    trials = Counter(
        stored.run.arm for stored in runs if stored.run.purpose is Purpose.TRIAL and stored.run not in lost
    )
    assert set(trials.values()) == {1}
    assert sorted(int(arm.removeprefix("trial-")) for arm in trials) == list(range(1, len(trials) + 1))


def test_comparisons_and_samples_have_the_runs_of_one_place(tmp_path: Path) -> None:
    change = NamedChange("larger buffer", "", {"write_buffer_size": 128 << 20})
    design = SampleSettings(fake_space(), "sobol", 16, 8, 3, 3, anchor_every=5, noise_runs=3, seed=7)
    made = []
    for executor in (PLAN.executor(), ManyPlaces(PLAN)):
        folder = tmp_path / type(executor).__name__
        with fake_study(folder / "compare", PLAN, executor) as study:
            study.compare(change)
            compared = {(stored.run.arm, stored.run.block, stored.run.seed) for stored in study.study.runs()}
        with fake_study(folder / "sample", PLAN, executor) as study:
            study.sample(design)
            made.append(
                (compared, {(stored.run.arm, stored.run.block, stored.run.seed) for stored in study.study.runs()})
            )
    assert made[0] == made[1]


def test_a_disturbed_run_that_was_made_again_on_one_of_several_hosts_is_not_taken_back(tmp_path: Path) -> None:
    plan = replace(PLAN, faults=at_runs({9: Fault.DISTURB, 40: Fault.INTERRUPT}))
    with fake_study(tmp_path, plan, ManyPlaces(plan)) as study, pytest.raises(KeyboardInterrupt):
        study.tune()
    with fake_study(tmp_path, PLAN, ManyPlaces(PLAN)) as study:
        disturbed = study.study.run(9)
        again = [each for each in study.study.runs() if each.run.arm == disturbed.run.arm and each.run.id != 9]
        again = [
            each for each in again if (each.run.purpose, each.run.block) == (disturbed.run.purpose, disturbed.run.block)
        ]
        standing = study.runner.runs_by_key.values()
    assert disturbed.status is Status.DISTURBED
    assert [each.status for each in again] == [Status.OK]
    assert again[0].run.id > 10, "others began before it was made again"
    assert again[0].run.id in {each.run.id for each in standing}
    assert 9 not in {each.run.id for each in standing}
