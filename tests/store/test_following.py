"""Whoever follows a study sees from outside what has changed and who works on it, and reads only what is new."""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from store_builders import description

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import Study, change_stamp, create_study, lock_holder, open_study, read_study

OTHER = """
import sys, time
from pathlib import Path
from lsmtune.store import open_study
study = open_study(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
KERNEL = Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def signed(folder: Path, pid: int, host: str = "", boot: str = "") -> None:
    """Let the lock of a study bear a process's name, whoever has it."""
    facts = {"pid": pid, "host": host or os.uname().nodename, "boot": boot}
    (folder / "lock").write_text(json.dumps(facts))


def finished(study: Study, value: float, facts: dict[str, object] | None = None) -> int:
    run = study.plan(Run(0, Purpose.TRIAL, "a", None, Configuration(), 1, 1))
    study.start(run)
    measured = Measurement({"waf": value}, facts=facts or {})  # type: ignore[arg-type]  # what else a tool may say
    study.finish(run, Outcome(Status.OK, 1.0, 2.0, "", measured))
    return run.id


def test_outlines_say_what_runs_say_without_what_they_ran(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        for value in (1.0, 2.0, 3.0):
            finished(study, value)
        study.plan(Run(0, Purpose.VERIFY, "b", 4, Configuration(), 1, 1))
        whole = study.runs()
        shown = study.outlines()
        for stored, outline in zip(whole, shown, strict=True):
            run = stored.run
            assert (outline.id, outline.purpose, outline.arm, outline.block) == (
                run.id,
                run.purpose,
                run.arm,
                run.block,
            )
            assert (outline.status, outline.started_at, outline.elapsed_s, outline.reason) == (
                stored.status,
                stored.started_at,
                stored.elapsed_s,
                stored.reason,
            )
        assert [each.is_open for each in shown] == [False, False, False, True]
        assert study.outlines(3) == shown[2:]
        assert study.outlines(5) == []


def test_values_and_facts_are_read_from_a_run_on(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        for facts in ({"host_disturbance": 0.25}, {"host_disturbance": "none"}, {}, {"host_disturbance": "1.0000"}):
            finished(study, 1.5, dict(facts))
        assert study.indicator("waf", 3) == {3: 1.5, 4: 1.5}
        assert study.fact("host_disturbance") == {1: 0.25, 4: 1.0}
        assert study.fact("host_disturbance", 2) == {4: 1.0}
        assert study.fact('x"]') == {}


def test_every_commit_may_be_seen_from_outside(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        for _ in range(30):
            before = change_stamp(tmp_path / "s")
            finished(study, 1.0)
            assert change_stamp(tmp_path / "s").may_differ(before)


def test_without_a_commit_nothing_differs_once_the_clock_has_moved_on(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study, 1.0)
        time.sleep(0.1)
        before = change_stamp(tmp_path / "s")
        with read_study(tmp_path / "s") as reading:
            reading.runs()
        assert not change_stamp(tmp_path / "s").may_differ(before)
        assert change_stamp(tmp_path / "s").may_differ(None)


def test_a_stamp_taken_in_the_moment_of_a_change_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsmtune.store._changes._SETTLED_NS", 60_000_000_000)  # the moment, however slow the disk
    with create_study(tmp_path / "s", description()) as study:
        finished(study, 1.0)
        stamp = change_stamp(tmp_path / "s")
        assert not stamp.settled
        assert stamp.may_differ(stamp)


def test_the_holder_is_who_has_the_lock(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()):
        holder = lock_holder(tmp_path / "s")
        assert holder is not None
        assert (holder.pid, holder.seen) == (os.getpid(), True)
    assert lock_holder(tmp_path / "s") is None


def test_looking_for_the_holder_keeps_nobody_from_starting(tmp_path: Path) -> None:
    create_study(tmp_path / "s", description()).close()
    for _ in range(50):
        signed(tmp_path / "s", 1, "killed-box", KERNEL)
        lock_holder(tmp_path / "s")
        open_study(tmp_path / "s").close()


@pytest.mark.parametrize("ends", ["killed", "stopped"])
def test_a_process_that_has_ended_holds_nothing(tmp_path: Path, ends: str) -> None:
    create_study(tmp_path / "s", description()).close()
    command = [sys.executable, "-c", OTHER, str(tmp_path / "s")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        holder = lock_holder(tmp_path / "s")
        assert holder is not None
        assert (holder.pid, holder.seen) == (process.pid, True)
        if ends == "killed":
            process.kill()
        process.communicate()
    assert lock_holder(tmp_path / "s") is None


def test_a_number_that_was_given_anew_is_not_the_holder(tmp_path: Path) -> None:
    create_study(tmp_path / "s", description()).close()
    signed(tmp_path / "s", os.getpid())
    assert lock_holder(tmp_path / "s") is None
    with (tmp_path / "s" / "lock").open():
        assert lock_holder(tmp_path / "s") is not None


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes are other users'."""

    def refuse(_folder: Path, _pid: int) -> bool:
        raise PermissionError

    monkeypatch.setattr("lsmtune.store._lock.has_lock_open", refuse)


@pytest.mark.usefixtures("hidden")
def test_another_user_s_process_is_the_holder_while_it_has_the_lock(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()):
        holder = lock_holder(tmp_path / "s")
        assert holder is not None
        assert (holder.pid, holder.seen, holder.works) == (os.getpid(), False, True)
    signed(tmp_path / "s", pid=4711)
    assert lock_holder(tmp_path / "s") is None


@pytest.mark.parametrize("host", ["box-of-its-own", os.uname().nodename], ids=["own name", "name of the host"])
def test_a_process_in_another_container_is_the_holder_until_it_is_killed(host: str, tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()):
        signed(tmp_path / "s", 1, host, KERNEL)  # as it calls itself; here this is another process
        holder = lock_holder(tmp_path / "s")
        assert holder is not None
        assert (holder.pid, holder.host, holder.seen, holder.works) == (1, host, False, True)
    signed(tmp_path / "s", 1, host, KERNEL)  # what it leaves when it is killed
    assert lock_holder(tmp_path / "s") is None


def test_of_a_holder_on_another_host_it_is_told_when_it_last_wrote(tmp_path: Path) -> None:
    create_study(tmp_path / "s", description()).close()
    signed(tmp_path / "s", 1, "elsewhere", "another-kernel")
    for name, written_at in (("study.sqlite", 1.7e9), ("lock", 1.6e9)):
        os.utime(tmp_path / "s" / name, (written_at, written_at))
    holder = lock_holder(tmp_path / "s")
    assert holder is not None
    assert (holder.pid, holder.host, holder.seen, holder.works) == (1, "elsewhere", False, False)
    assert holder.heard_at == 1.7e9


def test_a_holder_on_another_host_works_where_the_file_system_carries_its_lock(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()):
        signed(tmp_path / "s", 1, "elsewhere", "another-kernel")
        holder = lock_holder(tmp_path / "s")
        assert holder is not None
        assert (holder.seen, holder.works) == (False, True)


def test_a_study_that_starts_outlasts_a_look_at_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_study(tmp_path / "s", description()).close()
    look = os.open(tmp_path / "s" / "lock", os.O_RDONLY)
    fcntl.flock(look, fcntl.LOCK_SH)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        os.close(look)

    monkeypatch.setattr("lsmtune.store._lock.time.sleep", sleep)
    open_study(tmp_path / "s").close()
    assert len(waits) == 1
