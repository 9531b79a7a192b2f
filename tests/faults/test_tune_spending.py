"""What a study may spend, and what a budget changes when the study goes on."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from fault_builders import GOOD, Notes, faults_on

from lsmtune.errors import BudgetError, UsageError
from lsmtune.model import Purpose
from lsmtune.result import Climbing
from lsmtune.study import Budget, tune
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.testing import FakePlan, Fault, Noise, at_runs, fake_study


@pytest.mark.parametrize("budget", [Budget(None, 21), Budget(180.0, None), Budget(180.0, 1000)])
def test_a_budget_that_is_too_small_is_refused_with_what_is_needed(tmp_path: Path, budget: Budget) -> None:
    with fake_study(tmp_path, FakePlan(budget)) as study:
        with pytest.raises(UsageError, match=r"too small.*--budget"):
            study.tune()
        assert study.executor.made == (0 if budget.time_s is None else 1)


def test_the_least_budget_goes_the_whole_way(tmp_path: Path) -> None:
    with fake_study(tmp_path, FakePlan(Budget(None, 22))) as study:
        assert study.tune().decisions.done
        assert study.executor.made <= 22


@pytest.mark.parametrize("runs", [*range(22, 34), 40, 55, 70, 85, 100, 125])
def test_a_budget_in_runs_is_never_exceeded(tmp_path: Path, runs: int) -> None:
    with fake_study(tmp_path, replace(GOOD, budget=Budget(None, runs), seed=runs)) as study:
        study.tune()
        assert study.executor.made <= runs
        assert study.executor.made >= 0.6 * runs or not study.decisions.finalists


@pytest.mark.parametrize("anchor_every", [2, 3])
def test_an_anchor_that_would_pass_the_budget_is_not_run(tmp_path: Path, anchor_every: int) -> None:
    for seed in range(1, 9):
        plan = replace(GOOD, budget=Budget(None, 22), seed=seed)
        with fake_study(tmp_path / str(seed), plan) as study:
            tune(study.runner, replace(plan.settings(), anchor_every=anchor_every))
            assert study.executor.made <= 22


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_budget_in_time_is_exceeded_by_a_run_at_most(tmp_path: Path, seed: int) -> None:
    time_s = 300.0 + 130.0 * seed
    with fake_study(tmp_path, replace(GOOD, budget=Budget(time_s, None), seed=seed, noise=Noise())) as study:
        study.tune()
        longest_s = max(stored.elapsed_s or 0.0 for stored in study.history.runs)
        assert 0.35 * time_s <= study.executor.clock_s <= time_s + longest_s


def test_the_smaller_of_two_budgets_counts(tmp_path: Path) -> None:
    made = []
    for number, budget in enumerate((Budget(None, 60), Budget(1e6, 60), Budget(600.0, 10**6))):
        with fake_study(tmp_path / str(number), FakePlan(budget)) as study:
            study.tune()
            made.append(study.executor.made)
    assert made[0] == made[1]
    assert made[2] <= 62


def test_a_study_whose_changes_were_all_tested_returns_at_once_and_says_so(tmp_path: Path) -> None:
    for runs in (60, 500):  # the larger one goes on with what the smaller one could not test
        with fake_study(tmp_path, replace(GOOD, budget=Budget(None, runs))) as study:
            before = study.tune()
    heard = Notes()
    with fake_study(tmp_path, replace(GOOD, budget=Budget(None, 1000)), listener=heard) as study:
        after = study.tune()
        assert study.executor.made == 0
    assert (after.decisions, after.final, after.summary) == (before.decisions, before.final, before.summary)
    assert heard.notes == ["this study has come to its end; a larger budget needs a new study"]


def test_a_larger_budget_lengthens_a_search_that_goesfaults_on(tmp_path: Path) -> None:
    plan = FakePlan(faults=at_runs({20: Fault.INTERRUPT}))
    with fake_study(tmp_path, plan) as study, pytest.raises(KeyboardInterrupt):
        study.tune()
    with fake_study(tmp_path, FakePlan(Budget(None, 200))) as study:
        assert (study.tune().decisions.trials or 0) > 60


def test_trials_that_were_made_count_where_another_budget_ends_the_search(tmp_path: Path) -> None:
    with fake_study(tmp_path, FakePlan(faults=at_runs({20: Fault.INTERRUPT}))) as study:
        with pytest.raises(KeyboardInterrupt):
            study.tune()
        made = study.runner.spending().spent_runs
        trials = sum(run_key.purpose is Purpose.TRIAL for run_key in study.runner.taken_keys)
    least = made + FIRST_LOOK_RUNS
    said = rf"and the 12 runs of a first verification need {least} runs or .* in all, with the {made} that were made"
    with fake_study(tmp_path, FakePlan(Budget(None, least - 1))) as study, pytest.raises(BudgetError, match=said):
        study.tune()
    with fake_study(tmp_path, FakePlan(Budget(None, least))) as study:
        assert study.tune().decisions.trials == trials > 5
        assert study.executor.made <= FIRST_LOOK_RUNS


@pytest.mark.parametrize("runs", [45, 60, 300])
def test_another_budget_after_the_search_changes_neither_search_nor_finalists(tmp_path: Path, runs: int) -> None:
    with fake_study(tmp_path, FakePlan(faults=faults_on(Purpose.VERIFY, Fault.INTERRUPT))) as study:
        with pytest.raises(KeyboardInterrupt):
            study.tune()
        before = study.decisions
    heard = Notes()
    with fake_study(tmp_path, FakePlan(Budget(None, runs)), listener=heard) as study:
        after = study.tune().decisions
    assert (after.trials, after.finalists, after.done) == (before.trials, before.finalists, True)
    said = "the search has ended; another budget changes only how long claims are tested"
    assert (said in heard.notes) == (runs != 60)


@pytest.mark.parametrize("trials", [1, 4, 20, 33])
def test_a_search_makes_as_many_trials_as_are_asked_for(tmp_path: Path, trials: int) -> None:
    budget = Budget.of_trials(trials, None, GOOD.settings().noise_runs, GOOD.settings().anchor_every)
    with fake_study(tmp_path, replace(GOOD, budget=budget)) as study:
        study.tune()
        made = [stored for stored in study.history.runs if stored.run.purpose is Purpose.TRIAL]
        assert len(made) == trials
        assert study.decisions.all_trials
        assert study.executor.made <= (budget.runs or 0)


@pytest.mark.parametrize("trials", [4, 33])
def test_what_larger_scales_get_comes_on_top_of_the_trials(tmp_path: Path, trials: int) -> None:
    rules = replace(GOOD.rules, climbing=Climbing(Fraction(1, 64), (Fraction(1, 16),), 0.3))
    settings = GOOD.settings()
    budget = Budget.of_trials(trials, None, settings.noise_runs, settings.anchor_every, kept=0.3)
    with fake_study(tmp_path, replace(GOOD, budget=budget, rules=rules, larger={Fraction(4): GOOD.surface})) as study:
        study.tune()
        made = [stored for stored in study.history.runs if stored.run.purpose is Purpose.TRIAL]
        assert len(made) == trials
        assert study.executor.made <= (budget.runs or 0)


def test_a_search_that_its_share_ends_has_not_made_all_trials(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(GOOD, budget=Budget(None, 40, trials=100))) as study:
        study.tune()
        assert not study.decisions.all_trials
