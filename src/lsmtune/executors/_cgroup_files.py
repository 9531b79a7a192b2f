"""The files of control groups in both versions of the kernel's interface: what is written there, what is read.

Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/{memory,blkio-controller}.rst.
"""

import os
from abc import ABC, abstractmethod
from pathlib import Path

from lsmtune.executors._resources import ResourceLimits, Taken

MEMORY, IO = "memory", "io"
"""The controllers, in the words of version 2."""


class Files(ABC):
    """How a version spells limits and counters. A folder is that of one group."""

    @abstractmethod
    def limit_memory(self, folder: Path, limit_bytes: int) -> None:
        """Hold a group to a memory, swap included.

        Raises:
            OSError: the kernel refuses it.
        """

    @abstractmethod
    def limit_io(self, folder: Path, device: str, limits: ResourceLimits) -> None:
        """Hold a group to what it may do with a device, ``"254:0"``.

        Raises:
            OSError: the kernel refuses it.
        """

    @abstractmethod
    def memory_taken(self, folder: Path) -> Taken:
        """Return what was counted of memory."""

    @abstractmethod
    def io_taken(self, folder: Path) -> Taken:
        """Return what was counted of disks."""


class FilesOfVersion2(Files):
    """One hierarchy for all controllers."""

    def limit_memory(self, folder: Path, limit_bytes: int) -> None:
        """See `Files`; all processes of the group end together."""
        put(folder / "memory.max", str(limit_bytes))
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            if (folder / name).exists():  # not where the kernel has no swap, or is old
                put(folder / name, value)

    def limit_io(self, folder: Path, device: str, limits: ResourceLimits) -> None:
        """See `Files`."""
        wanted = {
            "rbps": limits.read_bytes_s,
            "wbps": limits.write_bytes_s,
            "riops": limits.read_ops_s,
            "wiops": limits.write_ops_s,
        }
        said = " ".join(f"{key}={value}" for key, value in wanted.items() if value is not None)
        put(folder / "io.max", f"{device} {said}")

    def memory_taken(self, folder: Path) -> Taken:
        """See `Files`."""
        stat = folder / "memory.stat"
        return Taken(
            memory_limit_bytes=_number(folder / "memory.max"),
            memory_peak_bytes=_number(folder / "memory.peak"),
            page_cache_bytes=_field(stat, "file"),
            refaults=_field(stat, "workingset_refault_file"),
            oom_kills=_field(folder / "memory.events", "oom_kill"),
        )

    def io_taken(self, folder: Path) -> Taken:
        """See `Files`."""
        fields = [field.partition("=") for line in _lines(folder / "io.stat") for field in line.split()[1:]]
        if not (folder / "io.stat").exists():
            return Taken()
        read, written = (sum(int(value) for key, _, value in fields if key == name) for name in ("rbytes", "wbytes"))
        return Taken(read_bytes=read, written_bytes=written)


class FilesOfVersion1(Files):
    """A hierarchy for each controller; that of disks is called blkio."""

    def limit_memory(self, folder: Path, limit_bytes: int) -> None:
        """See `Files`."""
        put(folder / "memory.limit_in_bytes", str(limit_bytes))
        with_swap = folder / "memory.memsw.limit_in_bytes"
        if with_swap.exists():
            put(with_swap, str(limit_bytes))

    def limit_io(self, folder: Path, device: str, limits: ResourceLimits) -> None:
        """See `Files`."""
        wanted = {
            "read_bps": limits.read_bytes_s,
            "write_bps": limits.write_bytes_s,
            "read_iops": limits.read_ops_s,
            "write_iops": limits.write_ops_s,
        }
        for key, value in wanted.items():
            if value is not None:
                put(folder / f"blkio.throttle.{key}_device", f"{device} {value}")

    def memory_taken(self, folder: Path) -> Taken:
        """See `Files`."""
        stat = folder / "memory.stat"
        return Taken(
            memory_limit_bytes=_number(folder / "memory.limit_in_bytes"),
            memory_peak_bytes=_number(folder / "memory.max_usage_in_bytes"),
            page_cache_bytes=_field(stat, "total_cache"),
            refaults=_field(stat, "total_workingset_refault_file"),
            oom_kills=_field(folder / "memory.oom_control", "oom_kill"),
        )

    def io_taken(self, folder: Path) -> Taken:
        """See `Files`."""
        path = folder / "blkio.throttle.io_service_bytes"
        if not path.exists():
            return Taken()
        rows = [line.split() for line in _lines(path)]
        read, written = (sum(int(row[2]) for row in rows if row[1:2] == [name]) for name in ("Read", "Write"))
        return Taken(read_bytes=read, written_bytes=written)


FILES: dict[int, Files] = {1: FilesOfVersion1(), 2: FilesOfVersion2()}
"""By version."""


def put(path: Path, text: str) -> None:
    """Write one word into a file of the kernel's.

    Raises:
        OSError: the kernel refuses it, or there is no such file.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _number(path: Path) -> int | None:
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _field(path: Path, name: str) -> int | None:
    rows = (line.split() for line in _lines(path))
    return next((int(row[1]) for row in rows if len(row) == 2 and row[0] == name), None)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
