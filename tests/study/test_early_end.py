"""A search that ends where its trials leave little chance for a better one."""

from dataclasses import replace
from itertools import count
from pathlib import Path

from lsmtune.report import search_end_sentence
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakePlan, Fault, Noise, Surface, at_runs, fake_study

FLAT = FakePlan(Budget(None, 400), Surface(), Noise(rate=0.05), stop=True)
STEEP = replace(FLAT, surface=Surface(0.6))
_SOONEST = 28  # the startup of the fake plan, and the trials that the rule looks at


class _Notes(Listener):
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def test_a_search_of_a_flat_surface_ends_early_and_says_why(tmp_path: Path) -> None:
    notes = _Notes()
    with fake_study(tmp_path / "study", FLAT, listener=notes) as study:
        result = study.tune()
    trials, stopped = result.decisions.trials, result.decisions.stopped
    assert trials is not None
    assert stopped is not None
    assert _SOONEST <= trials < 80
    assert trials + stopped.further > 100
    assert 0 <= stopped.chance <= 0.1
    (told,) = [sentence for sentence in notes.sentences if "the search ends after" in sentence]
    assert f"after {trials} trials: {stopped.further} more have a chance" in told
    assert "find something more than 3.0 % better" in told
    said = search_end_sentence(result)
    assert said.startswith(f"ended after {trials} trials, early: {stopped.further} more trials had a chance of ")
    assert not result.improved


def test_a_search_goes_on_where_trials_differ_or_nobody_asked_for_an_end(tmp_path: Path) -> None:
    for name, plan in (("steep", STEEP), ("off", replace(FLAT, stop=False))):
        with fake_study(tmp_path / name, plan) as study:
            result = study.tune()
        trials, stopped = result.decisions.trials, result.decisions.stopped
        assert trials is not None
        assert trials > 90
        assert stopped is None or stopped.further < 0.2 * trials
        if name == "off":
            assert search_end_sentence(result) == f"ended after {trials} trials, with its share of the budget"


def test_an_interrupted_search_ends_at_the_same_trial_for_the_same_reason(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", FLAT) as study:
        whole = study.tune()
    for stop in count(9, 7):
        try:
            with fake_study(tmp_path / "pieces", replace(FLAT, faults=at_runs({stop: Fault.INTERRUPT}))) as study:
                pieces = study.tune()
            break
        except KeyboardInterrupt:
            continue
    assert pieces.decisions.trials == whole.decisions.trials
    assert pieces.decisions.stopped == whole.decisions.stopped


def test_a_larger_budget_does_not_open_a_search_again_that_ended_early(tmp_path: Path) -> None:
    with fake_study(tmp_path / "study", FLAT) as study:
        before = study.tune()
    with fake_study(tmp_path / "study", replace(FLAT, budget=Budget(None, 900))) as study:
        after = study.tune()
    assert after.decisions.trials == before.decisions.trials
    assert after.decisions.stopped == before.decisions.stopped
