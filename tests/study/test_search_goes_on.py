"""A search without a finalist spends what no first look needs; one with a finalist keeps to its share."""

from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.indicators import Guard
from lsmtune.model import Purpose
from lsmtune.study import Budget
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.testing import FakePlan, FakeStudy, Fault, Noise, Surface, at_runs, fake_rules, fake_study

HARD = replace(fake_rules(), guards=(Guard("space_bytes", 1.0001), Guard("waf", 1.0001)))
NOISY = FakePlan(surface=Surface(), noise=Noise(rate=0.2), rules=HARD)


def tuned(folder: Path, plan: FakePlan) -> FakeStudy:
    with fake_study(folder, plan) as study:
        study.tune()
    return study


@pytest.mark.parametrize("is_time", [False, True])
def test_no_study_ends_without_a_finalist_while_a_trial_and_a_first_look_fit(tmp_path: Path, is_time: bool) -> None:
    without, with_them = 0, 0
    for seed in range(1, 31):
        budget = Budget(280.0 + 20 * seed, None) if is_time else Budget(None, 22 + seed)
        with fake_study(tmp_path / str(seed), replace(NOISY, seed=seed, budget=budget)) as study:
            result = study.tune()
            left = study.runner.spending().left
        if result.decisions.finalists:
            with_them += 1
        else:
            without += 1
            assert left < FIRST_LOOK_RUNS + 1, f"seed {seed} had {left:.1f} runs left and nothing found"
            assert left >= 0
    assert without > 0
    assert with_them > 10


@pytest.mark.parametrize("runs", range(24, 44))
def test_where_every_trial_fails_all_goes_into_trials_but_what_a_first_look_takes(tmp_path: Path, runs: int) -> None:
    plan = replace(
        NOISY,
        budget=Budget(None, runs),
        faults=lambda run: Fault.FAIL if run.purpose is Purpose.TRIAL else None,
    )
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
        assert result.decisions.finalists == ()
        assert study.runner.spending().left == FIRST_LOOK_RUNS


def test_an_interrupted_one_goes_on_with_the_same_runs(tmp_path: Path) -> None:
    plan = replace(NOISY, budget=Budget(None, 31), seed=9)
    whole = tuned(tmp_path / "whole", plan)
    asked = [stored.run for stored in whole.runner.runs_by_key.values()]
    for stop in range(8, len(asked) + 1, 5):
        folder = tmp_path / str(stop)
        with pytest.raises(KeyboardInterrupt):
            tuned(folder, replace(plan, faults=at_runs({stop: Fault.INTERRUPT})))
        again = [stored.run for stored in tuned(folder, plan).runner.runs_by_key.values()]
        assert [(run.arm, run.block, run.seed) for run in again] == [(run.arm, run.block, run.seed) for run in asked]


def test_a_study_with_a_finalist_keeps_to_the_share_of_its_search(tmp_path: Path) -> None:
    good = FakePlan(Budget(None, 60), Surface(0.6), Noise(rate=0.02))
    with fake_study(tmp_path, good) as study:
        result = study.tune()
        trials = [stored for stored in study.history.runs if stored.run.purpose in (Purpose.TRIAL, Purpose.ANCHOR)]
    assert result.decisions.finalists
    assert len(trials) == 60 - 5 - 24, "all but the runs of the reference and two looks"
