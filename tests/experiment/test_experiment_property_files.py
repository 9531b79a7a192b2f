"""Property files that an experiment names: what they fix, what wins, and what a study keeps of them."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment, recorded_experiment

W = (
    '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a"]\nnum = "20k"\n'
    'property_files = ["db.properties", "workload"]\n'
)
S = '[space]\noptions = ["block_size"]\n'
DB = "rocksdb.write_buffer_size=33554432\nrocksdb.bloom_bits=10\nrocksdb.dbname=/x\nleveldb.block_size=1\n"


@pytest.fixture
def experiment_file(tmp_path: Path) -> Path:
    (tmp_path / "db.properties").write_text(DB)
    (tmp_path / "workload").write_text("fieldcount=4\nrecordcount=9\n")
    return tmp_path / "x.toml"


def test_options_become_fixed_ones_and_the_rest_the_workloads(experiment_file: Path) -> None:
    experiment = parse_experiment(W + S, experiment_file)
    assert experiment.space.fixed == {"write_buffer_size": 33554432, "bloom_bits": 10}
    assert experiment.workload().flags == (("fieldcount", "4"),)
    assert experiment.notes == (
        "fixed by db.properties, workload: write_buffer_size = 32 MiB, bloom_bits = 10",
        "without effect in db.properties, workload: rocksdb.dbname, recordcount",
    )


def test_what_is_written_by_hand_wins_over_the_files(experiment_file: Path) -> None:
    text = W + S + "[space.fixed]\nfilter_policy = 7\n[workload.properties]\nfieldcount = 2\n"
    experiment = parse_experiment(text, experiment_file)
    assert experiment.space.fixed == {"write_buffer_size": 33554432, "filter_policy": 7}
    assert experiment.workload().flags == (("fieldcount", "2"),)


def test_a_study_keeps_what_the_files_held(experiment_file: Path) -> None:
    experiment = parse_experiment(W + S, experiment_file)
    for name in ("db.properties", "workload"):
        (experiment_file.parent / name).unlink()
    kept = recorded_experiment(experiment.text)
    assert kept.space.fixed == experiment.space.fixed
    assert kept.workload() == experiment.workload()
    again = parse_experiment(experiment.text, experiment_file)
    assert (again.text, again.notes) == (experiment.text, experiment.notes)


WRONG = {
    "an option that is searched too": (
        W + S.replace("block_size", "write_buffer_size"),
        "5: workload.property_files: the files fix write_buffer_size = 32 MiB, and it is searched under space.options;",
    ),
    "an option of one's own configuration": (
        W + S + "[engine.options]\nbloom_bits = 3\n",
        "the files fix bloom_bits = 10, and it is set under engine.options; take it out of one of them",
    ),
    "a file that is not there": (
        W.replace('"workload"]', '"nowhere"]') + S,
        "5: workload.property_files: nowhere cannot be read: No such file or directory",
    ),
    "a path that is none": (W.replace('"workload"]', "3]") + S, "workload.property_files"),
    "files for db_bench": (
        W.replace('"ycsb"', '"db_bench"').replace('["load", "a"]', '"fillrandom"') + S,
        "workload.property_files is for the tool ycsb",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told(experiment_file: Path, name: str) -> None:
    text, sentence = WRONG[name]
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(text, experiment_file)
    assert sentence in str(caught.value)


def test_a_value_that_cannot_be_meant_is_told_with_both_places(experiment_file: Path) -> None:
    (experiment_file.parent / "workload").write_text("\nrocksdb.bloom_bits=lots\n")
    with pytest.raises(ExperimentError, match=r'x\.toml:5: .*workload:2: property "rocksdb\.bloom_bits" is "lots"'):
        parse_experiment(W + S, experiment_file)
