"""`lsmtune compare` over several builds, which a stand-in for db_bench plays."""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_fixtures import Lsmtune

from lsmtune.executors import LocalExecutor, _local, _process
from lsmtune.executors._base import Limits, Watcher
from lsmtune.model import Outcome, Run, Status
from lsmtune.store import read_study
from lsmtune.study import runs_of
from lsmtune.testing.fake_builds import install_build

pytestmark = pytest.mark.steady

WORKLOAD = """
[workload]
benchmarks = "fillrandom"
num = "20k"
[search]
noise_runs = 3
[budget]
runs = 60
[host]
min_free = "1MiB"
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, rests_at_once: None) -> None:
    """Short runs."""
    monkeypatch.setattr(_process, "_LOOK_S", 0.05)
    monkeypatch.setattr(_local, "_JUDGED_S", math.inf)  # how busy this machine is decides about no test


@pytest.fixture
def own(tmp_path: Path) -> str:
    """The reference's build."""
    return str(install_build(tmp_path / "old" / "bin", "7.8.3", assertions=True))


@pytest.fixture
def new(tmp_path: Path) -> str:
    """A faster build of a later version, with another default."""
    changed = {"write_buffer_size": "33554432", "cache_size": "16777216"}
    return str(install_build(tmp_path / "new" / "bin", "11.8.1", speed=1.5, flags=changed))


def compared(lsmtune: Lsmtune, *words: str, text: str = WORKLOAD) -> dict[str, Any]:
    Path("x.toml").write_text(text)
    code, out, err = lsmtune("compare", "x.toml", "--study", "study", "--json", "--quiet", *words)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def refused(lsmtune: Lsmtune, *words: str, text: str = WORKLOAD) -> str:
    """The sentence with which a comparison is refused before anything is run."""
    Path("x.toml").write_text(text)
    code, _, err = lsmtune("compare", "x.toml", "--study", "study", "--quiet", *words)
    assert code in (1, 2)
    assert "Traceback" not in err
    return err


def versions_of_runs(study: Path) -> dict[str, set[str]]:
    """The versions that the processes of each arm printed."""
    found: dict[str, set[str]] = {}
    with read_study(study) as opened:
        for stored in opened.runs():
            printed = opened.artefact(stored.run.id, "measure.stderr").splitlines()
            version = next(line.split()[-1] for line in printed if line.startswith("RocksDB:"))
            found.setdefault(stored.run.arm, set()).add(version)
    return found


def test_another_build_is_compared_without_a_table_in_the_experiment(lsmtune: Lsmtune, own: str, new: str) -> None:
    result = compared(lsmtune, "--db-bench", own, "--against", new)
    assert result["state"] == "improved"
    assert 'by "11.8.1"' in result["sentence"]
    assert "db_bench's default on 7.8.3" in result["sentence"]
    (verified,) = result["verified"]
    assert verified["indicators"]["throughput_ops_s"]["ratio"] == pytest.approx(1.5, rel=0.03)
    assert verified["claim"]["n"] == 6
    assert result["builds"]["finalist-1"]["name"] == "11.8.1"
    assert result["builds"]["finalist-1"]["build"]["path"] == new
    assert result["build"]["path"] == own
    assert versions_of_runs(Path("study")) == {"db_bench": {"7.8.3"}, "rocksdb": {"7.8.3"}, "finalist-1": {"11.8.1"}}


def test_defaults_that_differ_and_assertions_of_one_build_are_named(lsmtune: Lsmtune, own: str, new: str) -> None:
    warnings = compared(lsmtune, "--db-bench", own, "--against", new)["warnings"]
    (defaults,) = [each for each in warnings if "between 7.8.3 and 11.8.1" in each]
    assert "write_buffer_size 64 MiB -> 32 MiB" in defaults
    assert "cache_size 8 MiB -> 16 MiB" in defaults
    assert sum(each.startswith("assertion-build: db_bench 7.8.3") for each in warnings) == 1
    assert any("check assertions and some do not" in each for each in warnings)


def test_values_that_are_set_are_the_same_on_both_builds(lsmtune: Lsmtune, own: str, new: str) -> None:
    text = f'{WORKLOAD}[space.fixed]\nwrite_buffer_size = "16MiB"\ncache_size = "8MiB"\n'
    result = compared(lsmtune, "--db-bench", own, "--against", new, text=text)
    assert not any("write_buffer_size" in each or "cache_size" in each for each in result["warnings"])
    with read_study(Path("study")) as study:
        asked = {stored.run.configuration.key for stored in study.runs() if stored.run.arm != "rocksdb"}
        measured = [study.measurement(stored.run.id) for stored in study.runs() if stored.run.arm != "rocksdb"]
    assert len(asked) == 1
    assert {each.effective["write_buffer_size"] for each in measured if each is not None} == {16 << 20}


def test_entries_may_name_a_build_set_options_or_do_both(lsmtune: Lsmtune, own: str, new: str) -> None:
    text = (
        f'{WORKLOAD}[[compare]]\nname = "new"\ndb_bench = "new/bin/db_bench"\n'
        '[[compare]]\nname = "larger"\nset = { write_buffer_size = "256MiB" }\n'
        '[[compare]]\nname = "new, larger"\ndb_bench = "new/bin/db_bench"\nset = { write_buffer_size = "256MiB" }\n'
    )
    result = compared(lsmtune, "--db-bench", own, text=text)
    assert [each["name"] for each in result["builds"].values()] == ["new", "new, larger"]
    buffers = {arm: each["values"].get("write_buffer_size") for arm, each in result["candidates"].items()}
    assert buffers == {"finalist-1": None, "finalist-2": 256 << 20, "finalist-3": 256 << 20}
    ran = versions_of_runs(Path("study"))
    assert [ran[f"finalist-{place}"] for place in (1, 2, 3)] == [{"11.8.1"}, {"7.8.3"}, {"11.8.1"}]


def test_what_is_shown_taken_home_and_repeated_names_both_builds(
    lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch, own: str, new: str
) -> None:
    compared(lsmtune, "--db-bench", own, "--against", new)
    monkeypatch.setenv("COLUMNS", "300")
    code, card, err = lsmtune("show", "study", "--runs")
    assert code == 0, err
    assert f"rocksdb 7.8.3, assertion build, {own}" in card
    assert f"11.8.1: rocksdb 11.8.1, optimised build, {new}" in card
    assert f"runs on rocksdb 11.8.1, optimised build, {new}" in card
    rows = [line for line in card.splitlines() if " finalist-1 " in line]
    assert rows
    assert all("11.8.1" in row for row in rows)
    code, flags, err = lsmtune("export", "study", "--format", "flags")
    assert code == 0, err
    assert f"Measured with db_bench 11.8.1 at {new}" in " ".join(flags.replace("#", "").split())
    assert lsmtune("report", "study", "--lite")[0] == 0
    assert f"compare experiment.toml --study again/x --against {new}" in Path("study/report-lite.html").read_text()
    code, lines, err = lsmtune("show", "study", "--benchstat")
    assert code == 0, err
    arms = {line.split()[0] for line in lines.splitlines() if line.startswith("Benchmark")}
    assert arms == {"BenchmarkX/arm=db_bench-7.8.3", "BenchmarkX/arm=11.8.1"}
    with read_study(Path("study")) as study:
        assert set(runs_of(study).frame["arm"]) == {"db_bench", "rocksdb"}


def test_a_comparison_that_was_stopped_goes_on_with_the_same_builds_only(
    lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str, new: str
) -> None:
    words = ("--db-bench", own, "--against", new)
    Path("x.toml").write_text(WORKLOAD)
    whole = LocalExecutor.run

    def until_ten(executor: LocalExecutor, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        if run.id == 10:
            raise KeyboardInterrupt
        return whole(executor, run, limits, watch)

    with monkeypatch.context() as patched:
        patched.setattr(LocalExecutor, "run", until_ten)
        assert lsmtune("compare", "x.toml", "--study", "study", "--quiet", *words)[0] == 130
    further = str(install_build(tmp_path / "further", "8.10.0"))
    assert "name the same with --against" in refused(lsmtune, *words, "--against", further)
    kept = Path(new).read_text()
    Path(new).write_text(kept + "# built again\n")
    changed = refused(lsmtune, *words)
    assert 'measured with another build as "11.8.1"' in changed
    assert "put that build back" in changed
    Path(new).write_text(kept)
    Path(own).write_text(Path(own).read_text() + "# built again\n")
    assert "was measured with another db_bench (7.8.3" in refused(lsmtune, *words)
    Path(own).write_text(Path(own).read_text().removesuffix("# built again\n"))
    result = compared(lsmtune, *words)
    assert result["state"] == "improved"
    with read_study(Path("study")) as study:
        went_well = [stored.run.arm for stored in study.runs() if stored.status is Status.OK]
    assert went_well.count("finalist-1") == result["verified"][0]["claim"]["n"] == 6
    assert went_well.count("db_bench") == 3 + 6


def test_a_build_that_is_missing_or_broken_is_told_before_any_run(lsmtune: Lsmtune, tmp_path: Path, own: str) -> None:
    away = refused(lsmtune, "--db-bench", own, "--against", "nowhere/db_bench")
    assert "the db_bench of --against, " in away
    assert "does not exist" in away
    assert "known user's home" in refused(lsmtune, "--db-bench", own, "--against", "~nosuchuser/db_bench")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    text = f'{WORKLOAD}[[compare]]\nname = "mine"\ndb_bench = "broken"\n'
    assert f"{broken} is not a db_bench" in refused(lsmtune, "--db-bench", own, text=text)
    assert not Path("study").exists()


def test_an_option_that_the_other_build_lacks_is_told_before_any_run(
    lsmtune: Lsmtune, tmp_path: Path, own: str
) -> None:
    poor = str(install_build(tmp_path / "poor", "7.9.2", flags={"optimize_filters_for_hits": None}))
    fixed = f"{WORKLOAD}[space.fixed]\noptimize_filters_for_hits = true\n"
    said = refused(lsmtune, "--db-bench", own, "--against", poor, text=fixed)
    assert f'"7.9.2": {poor} (7.9.2) has no optimize_filters_for_hits, which the reference sets' in said
    asked = f'{WORKLOAD}[[compare]]\nname = "a"\ndb_bench = "{poor}"\nset = {{ optimize_filters_for_hits = true }}\n'
    assert "has no optimize_filters_for_hits, which it sets" in refused(lsmtune, "--db-bench", own, text=asked)
    assert not Path("study").exists()


def test_an_option_that_the_own_build_lacks_is_called_so_under_each_of_its_names(
    lsmtune: Lsmtune, tmp_path: Path, own: str
) -> None:
    poor = str(install_build(tmp_path / "poor", "7.9.2", flags={"subcompactions": None}))
    for name in ("subcompactions", "max_subcompactions"):
        fixed = refused(lsmtune, "--db-bench", poor, "--against", own, text=f"{WORKLOAD}[space.fixed]\n{name} = 2\n")
        assert f'"{name}" is an option of rocksdb that what runs here lacks; take it out' in fixed
        listed = f'{WORKLOAD}[space]\noptions = ["write_buffer_size", "{name}"]\n'
        said = refused(lsmtune, "--db-bench", poor, "--against", own, text=listed)
        assert "space.options: what runs here has no subcompactions" in said


def test_an_option_that_only_the_other_build_has_can_be_set_there(lsmtune: Lsmtune, tmp_path: Path) -> None:
    poor = str(install_build(tmp_path / "poor", "7.8.3", flags={"optimize_filters_for_hits": None}))
    rich = str(install_build(tmp_path / "rich", "7.9.2"))
    text = f'{WORKLOAD}[[compare]]\nname = "a"\ndb_bench = "{rich}"\nset = {{ optimize_filters_for_hits = true }}\n'
    result = compared(lsmtune, "--db-bench", poor, text=text)
    assert result["candidates"]["finalist-1"]["values"] == {"optimize_filters_for_hits": True}
    assert result["state"] != "improved"


def test_an_options_file_that_the_other_build_refuses_is_told_before_any_run(
    lsmtune: Lsmtune, tmp_path: Path, own: str
) -> None:
    database = tmp_path / "db"
    subprocess.run([own, f"--db={database}", "--benchmarks=levelstats"], check=True, capture_output=True)
    shutil.copy(next(database.glob("OPTIONS-*")), tmp_path / "mine.ini")
    picky = install_build(tmp_path / "picky", "7.9.2")
    refusing = "if '--options_file' in ' '.join(sys.argv): sys.exit('open error: unknown key of an option')\n"
    picky.write_text(picky.read_text().replace("sys.exit(fake.main", f"{refusing}sys.exit(fake.main"))
    text = f'{WORKLOAD}[engine]\noptions_file = "mine.ini"\n'
    said = refused(lsmtune, "--db-bench", own, "--against", str(picky), text=text)
    assert '"7.9.2" cannot run the OPTIONS file of the reference' in said
    assert "unknown key of an option" in said


def test_a_build_of_another_engine_is_refused(lsmtune: Lsmtune, tmp_path: Path, own: str) -> None:
    leveldb = tmp_path / "leveldb"
    known = "|".join(f"--{name}=*" for name in ("benchmarks", "db", "num", "reads", "threads", "value_size"))
    known += "|--compression_ratio=*|--histogram=*|--use_existing_db=*|--write_buffer_size=*"
    leveldb.write_text(
        f"#!/bin/sh\nfor word; do case $word in {known}) ;; "
        "*) echo \"Invalid flag '$word'\" >&2; exit 1 ;; esac; done\n"
        "echo 'LevelDB:    version 1.23' >&2\necho 'fillseq      :       1.500 micros/op;   70.1 MB/s'\n"
    )
    leveldb.chmod(0o755)
    said = refused(lsmtune, "--db-bench", own, "--against", str(leveldb))
    assert "is a db_bench of leveldb, and the reference runs on rocksdb" in said
    assert "two engines are not compared" in said


def test_nothing_to_compare_and_a_build_named_twice_are_refused(lsmtune: Lsmtune, own: str, new: str) -> None:
    assert "or name another build with --against PATH" in refused(lsmtune, "--db-bench", own)
    twice = refused(lsmtune, "--db-bench", own, "--against", new, "--against", new)
    assert f"--against names {new} twice" in twice


def test_a_budget_below_a_first_look_is_told_and_the_look_made(lsmtune: Lsmtune, own: str, new: str) -> None:
    Path("x.toml").write_text(WORKLOAD)
    words = ("compare", "x.toml", "--study", "study", "--db-bench", own, "--against", new, "--budget", "4 runs")
    code, _, err = lsmtune(*words)
    assert code == 0
    assert "the budget holds 1 further run; a first look takes 12, which are made all the same" in err
    with read_study(Path("study")) as opened:
        assert len(opened.runs()) == 3 + 12
