"""The lock that keeps a second process from working on a study."""

import fcntl
import json
import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lsmtune.errors import StudyBusyError

LOCK = "lock"
_KERNEL_LOCKS = Path("/proc/locks")


class FolderLock:
    """The exclusive lock of a study folder, held from construction until `release`.

    The kernel drops it when the process ends, however it ends, so a lock file without a holder is no obstacle.
    A child made by ``os.fork`` shares the lock; programs started through `subprocess` do not.

    Raises:
        StudyBusyError: another process, or another `Study` of this one, holds it.
        OSError: the lock file cannot be made or locked.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None = None
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "host": platform.node()}).encode(), 0)
        except BlockingIOError:
            holder = os.pread(descriptor, 4096, 0)
            os.close(descriptor)
            raise StudyBusyError(f'study "{folder}" is in use by {_words(holder)}; wait for it or stop it') from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; doing so twice is harmless."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


@dataclass(frozen=True)
class LockHolder:
    """The process that works on a study.

    Attributes:
        pid: its id on `host`.
        host: name of the machine, as the process sees it.
        seen: whether this process sees the other one with the lock open; else it is on another host, and only its word
            is known, or of another user, and all that is known beside is that it has locked some file.
    """

    pid: int
    host: str
    seen: bool


def lock_holder(folder: Path) -> LockHolder | None:
    """Return who works on a study; None where nobody does, also where a process was killed and left its name.

    The lock itself is not touched: whoever tried it, if only for a moment, could keep a study from starting. The holder
    is the process that is named in the file and has it open, so an id that was given anew is told from its first owner.
    """
    try:
        facts = json.loads((folder / LOCK).read_bytes())
        pid, host = int(facts["pid"]), str(facts["host"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if host != platform.node():
        return LockHolder(pid, host, seen=False)
    try:
        seen = has_lock_open(folder, pid)
    except PermissionError:
        return LockHolder(pid, host, seen=False) if _may_have_locks(pid) else None
    return LockHolder(pid, host, seen=True) if seen else None


def _may_have_locks(pid: int) -> bool:
    """Whether a process of this host has locked a file in the way of `FolderLock`; also where the kernel does not tell.

    It is told by its number alone: of some file systems, like btrfs and overlays, the kernel lists locks under another
    device than it tells of the file itself. Locks of other hosts, and of other containers, are not in its list.
    """
    try:
        listed = [line.split() for line in _KERNEL_LOCKS.read_text().splitlines()]
    except OSError:
        return True
    return any(fields[1] == "FLOCK" and fields[4] == str(pid) for fields in listed if len(fields) > 4)


def has_lock_open(folder: Path, pid: int) -> bool:
    """Whether a process of this host has the lock file of a study open.

    Raises:
        PermissionError: the process is another user's.
    """
    try:
        lock = (folder / LOCK).stat()
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return False
    for each in descriptors:
        with suppress(FileNotFoundError, ProcessLookupError):  # closed meanwhile
            if os.path.samestat(each.stat(), lock):
                return True
    return False


def _words(holder: bytes) -> str:
    """Who holds the lock; the holder may not have written its name yet."""
    try:
        facts = json.loads(holder)
        return f"process {facts['pid']} on host {facts['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
