"""One engine process in its own group, watched until it ends or has to be stopped.

Whoever waits for it is woken by its end, whenever that is, and else only to look at it: five times a second at first,
ever more seldom, down to once a second, as each look takes time of a core that the engine may want (decision 0071).
"""

import ctypes
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from lsmtune.backends import Glance, Halt, Process, ProcessRecord
from lsmtune.backends.rocksdb import newest_options
from lsmtune.errors import StartError
from lsmtune.executors._cgroup import entering
from lsmtune.executors._held import HeldOutput
from lsmtune.executors._vitals import Tail, Vitals

Judge: TypeAlias = Callable[[Glance], Halt | float | None]
"""Says why a process has to be stopped; or in how many seconds it has to be looked at again, where that matters."""

_LOOK_S = 0.2
_SELDOM_S = 1.0
_SHARE_OF_TIME = 0.02
"""Part of a process's time that may pass until it is looked at again: what grows in it is seen to as much at least."""
_GRACE_S = 2.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def run_process(process: Process, folder: Path, held: int, judge: Judge, entries: Sequence[Path] = ()) -> ProcessRecord:
    """Run `process` until it ends, or until `judge` returns a reason to stop it.

    Args:
        process: what to run.
        folder: the run's private folder; the database is ``folder/db``.
        held: a descriptor that the process inherits, so that the host lock outlives a killed lsmtune.
        judge: called at each look; a reason stops the process, a time brings the next look forward, to a fifth of a
            second at the soonest.
        entries: files of control groups that the process enters before it begins.

    Raises:
        StartError: the process cannot be started.
        OSError: the system refuses what the process printed, or the files beside it.
        KeyboardInterrupt: after the process group was stopped.

    What the process started and left behind in its group is killed when it ends.
    """
    stdout, stderr = folder / f"{process.name}.stdout", folder / f"{process.name}.stderr"
    started_at, began = time.time(), time.monotonic()
    log = folder / "db" / "LOG"
    output = HeldOutput(process.hold, stdout, log) if process.hold else None
    child = _started(process, folder, held, (stdout, stderr), entries, output)
    vitals = Vitals(child.pid, folder / "db")
    try:
        stopped = _watch(child.pid, (stdout, stderr, log), vitals, judge, output)
    except BaseException:
        _stop_group(child.pid, _GRACE_S)
        _close(output)
        child.wait()
        raise
    _stop_group(child.pid, _GRACE_S if stopped else 0.0)
    _close(output)
    vitals.look()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    ended_at = started_at + time.monotonic() - began  # the clock may be set meanwhile
    stopped = output.problem() if output and stopped is None and child.returncode == 0 else stopped
    return ProcessRecord(
        process=process,
        started_at=started_at,
        ended_at=ended_at,
        returncode=child.returncode,
        stopped=stopped,
        stdout=output.text() if output else _text(stdout),
        stderr=stderr.read_text(errors="replace"),
        log=_text(log),
        options=_newest_options(folder / "db"),
        cpu_s=usage.ru_utime + usage.ru_stime,
        memory_peak_bytes=vitals.memory_peak_bytes,
        io_read_bytes=vitals.io_read_bytes,
        io_written_bytes=vitals.io_written_bytes,
        space_bytes=vitals.space_bytes,
        space_peak_bytes=vitals.space_peak_bytes,
        waited=output.waited if output else None,
    )


def _started(
    process: Process,
    folder: Path,
    held: int,
    outputs: tuple[Path, Path],
    entries: Sequence[Path],
    output: HeldOutput | None,
) -> "subprocess.Popen[bytes]":
    stdout, stderr = outputs
    with stdout.open("wb") as out, stderr.open("wb") as err, entering(entries) as enter:

        def begin() -> None:
            _die_with_parent()
            enter()

        try:
            # preexec_fn: a prctl call, so that the engine dies with lsmtune even after kill -9, and a write a group.
            child = subprocess.Popen(
                process.argv,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output.giver if output else out,
                stderr=err,
                process_group=0,
                pass_fds=(held,),
                preexec_fn=begin,  # noqa: PLW1509 - all it does is a few calls of the system
            )
        except OSError as error:
            _close(output)
            raise StartError(f"{process.argv[0]} cannot be started: {error.strerror}") from None
        except subprocess.SubprocessError:  # all that a child says of what went wrong before it began
            _close(output)
            raise StartError(
                f"{process.argv[0]} cannot be started in {entries[0].parent if entries else folder}"
            ) from None
    if output:
        output.start(child.pid)
    return child


def _close(output: HeldOutput | None) -> None:
    if output is not None:
        output.close()


def _watch(
    pid: int, outputs: tuple[Path, Path, Path], vitals: Vitals, judge: Judge, output: HeldOutput | None
) -> Halt | None:
    """Wait for the end of a process, and look at it now and then; return why it has to be stopped, None where it ended.

    A look comes no later than the process's time so far asks for, and the judge. While its output is held a process is
    not idle: its engine may do a long compaction slowly, and is let go once it rests.
    """
    began = time.monotonic()
    tails = [Tail(path) for path in outputs]
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        next_s = _LOOK_S
        while not poll.poll(next_s * 1000):
            vitals.look()
            stdout, stderr, log = (tail.read() for tail in tails)
            now = time.monotonic()
            if output is not None and output.is_holding:
                vitals.busy_at = now
            elapsed_s = now - began
            judged = judge(Glance(elapsed_s, now - vitals.busy_at, stdout, stderr, log, vitals.space_bytes))
            if isinstance(judged, Halt):
                return judged
            wanted_s = math.inf if judged is None else judged
            next_s = max(_LOOK_S, min(_SELDOM_S, _SHARE_OF_TIME * elapsed_s, wanted_s))
    finally:
        os.close(handle)
    return None


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _stop_group(pid: int, grace_s: float) -> None:
    """Ask the leader of a process group to end within `grace_s`, then kill the group; the leader stays to be reaped.

    The group is killed even if the leader has ended: a child of it could live on, and hold the host lock.
    """
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(0):
            os.killpg(pid, signal.SIGTERM)
            poll.poll(grace_s * 1000)
    finally:
        os.killpg(pid, signal.SIGKILL)  # a leader that is not reaped yet keeps the group's number from others
        os.close(handle)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _newest_options(database: Path) -> str:
    newest = newest_options(database) if database.is_dir() else None
    return "" if newest is None else _text(newest)
