"""NNI's example on the real db_bench, and its import."""

import json
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

MAIN = """\
params = {"benchmarks": "fillrandom", "key_size": 20, "value_size": 100, "num": 640000, "disable_wal": 1,
    "max_write_buffer_number": 16, "write_buffer_size": 67108864, "min_write_buffer_number_to_merge": 2,
    "level0_file_num_compaction_trigger": 2}  # runs db_bench
"""
CONFIG = """\
authorName: default
experimentName: auto_rocksdb
trialConcurrency: 1
maxTrialNum: 256
trainingServicePlatform: local
searchSpacePath: search_space.json
tuner: {builtinTunerName: SMAC, classArgs: {optimize_mode: maximize}}
trial: {command: python3 main.py, codeDir: ., gpuNum: 0}
"""
SPACE = {
    "write_buffer_size": {"_type": "quniform", "_value": [2097152, 16777216, 1048576]},
    "min_write_buffer_number_to_merge": {"_type": "quniform", "_value": [2, 16, 1]},
    "level0_file_num_compaction_trigger": {"_type": "quniform", "_value": [2, 16, 1]},
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "search_space.json").write_text(json.dumps(SPACE))
    (tmp_path / "config.yml").write_text(CONFIG)
    return tmp_path / "config.yml"


def test_the_example_runs_on_db_bench_and_goes_on_with_the_same_command(config: Path, lsmtune: Lsmtune) -> None:
    words = ["nni", str(config), "--scale", "1/64", "--budget", "30 runs", "--quiet", "--json"]
    code, out, err = lsmtune(*words)
    assert code == 0, err
    assert "no counterpart" not in err
    result = json.loads(out)
    assert result["rules"]["reference"] == "options"
    assert result["rules"]["objective"] == {"throughput_ops_s": 1.0}
    assert result["facts"]["workload"]["keys"] == 10_000
    trials = sum(each["runs"] for each in result["runs"]["counts"] if each["purpose"] == "trial")
    assert trials >= 3, "the least of a search, with an anchor; how many more follows from the noise"
    again = json.loads(lsmtune(*words)[1])
    assert again["runs"] == result["runs"]  # it had come to its end


def test_an_import_is_an_experiment_file(config: Path, lsmtune: Lsmtune, tmp_path: Path) -> None:
    code, out, _ = lsmtune("import", "nni", str(config))
    assert code == 0
    assert 'write_buffer_size = { low = "2MiB", high = "16MiB", log = false, step = "1MiB" }' in out
    code, _, err = lsmtune("import", "nni", str(config), "-o", "experiment.toml", "--scale", "1/2")
    assert (code, err) == (0, "lsmtune: wrote experiment.toml\n")
    assert 'scale = "1/2"' in (tmp_path / "experiment.toml").read_text()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["import", "optuna", "config.yml"], "No such command 'optuna'"),
        (["import", "nni", "gone.yml"], "gone.yml"),
        (["import", "nni", "config.yml", "--scale", "7"], "scale"),
        (["import", "nni", "config.yml", "--benchmarks", "fillrandm", "--num", "1M"], "fillrandom"),
        (["nni", "config.yml", "--default", "own.json"], "--default is for a trial command"),
    ],
)
def test_wrong_use_is_one_sentence(config: Path, lsmtune: Lsmtune, words: list[str], part: str) -> None:
    code, out, err = lsmtune(*words)
    assert (code, out) == (2, "")
    assert part in err
    assert err.splitlines()[-1].startswith("lsmtune: ")
