"""One engine process in its own group, watched until it ends or has to be stopped."""

import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lsmtune.backends import Glance, Halt, Process, ProcessRecord
from lsmtune.backends.rocksdb import newest_options
from lsmtune.errors import RunError
from lsmtune.executors._cgroup import entering
from lsmtune.executors._clone import database_bytes
from lsmtune.executors._held import HeldOutput

_POLL_S = 0.2
_GRACE_S = 2.0
_TAIL_BYTES = 8192
_BUSY_SHARE = 0.05  # of a core; a process that polls a lock or a property stays below it
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def run_process(
    process: Process,
    folder: Path,
    held: int,
    judge: Callable[[Glance], Halt | None],
    entries: Sequence[Path] = (),
) -> ProcessRecord:
    """Run `process` until it ends, or until `judge` returns a reason to stop it.

    Args:
        process: what to run.
        folder: the run's private folder; the database is ``folder/db``.
        held: a descriptor that the process inherits, so that the host lock outlives a killed lsmtune.
        judge: called several times a second; an answer stops the process.
        entries: files of control groups that the process enters before it begins.

    Raises:
        RunError: the process cannot be started.
        KeyboardInterrupt: after the process group was stopped.

    What the process started and left behind in its group is killed when it ends.
    """
    stdout, stderr = folder / f"{process.name}.stdout", folder / f"{process.name}.stderr"
    started_at = time.time()
    log = folder / "db" / "LOG"
    output = HeldOutput(process.hold, stdout, log) if process.hold else None
    child = _started(process, folder, held, (stdout, stderr), entries, output)
    vitals = _Vitals(child.pid, folder / "db")
    try:
        stopped = _watch(child.pid, (stdout, stderr, log), vitals, judge)
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
    ended_at = time.time()
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
            raise RunError(f"{process.argv[0]} cannot be started: {error.strerror}") from None
        except subprocess.SubprocessError:  # all that a child says of what went wrong before it began
            _close(output)
            raise RunError(
                f"{process.argv[0]} cannot be started in {entries[0].parent if entries else folder}"
            ) from None
    if output:
        output.start(child.pid)
    return child


def _close(output: HeldOutput | None) -> None:
    if output is not None:
        output.close()


class _Vitals:
    """Peaks and counters of a process, read from /proc while it lives and once more before it is reaped."""

    def __init__(self, pid: int, database: Path) -> None:
        self._proc = Path("/proc") / str(pid)
        self._database = database
        self._seen = (time.monotonic(), 0, 0)
        self.busy_at = time.monotonic()
        self.memory_peak_bytes: int | None = None
        self.io_read_bytes: int | None = None
        self.io_written_bytes: int | None = None
        self.space_bytes = 0
        self.space_peak_bytes = 0

    def look(self) -> None:
        self._look_whether_busy()
        self.space_bytes = database_bytes(self._database)
        self.space_peak_bytes = max(self.space_peak_bytes, self.space_bytes)
        # VmHWM, not ru_maxrss: the latter counts the memory of lsmtune itself from before the exec.
        peak_kib = _field(self._proc / "status", "VmHWM:")
        if peak_kib is not None:
            self.memory_peak_bytes = peak_kib * 1024
        read, written = _field(self._proc / "io", "read_bytes:"), _field(self._proc / "io", "write_bytes:")
        self.io_read_bytes = self.io_read_bytes if read is None else read
        self.io_written_bytes = self.io_written_bytes if written is None else written

    def _look_whether_busy(self) -> None:
        then, ticks, log_bytes = self._seen
        self._seen = now, now_ticks, now_log_bytes = time.monotonic(), self._cpu_ticks(), self._log_bytes()
        share = (now_ticks - ticks) / os.sysconf("SC_CLK_TCK") / max(now - then, 1e-3)
        if share > _BUSY_SHARE or now_log_bytes != log_bytes:
            self.busy_at = now

    def _cpu_ticks(self) -> int:
        """User and system time of the process in clock ticks; 0 where it is gone."""
        try:
            fields = (self._proc / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0
        return int(fields[11]) + int(fields[12])

    def _log_bytes(self) -> int:
        try:
            return (self._database / "LOG").stat().st_size
        except OSError:
            return 0


def _watch(
    pid: int, outputs: tuple[Path, Path, Path], vitals: _Vitals, judge: Callable[[Glance], Halt | None]
) -> Halt | None:
    began = time.monotonic()
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        while not poll.poll(_POLL_S * 1000):
            vitals.look()
            stdout, stderr, log = (_tail(path) for path in outputs)
            now = time.monotonic()
            halt = judge(Glance(now - began, now - vitals.busy_at, stdout, stderr, log, vitals.space_bytes))
            if halt is not None:
                return halt
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


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _field(path: Path, name: str) -> int | None:
    try:
        for line in path.read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _newest_options(database: Path) -> str:
    newest = newest_options(database) if database.is_dir() else None
    return "" if newest is None else _text(newest)
