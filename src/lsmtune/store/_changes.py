"""Whether a study has changed, told from outside of its database."""

import time
from dataclasses import dataclass
from pathlib import Path

from lsmtune.store._database import DATABASE

_SETTLED_NS = 50_000_000
"""Beyond the steps in which file systems count time: the kernel's tick is at most 10 ms."""


@dataclass(frozen=True)
class ChangeStamp:
    """What the files of a study's database look like from outside.

    Attributes:
        files: number, size and time of change of the database and its log; None where one is missing.
        settled: whether the last change was long enough ago that another one would have another time.
    """

    files: tuple[tuple[int, int, int] | None, ...]
    settled: bool

    def may_differ(self, earlier: "ChangeStamp | None") -> bool:
        """Whether something may have been committed since `earlier` was taken; never False where something was."""
        return earlier is None or not earlier.settled or earlier.files != self.files


def change_stamp(folder: Path) -> ChangeStamp:
    """Return the stamp of a study: two calls of the system, whatever its size, and nothing is opened.

    Take it before reading: what is committed while reading is then seen the next time. A connection that stays open
    could ask SQLite (PRAGMA data_version), but then the one who works on the study would leave its log behind at the
    end, as it merges it only where it is the last to close.
    """
    names = (DATABASE, f"{DATABASE}-wal")
    files = tuple(_facts(folder / name) for name in names)
    newest = max((facts[2] for facts in files if facts is not None), default=0)
    return ChangeStamp(files, settled=time.time_ns() - newest > _SETTLED_NS)


def _facts(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
