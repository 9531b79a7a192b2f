"""Rungs: trials with less data first. What they save, when they are left out, and what the sampler is told."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from lsmtune.indicators import Objective
from lsmtune.model import WHOLE, Purpose, Run, Status
from lsmtune.result import Decisions
from lsmtune.study import Budget, Listener
from lsmtune.study.plans._search import search
from lsmtune.study.plans._single_runs import SingleRunHosts
from lsmtune.study.plans._stages import measure_baselines, shares
from lsmtune.study.plans._successive_halving import CHECKED
from lsmtune.study.plans._trials import trial_history
from lsmtune.testing import QUIET, FakePlan, FakeStudy, Fault, Noise, Surface, at_runs, fake_rules, fake_study

QUARTER, SIXTEENTH = Fraction(1, 4), Fraction(1, 16)
CLEAR = FakePlan(Budget(1500.0, None), Surface(0.6), Noise(rate=0.01), seed=5, rungs=(QUARTER,))
"""150 whole runs: data of a quarter tells all."""
MISLED = replace(CLEAR, small=Surface(0.0), noise=Noise(rate=0.03))
"""Runs with a quarter of the data show nothing but noise."""


class _Notes(Listener):
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def _searched(study: FakeStudy) -> list[Run]:
    """Search, and return the runs of trials with the reference's runs on rungs."""
    settings = study.plan.settings()
    measure_baselines(study.runner, settings.noise_runs)
    search(study.runner, settings, shares(study.runner, 0), SingleRunHosts(study.runner, (study.runner.home,)))
    kinds = (Purpose.TRIAL, Purpose.RUNG)
    return [stored.run for stored in study.history.runs if stored.run.purpose in kinds and stored.status is Status.OK]


def test_the_first_trials_are_run_on_every_rung_and_whole(tmp_path: Path) -> None:
    plan = replace(CLEAR, rungs=(SIXTEENTH, QUARTER))
    with fake_study(tmp_path, plan) as study:
        runs = _searched(study)
        reference = study.plan.rules.reference
    for number in range(1, CHECKED + 1):
        assert [run.rung for run in runs if run.arm == f"trial-{number}"] == [SIXTEENTH, QUARTER, WHOLE]
    before = runs[: next(place for place, run in enumerate(runs) if run.arm == "trial-1")]
    assert [(run.arm, run.rung) for run in before] == [(reference, SIXTEENTH)] * 3 + [(reference, QUARTER)] * 3


def test_a_rung_that_agrees_saves_whole_runs(tmp_path: Path) -> None:
    with fake_study(tmp_path, CLEAR) as study:
        runs = _searched(study)
        (check,) = Decisions.read(study.study).rungs or ()
        reference = study.plan.rules.reference
    assert check.used
    assert check.n == CHECKED
    later = [run for run in runs if run.arm != reference and int(run.arm.rpartition("-")[2]) > CHECKED]
    counts = Counter(run.rung for run in later)
    assert counts[QUARTER] > 30
    assert counts[WHOLE] <= counts[QUARTER] / 3
    small = {run.arm for run in later if run.rung == QUARTER}
    assert {run.arm for run in later if run.rung == WHOLE} <= small


def test_what_goes_on_to_a_whole_run_is_the_best_quarter_at_that_moment(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(CLEAR, noise=QUIET)) as study:
        runs = _searched(study)
        rate = study.study.indicator("throughput_settled_ops_s")
        space = study.study.indicator("space_bytes")
        reference = study.plan.rules.reference
    limit = 1.10 * next(space[run.id] for run in runs if run.arm == reference)
    seen: dict[str, tuple[bool, float]] = {}
    places: list[float] = []
    for run in runs:
        if run.arm == reference:
            continue
        if run.rung == QUARTER:
            seen[run.arm] = (space[run.id] > limit, -rate[run.id])
        elif int(run.arm.rpartition("-")[2]) > CHECKED:
            better = sum(other < seen[run.arm] for arm, other in seen.items() if arm != run.arm)
            places.append(better / len(seen))
    assert places
    assert max(places) < 0.25


def test_a_rung_that_misleads_is_left_out_and_said_so(tmp_path: Path) -> None:
    notes = _Notes()
    with fake_study(tmp_path, MISLED, listener=notes) as study:
        runs = _searched(study)
        (check,) = Decisions.read(study.study).rungs or ()
        told = trial_history(study.runner)
    assert not check.used
    later = [run for run in runs if run.arm.startswith("trial-") and int(run.arm.rpartition("-")[2]) > CHECKED]
    assert {run.rung for run in later} == {WHOLE}
    assert len(later) > 10
    (sentence,) = (note for note in notes.sentences if note.startswith("runs with 1/4 of the data"))
    assert sentence.endswith("not used, as that is less than 0.5")
    assert len(told) == len({run.arm for run in runs if run.arm.startswith("trial-")})


def test_a_search_that_is_too_short_for_the_check_makes_whole_runs_alone(tmp_path: Path) -> None:
    notes = _Notes()
    with fake_study(tmp_path, replace(CLEAR, budget=Budget(600.0, None)), listener=notes) as study:
        runs = _searched(study)
    assert {run.rung for run in runs} == {WHOLE}
    assert any("too few for rungs" in note for note in notes.sentences)


def test_a_trial_with_less_data_alone_is_told_with_the_response_of_a_whole_run(tmp_path: Path) -> None:
    surface, small = Surface(0.6), Surface(0.25)  # a quarter of the data shows half of each gain
    with fake_study(tmp_path, replace(CLEAR, surface=surface, small=small, noise=QUIET)) as study:
        runs = _searched(study)
        told = trial_history(study.runner)
    base = surface.indicators({})["throughput_settled_ops_s"]
    whole = {run.arm for run in runs if run.rung == WHOLE}
    arms = dict.fromkeys(run.arm for run in runs if run.arm.startswith("trial-"))
    predicted = [trial for arm, trial in zip(arms, told, strict=True) if arm not in whole]
    assert len(predicted) > 20
    for trial in predicted:
        gain = surface.indicators(trial.values)["throughput_settled_ops_s"] / base
        assert trial.response is not None
        assert 2.718281828**-trial.response == pytest.approx(gain, rel=0.02)


def test_write_amplification_decides_where_the_objective_weighs_it(tmp_path: Path) -> None:
    weights = {"waf": 1.0, "throughput_settled_ops_s": 1.0}
    rules = replace(fake_rules(), objective=Objective(weights), guards=())
    # On little data all rates are noise; write amplification tells the truth.
    plan = replace(CLEAR, rules=rules, noise=Noise(rate=0.2, waf=0.001), surface=Surface(0.6))
    with fake_study(tmp_path, plan) as study:
        runs = _searched(study)
        waf = study.study.indicator("waf")
    seen: dict[str, float] = {}
    places: list[float] = []
    for run in runs:
        if run.rung == QUARTER and run.arm.startswith("trial-"):
            seen[run.arm] = waf[run.id]
        elif run.rung == WHOLE and len(seen) > CHECKED and run.arm in seen:
            places.append(sum(other < seen[run.arm] for other in seen.values()) / len(seen))
    assert places
    assert max(places) <= 0.25


@pytest.mark.parametrize("plan", [CLEAR, MISLED], ids=["used", "left out"])
def test_a_search_that_is_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path, plan: FakePlan) -> None:
    with fake_study(tmp_path / "whole", plan) as study:
        expected = [(run.arm, run.rung, run.seed, run.configuration) for run in _searched(study)]
        last = len(study.history.runs)
    executor = replace(plan, faults=at_runs(dict.fromkeys(range(6, last, 11), Fault.INTERRUPT))).executor()
    for _ in range(last):
        try:
            with fake_study(tmp_path / "stopped", plan, executor) as study:
                found = [(run.arm, run.rung, run.seed, run.configuration) for run in _searched(study)]
                break
        except KeyboardInterrupt:
            continue
    assert executor.made > last
    assert found == expected


def test_runs_that_fail_with_less_data_never_become_whole_ones(tmp_path: Path) -> None:
    def faults(run: Run) -> Fault | None:
        fails = run.rung == QUARTER and run.arm.startswith("trial-") and run.seed % 3 == 0
        return Fault.FAIL if fails else None

    with fake_study(tmp_path, replace(CLEAR, faults=faults)) as study:
        _searched(study)
        stored = study.history.runs
    failed = {each.run.arm for each in stored if each.status is Status.FAILED}
    checked = {f"trial-{number}" for number in range(1, CHECKED + 1)}
    assert len(failed - checked) > 5
    assert not (failed - checked) & {each.run.arm for each in stored if each.run.rung == WHOLE}


def test_only_whole_runs_are_ranked_and_verified(tmp_path: Path) -> None:
    with fake_study(tmp_path, CLEAR) as study:
        result = study.tune()
    assert result.improved
    assert {leader.stored.run.rung for leader in result.leaders} == {WHOLE}
    assert result.summary.count(purpose=Purpose.RUNG) > 40
