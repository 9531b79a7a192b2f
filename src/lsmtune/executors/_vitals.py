"""What is seen of a process while it runs: its peaks and counters, and the ends of its files.

Every look takes time of a core that the engine may want, so files are read as bytes, once, and only where they changed.
"""

import os
import time
from pathlib import Path

from lsmtune.executors._clone import database_bytes

_TAIL_BYTES = 8192
_PROC_BYTES = 8192
_BUSY_SHARE = 0.05  # of a core; a process that polls a lock or a property stays below it


class Vitals:
    """Peaks and counters of a process, read from /proc while it lives and once more before it is reaped.

    Attributes:
        busy_at: when it last used the processor or wrote into the engine's LOG, on the monotonic clock.
        memory_peak_bytes: its resident memory at most; None while that was not seen.
        io_read_bytes, io_written_bytes: bytes that reached the storage layer; None where they cannot be read.
        space_bytes: size of its database.
        space_peak_bytes: the most of them that was seen.
    """

    def __init__(self, pid: int, database: Path) -> None:
        """`database` is the folder that the engine works in."""
        self._proc = f"/proc/{pid}"
        self._database = database
        self._log = database / "LOG"
        self._seen = (time.monotonic(), 0, 0)
        self.busy_at = time.monotonic()
        self.memory_peak_bytes: int | None = None
        self.io_read_bytes: int | None = None
        self.io_written_bytes: int | None = None
        self.space_bytes = 0
        self.space_peak_bytes = 0

    def look(self) -> None:
        """Read them all anew; what cannot be read any more stays as it was."""
        self._look_whether_busy()
        self.space_bytes = database_bytes(self._database)
        self.space_peak_bytes = max(self.space_peak_bytes, self.space_bytes)
        # VmHWM, not ru_maxrss: the latter counts the memory of lsmtune itself from before the exec.
        peak_kib = _field(_read(f"{self._proc}/status"), b"VmHWM:")
        if peak_kib is not None:
            self.memory_peak_bytes = peak_kib * 1024
        counters = _read(f"{self._proc}/io")
        read, written = _field(counters, b"\nread_bytes:"), _field(counters, b"\nwrite_bytes:")
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
        fields = _read(f"{self._proc}/stat").rpartition(b")")[2].split()
        return int(fields[11]) + int(fields[12]) if fields else 0

    def _log_bytes(self) -> int:
        try:
            return self._log.stat().st_size
        except OSError:
            return 0


class Tail:
    """The end of a file that somebody appends to, and that may not be there yet."""

    def __init__(self, path: Path) -> None:
        """`path` is the file."""
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._text = ""

    def read(self) -> str:
        """Return the last 8 KiB; they are read only where the file has changed."""
        try:
            now = self._path.stat()
            seen = now.st_ino, now.st_size, now.st_mtime_ns
            if seen != self._seen:
                self._text = _read(self._path, max(0, now.st_size - _TAIL_BYTES), _TAIL_BYTES).decode(errors="replace")
                self._seen = seen
        except FileNotFoundError:
            self._seen, self._text = None, ""
        return self._text


def _read(path: Path | str, start: int = 0, size_bytes: int = _PROC_BYTES) -> bytes:
    """Return a part of a file; nothing where it is not there, or the process that it speaks of is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, size_bytes, start)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _field(text: bytes, name: bytes) -> int | None:
    """Return the number behind a name in a file of /proc; None where it is not there."""
    words = text.partition(name)[2].split(maxsplit=1)
    return int(words[0]) if words and words[0].isdigit() else None
