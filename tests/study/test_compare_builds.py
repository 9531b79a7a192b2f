"""Names of builds, the entries of [[compare]] that name one, and whose data a run may clone."""

from dataclasses import replace
from pathlib import Path

import pytest
from db_bench_builders import record

from lsmtune.backends import ArmBench, Glance
from lsmtune.backends.db_bench import DbBench
from lsmtune.backends.leveldb_bench import LevelDbBench
from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Configuration, EngineBuild, Purpose, Run, Settle, Workload
from lsmtune.result import ArmBuild
from lsmtune.space import catalogue
from lsmtune.study._builds import arm_names

W = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'
Y = '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a"]\nnum = "64k"\n'
S = '[space]\npreset = "write-heavy"\n'

OWN = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0" * 16, True, ("none", "snappy"), ())
READ = Workload(("readrandom",), "readrandom", num=20_000, load=("fillseq",))


def build_at(path: str, version: str = "11.8.1") -> EngineBuild:
    return replace(OWN, path=Path(path), version=version, fingerprint=f"{abs(hash(path)):016x}"[:16])


@pytest.mark.parametrize(
    ("paths", "taken", "names"),
    [
        (["/opt/new/db_bench"], [], ["11.8.1"]),
        (["/opt/new/db_bench"], ["11.8.1"], ["11.8.1 new"]),
        (["/a/main/out/db_bench", "/a/mine/out/db_bench"], [], ["11.8.1 main/out", "11.8.1 mine/out"]),
        (["/a/main/db_bench", "/a/mine/db_bench"], [], ["11.8.1 main", "11.8.1 mine"]),
        (["/a/b/one", "/a/b/two"], [], ["11.8.1 /a/b/one", "11.8.1 /a/b/two"]),
    ],
)
def test_a_build_is_called_by_its_version_and_by_as_much_of_its_folder_as_it_takes(
    paths: list[str], taken: list[str], names: list[str]
) -> None:
    assert arm_names(OWN, [build_at(path) for path in paths], taken) == names


def test_a_build_of_the_references_version_is_called_by_its_folder_too() -> None:
    assert arm_names(OWN, [build_at("/opt/mine/db_bench", "7.8.3")], []) == ["7.8.3 mine"]


def test_the_references_own_build_can_be_compared_with_itself() -> None:
    assert arm_names(OWN, [OWN], []) == ["7.8.3"]


WRONG = {
    "neither values nor a build": (
        W + S + '[[compare]]\nname = "a"\n',
        (
            '6: compare has neither values nor a build; write set = { write_buffer_size = "8MiB" }, or name another '
            'build with db_bench = "/path/to/db_bench"'
        ),
    ),
    "a driver for db_bench": (
        W + S + '[[compare]]\nname = "a"\ndriver = "/x"\n',
        "8: compare.driver is not used by db_bench; write db_bench, or take it out",
    ),
    "a db_bench for ycsb": (
        Y + S + '[[compare]]\nname = "a"\ndb_bench = "/x"\n',
        "9: compare.db_bench is not used by the tool ycsb; write driver, or take it out",
    ),
    "a key with a slip": (
        W + S + '[[compare]]\nname = "a"\ndb_bnech = "/x"\n',
        '8: compare.db_bnech is not a key of [compare]; did you mean "db_bench"?',
    ),
    "no name": (
        W + S + '[[compare]]\ndb_bench = "/x"\n',
        '6: compare.name is missing; write name = "larger buffers"',
    ),
    "a build for a step": (
        W + S + '[[steps]]\nname = "a"\nset = { block_size = 8192 }\ndb_bench = "/x"\n',
        "9: steps.db_bench is not a key of [steps]; it belongs to [engine]",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_an_entry_is_said_with_its_line(tmp_path: Path, wrong: str) -> None:
    text, sentence = WRONG[wrong]
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, tmp_path / "x.toml")
    assert str(refusal.value) == f"{tmp_path / 'x.toml'}:{sentence}"


def test_an_experiment_that_only_compares_builds_needs_no_space(tmp_path: Path) -> None:
    text = W + '[[compare]]\nname = "a"\ndb_bench = "new/db_bench"\n'
    experiment = parse_experiment(text, tmp_path / "x.toml", searches=False)
    assert experiment.compare[0].build == tmp_path / "new" / "db_bench"
    with pytest.raises(ExperimentError, match="space is missing"):
        parse_experiment(text, tmp_path / "x.toml")


def test_data_that_one_build_wrote_is_never_cloned_for_another() -> None:
    known = catalogue().for_version((7, 8, 3))
    own = DbBench(OWN, known, READ)
    bench = ArmBench(own, {"finalist-1": DbBench(build_at("/opt/new/db_bench", "7.8.3"), known, READ)})
    reference, other = (
        Run(1, Purpose.VERIFY, arm, 0, Configuration(), seed=5, load_seed=7) for arm in ("db_bench", "finalist-1")
    )
    assert bench.data_key(reference) == own.data_key(reference)
    assert bench.data_key(reference) != bench.data_key(other)
    assert bench.data_key(other) == bench.data_key(replace(other, seed=6))


def test_a_process_is_read_by_the_bench_that_has_started_it() -> None:
    foreign = EngineBuild("leveldb", "1.22", Path("/opt/leveldb/db_bench"), "1" * 16, False, (), ())
    fill = replace(READ, benchmarks=("fillrandom",), measure="fillrandom", load=(), settle=Settle.NONE)
    own = DbBench(OWN, catalogue().for_version((7, 8, 3)), fill)
    bench = ArmBench(own, {"sample-2": LevelDbBench(foreign, catalogue("leveldb"), fill)})
    there = Run(1, Purpose.SAMPLE, "sample-2", 0, Configuration(), seed=5, load_seed=7)
    (step,) = bench.processes(there, Path("/x"))
    glance = Glance(1.0, 0.0, "", "... finished 300 ops\r", "Level summary files[ 1 2 0 ]\nfiles[ 2 3 0 ] ", 0)
    assert bench.progress(step, glance) == LevelDbBench(foreign, catalogue("leveldb"), fill).progress(step, glance)
    assert bench.progress(step, glance).detail == "files by level 2 3 0"
    left = replace(record("", log="2026/01/01-00:00:02.000000 7f Compaction error: IO error: x\n"), process=step)
    assert bench.unsaid_failure(left) == "db_bench went on behind an error of the engine: Compaction error: IO error: x"
    (ours,) = bench.processes(replace(there, arm="sample-1"), Path("/x"))
    assert bench.progress(ours, glance) == own.progress(ours, glance) != bench.progress(step, glance)


def test_a_kept_build_is_read_back_as_it_was() -> None:
    kept = ArmBuild("mine", OWN, {"block_size": 4096}, (("cache_size", 1 << 20, 2 << 20),), on_demand=True)
    assert ArmBuild.from_json(kept.to_json()) == kept
    assert kept.defaults_sentence(OWN) == (
        'the default of 1 option differs between the reference and "mine": cache_size 1 MiB -> 2 MiB'
    )
