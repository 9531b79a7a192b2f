"""Facts of this machine."""

import hashlib
import os
import platform
from pathlib import Path

import psutil

from lsmtune.executors._disturbance import whole_disk
from lsmtune.model import HostFacts
from lsmtune.units import parse_bytes

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def host_facts(data: Path) -> HostFacts:
    """Return the facts of this machine; `data` is a folder on the disk that will hold the data, made or not."""
    data = next(folder for folder in (data, *data.parents) if folder.exists())
    processor = _processor()
    cores = len(os.sched_getaffinity(0))
    memory_bytes = _memory_bytes()
    machine_id = _first_line(Path("/etc/machine-id")) or platform.node()
    identity = f"{machine_id}\n{processor}\n{cores}\n{memory_bytes >> 28}"
    return HostFacts(
        name=platform.node(),
        fingerprint=hashlib.sha256(identity.encode()).hexdigest()[:16],
        processor=processor,
        cores=cores,
        memory_bytes=memory_bytes,
        kernel=platform.release(),
        filesystem=_filesystem(data),
        disk_free_bytes=psutil.disk_usage(str(data)).free,
        processor_cache_bytes=processor_cache_bytes(),
        readahead_bytes=readahead_bytes(data.stat().st_dev),
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def processor_cache_bytes(cpus: Path = Path("/sys/devices/system/cpu")) -> int | None:
    """Return the size of the last-level cache in B, the least of the cores that may be used; None where it is hidden.

    Args:
        cpus: the kernel's folder of processors.
    """
    found = []
    for core in os.sched_getaffinity(0):
        sizes = {
            int(level): parse_bytes(size)
            for index in (cpus / f"cpu{core}" / "cache").glob("index*")
            if _first_line(index / "type") != "Instruction"
            and (level := _first_line(index / "level")).isdigit()
            and (size := _first_line(index / "size"))
        }
        if sizes:
            found.append(sizes[max(sizes)])
    return min(found, default=None)


def readahead_bytes(device: int, devices: Path = Path("/sys/dev/block")) -> int | None:
    """Return how much the kernel reads ahead of a device, in B; None where it is hidden.

    Args:
        device: its number, as of a folder that it holds.
        devices: the kernel's folder of block devices.
    """
    place = (devices / f"{os.major(device)}:{os.minor(device)}").resolve()
    text = _first_line(whole_disk(place) / "queue" / "read_ahead_kb")
    return int(text) << 10 if text.isdigit() else None


def _memory_bytes() -> int:
    total = psutil.virtual_memory().total
    for path in _CGROUP_LIMITS:
        limit = _first_line(path)
        if limit.isdigit():
            return min(total, int(limit))
    return total


def _filesystem(folder: Path) -> str:
    resolved = folder.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if resolved.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else "unknown"


def _first_line(path: Path) -> str:
    try:
        return path.read_text().splitlines()[0].strip()
    except (OSError, IndexError):
        return ""
