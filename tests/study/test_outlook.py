"""A search that ends where nothing is left to gain."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from lsmtune.samplers import LEAST_TRIALS, Trial, expected_gain
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakePlan, Fault, Noise, Surface, at_runs, fake_space, fake_study

SPACE = fake_space()
PLAN = FakePlan(Budget(None, 400), Surface(0.6, frozenset({"write_buffer_size"})), Noise(rate=0.02), stops=True)


class _Notes(Listener):
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def drawn(number: int, slope: float) -> list[Trial]:
    """Trials whose response falls with the first axis."""
    rng = np.random.default_rng(1)
    values = [SPACE.sample(rng) for _ in range(number)]
    return [Trial(each, -slope * float(SPACE.to_unit(each)[0]) + 0.001 * rng.standard_normal()) for each in values]


def test_little_is_expected_of_a_flat_space_and_more_of_a_steep_one() -> None:
    flat, steep = (expected_gain(SPACE, drawn(60, slope), seed=1) for slope in (0.0, 1.0))
    assert flat is not None
    assert steep is not None
    assert 0 <= flat < 0.005
    assert steep > 5 * flat


def test_more_trials_leave_less_to_expect() -> None:
    few, many = (expected_gain(SPACE, drawn(number, 0.5), seed=1) for number in (30, 300))
    assert few is not None
    assert many is not None
    assert many < few


def test_too_few_trials_say_nothing() -> None:
    assert expected_gain(SPACE, drawn(LEAST_TRIALS - 1, 0.5), seed=1) is None


def test_a_search_ends_early_where_nothing_is_left_and_says_why(tmp_path: Path) -> None:
    notes = _Notes()
    with fake_study(tmp_path, PLAN, listener=notes) as study:
        result = study.tune()
    told = [sentence for sentence in notes.sentences if "is expected to gain" in sentence]
    assert len(told) == 1
    assert "pairs can show here; the search ends" in told[0]
    trials = result.decisions.trials
    assert trials is not None
    assert LEAST_TRIALS <= trials < 100
    assert result.improved
    with fake_study(tmp_path.with_name("whole"), replace(PLAN, stops=False)) as study:
        whole = study.tune()
    assert whole.decisions.trials is not None
    assert whole.decisions.trials > trials
    found, best = (PLAN.surface.indicators(each.final.values)["throughput_settled_ops_s"] for each in (result, whole))
    assert found > 0.97 * best


def test_an_interrupted_search_ends_at_the_same_trial(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", PLAN) as study:
        whole = study.tune()
    for stop in count(9, 13):
        try:
            with fake_study(tmp_path / "pieces", replace(PLAN, faults=at_runs({stop: Fault.INTERRUPT}))) as study:
                pieces = study.tune()
            break
        except KeyboardInterrupt:
            continue
    assert pieces.decisions.trials == whole.decisions.trials
    assert pieces.final == whole.final
