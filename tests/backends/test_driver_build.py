"""Finding lsmtune-ycsb and finding out which engines it drives."""

import hashlib
import os
from pathlib import Path

import pytest

from lsmtune.backends.ycsb import ENVIRONMENT_VARIABLE, _driver, discover_driver, find_driver
from lsmtune.errors import EngineError

VERSION = (Path(__file__).parents[1] / "fixtures" / "ycsb" / "version.txt").read_text()


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(_driver, "checkout", lambda: None)


def program(folder: Path, body: str = "true") -> Path:
    """Write an executable shell script that stands for a driver."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "lsmtune-ycsb"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def saying(folder: Path, text: str) -> Path:
    """A driver that answers with a text."""
    return program(folder, f"cat <<'END'\n{text}END")


def test_the_named_one_wins_over_the_variable_that_over_path_and_that_over_the_built_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built = program(tmp_path / "cache" / "lsmtune" / "driver")
    assert find_driver() == built
    installed = program(tmp_path / "bin")
    assert find_driver() == installed
    other = program(tmp_path / "other")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(other))
    assert find_driver() == other
    named = program(tmp_path / "named")
    assert find_driver(named) == named


def test_in_a_repository_the_driver_that_was_built_last_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_driver, "checkout", lambda: tmp_path / "repository")
    with pytest.raises(EngineError, match="run lsmtune build driver"):
        find_driver()
    own = program(tmp_path / "repository" / "native" / "ycsb" / "build")
    assert find_driver() == own
    kept = program(tmp_path / "cache" / "lsmtune" / "driver")
    os.utime(own, (1_000_000_000, 1_000_000_000))
    assert find_driver() == kept
    os.utime(kept, (999_999_999, 999_999_999))
    assert find_driver() == own
    installed = program(tmp_path / "bin")
    assert find_driver() == installed


def test_without_a_cache_folder_of_its_own_the_usual_one_is_looked_into(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    built = program(tmp_path / ".cache" / "lsmtune" / "driver")
    assert find_driver() == built


def test_a_machine_without_a_driver_is_told_how_to_get_one() -> None:
    with pytest.raises(
        EngineError, match=r"LSMTUNE_DRIVER \(not set\), PATH or .*; run lsmtune build driver, or name one as driver"
    ):
        find_driver()


def test_what_is_no_program_is_refused_with_where_it_was_named(tmp_path: Path) -> None:
    with pytest.raises(
        EngineError, match=r"the lsmtune-ycsb of engine\.driver, .*/missing, does not exist; run lsmtune build"
    ):
        find_driver(tmp_path / "missing", "engine.driver")
    with pytest.raises(EngineError, match="is a directory; name the program inside it as driver under"):
        find_driver(tmp_path)


def test_rocksdb_is_discovered_with_the_catalogue_s_names_of_its_compressors(tmp_path: Path) -> None:
    path = saying(tmp_path, VERSION)
    build = discover_driver(path, "rocksdb")
    assert (build.engine, build.version, build.version_tuple) == ("rocksdb", "7.8.3", (7, 8, 3))
    assert (build.tool, build.path, build.assertions, build.flags) == ("ycsb", path, True, ())
    assert build.compressors == ("none", "snappy", "zlib", "bzip2", "lz4", "lz4hc", "zstd")
    assert build.fingerprint == hashlib.sha256(path.read_bytes()).hexdigest()[:16]  # it loads no library


def test_leveldb_is_discovered(tmp_path: Path) -> None:
    build = discover_driver(
        saying(tmp_path, VERSION.replace("leveldb 1.23, assertions on", "leveldb 1.23, assertions off")), "leveldb"
    )
    assert (build.engine, build.version, build.assertions) == ("leveldb", "1.23", False)
    assert build.compressors == ("no", "snappy")


def test_the_library_of_the_engine_is_in_the_fingerprint_and_that_of_the_other_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    libraries = {"rocksdb": tmp_path / "librocksdb.so.7.8", "leveldb": tmp_path / "libleveldb.so.1d"}
    for engine, library in libraries.items():
        library.write_text(engine)
    ldd = tmp_path / "bin" / "ldd"
    ldd.parent.mkdir()
    told = "\n".join(f"\t{library.name} => {library} (0x00007f)" for library in libraries.values())
    ldd.write_text(f"#!/bin/sh\ncat <<'END'\n{told}\nEND\n")
    ldd.chmod(0o755)
    path = saying(tmp_path, VERSION)
    expected = hashlib.sha256(path.read_bytes() + b"leveldb").hexdigest()[:16]
    assert discover_driver(path, "leveldb").fingerprint == expected


def test_an_engine_that_was_left_out_is_named_with_its_package(tmp_path: Path) -> None:
    lines = ("ycsb 0.1.0, output format 1", "leveldb: left out of this build, no LevelDB found", "")
    with pytest.raises(EngineError) as caught:
        discover_driver(saying(tmp_path, "\n".join(lines)), "leveldb")
    assert str(caught.value) == (
        f"{tmp_path}/lsmtune-ycsb was built without leveldb (no LevelDB found); install its library (apt-get install "
        "libleveldb-dev) and run lsmtune build driver"
    )


def test_an_engine_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match='does not drive "wiredtiger"; choose one of rocksdb, leveldb'):
        discover_driver(saying(tmp_path, VERSION), "wiredtiger")


def test_a_newer_output_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="prints output format 12, and this lsmtune reads up to 1; update lsmtune"):
        discover_driver(saying(tmp_path, VERSION.replace("format 1", "format 12")), "rocksdb")


def test_a_driver_that_says_its_whole_name_is_one_too(tmp_path: Path) -> None:
    assert discover_driver(saying(tmp_path, f"lsmtune-{VERSION}"), "rocksdb").version == "7.8.3"


def test_another_program_is_refused_with_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"is not lsmtune-ycsb: .*hello from another program"):
        discover_driver(program(tmp_path, "echo hello from another program"), "rocksdb")
