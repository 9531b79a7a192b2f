"""The lock that keeps a second process from working on a study."""

import fcntl
import json
import os
import platform
from pathlib import Path
from types import TracebackType

from lsmtune.errors import StudyBusyError

LOCK = "lock"


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


def _words(holder: bytes) -> str:
    """Who holds the lock; the holder may not have written its name yet."""
    try:
        facts = json.loads(holder)
        return f"process {facts['pid']} on host {facts['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
