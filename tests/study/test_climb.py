"""Verification at larger scales: a winner that loses there is none, and what the budget does not hold is said."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from lsmtune.model import FULL_SIZE_OPTIONS, Purpose, Run, Status, Value
from lsmtune.report import tune_json
from lsmtune.report._climb import climb_note
from lsmtune.report._states import State, stage_of, state_of
from lsmtune.report._words import next_step, verdict_sentence
from lsmtune.result import Climb, Climbing, ClimbOutcome, Shrink, TuneResult, climb_words, summarise
from lsmtune.study import Budget, Listener
from lsmtune.testing import EachChange, FakePlan, FakeStudy, Fault, Noise, at_runs, fake_rules, fake_space, fake_study

START, SMALL, LARGE = Fraction(1, 64), Fraction(1, 16), Fraction(1, 4)
BUFFER, JOBS = "write_buffer_size", "max_background_jobs"
BEST = {BUFFER: 256 << 20}
SECOND = {JOBS: 8}


def _surface(buffer: float, jobs: float, also: Mapping[str, Mapping[str, float]] | None = None) -> EachChange:
    """Two options that gain something, and six that halve the rate: what is tried first is all that wins."""
    gains = dict.fromkeys(fake_space().names, 0.5)
    return EachChange(gains={**gains, BUFFER: buffer, JOBS: jobs}, also=also or {})


def _plan(at_small: EachChange, at_large: EachChange, share: float = 0.45, shrink: Shrink = Shrink.TREE) -> FakePlan:
    """Two finalists at 1/64: one with 1.5x and one with 1.3x of the reference's rate."""
    rules = replace(fake_rules(), climbing=Climbing(START, (SMALL, LARGE), share, shrink))
    return FakePlan(
        Budget(None, 230),
        _surface(1.5, 1.3),
        Noise(rate=0.02),
        rules=rules,
        first=(BEST, SECOND),
        larger={Fraction(4): at_small, Fraction(16): at_large},
    )


HOLDS = _plan(_surface(1.4, 1.3), _surface(1.35, 1.3))
LOSES = _plan(_surface(1.4, 1.3), _surface(0.8, 1.25))


def _tuned(folder: Path, plan: FakePlan) -> TuneResult:
    with fake_study(folder, plan) as study:
        return study.tune()


def _climb(result: TuneResult) -> Climb:
    assert result.climb is not None
    return result.climb


def _outcomes(result: TuneResult) -> list[tuple[str, Fraction, ClimbOutcome]]:
    return [(each.step.arm, each.scale, each.outcome) for each in _climb(result).seen]


def test_what_wins_at_all_scales_holds_up_to_the_largest(tmp_path: Path) -> None:
    result = _tuned(tmp_path, HOLDS)
    assert _outcomes(result) == [
        ("finalist-1", SMALL, ClimbOutcome.HOLDS),
        ("finalist-1", LARGE, ClimbOutcome.HOLDS),
    ]
    assert result.final.values == BEST
    assert _climb(result).holds_to == LARGE
    assert climb_words(_climb(result), "finalist-1") == "improved at 1/64, 1/16 and 1/4"
    gains = [each.comparison.claim.gain for each in _climb(result).seen if each.comparison]
    assert gains == [pytest.approx(1.4, rel=0.03), pytest.approx(1.35, rel=0.03)]


def test_what_loses_at_the_largest_scale_is_no_winner_and_the_next_finalist_climbs(tmp_path: Path) -> None:
    result = _tuned(tmp_path, LOSES)
    assert _outcomes(result) == [
        ("finalist-1", SMALL, ClimbOutcome.HOLDS),
        ("finalist-1", LARGE, ClimbOutcome.LOST),
        ("finalist-2", SMALL, ClimbOutcome.HOLDS),
        ("finalist-2", LARGE, ClimbOutcome.HOLDS),
    ]
    assert result.improved
    assert result.final.values == SECOND
    assert result.decisions.winner == "finalist-2"
    sentence = verdict_sentence(result)
    assert "Where it holds: improved at 1/64, 1/16 and 1/4." in sentence
    assert "Finalist-1 improved at 1/64 and 1/16 and lost at 1/4, so it is no winner: worse, 0.8" in sentence


def test_where_all_finalists_lose_the_reference_stays(tmp_path: Path) -> None:
    result = _tuned(tmp_path, _plan(_surface(0.8, 0.7), _surface(0.8, 0.7)))
    assert _outcomes(result) == [
        ("finalist-1", SMALL, ClimbOutcome.LOST),
        ("finalist-2", SMALL, ClimbOutcome.LOST),
    ]
    assert not result.improved
    assert result.final == result.rules.start
    assert state_of(result) is State.LOST_LARGER
    sentence = verdict_sentence(result)
    assert sentence.startswith("Lost at a larger scale: finalist-1 improved at 1/64 and lost at 1/16")
    assert "at the scale where it lost" in next_step(result)


def test_what_makes_no_difference_at_a_larger_scale_stays_with_what_was_shown_below(tmp_path: Path) -> None:
    result = _tuned(tmp_path, _plan(_surface(1.4, 1.3), _surface(1.0, 1.3)))
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.HOLDS), ("finalist-1", LARGE, ClimbOutcome.OPEN)]
    assert result.final.values == BEST
    assert _climb(result).holds_to == SMALL
    assert "improved at 1/64 and 1/16; at 1/4 no difference larger than " in verdict_sentence(result)


def test_a_scale_above_one_where_it_does_not_hold_is_not_tried_and_that_is_said(tmp_path: Path) -> None:
    result = _tuned(tmp_path, _plan(_surface(1.0, 1.3), _surface(1.4, 1.3)))
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.OPEN)]
    assert "improved at 1/64; at 1/16 " in verdict_sentence(result)
    assert "; not tried at 1/4." in verdict_sentence(result)


def test_a_guard_that_breaks_at_a_larger_scale_takes_the_win(tmp_path: Path) -> None:
    more_space = {BUFFER: {"space": 0.4}}
    result = _tuned(tmp_path, _plan(_surface(1.4, 1.3), _surface(1.4, 1.3, more_space)))
    assert _outcomes(result)[1] == ("finalist-1", LARGE, ClimbOutcome.LOST)
    assert "the guard on space on disk does not hold" in verdict_sentence(result)
    assert result.final.values == SECOND


def test_runs_that_fail_at_a_larger_scale_take_the_win(tmp_path: Path) -> None:
    def broken(run: Run) -> Fault | None:
        return Fault.FAIL if run.purpose is Purpose.CLIMB and run.arm == "finalist-1" else None

    result = _tuned(tmp_path, replace(HOLDS, faults=broken))
    assert _outcomes(result)[0] == ("finalist-1", SMALL, ClimbOutcome.LOST)
    assert "runs failed: db_bench was told to fail" in verdict_sentence(result)
    assert result.final.values == SECOND


def test_finalists_share_the_level(tmp_path: Path) -> None:
    result = _tuned(tmp_path, LOSES)
    assert {each.step.arm for each in _climb(result).seen} == {"finalist-1", "finalist-2"}
    for each in _climb(result).seen:
        assert each.comparison is not None
        claim = each.comparison.claim
        assert claim.p is not None
        assert claim.p_adjusted == pytest.approx(2 * claim.p)


def test_a_share_without_a_first_look_is_said_and_makes_no_run(tmp_path: Path) -> None:
    plan = replace(HOLDS, rules=replace(HOLDS.rules, climbing=Climbing(START, (SMALL, LARGE), 0.05)))
    result = _tuned(tmp_path, plan)
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.UNPAID)]
    assert not result.summary.count(purpose=Purpose.CLIMB)
    assert result.final.values == BEST
    sentence = verdict_sentence(result)
    assert "improved at 1/64; at 1/16 not verified: a first look takes 12 runs of about 40.3 s" in sentence
    assert "what [verify] share leaves holds 11; not tried at 1/4." in sentence


class _Slow(EachChange):
    """Takes three times as long as its data says."""

    def indicators(self, values: Mapping[str, Value]) -> dict[str, float]:
        found = super().indicators(values)
        return {name: value * (3.0 if name == "total_time_s" else 1.0) for name, value in found.items()}


def _timed(budget_s: float, at_small: EachChange) -> FakePlan:
    rules = replace(fake_rules(), climbing=Climbing(START, (SMALL,), 0.4))
    plan = replace(HOLDS, budget=Budget(budget_s, None), rules=rules)
    return replace(plan, larger={Fraction(4): at_small})


def test_the_first_run_at_a_scale_corrects_what_a_look_there_takes(tmp_path: Path) -> None:
    proportional, slow = _surface(1.4, 1.3), _Slow(gains=_surface(1.4, 1.3).gains)
    result = _tuned(tmp_path / "as planned", _timed(1800.0, proportional))
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.HOLDS)]
    result = _tuned(tmp_path / "slower", _timed(1800.0, slow))
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.UNPAID)]
    assert result.summary.count(purpose=Purpose.CLIMB) == 1
    (step,) = result.decisions.climb
    assert step.needed == 11
    assert step.run_s > 80
    assert step.held < 11


def test_a_larger_budget_goes_on_with_the_scale_that_was_not_held(tmp_path: Path) -> None:
    slow = _Slow(gains=_surface(1.4, 1.3).gains)
    _tuned(tmp_path, _timed(1800.0, slow))
    result = _tuned(tmp_path, _timed(7200.0, slow))
    assert _outcomes(result) == [("finalist-1", SMALL, ClimbOutcome.HOLDS)]
    assert result.summary.count(purpose=Purpose.CLIMB) == 12
    assert result.decisions.done


def test_earlier_stages_leave_the_share_alone(tmp_path: Path) -> None:
    result = _tuned(tmp_path, HOLDS)
    climbed = result.summary.count(purpose=Purpose.CLIMB)
    assert climbed == 24
    searched = sum(result.summary.count(purpose=each) for each in (Purpose.BASELINE, Purpose.TRIAL, Purpose.ANCHOR))
    assert searched + result.summary.count(purpose=Purpose.VERIFY) <= 0.55 * 230


def test_runs_at_larger_scales_are_interleaved_on_loads_of_their_own(tmp_path: Path) -> None:
    with fake_study(tmp_path, LOSES) as study:
        study.tune()
        runs = [stored.run for stored in study.history.runs if stored.run.purpose is Purpose.CLIMB]
    assert [run.rung for run in runs] == [Fraction(4)] * 12 + [Fraction(16)] * 12 + [Fraction(4)] * 12 + [
        Fraction(16)
    ] * 12
    for first, second in zip(runs[::2], runs[1::2], strict=True):
        assert {first.arm, second.arm} in ({"stock", "finalist-1"}, {"stock", "finalist-2"})
        assert (first.block, first.load_seed) == (second.block, second.load_seed)
    assert len({run.load_seed for run in runs}) == len(runs) / 2
    assert len({run.seed for run in runs}) == len(runs)


def test_production_options_travel_with_each_run_that_takes_them(tmp_path: Path) -> None:
    climbing = Climbing(START, (SMALL,), 0.45, Shrink.DATA)
    plan = replace(HOLDS, rules=replace(HOLDS.rules, climbing=climbing))
    with fake_study(tmp_path, plan) as study:
        result = study.tune()
        runs = [stored.run for stored in study.history.runs if stored.run.purpose is Purpose.CLIMB]
    assert {run.scenario for run in runs} == {((FULL_SIZE_OPTIONS, True),)}
    assert "options have their full size" in climb_note(result)


class _Clock(Listener):
    def __init__(self) -> None:
        self.left: list[float | None] = []
        self.notes: list[str] = []

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        self.left.append(left_s)

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def test_the_time_left_counts_the_climb_and_it_is_announced_before_the_search(tmp_path: Path) -> None:
    heard = _Clock()
    with fake_study(tmp_path, _timed(1800.0, _surface(1.4, 1.3)), listener=heard) as study:
        study.tune()
    assert heard.left[0] == pytest.approx(1800, abs=1)
    (announced,) = [note for note in heard.notes if note.startswith("first looks")]
    assert "take about 8m 12s at 1/16" in announced
    assert "40.0 % of the budget, holds them" in announced


@pytest.mark.parametrize("nth", [0, 1, 5, 11, 12, 23, 24, 30, 47])
def test_a_climb_that_is_stopped_goes_on_where_it_was(tmp_path: Path, nth: int) -> None:
    with fake_study(tmp_path / "whole", LOSES) as study:
        whole = study.tune()
        told = _told(study)
        climbed = [stored.run.id for stored in study.history.runs if stored.run.purpose is Purpose.CLIMB]
    stopped = replace(LOSES, faults=at_runs({climbed[nth]: Fault.INTERRUPT}))
    with fake_study(tmp_path / "stopped", stopped) as study, pytest.raises(KeyboardInterrupt):
        study.tune()
    with fake_study(tmp_path / "stopped", LOSES) as study:
        between = summarise(study.study)
        result = study.tune()
        assert _told(study) == told
    assert stage_of(between) == "climb"
    assert _outcomes(result) == _outcomes(whole)
    assert result.final == whole.final


def _told(study: FakeStudy) -> list[tuple[object, ...]]:
    kept = [stored for stored in study.history.runs if stored.status is not Status.LOST]
    return [
        (each.run.purpose, each.run.arm, each.run.block, each.run.rung, each.run.seed, each.run.configuration)
        for each in kept
    ]


def test_json_says_where_it_holds(tmp_path: Path) -> None:
    found = tune_json(_tuned(tmp_path, LOSES))["climb"]
    assert (found["start"], found["scales"], found["shrink"]) == ("1/64", ["1/16", "1/4"], "tree")
    assert (found["taken"], found["holds_to"], found["order"]) == ("finalist-2", "1/4", ["finalist-1", "finalist-2"])
    assert [each["outcome"] for each in found["seen"]] == ["holds", "lost", "holds", "holds"]
    assert found["seen"][1]["comparison"]["claim"]["decision"] == "worse"


def test_a_study_that_does_not_climb_says_nothing_of_it(tmp_path: Path) -> None:
    result = _tuned(tmp_path, replace(HOLDS, rules=fake_rules()))
    assert result.climb is None
    assert tune_json(result)["climb"] is None
    assert "Where it holds" not in verdict_sentence(result)
