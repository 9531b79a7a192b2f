"""A study that is stopped and goes on gives what the uninterrupted one gives."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from lsmtune.model import Configuration, Purpose, Status
from lsmtune.result import TuneResult
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, FakeStudy, Fault, Noise, Surface, at_runs, fake_study

MATTERS = frozenset({"write_buffer_size", "compression_type"})
PLAN = FakePlan(Budget(None, 110), Surface(0.4, MATTERS), Noise(rate=0.03, outliers=0.02), seed=3)
"""Goes through every stage: see the first test."""


class Told(NamedTuple):
    """What is the same of a run in both studies: all but its id and its moment."""

    purpose: Purpose
    arm: str
    block: int | None
    seed: int
    status: Status
    configuration: Configuration
    indicators: dict[str, float | None]


def _whole(folder: Path, plan: FakePlan) -> tuple[list[Told], TuneResult]:
    with fake_study(folder, plan) as study:
        result = study.tune()
        return _story(study), result


def _story(study: FakeStudy) -> list[Told]:
    """The runs in their order, without those that were lost."""
    history = study.history
    return [
        Told(
            stored.run.purpose,
            stored.run.arm,
            stored.run.block,
            stored.run.seed,
            stored.status,
            stored.run.configuration,
            history.indicators(stored.run.id),
        )
        for stored in history.runs
        if stored.status is not Status.LOST
    ]


def _said(result: TuneResult) -> tuple[object, ...]:
    return (
        result.decisions,
        result.final,
        result.verified,
        result.repetition,
        result.noise,
        [(leader.stored.run.arm, leader.log_gain) for leader in result.leaders],
        [(test.about, test.effect) for test in result.tests],
        result.warnings,
    )


def test_the_uninterrupted_study_goes_through_every_stage(tmp_path: Path) -> None:
    story, result = _whole(tmp_path, PLAN)
    assert {run.purpose for run in story} == set(Purpose) - {
        Purpose.SAMPLE,
        Purpose.TEST,
        Purpose.STEP,
        Purpose.RUNG,
        Purpose.CLIMB,
    }
    assert result.improved
    assert result.repetition is not None


@pytest.mark.parametrize(
    ("plan", "every"),
    [
        (PLAN, 4),
        (replace(PLAN, sampler="tpe"), 29),  # a proposal takes its time
        (FakePlan(Budget(None, 100), Surface(0.2), Noise(outliers=0.02), 4), 6),  # takes two looks
        (replace(PLAN, budget=Budget(1100.0, None), noise=Noise(rate=0.1, outliers=0.1), seed=4), 5),
    ],
    ids=["runs", "tpe", "looks", "time"],
)
def test_a_study_stopped_in_any_run_goes_on_as_if_it_had_not_been(tmp_path: Path, plan: FakePlan, every: int) -> None:
    story, result = _whole(tmp_path / "whole", plan)
    for number in range(1, len(story) + 1, every):
        folder = tmp_path / str(number)
        stopped = replace(plan, faults=at_runs({number: Fault.INTERRUPT}))
        with fake_study(folder, stopped) as study, pytest.raises(KeyboardInterrupt):
            study.tune()
        resumed_story, resumed = _whole(folder, plan)
        assert resumed_story == story, f"stopped in run {number}"
        assert _said(resumed) == _said(result), f"stopped in run {number}"


def test_a_study_stopped_after_every_few_runs_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    story, result = _whole(tmp_path / "whole", PLAN)
    stops = dict.fromkeys(range(4, 200, 4), Fault.INTERRUPT)
    stopped = replace(PLAN, faults=at_runs(stops))
    sessions = 0
    while True:
        sessions += 1
        with fake_study(tmp_path / "stopped", stopped) as study:
            try:
                resumed = study.tune()
            except KeyboardInterrupt:
                continue
            resumed_story = _story(study)
            break
    assert sessions > len(story) // 4
    assert resumed_story == story
    assert _said(resumed) == _said(result)
