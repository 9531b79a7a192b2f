"""Fresh runs as Go benchmarks."""

from dataclasses import replace
from pathlib import Path

from lsmtune.experiment import NamedChange
from lsmtune.report import benchstat_text
from lsmtune.result import summarise
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, FakeStudy, Noise, Surface, fake_study

PLAN = FakePlan(Budget(None, 60), Surface(0.4), Noise(rate=0.03))


def text_of(study: FakeStudy) -> str:
    result = summarise(study.study)
    return benchstat_text(replace(result, description=replace(result.description, name="my study")), study.history)


def test_each_fresh_run_is_a_line_with_its_arm_and_all_indicators(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        study.compare(NamedChange("large buffers & co", "", {"write_buffer_size": 256 << 20}))
        lines = text_of(study).splitlines()
        first = next(stored for stored in study.history.runs if stored.run.arm == "finalist-1")
        rate = study.history.columns["throughput_settled_ops_s"][first.run.id]
    units = [line for line in lines if line.startswith("Unit ")]
    assert "Unit throughput_settled_ops_s better=higher" in units
    assert "Unit waf better=lower" in units
    runs = [line for line in lines if line.startswith("BenchmarkMy-study/")]
    assert len(units) + len(runs) == len(lines)
    assert sum("/arm=large-buffers-co 1 " in line for line in runs) == 6
    assert ["/arm=stock 1 " in line for line in runs] == [True] * 6 + [False] * 6, "the first arm is benchstat's base"
    assert any(f" {rate:.10g} throughput_settled_ops_s" in line for line in runs)
    for line in runs:
        _, iterations, *pairs = line.split()
        assert iterations == "1"
        assert len(pairs) % 2 == 0
        assert all(float(value) > 0 for value in pairs[::2])


def test_names_of_arms_stay_apart_and_no_number_at_their_end_passes_for_one_of_processors(tmp_path: Path) -> None:
    changes = [
        NamedChange(name, "", {"write_buffer_size": 256 << 20}) for name in ("buffer 256", "buffer_256", "stock")
    ]
    with fake_study(tmp_path, PLAN) as study:
        study.compare(*changes)
        lines = [line.split()[0] for line in text_of(study).splitlines() if line.startswith("Benchmark")]
    assert {line.partition("/arm=")[2] for line in lines} == {"stock", "stock_2", "buffer_256", "buffer_256_2"}


def test_a_study_without_fresh_runs_gives_nothing(tmp_path: Path) -> None:
    with fake_study(tmp_path, PLAN) as study:
        study.tune_by_steps(NamedChange("as it is", "", {"block_size": 4096}))
        assert text_of(study) == ""
