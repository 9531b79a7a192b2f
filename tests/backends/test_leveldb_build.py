"""Finding a db_bench of LevelDB or of a fork, and finding out what it is and can."""

import hashlib
import shutil
from pathlib import Path

import pytest

from lsmtune.backends.leveldb import ENVIRONMENT_VARIABLE, discover_leveldb, family_of, find_leveldb_bench
from lsmtune.backends.registry import backend_for
from lsmtune.backends.rocksdb import discover, find_db_bench
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild
from lsmtune.space import catalogue

RECORDED_FLAGS = (
    *("benchmarks", "db", "num", "reads", "threads", "value_size", "compression_ratio", "histogram", "use_existing_db"),
    *("write_buffer_size", "max_file_size", "cache_size", "block_size", "bloom_bits", "open_files", "reuse_logs"),
)
"""What LevelDB 1.22 knows of what lsmtune asks for, from its source."""
PEBBLESDB = (
    *("benchmarks", "db", "num", "reads", "threads", "value_size", "compression_ratio", "histogram", "use_existing_db"),
    *("write_threads", "read_threads", "write_buffer_size", "cache_size", "block_size", "bloom_bits", "open_files"),
)
"""From PebblesDB's source."""


def program(folder: Path, flags: tuple[str, ...] = RECORDED_FLAGS, body: str = "", warning: str = "") -> Path:
    """A script that reads its arguments as LevelDB's db_bench does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "db_bench"
    known = "|".join(f"--{name}=*" for name in flags)
    fill = body or (
        "echo 'LevelDB:    version 1.21' >&2\n"
        f"echo '{warning}'\n"
        "echo 'fillseq      :       1.500 micros/op;   70.1 MB/s'"
    )
    refusal = "echo \"Invalid flag '$word'\" >&2; exit 1"
    path.write_text(f"#!/bin/sh\nfor word; do case $word in {known}) ;; *) {refusal} ;; esac; done\n{fill}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any db_bench."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.delenv("LSMTUNE_DB_BENCH", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "ldd"):
        (tools / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{tools}")


@pytest.mark.usefixtures("nothing_installed")
def test_the_named_one_wins_over_the_variable_that_over_path_and_that_over_the_built_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built = program(tmp_path / "cache" / "lsmtune" / "leveldb" / "1.22" / "bin")
    assert find_leveldb_bench() == built
    installed = program(tmp_path / "bin")
    assert find_leveldb_bench() == installed
    other = program(tmp_path / "other")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(other))
    assert find_leveldb_bench() == other
    named = program(tmp_path / "named")
    assert find_leveldb_bench(named) == named


@pytest.mark.usefixtures("nothing_installed")
def test_another_db_bench_in_path_is_passed_over_and_rocksdb_s_variable_is_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rocksdb = program(tmp_path / "bin")
    rocksdb.write_text("#!/bin/sh\necho \"ERROR: unknown command line flag 'x'\" >&2\nexit 1\n")
    monkeypatch.setenv("LSMTUNE_DB_BENCH", str(program(tmp_path / "other")))
    with pytest.raises(
        EngineError,
        match=r"LSMTUNE_LEVELDB_BENCH \(not set\), PATH or .*/1\.22/bin/db_bench; run lsmtune build leveldb",
    ):
        find_leveldb_bench()
    built = program(tmp_path / "cache" / "lsmtune" / "leveldb" / "1.22" / "bin")
    assert find_leveldb_bench() == built


def test_what_was_built_here_is_an_optimised_leveldb_with_the_flags_of_its_source() -> None:
    found = discover_leveldb(find_leveldb_bench())
    assert (found.engine, found.tool, found.assertions) == ("leveldb", "db_bench", False)
    assert found.compressors == ("no", "snappy")
    assert {name for name, _ in found.flags} >= set(RECORDED_FLAGS)
    assert found.version_tuple >= (1, 22)
    assert ("compression" in dict(found.flags)) == (found.version_tuple > (1, 23))


def test_a_binary_without_snappy_that_checks_assertions_says_so(tmp_path: Path) -> None:
    warning = "WARNING: Assertions are enabled; slow\nWARNING: Snappy compression is not enabled"
    found = discover_leveldb(program(tmp_path, warning=warning))
    assert (found.version, found.assertions, found.compressors) == ("1.21", True, ("no",))
    assert found.fingerprint == hashlib.sha256(found.path.read_bytes()).hexdigest()[:16]


def unsupported(found: EngineBuild) -> set[str]:
    return {each.name for each in backend_for("db_bench", "leveldb").unsupported(found, catalogue("leveldb"))}


def test_options_without_a_flag_are_unsupported_and_those_of_the_binary_are_not(tmp_path: Path) -> None:
    without = {"block_restart_interval", "paranoid_checks", "verify_checksums", "fill_cache"}
    assert unsupported(discover_leveldb(program(tmp_path))) == {*without, "compression"}
    assert unsupported(discover_leveldb(program(tmp_path, (*RECORDED_FLAGS, "compression")))) == without


def test_pebblesdb_is_told_by_its_flags_and_starts_with_its_own_filter(tmp_path: Path) -> None:
    found = discover_leveldb(program(tmp_path, PEBBLESDB))
    names = [name for name, _ in found.flags]
    assert family_of(names).name == "PebblesDB"
    assert unsupported(found) >= {"max_file_size", "reuse_logs"}
    assert backend_for("db_bench", "leveldb").defaults(found, catalogue("leveldb"))["filter_bits"] == 10
    plain = discover_leveldb(program(tmp_path))
    assert backend_for("db_bench", "leveldb").defaults(plain, catalogue("leveldb"))["filter_bits"] == 0


def test_only_families_with_leveldb_s_levels_have_their_debt_computed() -> None:
    assert family_of(RECORDED_FLAGS).knows_levels
    assert not family_of(PEBBLESDB).knows_levels
    assert not family_of([name for name in RECORDED_FLAGS if name != "max_file_size"]).knows_levels


def test_rocksdb_s_db_bench_is_refused_for_leveldb_and_leveldb_s_for_rocksdb() -> None:
    with pytest.raises(EngineError, match=r'reads its flags with gflags, .*; write name = "rocksdb" under \[engine\]'):
        discover_leveldb(find_db_bench())
    with pytest.raises(EngineError, match=r'is a db_bench of LevelDB or of a fork; write name = "leveldb" under'):
        discover(find_leveldb_bench())


def test_a_program_that_is_no_db_bench_is_refused_with_what_it_printed(tmp_path: Path) -> None:
    path = program(tmp_path)
    path.write_text("#!/bin/sh\necho good morning\n")
    with pytest.raises(EngineError, match="is not a db_bench of LevelDB: asked for its flags it printed: good morning"):
        discover_leveldb(path)


def test_a_binary_that_cannot_fill_is_refused_with_its_own_words(tmp_path: Path) -> None:
    body = "echo 'LevelDB:    version 1.22' >&2\necho 'open error: IO error: no' >&2\nexit 1"
    with pytest.raises(EngineError, match="a tiny fill ended with: open error: IO error: no"):
        discover_leveldb(program(tmp_path, body=body))


def test_a_fork_without_a_flag_that_lsmtune_needs_is_refused(tmp_path: Path) -> None:
    flags = tuple(name for name in RECORDED_FLAGS if name != "histogram")
    with pytest.raises(EngineError, match="is a db_bench without --histogram, which lsmtune needs"):
        discover_leveldb(program(tmp_path, flags))


def test_a_tool_is_not_asked_for_an_engine_that_it_does_not_drive() -> None:
    with pytest.raises(EngineError, match='db_bench does not drive "wiredtiger"; choose one of rocksdb, leveldb'):
        backend_for("db_bench", "wiredtiger")
