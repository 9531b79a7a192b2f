"""A comparison from an experiment file at a scale, which a stand-in for db_bench plays."""

import json
import math
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.executors import _local, _process
from lsmtune.experiment import parse_experiment
from lsmtune.study import prepare
from lsmtune.testing.fake_builds import install_build

pytestmark = pytest.mark.steady

EXPERIMENT = """
scale = "1/16"
[workload]
benchmarks = "fillrandom"
num = "320k"
[guards]
memory_peak_bytes = "1.0x"
space_bytes = "<= 200GiB"
[search]
noise_runs = 3
[budget]
runs = 60
[host]
min_free = "1MiB"
[[compare]]
name = "universal"
set = { compaction_style = "universal", write_buffer_size = "512MiB", max_write_buffer_number = 8 }
"""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rests_at_once: None) -> Path:
    """A stand-in for db_bench that is found, and whose runs are short."""
    monkeypatch.setattr(_process, "_LOOK_S", 0.05)
    monkeypatch.setattr(_local, "_JUDGED_S", math.inf)
    found = install_build(tmp_path / "bin", "7.8.3", assertions=True)
    monkeypatch.setenv("PATH", f"{found.parent}:/usr/bin:/bin")
    return found


def introduced(program: Path, text: str) -> str:
    prepared = prepare(parse_experiment(text, program.parent / "x.toml"), program)
    return " ".join(prepared.introduction(program.parent))


def test_bounds_of_an_experiment_file_are_of_full_size(lsmtune: Lsmtune, program: Path) -> None:
    Path("x.toml").write_text(EXPERIMENT)
    code, out, err = lsmtune("compare", "x.toml", "--study", "study", "--json", "--db-bench", str(program))
    assert code == 0, err
    (best,) = json.loads(out)["verified"]
    assert best["guards"]["memory_peak_bytes"]["worsening"] > 7.4
    assert best["guards"]["memory_peak_bytes"]["verdict"] == "broken"
    assert best["standing"] == "refused"
    (limit,) = best["limits"]
    assert limit["seen"]["mean"] == pytest.approx(best["levels"]["space_full_size_bytes"]["result"])
    assert limit["seen"]["mean"] > 8 * best["scaled"]["space_bytes"]["mean"]


def test_what_bounds_rest_on_is_said_first(program: Path) -> None:
    said = introduced(program, EXPERIMENT)
    assert "bounds on memory are of full size, 16 times the data of a run, as computed from the options" in said
    assert "bounds on space are of full size, 16 times the data of a run: as measured" in said


def test_where_no_model_tells_space_the_scaled_runs_count_and_that_is_said_with_the_reason(program: Path) -> None:
    said = introduced(program, EXPERIMENT.replace("[guards]", 'settle = "none"\n[guards]'))
    assert "bounds on space are those of the scaled runs, in proportion to 16 times the data of a run" in said
    assert "runs end before what is due has run" in said


def test_at_full_size_and_without_such_bounds_nothing_is_said(program: Path) -> None:
    whole = EXPERIMENT.replace('scale = "1/16"', "")
    others = EXPERIMENT.replace("memory_peak_bytes", "cpu_s").replace('space_bytes = "<= 200GiB"', "")
    assert "of full size" not in introduced(program, whole)
    assert "of full size" not in introduced(program, others)
