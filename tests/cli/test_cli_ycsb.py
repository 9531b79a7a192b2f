"""The real driver, as `make native` builds it, tuned on small data through the commands."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import AS_IT_IS, Lsmtune

from lsmtune.experiment import load_experiment

REST = """
[budget]
runs = 20
[search]
noise_runs = 3
finalists = 1
sampler = "random"
[host]
min_free = "1MiB"
disturbed = "use"
"""
PHASES = '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a", "d"]\nnum = "2k"\n'
SHARED = '[workload]\ntool = "ycsb"\nbenchmarks = ["f"]\nload = "load"\nnum = "2k"\n'
LEVELDB = '[engine]\nname = "leveldb"\n[space]\npreset = "balanced"\n[space.fixed]\nmax_open_files = 500\n'
ROCKSDB = '[space]\noptions = ["write_buffer_size", "compression_type", "cache_size", "bloom_bits"]\n'
"""Options of each section of an OPTIONS file, and one that no file holds."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tests of this file keep studies that several of them look at."""
    return tmp_path_factory.mktemp("ycsb")


def of_leveldb(lsmtune: Lsmtune, kept: Path) -> dict[str, Any]:
    """Copy the study of phases on LevelDB here and return its result; the first test that asks tunes it."""
    if not (kept / "study").exists():
        result = tuned(lsmtune, PHASES + LEVELDB + REST)
        shutil.copytree("study", kept / "study")
        (kept / "result.json").write_text(json.dumps(result))
    shutil.copytree(kept / "study", "study", dirs_exist_ok=True)
    found: dict[str, Any] = json.loads((kept / "result.json").read_text())
    return found


def tuned(lsmtune: Lsmtune, text: str) -> dict[str, Any]:
    Path("x.toml").write_text(text)
    code, out, err = lsmtune("tune", "x.toml", "--study", "study", "--json", "--quiet")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.parametrize("engine", ["leveldb", "rocksdb"])
def test_phases_are_tuned_together_and_the_result_can_be_taken_home(lsmtune: Lsmtune, kept: Path, engine: str) -> None:
    result = of_leveldb(lsmtune, kept) if engine == "leveldb" else tuned(lsmtune, PHASES + ROCKSDB + REST)
    assert result["build"]["engine"] == engine
    assert set(result["noise"]) >= {"throughput_ops_s", "throughput_ops_s@load", "throughput_ops_s@a"}
    code, properties, err = lsmtune("export", "study", "--format", "ycsb-properties", *AS_IT_IS)
    assert code == (0 if engine == "leveldb" else 2), err
    assert "max_open_files=500" in properties or engine == "rocksdb"
    code, taken_home, err = lsmtune("export", "study", *AS_IT_IS)
    assert code == 0, err
    assert ("[DBOptions]" in taken_home.splitlines()) == (engine == "rocksdb")
    code, out, err = lsmtune("show", "study", "--trials", "5")
    assert code == 0, err
    assert "throughput of a" in out


def test_a_result_for_leveldb_is_written_as_code_and_not_in_the_formats_of_another_engine(
    lsmtune: Lsmtune, kept: Path
) -> None:
    of_leveldb(lsmtune, kept)
    code, out, err = lsmtune("export", "study", *AS_IT_IS)
    assert code == 0, err
    lines = out.splitlines()
    assert "leveldb::Options options;" in lines
    assert "options.max_open_files = 500;" in lines
    assert all(line.startswith(("//", "leveldb::", "options.", "read_options.")) for line in lines if line)
    code, _, err = lsmtune("export", "study", "--format", "options-file", *AS_IT_IS)
    assert code == 2
    assert '"options-file" is not for leveldb' in err


@pytest.mark.parametrize("options", [LEVELDB, ROCKSDB], ids=["leveldb", "rocksdb"])
def test_a_load_is_shared_between_runs(lsmtune: Lsmtune, options: str) -> None:
    result = tuned(lsmtune, SHARED + options + REST)
    assert set(result["noise"]) >= {"throughput_ops_s"}


def test_init_writes_an_experiment_for_leveldb_that_loads(lsmtune: Lsmtune) -> None:
    assert lsmtune("init", "mine.toml", "--engine", "leveldb")[0] == 0
    experiment = load_experiment(Path("mine.toml"))
    assert experiment.workload().benchmarks == ("load", "a", "b", "d")


def test_a_driver_that_is_missing_is_told_in_one_sentence(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSMTUNE_DRIVER", "/nowhere/lsmtune-ycsb")
    Path("x.toml").write_text(PHASES + LEVELDB + REST)
    code, _, err = lsmtune("tune", "x.toml", "--study", "study")
    assert code in (1, 2)
    assert "lsmtune build driver" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("data", ['benchmarks = ["load", "c"]', 'load = "load"\nbenchmarks = "c"'])
def test_a_sweep_over_sizes_of_rows_stores_rows_of_these_sizes(lsmtune: Lsmtune, data: str) -> None:
    text = (
        f'[workload]\ntool = "ycsb"\n{data}\nnum = "5k"\n[sweep]\nrepeats = 2\n[sweep.axes]\nvalue_size = [250, 4100]\n'
    )
    Path("x.toml").write_text(text + REST.replace('finalists = 1\nsampler = "random"\n', ""))
    code, out, err = lsmtune("sweep", "x.toml", "--json", "--quiet", "--indicator", "space_bytes")
    assert code == 0, err
    small, large = (each["levels"]["space_bytes"] for each in json.loads(out)["cells"])
    assert small < 5000 * 300
    assert large > 5000 * 3500


def test_a_property_that_the_driver_refuses_fails_with_its_sentence(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(PHASES + LEVELDB + REST + '[workload.properties]\nrequestdistribution = "zipf"\n')
    code, _, err = lsmtune("tune", "x.toml", "--study", "study", "--quiet")
    assert code == 1
    assert "requestdistribution" in err


def test_options_of_leveldb_are_listed_and_explained(lsmtune: Lsmtune) -> None:
    code, out, _ = lsmtune("options", "--engine", "leveldb", "--json")
    assert code == 0
    assert {option["name"] for option in json.loads(out)} >= {"write_buffer_size", "max_file_size", "filter_bits"}
    code, out, _ = lsmtune("options", "filter_bits", "--engine", "leveldb")
    assert "Bloom" in out


STEPS = """
[[steps]]
name = "larger buffer"
because = "the load waits for flushes"
set = { write_buffer_size = "8MiB" }
[[steps]]
name = "as it is"
set = { block_size = "4KiB" }
[[compare]]
name = "both"
set = { write_buffer_size = "8MiB", max_file_size = "8MiB" }
[[compare]]
name = "small blocks"
set = { block_size = "2KiB" }
"""


def test_changes_are_tried_in_turn_and_a_searcher_works_on_the_same_file(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text('name = "mine"\n' + PHASES + LEVELDB + REST + STEPS)
    code, out, err = lsmtune("tune", "x.toml", "--sampler", "steps", "--budget", "60 runs", "--quiet")
    assert code == 0, err
    assert "Step 1: larger buffer" in out
    assert "the load waits for flushes" in out
    assert "Step 2: as it is" in out
    assert "left out" in out
    code, out, err = lsmtune("show", "studies/mine-steps", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert [step["name"] for step in found["steps"]] == ["larger buffer", "as it is"]
    assert found["steps"][0]["comparison"]["claim"]["n"] > 0  # all 6, unless this machine held one up to its cap
    assert set(found["steps"][0]["comparison"]["indicators"]) >= {"throughput_ops_s@load", "throughput_ops_s@a"}
    assert found["decisions"]["plan"] == "steps"
    code, _, err = lsmtune("show", "studies/mine-steps", "--per-phase")
    assert code == 2
    assert "has no trials of a search to rank" in err
    code, _, err = lsmtune("tune", "x.toml", "--sampler", "random", "--study", "studies/mine-steps")
    assert code == 2
    assert "made with the sampler steps, not random" in err
    code, _, err = lsmtune("tune", "x.toml", "--sampler", "sobol", "--quiet")
    assert code == 0, err


def test_named_configurations_are_compared_with_ones_own_options(lsmtune: Lsmtune) -> None:
    own = "[engine.options]\nwrite_buffer_size = 2097152\nfilter_bits = 10\ncache_size = 8388608\n"
    Path("x.toml").write_text(PHASES + LEVELDB + REST + STEPS + own)
    code, out, err = lsmtune("compare", "x.toml", "--quiet")
    assert code == 0, err
    assert "both" in out
    assert "small blocks" in out
    assert "max_file_size 8 MiB" in out
    code, out, err = lsmtune("show", "studies/x-compare", "--benchstat")
    assert code == 0, err
    assert "/arm=small-blocks 1 " in out
    assert "Unit throughput_ops_s-of-load better=higher" in out
    found = json.loads(lsmtune("show", "studies/x-compare", "--json")[1])
    assert found["decisions"]["plan"] == "compare"
    assert found["rules"]["reference"] == "options"
    start = {"write_buffer_size": 2097152, "filter_bits": 10, "cache_size": 8388608, "max_open_files": 500}
    assert found["rules"]["baselines"]["options"]["values"] == start
    assert found["candidates"]["finalist-2"]["values"] == {**start, "block_size": 2048}


def test_a_sampler_whose_package_is_missing_is_told_before_a_run(
    lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("x.toml").write_text(PHASES + LEVELDB + REST)
    monkeypatch.setitem(sys.modules, "optuna", None)
    code, _, err = lsmtune("tune", "x.toml", "--sampler", "tpe", "--study", "study")
    assert code == 2
    assert "the sampler tpe needs optuna, which is not installed: pip install 'lsmtune[samplers]'" in err
    assert not Path("study").exists()


def test_a_sampler_that_does_not_exist_and_steps_that_are_missing_are_told(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(PHASES + LEVELDB + REST)
    code, _, err = lsmtune("tune", "x.toml", "--sampler", "annealing")
    assert code == 2
    assert '"annealing" is not a sampler; choose one of random, sobol' in err
    for words in (("tune", "x.toml", "--sampler", "steps"), ("compare", "x.toml")):
        code, _, err = lsmtune(*words)
        assert code == 2
        assert "write each with a name and set = {" in err
