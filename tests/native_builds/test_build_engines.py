"""lsmtune build rocksdb and leveldb: what they say where they cannot build, with stand-ins for what they call."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from build_fixtures import Programs
from cli_fixtures import Lsmtune

from lsmtune.native_builds import _steps

ROCKSDB = "librocksdb-sys-0.19.0+11.8.1.crate"
LEVELDB = "leveldb-sys-2.0.9.crate"


def one_sentence(answer: tuple[int, str, str], code: int, *parts: str) -> None:
    """Hold an answer to one sentence with some parts, behind the steps that were begun."""
    got, _, err = answer
    assert got == code, err
    said = [line for line in err.splitlines() if line.startswith("lsmtune: ")]
    assert len(said) == 1, err
    assert said == err.splitlines()[-1:]
    for part in parts:
        assert part in said[0]


def prepared(cache: Path, name: str = "rocksdb-11.8.1") -> None:
    """Leave what the first step leaves: an unpacked source."""
    (cache / "builds" / name / "source").mkdir(parents=True)


def test_a_version_that_is_not_pinned_is_refused_with_those_that_are(
    lsmtune: Lsmtune, programs: Programs, cache: Path
) -> None:
    answer = lsmtune("build", "rocksdb", "--version", "9.9.9")
    one_sentence(answer, 2, "RocksDB 9.9.9 is not pinned", "11.8.1, 10.4.2, 8.10.0, 7.9.2")
    one_sentence(lsmtune("build", "leveldb", "--version", "1.23"), 2, "LevelDB 1.23 is not pinned", "choose 1.22")
    assert not cache.exists()


def test_jobs_that_are_no_number_of_compilers_are_refused(lsmtune: Lsmtune, programs: Programs) -> None:
    one_sentence(lsmtune("build", "rocksdb", "--jobs", "0"), 2, "--jobs")
    one_sentence(lsmtune("build", "rocksdb", "--jobs", "many"), 2, "--jobs")


@pytest.mark.parametrize(("what", "version"), [("rocksdb", "11.8.1"), ("leveldb", "1.22")])
def test_what_the_scripts_before_built_is_left_alone(
    lsmtune: Lsmtune, programs: Programs, cache: Path, what: str, version: str
) -> None:
    program = cache / what / version / "bin" / "db_bench"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert lsmtune("build", what) == (0, f"{program} is built already\n", "")
    assert not (cache / "builds").exists()


def test_all_that_is_missing_is_one_sentence_with_one_command(lsmtune: Lsmtune, programs: Programs) -> None:
    programs.put("apt-get", "echo it must not be called >&2; exit 1")
    programs.put(
        "c++", 'while read -r line; do case $line in "absent snappy.h" | "absent lz4.h") echo "$line";; esac; done'
    )
    programs.remove("cmake")
    answer = lsmtune("build", "rocksdb")
    one_sentence(
        answer, 1, "to build RocksDB 11.8.1, something is missing here: sudo apt-get install cmake cargo libsnappy-dev "
        "liblz4-dev"
    )  # fmt: skip
    assert answer[2].endswith("liblz4-dev\n")


def test_without_a_compiler_every_header_counts_as_missing(lsmtune: Lsmtune, programs: Programs) -> None:
    programs.remove("c++")
    one_sentence(lsmtune("build", "leveldb"), 1, "install what Debian calls g++, cargo, libsnappy-dev")


def test_a_cargo_that_is_too_old_is_named_by_the_package_of_a_newer_one(lsmtune: Lsmtune, programs: Programs) -> None:
    programs.put("apt-get", "exit 1")
    programs.put("apt-cache", '[ "$*" = "show --no-all-versions cargo-web" ] && echo "Package: cargo-web"')
    one_sentence(lsmtune("build", "leveldb"), 1, "apt-get install cargo-web")
    programs.put("apt-cache", "exit 100")
    one_sentence(lsmtune("build", "leveldb"), 1, "apt-get install cargo")


def test_a_full_disk_is_seen_before_anything_is_fetched(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.put("cargo", "echo it must not be called >&2; exit 1")
    usage = shutil.disk_usage(cache.parent.parent)._replace(free=200 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    one_sentence(lsmtune("build", "rocksdb"), 1, "has 200 MiB free", "needs 1024 MiB", "XDG_CACHE_HOME")


def test_a_cargo_without_network_is_told_in_its_own_words(lsmtune: Lsmtune, programs: Programs, cache: Path) -> None:
    programs.put("cargo", 'echo "error: failed" >&2\necho "  could not resolve host" >&2\nexit 101')
    answer = lsmtune("build", "rocksdb")
    one_sentence(answer, 1, "could not fetch librocksdb-sys 0.19.0", "check the network", ": could not resolve host")
    assert str(cache / "builds" / "rocksdb-11.8.1.log") in answer[2]


@pytest.mark.parametrize(("what", "crate"), [("rocksdb", ROCKSDB), ("leveldb", LEVELDB)])
def test_another_crate_than_the_pinned_one_is_not_unpacked(
    lsmtune: Lsmtune, programs: Programs, cache: Path, what: str, crate: str
) -> None:
    programs.put(
        "cargo", f'mkdir -p "$CARGO_HOME/registry/cache/x"\necho other > "$CARGO_HOME/registry/cache/x/{crate}"'
    )
    one_sentence(lsmtune("build", what), 1, crate, "is not the crate that is pinned", "SHA-256", "remove it")
    assert not list((cache / "builds").glob("*/source"))


def test_a_failed_configuration_is_told_with_its_error_and_the_log(
    lsmtune: Lsmtune, programs: Programs, cache: Path
) -> None:
    prepared(cache)
    programs.put("cmake", "echo looking; echo CMake Error at CMakeLists.txt:3; exit 1")
    log = f"log: {cache}/builds/rocksdb-11.8.1.log"
    one_sentence(lsmtune("build", "rocksdb"), 1, "could not configure RocksDB 11.8.1: CMake Error at CMake", log)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("db/x.cc:3:1: error: no such thing", ["did not compile", "db/x.cc:3:1: error: no such thing", ".log"]),
        ("c++: fatal error: Killed signal terminated program cc1plus", ["lack of memory", "--jobs 1"]),
        ("db/x.s: fatal error: No space left on device", ["is full", "the same command again"]),
    ],
)
def test_a_failed_compilation_is_told_with_the_next_step(
    lsmtune: Lsmtune, programs: Programs, cache: Path, words: str, parts: list[str]
) -> None:
    prepared(cache)
    # "error" in what was configured, or in the name of a file, is none of the compilation
    body = '[ "$1" = --build ] || { echo "a.cc:1: error: before"; exit 0; }\necho "[  1%] Building error.cc.o"'
    programs.put("cmake", f'{body}\necho "{words}"\nexit 2')
    one_sentence(lsmtune("build", "rocksdb"), 1, *parts)


# Plays the three ways in which cmake is called: to configure, to build, to install.
CMAKE = r"""
case $1 in
    --build)
        echo "[ 50%] Building CXX object db/error_handler.cc.o"
        printf '#!/bin/sh\nexit %s\n' "$TRIAL" > "$2/db_bench"
        cp "$2/db_bench" "$2/trace_analyzer"
        chmod +x "$2/db_bench" "$2/trace_analyzer" ;;
    --install) mkdir -p "$HOME_OF_BUILD" ;;
    -G) mkdir -p "$6"; echo "MAKEFLAGS=$MAKEFLAGS" ;;
esac
"""


def test_a_build_shows_its_steps_and_leaves_what_it_built_and_its_log_alone(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(cache)
    home = cache / "rocksdb" / "11.8.1"
    programs.put("cmake", CMAKE)
    monkeypatch.setenv("TRIAL", "0")
    monkeypatch.setenv("MAKEFLAGS", "-n")
    monkeypatch.setenv("HOME_OF_BUILD", str(home))
    code, out, err = lsmtune("build", "rocksdb", "--jobs", "3")
    assert (code, out) == (0, f"{home}/bin/db_bench is built\n")
    steps = [line.partition(":")[0] for line in err.splitlines() if line.startswith("step")]
    assert steps == [f"step {number} of 4" for number in range(1, 5)]
    assert "  50 % after 0 min" in err.splitlines()
    assert os.access(home / "bin" / "db_bench", os.X_OK)
    assert os.access(home / "bin" / "trace_analyzer", os.X_OK)
    assert not (cache / "builds" / "rocksdb-11.8.1").exists()
    log = (cache / "builds" / "rocksdb-11.8.1.log").read_text()
    assert "MAKEFLAGS=\n" in log
    assert " -j3 --target db_bench --target trace_analyzer\n" in log
    assert "-DPORTABLE=1 " in log
    assert lsmtune("build", "rocksdb") == (0, f"{home}/bin/db_bench is built already\n", "")
    prepared(cache)
    assert lsmtune("build", "rocksdb", "--this-processor")[0] == 0
    assert "-DPORTABLE=0 " in (cache / "builds" / "rocksdb-11.8.1.log").read_text()


def test_a_build_that_does_not_say_what_it_is_is_not_taken_for_one_for_this_processor(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = cache / "rocksdb" / "11.8.1" / "bin" / "db_bench"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    prepared(cache)
    programs.put("cmake", CMAKE)
    monkeypatch.setenv("TRIAL", "0")
    monkeypatch.setenv("HOME_OF_BUILD", str(cache / "rocksdb" / "11.8.1"))
    assert lsmtune("build", "rocksdb", "--this-processor")[1] == f"{program} is built\n"
    assert lsmtune("build", "rocksdb", "--this-processor")[1] == f"{program} is built already\n"


@pytest.mark.parametrize(("version", "built_by_themselves"), [("6.2.4", "0"), ("6.6.4", "0"), ("6.11.4", "1")])
def test_of_versions_whose_db_bench_is_linked_here_their_own_is_not_built(
    lsmtune: Lsmtune,
    programs: Programs,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    built_by_themselves: str,
) -> None:
    prepared(cache, f"rocksdb-{version}")
    programs.put("cmake", CMAKE)
    monkeypatch.setenv("TRIAL", "0")
    monkeypatch.setenv("HOME_OF_BUILD", str(cache / "rocksdb" / version))
    assert lsmtune("build", "rocksdb", "--version", version)[0] == 0
    log = (cache / "builds" / f"rocksdb-{version}.log").read_text()
    assert f"-DWITH_BENCHMARK_TOOLS={built_by_themselves} " in log


def test_a_db_bench_that_does_not_run_is_not_installed_and_the_build_stays(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(cache)
    programs.put("cmake", CMAKE)
    monkeypatch.setenv("TRIAL", "1")
    one_sentence(lsmtune("build", "rocksdb"), 1, "does not run", f"{cache}/builds/rocksdb-11.8.1.log")
    assert not (cache / "rocksdb").exists()
    assert (cache / "builds" / "rocksdb-11.8.1" / "source").exists()


def test_a_build_that_is_stopped_between_its_library_and_its_db_bench_is_made_again(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = cache / "rocksdb" / "11.8.1" / "bin" / "db_bench"
    monkeypatch.setenv("TRIAL", "0")
    monkeypatch.setenv("HOME_OF_BUILD", str(program.parents[1]))
    prepared(cache)
    programs.put("cmake", CMAKE)
    assert lsmtune("build", "rocksdb")[0] == 0
    prepared(cache)
    programs.put("cmake", CMAKE.replace("--install) mkdir", "--install) exit 1; mkdir"))
    one_sentence(lsmtune("build", "rocksdb", "--this-processor"), 1, "what was built cannot be copied to")
    programs.put("cmake", CMAKE)
    assert lsmtune("build", "rocksdb")[1] == f"{program} is built\n"


def test_a_stop_while_a_build_is_removed_leaves_no_half_of_its_source(
    lsmtune: Lsmtune, programs: Programs, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(folder: Path, **_: object) -> None:
        if folder.exists():
            raise KeyboardInterrupt

    monkeypatch.setenv("TRIAL", "0")
    monkeypatch.setenv("HOME_OF_BUILD", str(cache / "rocksdb" / "11.8.1"))
    prepared(cache)
    programs.put("cmake", CMAKE)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", stop)
        assert lsmtune("build", "rocksdb")[0] == 130
    assert not (cache / "builds" / "rocksdb-11.8.1").exists()
    prepared(cache)
    assert lsmtune("build", "rocksdb", "--this-processor")[0] == 0
    assert sorted(path.suffix for path in (cache / "builds").iterdir()) == [".lock", ".lock", ".log"]


def test_another_program_under_a_prefix_is_not_written_over(
    lsmtune: Lsmtune, programs: Programs, tmp_path: Path
) -> None:
    other = tmp_path / "own" / "bin" / "db_bench"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    answer = lsmtune("build", "leveldb", "--prefix", str(tmp_path / "own"))
    one_sentence(answer, 2, f"{other} is there", "another --prefix")
    assert other.read_text() == "#!/bin/sh\n"


def test_two_builds_of_one_thing_keep_out_of_each_other_and_a_stopped_one_goes_on(
    lsmtune: Lsmtune, programs: Programs, cache: Path
) -> None:
    prepared(cache)
    programs.put("cmake", 'mkdir -p "$6"; echo busy > "$6/begun"; sleep 600')
    command = [sys.executable, "-m", "lsmtune", "build", "rocksdb"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        begun = cache / "builds" / "rocksdb-11.8.1" / "out" / "begun"
        deadline = time.monotonic() + 60
        while not begun.exists():
            assert first.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        one_sentence(lsmtune("build", "rocksdb"), 1, "another call builds RocksDB 11.8.1", "wait for it")
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=60)
    assert first.returncode == 130
    assert err.splitlines()[-1].startswith("lsmtune: stopped")
    assert begun.exists()


def test_memory_limits_the_compilers_and_one_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    for available, compilers in ((64 << 30, 8), (5 << 30, 3), (100 << 20, 1)):
        monkeypatch.setattr(_steps, "_available_bytes", lambda available=available: available)
        assert _steps.Order().compilers == compilers
    assert _steps.Order(jobs=5).compilers == 5
