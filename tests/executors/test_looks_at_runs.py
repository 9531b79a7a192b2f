"""A process is looked at ever more seldom, and its end, its cap, its disk, Ctrl-C and a kill are noticed in time."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from executor_builders import Fake, ends_soon, run_of, unwatched

from lsmtune.backends import Glance, Halt, HaltKind, Process, ProcessRecord
from lsmtune.executors import Limits, _process
from lsmtune.executors._process import Judge, run_process
from lsmtune.executors._vitals import Tail, _field
from lsmtune.model import Status
from lsmtune.testing.fake_db_bench import VARIABLE

LATE_S = 30.0  # this machine may be busy; what is not noticed in time comes after it
MIB = 1 << 20


def watched(folder: Path, sleeps_s: float, judge: Judge) -> ProcessRecord:
    """A process that sleeps, under a judge."""
    (folder / "db").mkdir(parents=True)
    with Path(os.devnull).open() as held:
        return run_process(Process("measure", ("sleep", str(sleeps_s))), folder, held.fileno(), judge)


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the second look of its own accord waits longer than the test."""
    monkeypatch.setattr(_process, "_SHARE_OF_TIME", 1e4)
    monkeypatch.setattr(_process, "_SELDOM_S", 1e4)


def test_a_process_is_looked_at_ever_more_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_process, "_LOOK_S", 0.02)
    monkeypatch.setattr(_process, "_SHARE_OF_TIME", 0.5)
    looks: list[float] = []

    def judge(glance: Glance) -> Halt | None:
        looks.append(glance.elapsed_s)
        return Halt("enough", HaltKind.TROUBLE) if glance.elapsed_s > 0.8 else None

    assert watched(tmp_path, 2 * LATE_S, judge).stopped is not None
    assert all(later - earlier > 0.49 * earlier for earlier, later in pairwise(looks)), looks
    assert len(looks) < 12


def test_a_long_process_is_looked_at_once_a_second_and_no_more_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_process, "_SHARE_OF_TIME", 1e4)
    monkeypatch.setattr(_process, "_SELDOM_S", 0.3)
    looks: list[float] = []

    def judge(glance: Glance) -> Halt | None:
        looks.append(glance.elapsed_s)
        return Halt("enough", HaltKind.TROUBLE) if len(looks) == 3 else None

    assert watched(tmp_path, 2 * LATE_S, judge).stopped is not None
    assert all(later - earlier > 0.29 for earlier, later in pairwise(looks))


def test_the_end_of_a_process_wakes_whoever_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_process, "_LOOK_S", 2 * LATE_S)
    record = watched(tmp_path, 0.1, lambda _: None)
    assert record.returncode == 0
    assert record.elapsed_s < LATE_S


def test_a_clock_that_is_set_back_leaves_the_time_of_a_process_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter([7200.0, 3600.0])
    clock = SimpleNamespace(time=lambda: next(told), monotonic=time.monotonic)
    monkeypatch.setattr(_process, "time", clock)
    record = watched(tmp_path, 0.1, lambda _: None)
    assert record.started_at == 7200.0
    assert 0.1 <= record.elapsed_s < LATE_S


@pytest.mark.usefixtures("seldom")
def test_a_time_that_the_judge_names_comes_before_the_next_look(tmp_path: Path) -> None:
    def judge(glance: Glance) -> Halt | float:
        return Halt("enough", HaltKind.TROUBLE) if glance.elapsed_s >= 0.5 else 0.5 - glance.elapsed_s

    record = watched(tmp_path, 2 * LATE_S, judge)
    assert record.stopped == Halt("enough", HaltKind.TROUBLE)
    assert 0.5 <= record.elapsed_s < LATE_S


@pytest.mark.usefixtures("seldom")
def test_a_cap_is_noticed_when_it_comes(fake: Fake) -> None:
    fake.behave("hang")
    outcome = fake.executor().run(run_of(), Limits(wall_s=0.6), unwatched)
    assert outcome.status is Status.CENSORED
    assert 0.6 <= outcome.elapsed_s < LATE_S


@pytest.mark.usefixtures("seldom")
def test_a_run_that_comes_near_what_it_may_have_of_the_disk_is_looked_at_often(fake: Fake) -> None:
    fake.behave("grow")
    outcome = fake.executor().run(run_of(), Limits(wall_s=LATE_S, disk_bytes=3 * MIB), unwatched)
    assert outcome.status is Status.FAILED
    assert "beyond host.max_disk = 3 MiB" in outcome.reason


_WAITING = """
import signal, sys
from pathlib import Path
import psutil
from lsmtune.backends.db_bench import DbBench
from lsmtune.backends.rocksdb import discover
from lsmtune.executors import Limits, LocalExecutor, _process
from lsmtune.model import Configuration, Purpose, Run, Workload
from lsmtune.space import catalogue

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
_process._SHARE_OF_TIME = _process._SELDOM_S = 1e4
build = discover(Path(sys.argv[1]))
bench = DbBench(build, catalogue().for_version(build.version_tuple), Workload(("fillrandom",), "fillrandom", num=1000))
executor = LocalExecutor(bench, Path(sys.argv[2]))
run = Run(1, Purpose.TRIAL, "t", None, Configuration(), 1, 1)
executor.run(run, Limits(), lambda _: print(*[child.pid for child in psutil.Process().children()], flush=True))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_is_noticed_between_two_looks(fake: Fake, number: signal.Signals) -> None:
    command = [sys.executable, "-c", _WAITING, str(fake.build.path), str(fake.scratch)]
    with subprocess.Popen(
        command, env={**os.environ, VARIABLE: "hang"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as victim:
        assert victim.stdout is not None
        engine = int(victim.stdout.readline())
        os.kill(victim.pid, number)
        try:
            assert victim.wait(timeout=LATE_S) != 0
        finally:
            victim.kill()  # one that heard nothing would be waited for
    assert ends_soon(engine)
    left = [path.name for path in fake.scratch.iterdir()]
    assert left == ([] if number is signal.SIGINT else ["run-1"]), "the next start removes what a kill leaves"


def test_the_end_of_a_file_is_what_was_written_last(tmp_path: Path) -> None:
    path = tmp_path / "LOG"
    tail = Tail(path)
    assert tail.read() == ""
    path.write_text("first")
    assert [tail.read(), tail.read()] == ["first", "first"]
    with path.open("a") as file:
        file.write(" and last")
    assert tail.read() == "first and last"
    path.write_text("x" * 10_000 + "end")
    assert tail.read() == "x" * (8192 - 3) + "end"
    path.unlink()
    assert tail.read() == ""


def test_counters_of_proc_are_told_apart_by_their_whole_names() -> None:
    told = b"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"
    assert [_field(told, b"\nread_bytes:"), _field(told, b"\nwrite_bytes:")] == [5, 6]
    assert _field(b"Name:\tdb_bench\nVmHWM:\t   12 kB\n", b"VmHWM:") == 12
    assert _field(b"Name:\tdb_bench\nState:\tZ (zombie)\n", b"VmHWM:") is None
