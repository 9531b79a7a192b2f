"""How much others used of what a run could use: readings of the host's counters, and what two of them say.

Pressure (``/proc/pressure``, the time in which some task waited) counts the waiting of the run's own threads too, and
there is no telling the two apart: `some` does not add up. So pressure never accuses anybody. It is kept with the run,
and where next to nobody waited for the disk, what others did there disturbed nobody.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from lsmtune.units import format_percent

_DISTURBED = 0.10  # share of the processor time, or of the disk's, that others may take
_WAITED = 0.02  # share of the time in which somebody has to have waited for a disk before others there matter
# A file that is synced after each small write makes the journal write several blocks for each of the file's.
_JOURNAL = 4.0
_KERNEL_IO = ("kworker", "ksoftirqd", "jbd2", "kswapd", "xfs", "btrfs", "dm", "kcryptd", "loop", "nvme", "scsi")
_KTHREADD = 2
_SECTOR_BYTES = 512
_TICKS_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class DiskCounters:
    """What a disk did since boot, for whomever.

    Attributes:
        read_bytes, written_bytes: what went over the device.
        busy_s: time in which a request was under way.
        queued_s: time of all requests together, so that two at once count twice.
    """

    read_bytes: int
    written_bytes: int
    busy_s: float
    queued_s: float


@dataclass(frozen=True)
class HostReading:
    """Counters of the host at a moment; a source that is missing is None.

    Attributes:
        busy_s: processor time that processes and kernel threads spent on the cores that this process may run on,
            without interrupts, which nobody can be named for.
        stolen_s: what the hypervisor took of these cores.
        kernel_s: processor time by kernel thread of those that serve files and disks, last seen on these cores.
        cpu_waited_s, io_waited_s: time in which some task waited for a core, or for a disk.
        dirty_bytes: written by processes and not yet on a disk.
        disk: of the run's data.
    """

    busy_s: float
    stolen_s: float
    kernel_s: Mapping[int, float] | None = None
    cpu_waited_s: float | None = None
    io_waited_s: float | None = None
    dirty_bytes: int | None = None
    disk: DiskCounters | None = None

    @classmethod
    def now(cls, folder: Path, proc: Path = Path("/proc")) -> "HostReading":
        """Read the counters; `folder` is on the disk of the run's data."""
        cores = os.sched_getaffinity(0)
        busy_s, stolen_s = _cores(_text(proc / "stat"), cores)
        stat = _disk_of(folder)
        return cls(
            busy_s,
            stolen_s,
            _kernel_threads(proc, cores),
            _waited_s(proc / "pressure" / "cpu"),
            _waited_s(proc / "pressure" / "io"),
            _dirty_bytes(_text(proc / "meminfo")),
            None if stat is None else _disk(_text(stat)),
        )


@dataclass(frozen=True)
class OwnUse:
    """What a run and lsmtune used themselves: processor time, and what they read from and wrote to disks."""

    cpu_s: float
    read_bytes: int | None
    written_bytes: int | None


@dataclass(frozen=True)
class Disturbance:
    """What others used while a run went on; None where it cannot be known.

    Attributes:
        cpu: share of the processor time of the cores that the run may use that others spent or the hypervisor took.
        disk: share of the run's time in which its disk worked for others.
        queue: mean number of requests that the disk had, the run's own among them.
        cpu_pressure, io_pressure: share of the time in which some task, the run's own among them, waited.
    """

    cpu: float
    disk: float | None = None
    queue: float | None = None
    cpu_pressure: float | None = None
    io_pressure: float | None = None

    @property
    def reason(self) -> str:
        """One sentence where the run counts as disturbed, else empty."""
        said = []
        if self.cpu > _DISTURBED:
            said.append(f"others used {format_percent(self.cpu)} of the cores that the run may use")
        waited = self.io_pressure is None or self.io_pressure > _WAITED
        if self.disk is not None and self.disk > _DISTURBED and waited:
            said.append(f"the disk worked for others in {format_percent(self.disk)} of the time")
        return " and ".join(said)

    @property
    def facts(self) -> dict[str, str]:
        """What is kept with a run, by name; what is not known is left out."""
        known = {
            "host_disturbance": self.cpu,
            "host_disk_disturbance": self.disk,
            "host_disk_queue": self.queue,
            "host_cpu_pressure": self.cpu_pressure,
            "host_io_pressure": self.io_pressure,
        }
        return {name: f"{value:.4f}" for name, value in known.items() if value is not None}


def disturbance(before: HostReading, after: HostReading, own: OwnUse, wall_s: float, cores: float) -> Disturbance:
    """Return what others used between two readings that are `wall_s` apart, of a run that may use `cores` cores."""
    if wall_s <= 0:
        return Disturbance(0.0)
    serving_s = _grown(before.kernel_s, after.kernel_s)
    others_s = max(0.0, after.busy_s - before.busy_s - own.cpu_s - serving_s) + after.stolen_s - before.stolen_s
    return Disturbance(
        cpu=min(1.0, others_s / (wall_s * cores)),
        disk=_of_others(before, after, own, wall_s),
        queue=None
        if before.disk is None or after.disk is None
        else (after.disk.queued_s - before.disk.queued_s) / wall_s,
        cpu_pressure=_share(before.cpu_waited_s, after.cpu_waited_s, wall_s),
        io_pressure=_share(before.io_waited_s, after.io_waited_s, wall_s),
    )


def usable_cores(cgroups: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """Return how many cores this process may use: those of its affinity, or fewer where a control group says so."""
    cores = float(len(os.sched_getaffinity(0)))
    path = next((line.removeprefix("0::/") for line in _text(own).splitlines() if line.startswith("0::/")), "")
    group = cgroups / path
    while group.is_relative_to(cgroups):
        quota, _, period = _text(group / "cpu.max").partition(" ")
        if quota.isdigit() and int(period) > 0:
            cores = min(cores, int(quota) / int(period))
        group = group.parent
    return cores


def own_use() -> OwnUse:
    """Return what lsmtune itself has used so far."""
    times = psutil.Process().cpu_times()
    fields = dict(line.split(": ") for line in _text(Path("/proc/self/io")).splitlines())
    read, written = fields.get("read_bytes"), fields.get("write_bytes")
    return OwnUse(
        times.user + times.system, None if read is None else int(read), None if written is None else int(written)
    )


def _of_others(before: HostReading, after: HostReading, own: OwnUse, wall_s: float) -> float | None:
    """Return the share of the time in which the disk was busy, by the part of its bytes that nothing else explains.

    What was dirty before the run began is written by whomever; and what the run writes costs a journal.
    """
    if before.disk is None or after.disk is None or own.read_bytes is None or own.written_bytes is None:
        return None
    read = after.disk.read_bytes - before.disk.read_bytes
    written = after.disk.written_bytes - before.disk.written_bytes
    if read + written <= 0:
        return 0.0
    explained = _JOURNAL * own.written_bytes + (before.dirty_bytes or 0)
    others = max(0.0, read - own.read_bytes) + max(0.0, written - explained)
    busy = min(1.0, (after.disk.busy_s - before.disk.busy_s) / wall_s)
    return busy * others / (read + written)


def _share(before_s: float | None, after_s: float | None, wall_s: float) -> float | None:
    return None if before_s is None or after_s is None else min(1.0, (after_s - before_s) / wall_s)


def _grown(before: Mapping[int, float] | None, after: Mapping[int, float] | None) -> float:
    """Return what the threads of the second reading spent since the first, in s; 0 where they cannot be seen."""
    if before is None or after is None:
        return 0.0
    return sum(max(0.0, spent_s - before.get(thread, 0.0)) for thread, spent_s in after.items())


def _cores(stat: str, cores: set[int]) -> tuple[float, float]:
    """Return busy and stolen time of some cores in s, from the text of ``/proc/stat``."""
    busy = stolen = 0
    for line in stat.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cores:
            user, nice, system, _, _, _, _, steal = map(int, fields[:8])
            busy += user + nice + system
            stolen += steal
    return busy / _TICKS_S, stolen / _TICKS_S


def _kernel_threads(proc: Path, cores: set[int]) -> dict[int, float] | None:
    """Return the processor time of kernel threads that serve files and disks in s, by thread; None if unseen."""
    if "kthreadd" not in _text(proc / str(_KTHREADD) / "stat"):
        return None  # a container does not see the kernel's threads
    found = {}
    for folder in proc.iterdir():
        if not folder.name.isdigit():
            continue
        before, _, rest = _text(folder / "stat").rpartition(")")
        fields = rest.split()
        here = len(fields) > 36 and int(fields[1]) == _KTHREADD and int(fields[36]) in cores
        if here and before.partition("(")[2].startswith(_KERNEL_IO):
            found[int(folder.name)] = (int(fields[11]) + int(fields[12])) / _TICKS_S
    return found


def _waited_s(path: Path) -> float | None:
    """Return the total of the line ``some`` of a file of ``/proc/pressure`` in s."""
    for line in _text(path).splitlines():
        if line.startswith("some "):
            return int(line.rpartition("total=")[2]) / 1e6
    return None


def _dirty_bytes(meminfo: str) -> int | None:
    found = [int(line.split()[1]) << 10 for line in meminfo.splitlines() if line.startswith(("Dirty:", "Writeback:"))]
    return sum(found) if found else None


def _disk_of(folder: Path) -> Path | None:
    """Return the file with the counters of the whole disk below a folder; None where there is none to be seen."""
    resolved = folder.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if resolved.is_relative_to(part.mountpoint)]
    device = max(mounts, key=lambda part: len(part.mountpoint)).device if mounts else ""
    number = folder.stat().st_dev
    if os.major(number) == 0:  # btrfs and others that span devices name the first
        if not Path(device).is_block_device():
            return None
        number = Path(device).stat().st_rdev
    place = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    while len(below := list(place.glob("slaves/*"))) == 1:
        place = below[0].resolve()
    whole = whole_disk(place)
    return whole / "stat" if (whole / "stat").exists() else None


def whole_disk(place: Path) -> Path:
    """Return the kernel's folder of the disk that a device is, or is a partition of."""
    return place.parent if (place / "partition").exists() else place


def disk_number(folder: Path) -> str | None:
    """Return the number of the whole disk below a folder, ``"254:0"``; None where there is none to be seen."""
    stat = _disk_of(folder)
    return None if stat is None else _text(stat.parent / "dev").strip() or None


def _disk(stat: str) -> DiskCounters | None:
    fields = [int(field) for field in stat.split()]
    if len(fields) < 11:
        return None
    return DiskCounters(fields[2] * _SECTOR_BYTES, fields[6] * _SECTOR_BYTES, fields[9] / 1e3, fields[10] / 1e3)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")  # the kernel cuts names of processes amid a character
    except OSError:
        return ""
