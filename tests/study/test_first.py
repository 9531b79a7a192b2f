"""A search that begins with what earlier studies found."""

from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.errors import StudyError, UsageError
from lsmtune.model import Configuration, Purpose
from lsmtune.study import Budget, SampleSettings
from lsmtune.study._first import earlier_results
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study

PLAN = FakePlan(Budget(None, 110), Surface(0.6), Noise(rate=0.03), seed=3)


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("earlier") / "study"
    with fake_study(folder, PLAN) as study:
        assert study.tune().improved
    return folder


def result_of(folder: Path) -> Configuration:
    with fake_study(folder, PLAN) as study:
        return study.tune().final


def test_the_result_comes_first_and_then_the_best_trials(earlier: Path, tmp_path: Path) -> None:
    found = earlier_results((earlier,), "rocksdb", fake_space())
    assert found[0] == result_of(earlier).values
    assert 2 <= len(found) <= 4
    with fake_study(tmp_path, replace(PLAN, budget=Budget(None, 40), first=found)) as study:
        study.tune()
        trials = [stored.run.configuration.values for stored in study.history.select((Purpose.TRIAL,))]
    assert trials[: len(found)] == [dict(values) for values in found]
    assert trials[len(found)] not in found


def test_of_a_sample_the_best_points_come_first(tmp_path: Path) -> None:
    settings = SampleSettings(fake_space(), "sobol", 32, 0, 0, 2, anchor_every=5, noise_runs=3, seed=7)
    quiet = replace(PLAN, noise=Noise(rate=0.001), budget=Budget(None, 1000))
    with fake_study(tmp_path / "sample", quiet) as study:
        frame = study.sample(settings).of(Purpose.SAMPLE).frame
    found = earlier_results((tmp_path / "sample",), "rocksdb", fake_space())
    best = frame.sort_values("indicator.throughput_ops_s", ascending=False).head(3)
    for values, (_, row) in zip(found, best.iterrows(), strict=True):
        assert values == {name: row[f"option.{name}"] for name in values}
        assert len(values) > 3


def test_what_the_space_does_not_hold_goes_to_its_nearest_end_or_is_left_out(earlier: Path) -> None:
    space = fake_space()
    narrow = tuple(
        replace(axis, low=8 << 20, high=32 << 20) if axis.name == "write_buffer_size" else axis
        for axis in space.dimensions
        if axis.name in ("write_buffer_size", "block_size")
    )
    found = earlier_results((earlier,), "rocksdb", replace(space, dimensions=narrow))
    assert found
    for values in found:
        assert set(values) <= {"write_buffer_size", "block_size"}
        assert int(values.get("write_buffer_size", 8 << 20)) <= 32 << 20


def test_a_study_of_another_engine_and_a_folder_that_is_none_are_refused(earlier: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a study of rocksdb, not of leveldb; take it out"):
        earlier_results((earlier,), "leveldb", fake_space())
    with pytest.raises(StudyError):
        earlier_results((tmp_path / "nothing",), "rocksdb", fake_space())
