"""Sampling on the fake engine: which runs are made, in which order, and what is kept of them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from lsmtune.analysis import Runs
from lsmtune.errors import ConstraintError, StudyError
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.space import Change, Constraint, Dimension, Kind, Space
from lsmtune.study import Budget, SampleSettings, full_size_of
from lsmtune.study.plans._designs import design_points
from lsmtune.testing import FakePlan, Fault, Surface, at_runs, fake_rules, fake_space, fake_study

SETTINGS = SampleSettings(fake_space(), "sobol", 16, 8, 3, 3, anchor_every=5, noise_runs=3, seed=7)
PLAN = FakePlan(Budget(None, 1000), Surface(0.4))
KEEPING_16_MIB = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[CFOptions "default"]
  compaction_style=kCompactionStyleFIFO
  compaction_options_fifo={allow_compaction=false;max_table_files_size=16777216;}
"""


def sampled(folder: Path, settings: SampleSettings = SETTINGS, plan: FakePlan = PLAN) -> Runs:
    with fake_study(folder, plan) as study:
        return study.sample(settings)


def told(runs: Runs) -> list[tuple[str, str, int, int]]:
    frame = runs.frame
    return list(zip(frame["purpose"], frame["arm"], frame["block"], frame["seed"], strict=True))


def test_points_repeats_and_anchors_are_all_run(tmp_path: Path) -> None:
    runs = sampled(tmp_path / "s")
    assert Counter(runs.frame["purpose"]) == {"baseline": 3, "sample": 16, "test": 8 + 3 * 2, "anchor": 7}
    repeated = runs.of(Purpose.TEST).frame.groupby("arm").size()
    assert sorted(repeated) == [1] * 5 + [3] * 3
    same = runs.of(Purpose.TEST).frame.groupby("arm")["option.write_buffer_size"].nunique()
    assert set(same) == {1}


def test_the_order_is_shuffled_and_anchors_stand_at_every_fifth_place(tmp_path: Path) -> None:
    frame = sampled(tmp_path / "s").frame
    purposes = list(frame["purpose"])[3:]
    assert [place for place, purpose in enumerate(purposes) if purpose == "anchor"] == [4, 9, 14, 19, 24, 29, 34]
    arms = [arm for arm in frame["arm"] if arm.startswith("sample")]
    assert arms != sorted(arms, key=lambda arm: int(arm.removeprefix("sample-")))


def test_a_sample_that_is_stopped_and_goes_on_is_the_uninterrupted_one(tmp_path: Path) -> None:
    whole = sampled(tmp_path / "whole")
    for runs in (9, 20, 1000):
        part = sampled(tmp_path / "parts", plan=replace(PLAN, budget=Budget(None, runs)))
    assert told(part) == told(whole)
    pd.testing.assert_series_equal(part.frame["indicator.waf"], whole.frame["indicator.waf"])


def test_a_lost_run_is_made_again_without_changing_the_others(tmp_path: Path) -> None:
    whole = sampled(tmp_path / "whole")
    plan = replace(PLAN, faults=at_runs({12: Fault.INTERRUPT}))
    with pytest.raises(KeyboardInterrupt):
        sampled(tmp_path / "s", plan=plan)
    assert told(sampled(tmp_path / "s")) == told(whole)


def test_a_test_design_is_another_one_than_the_design(tmp_path: Path) -> None:
    runs = sampled(tmp_path / "s")
    first = {tuple(row) for row in runs.of(Purpose.SAMPLE).frame[[each.column for each in runs.factors]].to_numpy()}
    second = {tuple(row) for row in runs.of(Purpose.TEST).frame[[each.column for each in runs.factors]].to_numpy()}
    assert not first & second


def test_another_design_in_the_same_study_is_refused(tmp_path: Path) -> None:
    sampled(tmp_path / "s")
    with pytest.raises(
        StudyError, match=r"begun with the design \['sobol', 16, 8, 7\].* now wants \['lhs', 16, 8, 7\]"
    ):
        sampled(tmp_path / "s", replace(SETTINGS, design="lhs"))


def test_failed_and_censored_runs_are_rows_without_indicators(tmp_path: Path) -> None:
    plan = replace(PLAN, faults=at_runs({5: Fault.FAIL, 6: Fault.CENSOR}))
    runs = sampled(tmp_path / "s", plan=plan)
    assert runs.ended(Status.FAILED).sum() == 1
    assert runs.ended(Status.CENSORED).sum() == 1
    assert runs.where(runs.ended(Status.CENSORED)).frame["bound_s"].notna().all()
    assert runs.where(~runs.ended(Status.OK)).frame["indicator.waf"].isna().all()


def test_the_table_comes_back_from_parquet_with_all_that_explains_it(tmp_path: Path) -> None:
    runs = sampled(tmp_path / "s")
    runs.write(tmp_path / "runs.parquet")
    back = Runs.read(tmp_path / "runs.parquet")
    assert (back.factors, back.bundles, back.facts) == (runs.factors, runs.bundles, runs.facts)
    pd.testing.assert_frame_equal(back.frame, runs.frame, check_dtype=False)
    assert back.by_name["block_size"].change is Change.REBUILD
    assert back.by_name["max_background_jobs"].change is Change.ONLINE


def tied_space(constraint: str) -> Space:
    axes = tuple(Dimension(name, Kind.INT, 1, low=1, high=100) for name in ("a", "b"))
    return Space(axes, {"a": 1, "b": 1}, (Constraint.parse(constraint),))


@pytest.mark.parametrize("design", ["random", "sobol", "lhs"])
def test_all_points_of_a_design_are_feasible(design: str) -> None:
    space = tied_space("a + b <= 60")
    points = design_points(space, design, 64, 1)
    assert len(points) == 64
    assert not any(space.violations(point.values) for point in points)


def test_a_screening_has_two_values_of_each_option() -> None:
    points = design_points(fake_space(), "plackett-burman", 999, 1)
    assert len(points) == 24
    for axis in fake_space().dimensions:
        assert {point.values[axis.name] for point in points} == set(axis.extremes)


def test_a_space_without_feasible_points_is_refused() -> None:
    with pytest.raises(ConstraintError, match="none could be made feasible; for example a"):
        design_points(tied_space("a + b <= 1"), "random", 4, 1)


def test_axes_of_the_workload_are_no_options() -> None:
    space = fake_space()
    axis = Dimension("workload.threads", Kind.INT, 1, choices=(1, 2, 4))
    wider = replace(space, dimensions=(*space.dimensions, axis), reference={**space.reference, "workload.threads": 1})
    points = design_points(wider, "sobol", 32, 1)
    assert {point.scenario[0][1] for point in points} == {1, 2, 4}
    assert all(point.values.keys() == set(space.names) for point in points)


def test_memory_at_full_size_from_a_table_goes_by_the_options_file_of_its_study(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    rules = replace(fake_rules(), baselines={"stock": Configuration.of({}, KEEPING_16_MIB)})
    sampled(tmp_path / "s", plan=replace(PLAN, rules=rules)).write(path)
    table = Runs.read(path)
    memory = full_size_of(table).memory({"compaction_style": "fifo", "compression_type": "none", "bloom_bits": 10})
    assert memory is not None
    kept = (16 << 20) / table.facts.asked.workload().pair_bytes
    assert memory.by_name["filters"].bytes == pytest.approx(kept * 10 / 8, rel=0.2)
