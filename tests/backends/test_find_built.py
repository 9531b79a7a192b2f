"""What `lsmtune build rocksdb` built is found, and goes before the db_bench in PATH."""

from pathlib import Path

import pytest

from lsmtune.backends.rocksdb import ENVIRONMENT_VARIABLE, find_db_bench, locate_db_bench
from lsmtune.errors import EngineError


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder and a PATH of the test's own; the folder of the builds."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "installed"))
    return tmp_path / "cache" / "lsmtune" / "rocksdb"


def program(folder: Path, mode: int = 0o755) -> Path:
    """Write a script that stands for a db_bench."""
    folder.mkdir(parents=True)
    path = folder / "db_bench"
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_the_named_one_wins_over_the_variable_that_over_the_built_one_and_that_over_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    installed = program(tmp_path / "installed")
    assert locate_db_bench().path == installed
    assert locate_db_bench().how == "in PATH"
    built = program(cache / "11.8.1" / "bin")
    assert locate_db_bench().path == built
    assert locate_db_bench().how == "built by lsmtune build rocksdb"
    other = program(tmp_path / "other")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(other))
    assert locate_db_bench().path == other
    assert locate_db_bench().how == "named by LSMTUNE_DB_BENCH"
    named = program(tmp_path / "named")
    assert locate_db_bench(named).path == named
    assert locate_db_bench(named, "engine.db_bench").how == "named by engine.db_bench"


def test_the_newest_version_counts_by_its_numbers(cache: Path) -> None:
    for version in ("7.9.2", "8.10.0", "8.9.1"):
        program(cache / version / "bin")
    assert find_db_bench() == cache / "8.10.0" / "bin" / "db_bench"
    newest = program(cache / "10.4.2" / "bin")
    assert find_db_bench() == newest


def test_a_build_that_is_not_complete_does_not_count(tmp_path: Path, cache: Path) -> None:
    complete = program(cache / "8.10.0" / "bin")
    (cache / "11.8.1" / "build" / "out").mkdir(parents=True)
    program(cache / "10.4.2" / "bin", mode=0o644)
    program(cache / "mine" / "bin")
    assert find_db_bench() == complete


def test_the_usual_cache_folder_serves_where_none_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    built = program(tmp_path / "home" / ".cache" / "lsmtune" / "rocksdb" / "11.8.1" / "bin")
    assert find_db_bench() == built


def test_what_stands_in_path_is_not_looked_at_where_one_was_built(tmp_path: Path, cache: Path) -> None:
    broken = program(tmp_path / "installed")
    broken.write_text("no program")
    with pytest.raises(EngineError, match=r"the db_bench of PATH, .* is neither an ELF program nor a script"):
        find_db_bench()
    built = program(cache / "11.8.1" / "bin")
    assert find_db_bench() == built


def test_a_machine_with_none_is_told_of_all_ways_to_one() -> None:
    with pytest.raises(EngineError) as caught:
        find_db_bench()
    assert str(caught.value) == (
        "no db_bench found in LSMTUNE_DB_BENCH (not set) or PATH; install one (apt-get install rocksdb-tools), build a "
        "faster one (lsmtune build rocksdb) or name one with --db-bench PATH"
    )
