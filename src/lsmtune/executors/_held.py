"""The output of a process is not taken until the engine rests, so that the process waits there with its database open.

A program whose standard output nobody takes waits in its next write, while its other threads go on. db_bench closes
its database when its benchmarks end, and its own way to wait for compactions sleeps for 5 s first, then for 10 s each
time that one runs, and may never come back (decision 0062).
"""

import fcntl
import os
import select
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from lsmtune.backends import Halt, HaltKind, Hold, Waited

_ROOM_BYTES = 16384  # a result that is printed before the process is held never waits
_CHUNK_BYTES = 4096
_LOOK_S = 0.05
_SHARE_OF_TIME = 0.02  # the longer it waits the more seldom it looks: a look takes time of a core, too
_QUIET_S = 0.2
_QUIET_BUT_BEGUN_S = 5.0  # a job that failed is never logged as ended


class HeldOutput:
    """Takes the output of one process into a file, but holds it for a while; see `Hold`.

    A thread of its own takes what comes at once, so that the process never waits in what is measured. `start` it when
    the process runs, `close` it when the process has ended.
    """

    def __init__(self, hold: Hold, path: Path, log: Path) -> None:
        """Keep what comes in `path`; `log` is the engine's LOG, which may not be there yet.

        Raises:
            OSError: `path` cannot be written.
        """
        self._hold, self._path, self._log = hold, path, log
        self._file = path.open("wb", buffering=0)  # now, as a stop may take the folder away while the process begins
        self._taker, self.giver = os.pipe()
        fcntl.fcntl(self._taker, fcntl.F_SETPIPE_SZ, _ROOM_BYTES)
        self._thread: threading.Thread | None = None
        self.waited: Waited | None = None
        """How long the process was held until the engine rested; None where it was not, or ended meanwhile."""
        self.is_holding = False
        """Whether the process waits for its output to be taken."""
        self._is_a_child = False
        self._refusal: OSError | None = None

    def start(self, pid: int) -> None:
        """Begin to take the output of the process, which has inherited `giver`."""
        os.close(self.giver)
        self._thread = threading.Thread(target=self._take, args=(pid,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take the rest; the process and all that it started have to be gone."""
        if self._thread is None:  # it could not be started
            os.close(self.giver)
        else:
            self._thread.join()
        os.close(self._taker)
        self._file.close()

    def problem(self) -> Halt | None:
        """Say of a process that ended well why nobody could see whether its engine rests; None where that was seen.

        Raises:
            OSError: the system did not take all that was printed.
        """
        if self._refusal is not None:
            raise self._refusal
        if self._is_a_child:
            return Halt(
                "the program is a script that starts the engine as a process of its own, whose work and memory lsmtune "
                'cannot see; write "exec" before the engine in that script',
                HaltKind.TROUBLE,
            )
        if self.waited is not None:
            return None
        reason = (
            "it ended before lsmtune saw that no compaction is due: its output could not be held behind "
            f"{self._hold.after.strip()!r}; measure with another build, or with settle = 'none', which leaves debt"
        )
        return Halt(reason, HaltKind.TROUBLE)

    def text(self) -> str:
        """Return what was printed, without what only filled the pipe while the process was held."""
        text = self._path.read_text(errors="replace")
        parts = text.split(self._hold.after)
        if len(parts) <= self._hold.times:
            return text
        before = self._hold.after.join((*parts[: self._hold.times], ""))
        _, found, kept = self._hold.after.join(parts[self._hold.times :]).partition(self._hold.until)
        return before + found + kept

    def _take(self, pid: int) -> None:
        seen, times = b"", 0
        while chunk := os.read(self._taker, _CHUNK_BYTES):
            self._keep(chunk)
            if times >= self._hold.times:
                continue
            after = self._hold.after.encode()
            seen += chunk
            times += seen.count(after)
            seen = seen[-(len(after) - 1) :] if not seen.endswith(after) else b""
            if times >= self._hold.times:
                self.is_holding = True
                self.waited = self._wait(pid)
                self.is_holding = False

    def _keep(self, chunk: bytes) -> None:
        """Write what was printed; once the system refuses that the rest is let go, as the process must not wait."""
        try:
            while chunk and self._refusal is None:
                chunk = chunk[self._file.write(chunk) :]
        except OSError as error:
            self._refusal = error

    def _wait(self, pid: int) -> Waited | None:
        """Return once the engine rests, with the time that it took; None once the process is gone."""
        self._is_a_child = _works_as_a_child(pid, self._log)
        began_at, began = time.time(), time.monotonic()
        poll = select.poll()
        poll.register(self._taker, 0)  # only that nobody can write any more
        quiet_since, before = time.monotonic(), -1
        look_s = _LOOK_S
        while not poll.poll(look_s * 1000):
            now, turns = time.monotonic(), _turns(pid)
            look_s = min(_QUIET_S, max(_LOOK_S, _SHARE_OF_TIME * (now - began)))
            if turns is None or turns != before:
                quiet_since, before = now, -1 if turns is None else turns
                continue
            quiet_s = now - quiet_since
            if quiet_s >= _QUIET_BUT_BEGUN_S or (quiet_s >= _QUIET_S and self._all_ended()):
                return Waited(began_at, now - began)
        return None

    def _all_ended(self) -> bool:
        """Whether the LOG has an end for every job that began."""
        try:
            log = self._log.read_text(errors="replace")
        except FileNotFoundError:
            return True
        begun, ended = (sum(log.count(mark) for mark in marks) for marks in (self._hold.begun, self._hold.ended))
        return ended >= begun


def _turns(pid: int) -> int | None:
    """Return how often threads of a process have run; None while one runs, wants to, or awaits the disk."""
    total = 0
    try:
        for status in _statuses(pid):
            if status["State"][0] != "S":
                return None
            total += int(status["voluntary_ctxt_switches"]) + int(status["nonvoluntary_ctxt_switches"])
    except (OSError, KeyError):  # a thread that ends meanwhile is at work, too
        return None
    return total


def _works_as_a_child(pid: int, log: Path) -> bool:
    """Whether it is another process, begun by this one, that has the engine's LOG open."""
    try:
        below = psutil.Process(pid).children(recursive=True)
        return any(Path(file.path) == log.resolve() for child in below for file in child.open_files())
    except (psutil.Error, OSError):  # one of them has just ended
        return False


def _statuses(pid: int) -> Iterator[dict[str, str]]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (line.partition(":") for line in (task / "status").read_text(errors="replace").splitlines())
        yield {name: value.strip() for name, _, value in lines}
