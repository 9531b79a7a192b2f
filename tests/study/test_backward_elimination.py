"""Which changes are reverted together, and in which order."""

from dataclasses import replace
from pathlib import Path

from lsmtune.model import Configuration, Purpose
from lsmtune.space import Dimension, Kind, Space
from lsmtune.study import Budget, RunKey
from lsmtune.study.plans._ablation import _least_effect_in_trials_first, back_to_start
from lsmtune.testing import QUIET, FakePlan, Surface, fake_space, fake_study
from lsmtune.testing.sampler_conformance import conformance_space


def test_a_change_that_depends_on_one_that_is_taken_back_goes_with_it() -> None:
    winner = Configuration.of({"compression": "zstd", "level": 9, "buffers": 4})
    space, start = conformance_space(), Configuration()
    assert back_to_start(winner, start, ["compression"], space) == Configuration.of({"buffers": 4})
    assert back_to_start(winner, start, ["level"], space) == winner.without(["level"])
    assert back_to_start(winner, start, ["compression", "buffers"], space) == start


def test_fixed_options_stay_and_changed_ones_get_their_value_of_the_start() -> None:
    start = Configuration.of({"cache_bytes": 1 << 30, "buffers": 3})
    winner = start.changed({"buffers": 6, "multiplier": 5.0})
    assert back_to_start(winner, start, ["buffers", "multiplier"], conformance_space()) == start


def test_changes_are_tried_in_the_order_of_how_little_the_trials_near_them_gained(tmp_path: Path) -> None:
    matters = frozenset({"write_buffer_size", "compression_type"})
    surface = Surface(0.4, matters)
    found = {**surface.best(), "block_size": 16384, "bytes_per_sync": 1 << 20}  # the last two have no effect
    plan = FakePlan(Budget(None, 30), surface, QUIET, first=(found,))
    winner = Configuration.of({**Surface(0.4).best()})
    with fake_study(tmp_path, plan) as study:
        study.runner.make(RunKey(Purpose.BASELINE, "stock", 0), Configuration(), "")
        sampler = plan.settings().sampler()
        for number in range(40):
            study.runner.make(RunKey(Purpose.TRIAL, f"trial-{number}"), Configuration.of(sampler.ask()), "")
        order = _least_effect_in_trials_first(study.runner, plan.space, winner)
    assert set(order) == set(winner.values)
    assert set(order[-2:]) == matters


def test_changes_without_a_trial_are_ordered_by_name(tmp_path: Path) -> None:
    with fake_study(tmp_path) as study:
        winner = Configuration.of({"write_buffer_size": 8 << 20, "block_size": 8192, "compression_type": "lz4"})
        order = _least_effect_in_trials_first(study.runner, fake_space(), winner)
    assert order == ("block_size", "compression_type", "write_buffer_size")


def test_a_default_outside_of_the_listed_values_can_be_ordered(tmp_path: Path) -> None:
    axis = Dimension("compression_type", Kind.CHOICE, "snappy", choices=("lz4", "zstd"))
    with fake_study(tmp_path) as study:
        study.runner.make(RunKey(Purpose.BASELINE, "stock", 0), Configuration(), "")
        study.runner.make(RunKey(Purpose.TRIAL, "trial-1"), Configuration(), "")
        winner = Configuration.of({"compression_type": "lz4"})
        order = _least_effect_in_trials_first(study.runner, Space((axis,), {"compression_type": "snappy"}), winner)
    assert order == ("compression_type",)


def test_an_ablation_leaves_runs_to_take_back_what_has_little_effect(tmp_path: Path) -> None:
    surface = Surface(0.4, frozenset({"write_buffer_size", "compression_type"}))
    found = {**surface.best(), "block_size": 16384, "bytes_per_sync": 1 << 20}  # the last two have no effect
    with fake_study(tmp_path, FakePlan(Budget(None, 92), surface, QUIET, first=(found,))) as study:
        result = study.tune()
    assert {change.option for change in result.changes} == {"write_buffer_size", "compression_type"}


def test_a_finished_study_goes_on_with_single_changes_when_its_budget_is_raised(tmp_path: Path) -> None:
    matters = frozenset({"write_buffer_size", "compression_type"})
    surface = Surface(0.4, matters)
    found = {**surface.best(), "block_size": 16384, "bytes_per_sync": 1 << 20}  # the last two have no effect
    plan = FakePlan(Budget(None, 30), surface, QUIET, first=(found,))
    with fake_study(tmp_path / "study", plan) as study:
        first = study.tune()
    assert first.improved
    assert first.decisions.done
    assert all(test.about.final for test in first.tests)
    assert first.repetition is None
    with fake_study(tmp_path / "study", replace(plan, budget=Budget(None, 200))) as study:
        second = study.tune()
    assert second.decisions.done
    assert {change.option for change in second.changes} < {change.option for change in first.changes}
    assert all(change.evidence is not None for change in second.changes)
    assert second.confirmed is not None
    with fake_study(tmp_path / "study", replace(plan, budget=Budget(None, 400))) as study:
        assert study.tune().summary.runs == second.summary.runs
