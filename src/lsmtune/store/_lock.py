"""The lock that keeps a second process from working on a study."""

import fcntl
import json
import os
import platform
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lsmtune.errors import StudyBusyError
from lsmtune.store._database import DATABASE

LOCK = "lock"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""What tells a running kernel from all others; its containers have the same."""
_LOOK_S = 0.5
"""Time in s for which a lock that is held is tried: a look of `lock_holder` takes it for an instant only."""
_AGAIN_S = 0.01


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
            _take(descriptor)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(_own_facts()).encode(), 0)
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
        seen: whether this process sees the other one with the lock open; else it is on another host, in another
            container or of another user.
        heard_at: where it does not have the lock as far as can be told from here, as it is on another host and file
            systems need not carry locks from there: when it last wrote, in s since the epoch. Else None: it works.
    """

    pid: int
    host: str
    seen: bool
    heard_at: float | None = None

    @property
    def works(self) -> bool:
        """Whether it has the lock, so that it surely works on the study."""
        return self.heard_at is None


def lock_holder(folder: Path) -> LockHolder | None:
    """Return who works on a study, or may do so; None where nobody does, also where one was killed and left its name.

    Whoever is named in the file and has it open is the holder, so an id that was given anew is told from its first
    owner. Of others it is asked whether the lock is held, as their processes are not to be seen. Where it is not, only
    a process on another host may still work.
    """
    try:
        facts = json.loads((folder / LOCK).read_bytes())
        pid, host, boot = int(facts["pid"]), str(facts["host"]), facts.get("boot")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_here = host == platform.node()
    with suppress(PermissionError):
        if is_here and has_lock_open(folder, pid):
            return LockHolder(pid, host, seen=True)
    if _is_locked(folder):
        return LockHolder(pid, host, seen=False)
    if is_here or (boot and boot == _boot()):
        return None
    return LockHolder(pid, host, seen=False, heard_at=_written_at(folder))


def _own_facts() -> dict[str, object]:
    return {"pid": os.getpid(), "host": platform.node(), "boot": _boot()}


def _boot() -> str:
    """Return the id of the running kernel; empty where it has none."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""


def _take(descriptor: int) -> None:
    """Take the lock, and outlast the looks of others at it.

    Raises:
        BlockingIOError: another one holds it.
        OSError: the file cannot be locked.
    """
    until_s = time.monotonic() + _LOOK_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until_s:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


def _is_locked(folder: Path) -> bool:
    """Whether a process holds the lock, in whichever container; on another host, where the file system carries locks.

    It is tried as a lock that many may share, so looks do not see one another, and is given back at once.
    """
    try:
        descriptor = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # held, or on a file system that does not tell
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _written_at(folder: Path) -> float:
    """Return when the files of a study were last written, in s since the epoch."""
    written = []
    for name in (LOCK, DATABASE, f"{DATABASE}-wal"):
        with suppress(FileNotFoundError):
            written.append((folder / name).stat().st_mtime)
    return max(written, default=0.0)


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
