"""Runs of the reference that are spread over the first trials, and what they say of pairs."""

from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from lsmtune.model import Purpose
from lsmtune.result import noise_of_gain
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, FakeStudy, Fault, at_runs, fake_study
from lsmtune.testing.hostile import WORLDS

LETTERS = {Purpose.BASELINE: "b", Purpose.TRIAL: "t", Purpose.ANCHOR: "a"}


def order(study: FakeStudy) -> str:
    return "".join(LETTERS.get(stored.run.purpose, "") for stored in study.history.runs)


@pytest.mark.parametrize(
    ("noise_runs", "begins"), [(3, "bbbttttatttta"), (5, "bbbtbttbtatttta"), (7, "bbbtbttbtatbttbta")]
)
def test_three_runs_come_first_and_the_rest_among_the_first_trials(
    tmp_path: Path, noise_runs: int, begins: str
) -> None:
    with fake_study(tmp_path, FakePlan(Budget(None, 60), noise_runs=noise_runs)) as study:
        study.tune()
        assert order(study).startswith(begins)


def test_each_of_them_has_a_load_of_its_own(tmp_path: Path) -> None:
    with fake_study(tmp_path, FakePlan(Budget(None, 60))) as study:
        study.tune()
        baselines = study.history.select((Purpose.BASELINE,))
    assert len({stored.run.load_seed for stored in baselines}) == len(baselines) == 5


def test_the_search_has_as_many_trials_as_with_all_of_them_first(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 60))
    with fake_study(tmp_path / "spread", plan) as study:
        study.tune()
        spread = study.decisions.trials
    with fake_study(tmp_path / "few", replace(plan, budget=Budget(None, 58), noise_runs=3)) as study:
        study.tune()
        assert study.decisions.trials == spread


def test_a_reference_that_fails_among_the_trials_does_not_end_the_search(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 60), faults=at_runs({5: Fault.FAIL}))
    with fake_study(tmp_path / "whole", plan) as study:
        result = study.tune()
        assert study.history.runs[4].run.purpose is Purpose.BASELINE
        whole = order(study)
    stopped = replace(plan, faults=at_runs({5: Fault.FAIL, 9: Fault.INTERRUPT}))
    with fake_study(tmp_path / "stopped", stopped) as study, pytest.raises(KeyboardInterrupt):
        study.tune()
    with fake_study(tmp_path / "stopped", plan) as study:
        assert study.tune().decisions == result.decisions
        assert len(order(study)) == len(whole) + 1, "but for the run that was lost"


@pytest.mark.parametrize("name", ["drift", "trees-15"])
def test_what_the_reference_says_of_pairs_is_near_the_truth(tmp_path: Path, name: str) -> None:
    world = WORLDS[name]
    ratios = []
    for seed in range(1, 10):
        plan = FakePlan(Budget(None, 50), world.surface, world.noise, seed, rules=world.rules(1), world=world.world)
        with fake_study(tmp_path / str(seed), plan) as study:
            study.tune()
            ratios.append((noise_of_gain(study.history, plan.rules) or 0.0) / study.true_spread(30))
    assert 0.75 <= median(ratios) <= 1.3
