"""Step-by-step tuning and comparisons, held against the truth of the fake engine."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.experiment import NamedChange
from lsmtune.model import Purpose, Run, StudyKind, Value
from lsmtune.result import TuneResult
from lsmtune.space import Constraint
from lsmtune.stats import Decision
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, FakeStudy, Fault, Noise, Surface, at_runs, fake_study

MIB = 2**20
MATTERS = frozenset({"write_buffer_size", "compression_type"})
PLAN = FakePlan(Budget(None, 400), Surface(0.4, MATTERS), Noise(rate=0.03), seed=3)


def change(name: str, because: str = "", **values: Value) -> NamedChange:
    return NamedChange(name, because, values)


BUFFER = change("larger buffer", "fewer flushes", write_buffer_size=128 * MIB)
IDLE = change("larger blocks", block_size=16384)
LARGER = change("still larger", write_buffer_size=256 * MIB)
CODEC = change("lz4", compression_type="lz4")


def kept(result: TuneResult) -> list[str]:
    return [each.step.name for each in result.steps if each.step.kept]


def test_steps_that_help_are_kept_on_top_of_each_other_and_others_are_not(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        result = study.tune_by_steps(BUFFER, IDLE, LARGER, CODEC)
    assert kept(result) == ["larger buffer", "still larger", "lz4"]
    assert result.decisions.plan is StudyKind.STEPS
    assert result.improved
    assert dict(result.final.values) == {"write_buffer_size": 256 * MIB, "compression_type": "lz4"}
    assert {item.option for item in result.changes} == {"write_buffer_size", "compression_type"}
    truth = PLAN.surface.indicators(result.final.values)["throughput_settled_ops_s"]
    claim = result.verified[0].claim
    assert claim.low is not None
    assert claim.high is not None
    assert claim.low < truth / PLAN.surface.indicators({})["throughput_settled_ops_s"] < claim.high


def test_a_step_is_compared_with_what_was_kept_before_it(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        study.tune_by_steps(BUFFER, IDLE, CODEC)
        runs = {stored.run.arm: stored.run for stored in study.history.select((Purpose.STEP,))}
    assert runs["step-1:before"].configuration.values == {}
    assert runs["step-2:before"].configuration.values == BUFFER.values
    assert runs["step-3:before"].configuration.values == BUFFER.values  # the idle step was not kept
    assert runs["step-3"].configuration.values == {**BUFFER.values, **CODEC.values}


@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_verified_where_no_step_helps(tmp_path: Path, seed: int) -> None:
    with fake_study(tmp_path, replace(PLAN, surface=Surface(), seed=seed)) as study:
        result = study.tune_by_steps(IDLE, change("more jobs", max_background_jobs=4))
    assert kept(result) == []
    assert result.verified == ()
    assert not result.improved
    assert result.final == PLAN.rules.start
    assert result.decisions.done


def test_an_interrupted_study_goes_on_to_the_same_result(tmp_path: Path) -> None:
    steps = (BUFFER, IDLE, CODEC)
    with fake_study(tmp_path / "whole", PLAN) as study:
        whole = study.tune_by_steps(*steps)
    for stop in count(7, 9):
        try:
            with fake_study(tmp_path / "pieces", replace(PLAN, faults=at_runs({stop: Fault.INTERRUPT}))) as study:
                pieces = study.tune_by_steps(*steps)
            break
        except KeyboardInterrupt:
            continue
    assert stop > 20
    assert [each.step for each in pieces.steps] == [each.step for each in whole.steps]
    assert [each.comparison for each in pieces.steps] == [each.comparison for each in whole.steps]
    assert pieces.verified == whole.verified
    assert pieces.final == whole.final


def test_a_step_that_breaks_a_constraint_or_changes_nothing_is_left_out_and_the_list_goes_on(tmp_path: Path) -> None:
    limited = replace(PLAN.space, constraints=(Constraint.parse("write_buffer_size <= 200 MiB"),))
    same = change("as it is", block_size=4096)
    with fake_study(tmp_path, replace(PLAN, space=limited)) as study:
        result = study.tune_by_steps(LARGER, same, BUFFER)
    assert kept(result) == ["larger buffer"]
    assert [each.comparison is None for each in result.steps] == [True, True, False]


def test_a_budget_that_does_not_hold_a_step_ends_the_list_and_what_was_kept_is_verified(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(PLAN, budget=Budget(None, 40))) as study:
        result = study.tune_by_steps(BUFFER, CODEC)
    assert kept(result) == ["larger buffer"]
    assert len(result.steps) == 1
    assert result.improved
    assert result.summary.runs <= 40


def stops_in_verification(run: Run) -> Fault | None:
    return Fault.INTERRUPT if run.purpose is Purpose.VERIFY and run.block == 3 else None


def test_a_larger_budget_tries_no_step_once_it_was_decided_what_is_verified(tmp_path: Path) -> None:
    stopped = replace(PLAN, budget=Budget(None, 40), faults=stops_in_verification)
    with fake_study(tmp_path, stopped) as study, pytest.raises(KeyboardInterrupt):
        study.tune_by_steps(BUFFER, CODEC)
    with fake_study(tmp_path, PLAN) as study:
        result = study.tune_by_steps(BUFFER, CODEC)
        ran = {stored.run.configuration for stored in study.history.select((Purpose.VERIFY,), "finalist-1")}
    assert ran == {result.final}
    assert dict(result.final.values) == BUFFER.values


def test_a_step_with_a_broken_guard_is_not_kept(tmp_path: Path) -> None:
    surface = Surface(0.9, frozenset({"level0_file_num_compaction_trigger"}))  # more space with each gain
    with fake_study(tmp_path, replace(PLAN, surface=surface)) as study:
        result = study.tune_by_steps(change("later compaction", level0_file_num_compaction_trigger=8))
    comparison = result.steps[0].comparison
    assert comparison is not None
    assert comparison.claim.decision is Decision.IMPROVED
    assert not result.steps[0].step.kept


def compared(study: FakeStudy) -> TuneResult:
    return study.compare(LARGER, IDLE, change("worse", compression_type="none"))


def test_named_configurations_are_judged_against_the_reference_and_the_best_wins(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        result = compared(study)
    decisions = [each.claim.decision for each in result.verified]
    assert decisions[0] is Decision.IMPROVED
    assert decisions[1] is not Decision.IMPROVED
    assert decisions[2] is Decision.WORSE
    assert result.decisions.finalists == ("still larger", "larger blocks", "worse")
    assert result.final.values == LARGER.values
    assert result.candidates["finalist-3"].values == {"compression_type": "none"}


def test_a_configuration_that_breaks_a_constraint_is_refused_before_any_run(tmp_path: Path) -> None:
    limited = replace(PLAN.space, constraints=(Constraint.parse("write_buffer_size <= 200 MiB"),))
    with (
        fake_study(tmp_path, replace(PLAN, space=limited)) as study,
        pytest.raises(UsageError, match=r'"still larger" under \[\[compare\]\]'),
    ):
        compared(study)
    assert study.executor.made == 0
