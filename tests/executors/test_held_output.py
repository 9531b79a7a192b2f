"""A process whose output is held waits until its engine rests, and what it printed is as if nobody had held it."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lsmtune.backends import Glance, HaltKind, Hold, Process, ProcessRecord
from lsmtune.executors import _held
from lsmtune.executors._process import run_process

HOLD = Hold("flush\n", 2, "now:", ("started",), ("finished",))
# A main thread that prints, and one beside it that works until a file says how often it could.
PROGRAM = """
import pathlib, sys, threading, time
works_s, filler, beside = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
pathlib.Path("db").mkdir()
log = pathlib.Path("db/LOG").open("w", buffering=1)
def work():
    end = time.monotonic() + works_s
    print("started", file=log)
    while time.monotonic() < end:
        if beside == "sleeps":
            time.sleep(0.5)
    print("finished" if beside != "fails" else "", file=log)
    pathlib.Path("worked").touch()
print("result 1\\nflush\\nresult 2", flush=True)
threading.Thread(target=work).start()
print("flush\\n" + "filler\\n" * filler, flush=True)
pathlib.Path("let-go-early" if not pathlib.Path("worked").exists() else "let-go").touch()
print("now: the rest")
"""
ENOUGH = 6000


def ran(folder: Path, works_s: float, beside: str = "runs") -> str:
    """What a program printed that works for `works_s` beside its main thread; `beside`: runs, sleeps or fails."""
    record = run_of(folder, works_s, beside=beside)
    assert record.stopped is None
    return record.stdout


def run_of(folder: Path, works_s: float, filler: int = ENOUGH, beside: str = "runs") -> ProcessRecord:
    """What it left, with so many lines of filler."""
    argv = (sys.executable, "-c", PROGRAM, str(works_s), str(filler), beside)
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        return run_process(Process("measure", argv, hold=HOLD), folder, null, lambda _: None)
    finally:
        os.close(null)


@pytest.mark.parametrize("beside", ["runs", "sleeps"])
def test_it_is_let_go_when_its_threads_have_ended_their_work(tmp_path: Path, beside: str) -> None:
    assert ran(tmp_path, 1.2, beside=beside) == "result 1\nflush\nresult 2\nflush\nnow: the rest\n"
    assert (tmp_path / "let-go").exists()


def test_how_long_it_was_held_is_kept(tmp_path: Path) -> None:
    record = run_of(tmp_path, 1.2)  # of work, which begins before the program is held
    assert record.waited is not None
    assert record.started_at < record.waited.began_at < record.ended_at
    held_at_least_s = (tmp_path / "worked").stat().st_mtime - record.waited.began_at
    assert held_at_least_s - 0.1 <= record.waited.s <= record.ended_at - record.started_at


def test_it_is_let_go_soon_when_nothing_is_to_be_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_held, "_QUIET_BUT_BEGUN_S", 1e6)
    assert ran(tmp_path, 0.0).endswith("now: the rest\n")


def test_a_job_that_failed_holds_it_for_a_while_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_held, "_QUIET_BUT_BEGUN_S", 1.0)
    began = time.monotonic()
    assert ran(tmp_path, 0.0, beside="fails").endswith("now: the rest\n")
    assert time.monotonic() - began > 1.0


def test_a_process_that_ends_before_it_could_be_held_is_refused(tmp_path: Path) -> None:
    halt = run_of(tmp_path, 0.6, filler=1).stopped
    assert halt is not None
    assert halt.kind is HaltKind.TROUBLE
    assert "could not be held behind 'flush'" in halt.reason


def test_what_is_printed_before_never_waits_for_somebody_to_take_it(tmp_path: Path) -> None:
    output = _held.HeldOutput(HOLD, tmp_path / "out", tmp_path / "LOG")
    assert os.write(output.giver, bytes(2 * 4096)) == 2 * 4096  # nobody takes anything yet
    output.start(os.getpid())
    output.close()
    assert len((tmp_path / "out").read_bytes()) == 2 * 4096


def test_what_the_disk_does_not_take_of_the_output_is_told_and_the_rest_is_let_go(tmp_path: Path) -> None:
    output = _held.HeldOutput(HOLD, Path("/dev/full"), tmp_path / "LOG")
    assert os.write(output.giver, bytes(3 * 4096)) == 3 * 4096
    output.start(os.getpid())
    output.close()
    with pytest.raises(OSError, match="No space left on device"):
        output.problem()


def test_a_folder_that_a_stop_takes_away_as_the_process_begins_leaves_its_output_taken(tmp_path: Path) -> None:
    folder = tmp_path / "run-1"
    folder.mkdir()
    output = _held.HeldOutput(HOLD, folder / "out", folder / "LOG")
    shutil.rmtree(folder)
    assert os.write(output.giver, bytes(3 * 4096)) == 3 * 4096
    output.start(os.getpid())
    output.close()
    with pytest.raises(FileNotFoundError):
        output.text()


def test_a_program_whose_name_the_kernel_cuts_amid_a_character_is_watched_as_any_other(tmp_path: Path) -> None:
    program = tmp_path / "Wärmebilderprüfung"
    program.write_text(f"#!{sys.executable} -S\nimport time\ntime.sleep(60)\n")
    program.chmod(0o755)
    with subprocess.Popen([program]) as process:
        try:
            while (turns := _held._turns(process.pid)) is None:
                time.sleep(0.01)
        finally:
            process.kill()
    assert turns > 0


def test_a_script_that_starts_the_engine_as_a_process_of_its_own_is_refused(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    for how, refused in (("", True), ("exec ", False)):
        folder = tmp_path / (how.strip() or "child")
        folder.mkdir()
        line = f"{how}{sys.executable} {tmp_path / 'program.py'} 0.3 {ENOUGH} runs"
        null = os.open(os.devnull, os.O_RDONLY)
        try:
            argv = ("/bin/sh", "-c", f"{line}{'' if how else '; exit 0'}")
            halt = run_process(Process("measure", argv, hold=HOLD), folder, null, lambda _: None).stopped
        finally:
            os.close(null)
        assert (halt is not None) == refused
        assert halt is None or 'write "exec" before the engine' in halt.reason


def test_a_process_that_is_held_is_not_idle(tmp_path: Path) -> None:
    idle_s: list[float] = []

    def judge(glance: Glance) -> None:
        idle_s.append(glance.idle_s)

    null = os.open(os.devnull, os.O_RDONLY)
    try:
        argv = (sys.executable, "-c", PROGRAM, "4.0", str(ENOUGH), "sleeps")
        assert run_process(Process("measure", argv, hold=HOLD), tmp_path, null, judge).stopped is None
    finally:
        os.close(null)
    assert len(idle_s) > 4
    assert max(idle_s) < 3.0
