"""What this host lets lsmtune hold runs to, found by trying each."""

import mmap
import os
import tempfile
from pathlib import Path

from lsmtune.executors._cgroup import ControlGroups
from lsmtune.executors._cgroup_files import IO, MEMORY
from lsmtune.model import Ability

_BLOCK_BYTES = 4096  # what every usual disk takes as one piece


def host_abilities(folder: Path, groups: ControlGroups | None = None) -> tuple[Ability, ...]:
    """Try what can be done with runs whose data is in `folder`: limits of memory and bandwidth, and direct I/O.

    Args:
        folder: has to be there; a file is made in it and removed.
        groups: of this host, unless given.
    """
    groups = groups or ControlGroups()
    found = []
    for name, controller in (("memory", MEMORY), ("bandwidth", IO)):
        wanted = frozenset({controller})
        trouble = groups.trouble(wanted, folder)
        versions = groups.versions(wanted, folder)
        but = ", without writes that the kernel puts off" if controller == IO and 1 in versions else ""
        how = f"control groups, version {' and '.join(map(str, versions))}{but}"
        found.append(Ability(name, "" if trouble else how, trouble))
    trouble = _direct_trouble(folder)
    found.append(Ability("direct I/O", "" if trouble else "reads and writes", trouble))
    return tuple(found)


def _direct_trouble(folder: Path) -> str:
    """Write a block past the page cache and read it back, and say what was refused; empty where nothing was."""
    with tempfile.NamedTemporaryFile(dir=folder) as file, mmap.mmap(-1, _BLOCK_BYTES) as block:
        block[:] = b"x" * _BLOCK_BYTES  # memory of its own pages, as direct I/O wants it
        try:
            descriptor = os.open(file.name, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
        except OSError as error:
            return f"{folder}: {error.strerror}"
        try:
            os.pwrite(descriptor, block, 0)
            os.preadv(descriptor, [block], 0)
        except OSError as error:
            return f"{folder}: {error.strerror}"
        finally:
            os.close(descriptor)
    return ""
