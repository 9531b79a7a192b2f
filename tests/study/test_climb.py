"""Verification at larger scales: a winner that loses there is none, and what the budget does not hold is said."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from lsmtune.indicators import Guard
from lsmtune.model import FULL_SIZE_OPTIONS, Purpose, Status
from lsmtune.report import tune_json, verdict_sentence
from lsmtune.result import Climb, Climbing, ClimbOutcome, Shrink, TuneResult, climb_words, lost_words
from lsmtune.study import Budget, Listener
from lsmtune.testing import EachChange, FakePlan, FakeStudy, Fault, Noise, at_runs, fake_rules, fake_space, fake_study

START, SMALL, LARGE = Fraction(1, 64), Fraction(1, 16), Fraction(1, 4)
BUFFER, JOBS = "write_buffer_size", "max_background_jobs"
BEST = {BUFFER: 256 << 20}
SECOND = {JOBS: 8}


def _surface(buffer: float, jobs: float, also: Mapping[str, Mapping[str, float]] | None = None) -> EachChange:
    """Two options that gain something, and six that halve the rate: what is tried first is all that wins."""
    gains = {name: 0.5 for name in fake_space().names}
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
    assert climb_words(_climb(result)) == "improved at 1/64, 1/16 and 1/4"
    gains = [each.comparison.claim.gain for each in _climb(result).seen if each.comparison]
    assert gains == [pytest.approx(1.4, rel=0.03), pytest.approx(1.35, rel=0.03)]
