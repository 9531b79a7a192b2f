"""Locks on files: the host-wide one, so that there is one run at a time on a host, whoever started it."""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from lsmtune.errors import RunError

VARIABLE = "LSMTUNE_HOST_LOCK"
"""Names another file for the lock of this host."""
_POLL_S = 0.05


class FileLock:
    """An advisory lock on one file, which the kernel drops when its holder ends, however it ends.

    Attributes:
        descriptor: of the file while it is open, else -1.
    """

    def __init__(self, path: Path) -> None:
        """Open the file without taking the lock; where it is not there it is made, for all users.

        Raises:
            OSError: it cannot be opened.
        """
        # O_CREAT without O_EXCL on a file of another user in a sticky folder is refused by fs.protected_regular.
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            os.fchmod(self.descriptor, 0o666)

    def take(self) -> bool:
        """Take the lock and return True; False where another one holds it."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        with suppress(OSError):  # of a full disk: who holds it is only for words
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)
        return True

    @property
    def holder(self) -> str:
        """Who took it last, in words."""
        pid = os.pread(self.descriptor, 32, 0).decode(errors="replace").strip()
        return f"process {pid}" if pid else "another process"

    def close(self) -> None:
        """Give the lock back; doing so twice is harmless."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class HostLock:
    """An advisory lock on one file for the whole host.

    A child process that inherits `descriptor` holds the lock on after its parent was killed, so an engine process
    that outlived lsmtune keeps other measurements away until it ends.

    Attributes:
        path: the file.
        descriptor: of the file while the lock is held, else -1.
    """

    SHARED = Path("/tmp/lsmtune-host.lock")  # noqa: S108 - TMPDIR differs between users, and they have to meet
    """The file where nothing names another."""

    def __init__(self, path: Path | None = None, waiting: Callable[[str], None] | None = None) -> None:
        """`path` defaults to a file that all users of the host share; `waiting` hears who holds the lock."""
        self.path = path or Path(os.environ.get(VARIABLE) or self.SHARED)
        self._waiting = waiting
        self.descriptor = -1

    def __enter__(self) -> "HostLock":
        """Take the lock, however long it takes.

        Raises:
            RunError: the lock's file cannot be opened.
        """
        try:
            lock = FileLock(self.path)
        except OSError as error:
            raise RunError(
                f"the lock of this host, {self.path}, cannot be opened: {error.strerror}; remove the file or correct "
                "its permissions"
            ) from None
        try:
            while not lock.take():
                if self._waiting is not None:
                    self._waiting(lock.holder)
                time.sleep(_POLL_S)
        except BaseException:
            lock.close()
            raise
        self.descriptor = lock.descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back."""
        os.close(self.descriptor)
        self.descriptor = -1
