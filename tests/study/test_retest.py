"""The ablation effects are tested in the configuration that is handed over, with what is left of the budget."""

from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.model import Purpose
from lsmtune.report import verdict_sentence
from lsmtune.result import TuneResult
from lsmtune.study import Budget, Listener
from lsmtune.testing import QUIET, FakePlan, FakeStudy, Fault, Surface, at_runs, fake_study

MATTERS = frozenset({"write_buffer_size", "compression_type"})
SURFACE = Surface(0.4, MATTERS)
FOUND = {**SURFACE.best(), "block_size": 16384, "bytes_per_sync": 1 << 20}  # the last two have no effect
PLAN = FakePlan(Budget(None, 136), SURFACE, QUIET, first=(FOUND,))
"""Takes the two changes back that have no effect, and holds a test of each of the others after that."""


class Notes(Listener):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, sentence: str) -> None:
        """Keep it."""
        self.heard.append(sentence)


def _tuned(folder: Path, runs: int) -> tuple[TuneResult, list[str]]:
    notes = Notes()
    with fake_study(folder, replace(PLAN, budget=Budget(None, runs)), listener=notes) as study:
        return study.tune(), notes.heard


def _final_runs(study: FakeStudy) -> list[int]:
    """Return the places of the runs of the last ablation among all runs, from 1."""
    runs = study.history.runs
    return [place for place, stored in enumerate(runs, 1) if stored.run.arm.startswith("final-")]


def test_an_ablation_effect_is_told_of_the_configuration_that_is_handed_over(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        result = study.tune()
        runs = study.history.runs
    assert result.is_smaller
    assert {change.option for change in result.changes} == MATTERS
    tests = [change.evidence for change in result.changes]
    assert all(test is not None and test.about.final and test.tested == result.final and test.shown for test in tests)
    assert not any(change.tested_in for change in result.changes)
    own = {stored.run.load_seed for stored in runs if stored.run.arm.startswith("final-")}
    assert own.isdisjoint(stored.run.load_seed for stored in runs if not stored.run.arm.startswith("final-"))
    assert len(own) == max(stored.run.block or 0 for stored in runs if stored.run.arm.startswith("final-")) + 1


def test_a_study_stopped_in_its_last_ablation_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", PLAN) as study:
        whole = study.tune()
        places = _final_runs(study)
    for number in (places[0], places[len(places) // 2], places[-1]):
        stopped = replace(PLAN, faults=at_runs({number: Fault.INTERRUPT}))
        with fake_study(tmp_path / str(number), stopped) as study, pytest.raises(KeyboardInterrupt):
            study.tune()
        with fake_study(tmp_path / str(number), PLAN) as study:
            resumed = study.tune()
        assert resumed.decisions == whole.decisions
        assert resumed.changes == whole.changes


def test_a_budget_that_holds_no_test_of_the_final_configuration_says_so(tmp_path: Path) -> None:
    result, notes = _tuned(tmp_path, 112)
    assert result.is_smaller
    assert not result.decisions.final_tests
    assert notes[-1] == "the budget holds tests of 0 of 2 changes of the final configuration"
    assert {change.tested_in for change in result.changes} == {"in the winner, before 2 changes were reverted"}


def test_changes_that_do_not_fit_alone_are_tested_together(tmp_path: Path) -> None:
    _tuned(tmp_path, 60)
    result, notes = _tuned(tmp_path, 74)
    assert result.together is not None
    assert result.together.about.removed == ("bytes_per_sync", "block_size")
    assert result.together.tested == result.final
    assert not result.together.shown
    assert (
        "4 options changed, 2 of them not tested alone, but together have the ablation effect 1.000x ["
        in verdict_sentence(result)
    )
    assert notes[-1] == (
        "the budget holds tests of 2 of 4 changes of the final configuration, and one of 2 others together"
    )


def test_what_is_taken_back_together_is_never_all(tmp_path: Path) -> None:
    result, _ = _tuned(tmp_path, 42)
    assert result.together is not None
    assert len(result.together.about.removed) == len(result.changes) - 1
    assert "none of them tested alone, but 3 of these together have the ablation effect " in verdict_sentence(result)


def test_a_confirmed_result_goes_on_with_its_changes_when_the_budget_is_raised(tmp_path: Path) -> None:
    first, _ = _tuned(tmp_path, 60)
    assert first.repetition is not None
    assert not first.tests
    second, notes = _tuned(tmp_path, 66)
    assert "the budget now holds more tests of what was found; the study goes on with them" in notes
    assert second.together is not None
    third, _ = _tuned(tmp_path, 200)
    assert third.final == first.final
    assert all(change.evidence is not None and change.evidence.tested == third.final for change in third.changes)
    assert third.together is None
    fourth, notes = _tuned(tmp_path, 400)
    assert fourth.summary.runs == third.summary.runs
    assert notes == ["this study has come to its end; a larger budget needs a new study"]


def test_a_smaller_configuration_that_fails_in_its_last_ablation_is_not_handed_over(tmp_path: Path) -> None:
    with fake_study(tmp_path / "whole", PLAN) as study:
        whole = study.tune()
        own = [
            place
            for place, stored in enumerate(study.history.runs, 1)
            if (stored.run.purpose, stored.run.arm) == (Purpose.PRUNE, "final-1:with")
        ]
    crashed = replace(PLAN, faults=at_runs({own[0]: Fault.FAIL}))
    with fake_study(tmp_path / "failed", crashed) as study:
        failed = study.tune()
        again = study.tune()
    assert whole.is_smaller
    assert not failed.is_smaller
    assert failed.final == failed.candidates[failed.decisions.winner or ""]
    assert all(change.evidence is not None and change.evidence.tested == failed.final for change in failed.changes)
    assert again.decisions == failed.decisions
