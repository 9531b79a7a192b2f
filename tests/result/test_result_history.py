"""Which runs of a study an analysis has."""

from dataclasses import replace
from fractions import Fraction

import pytest
from result_builders import anchor, history, trial

from lsmtune.model import Status, StudyKind


@pytest.mark.parametrize(
    ("plan", "arms"), [(StudyKind.COMPARE, ["stock", "trial-1"]), (StudyKind.SWEEP, ["stock", "trial-1", "other"])]
)
def test_an_analysis_has_the_ended_runs_with_all_of_the_data_and_of_a_sweep_those_on_other_builds_too(
    plan: StudyKind, arms: list[str]
) -> None:
    made = history(
        anchor(100.0),
        trial(1, None, status=Status.FAILED),
        replace(trial(2, 90.0), arm="other"),
        trial(3, None, status=Status.LOST),
        trial(4, None, status=Status.RUNNING),
    )
    small = replace(made.runs[0], run=replace(made.runs[0].run, arm="small", rung=Fraction(1, 4)))
    found = replace(made, runs=(*made.runs, small)).analysed(plan, {"other"})
    assert [stored.run.arm for stored in found] == arms
