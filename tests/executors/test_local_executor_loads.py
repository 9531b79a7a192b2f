"""Loaded data is made once, shared as long as its files would be the same, and never harmed by a run."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from executor_builders import READ, Fake, run_of, unwatched

from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.executors import Limits, LocalExecutor, _clone
from lsmtune.model import Run, Status, Value


def loads_of(fake: Fake, loads_bytes: int, *configurations: dict[str, Value]) -> list[int]:
    """How often data had been loaded after each of the runs."""
    bench = fake.bench(READ)
    executor = LocalExecutor(bench, fake.scratch, loads_bytes)
    counts = []
    for number, values in enumerate(configurations, 1):
        assert executor.run(run_of(number, **values), Limits(), unwatched).status is Status.OK
        counts.append(bench.loads)
    return counts


@pytest.mark.parametrize(
    ("values", "loads"),
    [
        ({"cache_size": 1 << 25}, 1),
        ({"write_buffer_size": 1 << 23}, 1),
        ({"bloom_bits": 10}, 2),
        ({"block_size": 8192}, 2),
    ],
)
def test_data_is_loaded_again_only_where_its_format_changes(fake: Fake, values: dict[str, Value], loads: int) -> None:
    assert loads_of(fake, 1 << 30, {}, values, {})[-1] == loads


def test_the_least_recently_used_data_is_dropped(fake: Fake) -> None:
    size = 20_000 * 116  # a little more than one load
    plain, small, large = dict[str, Value](), dict[str, Value](block_size=2048), dict[str, Value](block_size=8192)
    assert loads_of(fake, size, plain, small, plain, large, plain, small) == [1, 2, 2, 3, 3, 4]


def test_a_run_without_a_load_keeps_nothing(fake: Fake) -> None:
    fake.executor().run(run_of(), Limits(), unwatched)
    assert list(fake.scratch.iterdir()) == []


def test_only_what_reshapes_the_tree_is_settled_before_it_is_measured(fake: Fake) -> None:
    executor = fake.executor(READ)
    for number, (values, settled) in enumerate(
        [({}, False), ({"cache_size": 1 << 25}, False), ({"num_levels": 5}, False)]
    ):
        artefacts = executor.run(run_of(number, **values), Limits(), unwatched).artefacts
        assert ("settle.stdout" in artefacts) is settled
    artefacts = executor.run(run_of(9, level0_file_num_compaction_trigger=2), Limits(), unwatched).artefacts
    assert "settle.stdout" in artefacts


def test_the_time_of_a_run_does_not_count_towards_its_cap_while_data_is_loaded(fake: Fake) -> None:
    fake.behave("sleep=3.5,when=--benchmarks=fillseq")
    outcome = fake.executor(READ).run(run_of(), Limits(wall_s=3.0, load_wall_s=60.0), unwatched)
    assert outcome.status is Status.OK
    assert outcome.elapsed_s > 3.5


def test_a_load_that_fails_fails_the_run_and_is_not_kept(fake: Fake) -> None:
    fake.behave("open-error,when=--benchmarks=fillseq")
    executor = fake.executor(READ)
    outcome = executor.run(run_of(), Limits(), unwatched)
    assert outcome.status is Status.FAILED
    assert outcome.reason.startswith("loading the data: db_bench failed: open error")
    assert "load.stderr" in outcome.artefacts
    assert list(fake.scratch.iterdir()) == []
    fake.behave("")
    assert executor.run(run_of(), Limits(), unwatched).status is Status.OK


@pytest.mark.parametrize(
    ("where", "run", "doing"),
    [
        ("--benchmarks=fillseq", run_of(), "loading the data: "),
        ("--benchmarks=flush", run_of(level0_file_num_compaction_trigger=2), ""),  # which settles what was loaded
        ("--benchmarks=readrandom", run_of(), ""),
    ],
)
def test_a_compaction_that_failed_unsaid_fails_the_run_whichever_process_it_was_of(
    fake: Fake, where: str, run: Run, doing: str
) -> None:
    fake.behave(f"failed-job,when={where}")
    executor = fake.executor(READ)
    outcome = executor.run(run, Limits(), unwatched)
    said = "db_bench went on behind an error of the engine: compaction error: IO error: the fake was told to fail"
    assert (outcome.status, outcome.reason) == (Status.FAILED, doing + said)
    assert bool(list(fake.scratch.iterdir())) is not bool(doing)  # a load that failed is not kept
    assert any(name.endswith(".LOG") for name in outcome.artefacts)
    fake.behave("")
    assert executor.run(run, Limits(), unwatched).status is Status.OK


def test_a_load_that_hangs_says_nothing_about_the_run(fake: Fake) -> None:
    fake.behave("hang,when=--benchmarks=fillseq")
    outcome = fake.executor(READ).run(run_of(), Limits(load_wall_s=0.3), unwatched)
    assert outcome.status is Status.CENSORED
    assert outcome.reason.startswith("loading the data: it ran ")
    assert 0 < outcome.load_s <= outcome.elapsed_s
    assert (outcome.bound_s, outcome.measurement) == (None, None)


def test_a_run_stopped_while_settling_has_a_bound_and_no_measurement(fake: Fake) -> None:
    fake.behave("hang,when=--benchmarks=flush")
    run = run_of(level0_file_num_compaction_trigger=2)
    outcome = fake.executor(READ).run(run, Limits(wall_s=0.3), unwatched)
    assert (outcome.status, outcome.measurement) == (Status.CENSORED, None)
    assert outcome.bound_s is not None
    assert outcome.bound_s >= 0.2
    assert {name.partition(".")[0] for name in outcome.artefacts} == {"settle"}


def contents(database: Path) -> dict[str, str]:
    """Digest by file of a database; its logs are left out."""
    files = (path for path in database.iterdir() if not path.name.startswith(("LOG", "LOCK")))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def db_bench(database: Path, *flags: str) -> str:
    command = [str(find_db_bench()), f"--db={database}", "--num=20000", "--write_buffer_size=65536", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def test_a_clone_can_be_overwritten_and_its_original_is_unharmed(tmp_path: Path) -> None:
    original, clone = tmp_path / "original", tmp_path / "clone"
    db_bench(original, "--benchmarks=fillseq,flush", "--seed=1")
    before = contents(original)
    assert sum(name.endswith(".sst") for name in before) > 1
    _clone.clone_database(original, clone)
    assert not (clone / "LOG").exists()
    overwritten = "--benchmarks=overwrite,compact,deleteseq,flush,compact"
    db_bench(clone, overwritten, "--use_existing_db=1", "--seed=2", "--target_file_size_base=65536")
    assert contents(original) == before
    shutil.rmtree(clone)
    found = db_bench(original, "--benchmarks=readrandom", "--use_existing_db=1", "--reads=5000", "--seed=3")
    assert "(5000 of 5000 found)" in found


def test_what_disappears_while_sizes_are_added_up_counts_nothing(tmp_path: Path) -> None:
    assert _clone.database_bytes(tmp_path / "nowhere") == 0
    (tmp_path / "000001.sst").write_bytes(bytes(10))
    (tmp_path / "000002.sst").symlink_to("gone")
    (tmp_path / "LOG").write_bytes(bytes(100))
    (tmp_path / "000003.log").write_bytes(bytes(1))
    assert _clone.database_bytes(tmp_path) == 11


def test_data_that_is_kept_for_others_never_makes_a_run_fail(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    room = 100 << 20

    def usage(_path: str) -> SimpleNamespace:
        kept = sum(path.stat().st_size for path in (fake.scratch / "loads").glob("*/*.sst"))
        return SimpleNamespace(free=room - kept)

    bench = fake.bench(READ)
    executor = LocalExecutor(bench, fake.scratch)
    monkeypatch.setattr("psutil.disk_usage", usage)
    fake.behave("sleep=0.6")  # long enough to be looked at
    for number, block_size in enumerate((2048, 4096, 8192, 2048)):
        limits = Limits(free_bytes=room - 3_000_000)  # two loads are more than may be taken
        assert executor.run(run_of(number, block_size=block_size), limits, unwatched).status is Status.OK
    assert bench.loads == 4
