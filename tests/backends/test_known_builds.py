"""What was found out about a program is kept as long as it and its libraries are the same files."""

import os
import shutil
from pathlib import Path

import pytest

from lsmtune.backends._known_builds import known_build
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild


class Asked:
    """Finds out what a program is, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, path: Path) -> EngineBuild:
        self.times += 1
        flags = (("num", "1000"), ("db", ""))
        return EngineBuild("rocksdb", f"7.8.{self.times}", path, "0123456789abcdef", True, ("none", "zstd"), flags)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with libraries, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Path(shutil.copy(shutil.which("cat") or "", tmp_path / "db_bench"))


def test_a_program_is_asked_once(program: Path) -> None:
    asked = Asked()
    first, second = (known_build(program, "rocksdb", asked) for _ in range(2))
    assert first == second
    assert asked.times == 1


def test_what_it_is_for_another_engine_is_another_question(program: Path) -> None:
    asked = Asked()
    assert known_build(program, "rocksdb", asked) != known_build(program, "leveldb", asked)
    assert asked.times == 2


def test_a_program_that_was_built_again_is_asked_again(program: Path) -> None:
    asked = Asked()
    known_build(program, "rocksdb", asked)
    os.utime(program, ns=(0, program.stat().st_mtime_ns + 1))
    known_build(program, "rocksdb", asked)
    with program.open("ab") as file:
        file.write(b"more")
    known_build(program, "rocksdb", asked)
    assert asked.times == 3


def test_a_library_that_was_replaced_makes_it_another_program(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    known_build(program, "rocksdb", asked)
    own = program.parent / "libraries"
    own.mkdir()
    libc = next(path for path in Path("/").glob("lib*/*/libc.so.6"))
    shutil.copy(libc, own / libc.name)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(own))
    known_build(program, "rocksdb", asked)
    assert asked.times == 2


def test_a_script_is_asked_each_time(program: Path) -> None:
    program.write_text("#!/bin/sh\n")
    asked = Asked()
    for _ in range(2):
        known_build(program, "rocksdb", asked)
    assert asked.times == 2


def test_a_damaged_answer_is_found_out_again(program: Path) -> None:
    asked = Asked()
    known_build(program, "rocksdb", asked)
    (kept,) = (program.parent / "cache" / "lsmtune" / "known-builds").iterdir()
    for text in ("{", "[]", '{"engine": "rocksdb"}'):
        kept.write_text(text)
        known_build(program, "rocksdb", asked)
    assert asked.times == 4
    assert known_build(program, "rocksdb", asked).version == "7.8.4"


def test_an_answer_that_cannot_be_kept_is_given(program: Path) -> None:
    (program.parent / "cache").write_text("a file is no folder, for root neither")
    asked = Asked()
    for _ in range(2):
        assert known_build(program, "rocksdb", asked).path == program
    assert asked.times == 2


def test_a_program_that_is_something_else_is_never_kept(program: Path) -> None:
    def fails(path: Path) -> EngineBuild:
        raise EngineError(f"{path} is no db_bench")

    for _ in range(2):
        with pytest.raises(EngineError, match="is no db_bench"):
            known_build(program, "rocksdb", fails)
    assert not (program.parent / "cache").exists()
