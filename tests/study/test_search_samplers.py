"""What a search tells its sampler, and what the sampler tells the user."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hosts_builders import at_work

from lsmtune.indicators import Guard, Objective
from lsmtune.model import Purpose, Run, Status, Value
from lsmtune.result import TuneResult, fit_reference, noise_floors, rank, score
from lsmtune.samplers import Outlook, Trial
from lsmtune.samplers._random import RandomSampler
from lsmtune.store import StoredRun
from lsmtune.study import Budget, Listener, Runner, tune
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.study.plans._trials import trial_history, trial_of
from lsmtune.testing import (
    FakeExecutor,
    FakeHost,
    FakeHosts,
    FakePlan,
    FakeStudy,
    Fault,
    Faults,
    Noise,
    Surface,
    fake_rules,
    fake_study,
)


class _Notes(Listener):
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def test_the_parts_of_a_response_are_told_with_lower_as_better_and_weigh_up_to_it(tmp_path: Path) -> None:
    weights = {"throughput_settled_ops_s": 2.0, "space_bytes": 1.0}
    rules = replace(fake_rules(), objective=Objective(weights))
    with fake_study(tmp_path / "study", FakePlan(surface=Surface(0.5), rules=rules, sampler="nsga2")) as study:
        study.tune()
        history = study.history
        reference = fit_reference(history, rules)
        trials = [
            trial_of(study.runner, score(history, rules, reference, stored))
            for stored in history.runs
            if stored.run.purpose is Purpose.TRIAL
        ]
    measured = [trial for trial in trials if trial.response is not None]
    assert len(measured) > 10
    for trial in measured:
        whole = sum(weight * trial.parts[name] for name, weight in weights.items()) / 3
        assert trial.response == pytest.approx(whole, abs=1e-12)
        faster = trial.ratios["throughput_settled_ops_s"] > 1
        assert (trial.parts["throughput_settled_ops_s"] < 0) == faster
        assert trial.slacks["space_bytes"] == pytest.approx(math.log(1.10 / trial.ratios["space_bytes"]))
        assert trial.violation == pytest.approx(max(0.0, -trial.slacks["space_bytes"]))


def test_the_last_finalist_holds_its_guard_by_more_than_the_noise_where_the_best_do_not(tmp_path: Path) -> None:
    rules = replace(fake_rules(), guards=(Guard("space_bytes", 1.05),))
    plan = FakePlan(Budget(None, 110), Surface(0.8), Noise(rate=0.03, space=0.03), rules=rules)
    with fake_study(tmp_path / "study", plan) as study:
        study.tune()
        noise = noise_floors(study.history, rules)["space_bytes"].sd_log
        good = [
            ranked for ranked in rank(study.history, rules) if ranked.violation == 0 and (ranked.log_gain or 0.0) > 0
        ]
        finalists = study.decisions.finalists
    roomy = [ranked.stored.run.arm for ranked in good if ranked.slacks["space_bytes"] >= noise]
    assert all(ranked.stored.run.arm not in roomy for ranked in good[:3])
    assert finalists == (good[0].stored.run.arm, good[1].stored.run.arm, roomy[0])


def test_a_grid_says_how_many_points_it_has_before_the_search(tmp_path: Path) -> None:
    notes = _Notes()
    with fake_study(tmp_path / "study", FakePlan(sampler="grid"), listener=notes) as study:
        study.tune()
    told = [sentence for sentence in notes.sentences if sentence.startswith("the grid has")]
    assert told == ["the grid has 768 points with the ends of each range and all choices, 11,664 with 3 values"]


class _Faulty(RandomSampler):
    """Raises what a library may raise, at every third proposal."""

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        if index % 3 == 2:
            raise ZeroDivisionError("a library divides by zero")
        return super().propose(index, attempt)


def test_a_sampler_that_raises_costs_its_proposals_and_not_the_search(tmp_path: Path) -> None:
    plan, notes = FakePlan(Budget(None, 60), Surface(0.5)), _Notes()
    settings = replace(plan.settings(), sampler=lambda: _Faulty(plan.space, plan.seed))
    with fake_study(tmp_path / "study", plan, listener=notes) as study:
        tune(study.runner, settings)
        decided = study.decisions
        trials = study.history.select((Purpose.TRIAL,))
    assert decided.done
    assert len({stored.identity for stored in trials}) == len(trials) > 15
    said = [sentence for sentence in notes.sentences if "_Faulty failed" in sentence]
    assert len(said) == len(trials) // 3
    assert said[0].startswith(
        "_Faulty failed (ZeroDivisionError: a library divides by zero), so trial 3 is a random draw; "
    )


def test_a_sampler_is_asked_for_no_trial_that_the_budget_does_not_hold(tmp_path: Path) -> None:
    asked: list[int] = []

    class Counted(RandomSampler):
        def ask(self) -> dict[str, Value]:
            asked.append(len(self.trials))
            return super().ask()

    plan = FakePlan(Budget(None, 60))
    settings = replace(plan.settings(), sampler=lambda: Counted(plan.space, plan.seed))
    with fake_study(tmp_path / "study", plan) as study:
        tune(study.runner, settings)
        assert len(asked) == study.decisions.trials


def _without_a_finalist(folder: Path, budget: Budget, faults: Faults) -> tuple[FakeStudy, TuneResult]:
    plan = FakePlan(budget, Surface(0.6), Noise(rate=0.03), faults=faults)
    with fake_study(folder, plan) as study:
        return study, study.tune()


def test_a_search_without_a_finalist_goes_on_until_a_first_look_is_all_that_is_left(tmp_path: Path) -> None:
    def trials_fail(run: Run) -> Fault | None:
        return Fault.FAIL if run.purpose is Purpose.TRIAL else None

    study, _ = _without_a_finalist(tmp_path / "study", Budget(None, 60), trials_fail)
    assert FIRST_LOOK_RUNS <= study.runner.spending().left < FIRST_LOOK_RUNS + 2


def test_a_finalist_that_is_found_late_is_verified_within_the_budget(tmp_path: Path) -> None:
    """The search's own share of the 55 runs that are left after the baseline ends with run 36."""

    def trials_fail_at_first(run: Run) -> Fault | None:
        return Fault.FAIL if run.purpose is Purpose.TRIAL and run.id < 40 else None

    study, result = _without_a_finalist(tmp_path / "study", Budget(None, 60), trials_fail_at_first)
    trials = [stored.run.id for stored in study.runner.history.runs if stored.run.purpose is Purpose.TRIAL]
    assert 40 <= max(trials) < 47
    assert result.decisions.finalists
    assert result.decisions.verify_looks
    assert study.runner.spending().left >= 0


def test_a_sampler_is_told_the_noise_of_the_reference_and_how_many_trials_to_expect(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 60), Surface(0.5), Noise(rate=0.05, space=0.02), noise_runs=12)
    heard: list[Outlook] = []

    class _Listening(RandomSampler):
        def ask(self) -> dict[str, Value]:
            heard.append(self.outlook)
            return super().ask()

    with fake_study(tmp_path / "study", plan) as study:
        settings = replace(plan.settings(), sampler=lambda: _Listening(plan.space, 1))
        tune(study.runner, settings)
        trials = sum(stored.run.purpose is Purpose.TRIAL for stored in study.history.runs)
    assert heard[0].noise is not None, "from the first baselines"
    assert heard[-1].noise == pytest.approx(0.05, rel=0.6)
    assert heard[-1].slack_noise["space_bytes"] == pytest.approx(0.02, rel=0.6)
    assert heard[0].trials == pytest.approx(trials, abs=2)
    assert heard[-1].trials == pytest.approx(trials, abs=2)


@pytest.mark.parametrize("sampler", ["random", "agp"])
def test_a_sampler_is_not_told_of_trials_that_others_spoiled(tmp_path: Path, sampler: str) -> None:
    def fills(run: Run) -> Fault | None:
        return Fault.SPOIL if run.purpose is Purpose.TRIAL and int(run.arm.partition("-")[2]) % 3 == 0 else None

    rules = replace(fake_rules(), finalists=1)
    plan = FakePlan(Budget(None, 70), noise=Noise(rate=0.03), sampler=sampler, rules=rules)
    executors = [FakeExecutor(plan.surface, plan.noise, seed, fills) for seed in (1, 2)]
    hosts = FakeHosts({f"bench-{number}": FakeHost(executor) for number, executor in enumerate(executors, start=1)})
    filled, told = list[StoredRun](), list[Trial]()

    def go(runner: Runner) -> None:
        tune(runner, plan.settings())
        filled.extend(stored for run_key, stored in runner.runs_by_key.items() if run_key.purpose is Purpose.TRIAL)
        told.extend(trial_history(runner))

    at_work(tmp_path / "study", hosts, plan, go)
    spoiled = sum(stored.status is Status.SPOILED for stored in filled)
    assert 0 < spoiled < len(filled)
    assert len(told) == len(filled) - spoiled
    assert None not in {trial.response for trial in told}


def test_a_stopped_run_is_a_bound_of_a_rate_and_a_failure_for_anything_else(tmp_path: Path) -> None:
    def trials_are_stopped(run: Run) -> Fault | None:
        return Fault.CENSOR if run.purpose is Purpose.TRIAL else None

    for name, is_bound in (("throughput_settled_ops_s", True), ("waf", False)):
        rules = replace(fake_rules(), objective=Objective({name: 1.0}), timed=is_bound)
        plan = FakePlan(Budget(None, 40), faults=trials_are_stopped, rules=rules)
        with fake_study(tmp_path / name, plan) as study:
            study.tune()
            trials = trial_history(study.runner)
        assert {trial.bound is not None for trial in trials} == {is_bound}
        assert {trial.response for trial in trials} == {None}
