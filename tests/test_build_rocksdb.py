"""tools/build_rocksdb.sh: what it says where it cannot build, with stand-ins for the programs that it calls."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import TypeAlias

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "build_rocksdb.sh"
CRATE = "librocksdb-sys-0.19.0+11.8.1.crate"
TOOLS = (
    *("awk", "cat", "chmod", "cp", "cut", "date", "flock", "grep", "head", "mkdir", "mv", "nproc", "rm", "sed", "sh"),
    *("sha256sum", "tail", "tar", "tee"),
)

Answer: TypeAlias = tuple[int, str, str]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder, alone in PATH, with the usual tools and stand-ins for what compiles; no cargo."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
    for name in ("cmake", "make", "c++"):
        stand_in(folder, name, "exit 0")
    free_disk(folder, 9 << 20)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where RocksDB 11.8.1 is to stand."""
    return tmp_path / "cache" / "lsmtune" / "rocksdb" / "11.8.1"


def stand_in(folder: Path, name: str, body: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def free_disk(folder: Path, kib: int) -> None:
    stand_in(folder, "df", f"echo Filesystem 1024-blocks Used Available Capacity Mounted\necho /dev/x 9 9 {kib} 9% /")


def call(programs: Path, *words: str, **environment: str) -> Answer:
    """Run the script; give its exit code, stdout and stderr."""
    given = {"PATH": str(programs), "HOME": "/nonexistent", "XDG_CACHE_HOME": str(programs.parent / "cache")}
    command = [shutil.which("sh") or "/bin/sh", str(SCRIPT), *words]
    done = subprocess.run(command, env=given | environment, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


def one_sentence(answer: Answer, code: int, *parts: str) -> None:
    got, _, err = answer
    assert got == code, err
    assert err.startswith("build_rocksdb: ")
    assert err.count("\n") == 1, err
    for part in parts:
        assert part in err


def test_a_version_that_is_not_pinned_is_refused_with_those_that_are(programs: Path) -> None:
    one_sentence(call(programs, "9.9.9"), 2, "RocksDB 9.9.9 is not pinned", "11.8.1, 10.4.2, 8.10.0, 7.9.2")
    assert not (programs.parent / "cache").exists()


def test_more_than_one_version_is_refused(programs: Path) -> None:
    one_sentence(call(programs, "11.8.1", "7.9.2"), 2, "one version at a time")


def test_jobs_that_are_no_number_are_refused(programs: Path) -> None:
    one_sentence(call(programs, JOBS="many"), 2, "JOBS=many")


def test_help_names_the_versions(programs: Path) -> None:
    code, out, err = call(programs, "--help")
    assert (code, err) == (0, "")
    assert "10.4.2" in out


def test_a_version_that_is_built_is_left_alone(programs: Path, home: Path) -> None:
    (home / "bin").mkdir(parents=True)
    stand_in(home / "bin", "db_bench", "exit 0")
    code, out, _ = call(programs)
    assert code == 0
    assert f"{home}/bin/db_bench" in out
    assert not (home / "build").exists()


def test_a_missing_compiler_is_named_with_its_package(programs: Path) -> None:
    (programs / "c++").unlink()
    one_sentence(call(programs), 1, "there is no c++ here", "apt-get install g++", "make rocksdb")


def test_a_missing_cargo_is_named_with_its_packages(programs: Path) -> None:
    one_sentence(call(programs), 1, "there is no cargo here", "cargo-web")


def test_a_full_disk_is_seen_before_anything_is_fetched(programs: Path, home: Path) -> None:
    free_disk(programs, 200 << 10)
    one_sentence(call(programs), 1, f"the disk of {home} has 200 MiB free", "needs 1024 MiB", "XDG_CACHE_HOME")


def test_a_cargo_without_network_is_told_in_its_own_words(programs: Path, home: Path) -> None:
    stand_in(programs, "cargo", 'echo "error: failed" >&2\necho "  could not resolve host" >&2\nexit 101')
    answer = call(programs)
    one_sentence(answer, 1, "could not fetch librocksdb-sys-0.19.0", "check the network", "could not resolve host")
    assert str(home / "build" / "fetch.log") in answer[2]


def test_another_crate_than_the_pinned_one_is_not_unpacked(programs: Path, home: Path) -> None:
    body = f'mkdir -p "$CARGO_HOME/registry/cache/x"\necho other > "$CARGO_HOME/registry/cache/x/{CRATE}"'
    stand_in(programs, "cargo", body)
    one_sentence(call(programs), 1, CRATE, "is not the crate that is pinned", "SHA-256", "remove it")
    assert not (home / "build" / "source").exists()


def prepared(home: Path) -> None:
    """Leave what the first steps leave: an unpacked source."""
    (home / "build" / "source").mkdir(parents=True)


def test_a_failed_configuration_names_its_log(programs: Path, home: Path) -> None:
    prepared(home)
    stand_in(programs, "cmake", "echo CMake Error; exit 1")
    one_sentence(call(programs), 1, "could not configure RocksDB 11.8.1", f"{home}/build/configure.log")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("db/x.cc:3:1: error: no such thing", ["did not compile", "db/x.cc:3:1: error: no such thing", "compile.log"]),
        ("c++: fatal error: Killed signal terminated program cc1plus", ["lack of memory", "JOBS=1 make rocksdb"]),
        ("db/x.s: fatal error: No space left on device", ["is full", "it goes on"]),
    ],
)
def test_a_failed_compilation_is_told_with_the_next_step(
    programs: Path, home: Path, words: str, parts: list[str]
) -> None:
    prepared(home)
    stand_in(
        programs, "cmake", f'[ "$1" != --build ] || {{ echo "[  1%] Building error.cc.o"; echo "{words}"; exit 2; }}'
    )
    one_sentence(call(programs), 1, *parts)


# Plays the three ways in which the script calls cmake: to configure, to build, to install.
CMAKE = r"""
case $1 in
    --build)
        echo "[ 50%] Building CXX object db/error_handler.cc.o"
        printf '#!/bin/sh\nexit %s\n' "$TRIAL" > "$2/db_bench"
        cp "$2/db_bench" "$2/trace_analyzer"
        chmod +x "$2/db_bench" "$2/trace_analyzer" ;;
    --install) ;;
    -G) mkdir -p "$6" ;;
esac
"""


def test_a_build_shows_its_steps_and_leaves_db_bench_alone(programs: Path, home: Path) -> None:
    prepared(home)
    stand_in(programs, "cmake", CMAKE)
    code, out, err = call(programs, TRIAL="0")
    assert (code, err) == (0, "")
    assert [line.split(": ")[1] for line in out.splitlines() if ": step" in line] == [
        f"step {number} of 5" for number in range(1, 6)
    ]
    assert "50 % after 0 min" in out
    assert os.access(home / "bin" / "db_bench", os.X_OK)
    assert os.access(home / "bin" / "trace_analyzer", os.X_OK)
    assert not (home / "build").exists()


def test_a_db_bench_that_does_not_run_is_not_installed_and_the_build_stays(programs: Path, home: Path) -> None:
    prepared(home)
    stand_in(programs, "cmake", CMAKE)
    one_sentence(call(programs, TRIAL="1"), 1, "does not run", f"{home}/build/trial.log")
    assert not (home / "bin").exists()
    assert (home / "build" / "source").exists()
