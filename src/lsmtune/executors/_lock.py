"""The host-wide lock: one run at a time on a host, whoever started it."""

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
            descriptor = self._open()
        except OSError as error:
            raise RunError(
                f"the lock of this host, {self.path}, cannot be opened: {error.strerror}; remove the file or correct "
                "its permissions"
            ) from None
        self.descriptor = descriptor
        try:
            while not self._take():
                if self._waiting is not None:
                    self._waiting(self._holder())
                time.sleep(_POLL_S)
        except BaseException:
            os.close(descriptor)
            raise
        with suppress(OSError):  # of a full disk: who holds it is only for words
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back."""
        os.close(self.descriptor)
        self.descriptor = -1

    def _open(self) -> int:
        # O_CREAT without O_EXCL on a file of another user in a sticky folder is refused by fs.protected_regular.
        try:
            return os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            os.fchmod(descriptor, 0o666)
            return descriptor

    def _take(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder(self) -> str:
        pid = os.pread(self.descriptor, 32, 0).decode(errors="replace").strip()
        return f"process {pid}" if pid else "another process"
