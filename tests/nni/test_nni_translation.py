"""An experiment of NNI over options of RocksDB as an experiment file of lsmtune."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from nni_builders import FILL_SPACE, FILLING_TRIAL, FIRST_FORM, SECOND_FORM, experiment, own_trial

from lsmtune.errors import UsageError
from lsmtune.experiment import Experiment, fixed_values, overrides, own_values, parse_experiment, searched_options
from lsmtune.nni import Asked, experiment_text, load_config, runs_db_bench
from lsmtune.space import catalogue

TRIAL = FILLING_TRIAL.replace("NUMBER", "13107200")


def translated(path: Path, **asked: Any) -> tuple[Experiment, str]:
    text = experiment_text(load_config(path), Asked(**asked))
    return parse_experiment(text, path.with_suffix(".toml")), text


@pytest.mark.parametrize("trial", [{"main": TRIAL}, {}])
@pytest.mark.parametrize("form", [FIRST_FORM, SECOND_FORM])
def test_nni_s_example_becomes_the_experiment_that_it_is(tmp_path: Path, form: str, trial: dict[str, str]) -> None:
    made, _ = translated(experiment(tmp_path, form, **trial), scale=Fraction(1, 64))
    workload, known = made.workload(), catalogue()
    assert (workload.benchmarks, workload.num, workload.threads) == (("fillrandom",), 13107200, 1)
    assert (workload.key_size_bytes, workload.value_size_bytes, workload.disable_wal) == (20, 100, True)
    assert (made.scale, made.reference) == (Fraction(1, 64), "options")
    assert own_values(made, known, {}) == {
        "write_buffer_size": 64 << 20,
        "min_write_buffer_number_to_merge": 2,
        "level0_file_num_compaction_trigger": 2,
    }
    assert fixed_values(made, known) == {
        "max_background_flushes": 1,
        "max_background_compactions": 4,
        "max_write_buffer_number": 16,
        "max_bytes_for_level_base": 256 << 20,
        "max_bytes_for_level_multiplier": 10.0,
        "target_file_size_base": 32 << 20,
        "target_file_size_multiplier": 1,
    }
    assert searched_options(made, known) == tuple(FILL_SPACE)
    size = overrides(made, known)["write_buffer_size"]
    assert (size.low, size.high, size.log, size.step) == ("2MiB", "16MiB", False, "1MiB")
    assert (made.budget.time_s, made.budget.runs, made.budget.trials) == (43200.0, None, 256)
    assert dict(made.objective().weights) == {"throughput_ops_s": 1.0}


def test_a_time_without_an_end_is_the_longest_that_a_budget_has(tmp_path: Path) -> None:
    made, _ = translated(experiment(tmp_path, FIRST_FORM.replace("12h", "999d")))
    assert (made.budget.time_s, made.budget.trials) == (366 * 86400.0, 256)


def test_a_changed_example_says_what_it_runs_itself(tmp_path: Path) -> None:
    trial = TRIAL.replace("13107200", "1000000").replace('"threads": 1', '"threads": 2, "bloom_bits": 10')
    made, text = translated(experiment(tmp_path, main=trial))
    assert (made.workload().num, made.workload().threads) == (1000000, 2)
    assert fixed_values(made, catalogue())["bloom_bits"] == 10
    assert "# from main.py" in text


@pytest.mark.parametrize(
    "trial",
    ["print('hello')\n", TRIAL.replace("13107200", "how_many()"), TRIAL.replace("db_bench", "other"), "not python ("],
)
def test_code_that_does_not_tell_what_it_runs_is_no_db_bench(tmp_path: Path, trial: str) -> None:
    config = load_config(experiment(tmp_path, main=trial))
    assert not runs_db_bench(config)
    with pytest.raises(UsageError, match="--benchmarks"):
        experiment_text(config)


def test_a_trial_that_reads_and_names_no_cache_has_the_default_one_as_its_reference(tmp_path: Path) -> None:
    made, _ = translated(experiment(tmp_path, main=TRIAL.replace('"fillrandom"', '"fillrandom,readrandom"')))
    assert own_values(made, catalogue(), {"cache_size": 8 << 20})["cache_size"] == 8 << 20


def test_the_command_line_can_say_what_the_code_does_not(tmp_path: Path) -> None:
    made, text = translated(experiment(tmp_path, own_trial(), trial=""), benchmarks="fillrandom", num="2M")
    assert (made.workload().num, made.reference) == (2_000_000, "db_bench")
    assert "settle" not in text
    with pytest.raises(UsageError, match="--num"):
        translated(experiment(tmp_path, own_trial(), trial=""), benchmarks="fillrandom")


@pytest.mark.parametrize(
    ("name", "entry", "line"),
    [
        ("max_background_jobs", ["randint", [1, 9]], "{ low = 1, high = 8, log = false }"),
        ("write_buffer_size", ["loguniform", [2097152, 16777216]], '{ low = "2MiB", high = "16MiB", log = true }'),
        ("write_buffer_size", ["quniform", [100000, 300000, 100000]], "low = 100000, high = 300000, log = false, step"),
        ("block_size", ["choice", [4096, 16384]], '{ values = ["4KiB", "16KiB"] }'),
        ("compaction_style", ["choice", [0, 1]], '{ values = ["level", "universal"] }'),
        ("compaction_pri", ["randint", [0, 2]], '["by_compensated_size", "oldest_largest_seq_first"]'),
        ("cache_index_and_filter_blocks", ["choice", [0, 1]], "{ values = [false, true] }"),
        ("level0_file_num_compaction_trigger", ["quniform", [2, 11, 4]], "{ values = [2, 4, 8, 11] }"),
        ("max_bytes_for_level_multiplier", ["uniform", [2, 9.5]], "{ low = 2.0, high = 9.5, log = false }"),
        ("bloom_bits", ["normal", [10, 2]], "low = 4"),
    ],
)
def test_each_type_becomes_a_range_of_the_option(tmp_path: Path, name: str, entry: list[Any], line: str) -> None:
    space = {name: {"_type": entry[0], "_value": entry[1]}}
    made, text = translated(experiment(tmp_path, own_trial(), space, trial=""), benchmarks="fillrandom", num="2M")
    assert line in next(each for each in text.splitlines() if each.startswith(f"{name} = {{"))
    assert searched_options(made, catalogue()) == (name,)


def test_a_parameter_with_one_value_is_fixed(tmp_path: Path) -> None:
    space = {**FILL_SPACE, "bloom_bits": {"_type": "choice", "_value": [10]}}
    made, _ = translated(experiment(tmp_path, space=space, main=TRIAL))
    assert "bloom_bits" not in searched_options(made, catalogue())
    assert fixed_values(made, catalogue())["bloom_bits"] == 10


@pytest.mark.parametrize(
    ("space", "part"),
    [
        ({"learning_rate": {"_type": "uniform", "_value": [0, 1]}}, "learning_rate of its search space"),
        ({"compaction_style": {"_type": "choice", "_value": ["lazy"]}}, '"lazy"'),
        ({"write_buffer_size": {"_type": "choice", "_value": [{"_name": "a"}, {"_name": "b"}]}}, "no options"),
    ],
)
def test_what_is_no_option_or_no_value_of_one_is_refused(tmp_path: Path, space: Any, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        translated(experiment(tmp_path, own_trial(), space, trial=""), benchmarks="fillrandom", num="2M")


def test_comments_name_what_has_no_counterpart(tmp_path: Path) -> None:
    _, text = translated(experiment(tmp_path, FIRST_FORM.replace("SMAC", "DNGOTuner")))
    assert "# DNGOTuner has no counterpart here yet; gp searches in its place\n" in text
    assert 'sampler = "gp"' in text
