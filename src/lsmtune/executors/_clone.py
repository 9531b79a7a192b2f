"""Copies of a database that share its immutable files by hard links.

SST files (``.ldb`` in LevelDB) and blob files never change once written, so links are safe; everything that the engine
appends to is copied; LOCK and LOG stay behind, so that the LOG of a clone holds only what happened to the clone.
"""

import os
import shutil
from pathlib import Path

_SHARED_SUFFIXES = (".sst", ".ldb", ".blob")
_LEFT_BEHIND = ("LOCK", "LOG")


def clone_database(source: Path, target: Path) -> None:
    """Make `target` a database with the content of `source`; both have to be on one filesystem.

    Raises:
        OSError: a file cannot be linked or copied.
    """
    target.mkdir(parents=True)
    for entry in os.scandir(source):
        if entry.name.endswith(_SHARED_SUFFIXES):
            os.link(entry.path, target / entry.name)
        elif entry.is_file() and not entry.name.startswith(_LEFT_BEHIND):
            shutil.copy2(entry.path, target / entry.name)


def database_bytes(database: Path) -> int:
    """Return the bytes of SST, blob, WAL and MANIFEST files in `database`; 0 where there is none yet."""
    total = 0
    try:
        with os.scandir(database) as entries:
            for entry in entries:
                if entry.name.endswith((*_SHARED_SUFFIXES, ".log")) or entry.name.startswith("MANIFEST"):
                    total += _size(entry)
    except FileNotFoundError:
        return 0
    return total


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except FileNotFoundError:  # the engine removed it meanwhile
        return 0


def forget_pages(database: Path) -> None:
    """Throw the files of a database out of the page cache, once they are on the disk.

    Raises:
        OSError: a file cannot be synced.
    """
    for entry in os.scandir(database):
        if entry.is_file():
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(descriptor)  # pages that are not on the disk yet would stay
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
