"""A tree of control groups in a folder, as a kernel would have it, and a second opinion on what this kernel allows."""

import errno
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lsmtune.executors._cgroup import Kernel

_OF_MEMORY = {
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
    "memory.peak": "7000000",
    "memory.stat": "anon 1\nfile 4096\nworkingset_refault_file 12",
    "memory.events": "low 0\noom 0\noom_kill 0",
}
_OF_DISKS = {"io.max": "", "io.stat": "254:0 rbytes=100 wbytes=20 rios=3 wios=4\n7:0 rbytes=1 wbytes=2 rios=1 wios=1"}
_OF_OLD_MEMORY = {
    "memory.limit_in_bytes": "9223372036854771712",
    "memory.memsw.limit_in_bytes": "9223372036854771712",
    "memory.max_usage_in_bytes": "7000000",
    "memory.stat": "cache 1\ntotal_cache 4096\ntotal_workingset_refault_file 12",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0",
}
_OF_OLD_DISKS = {
    **{f"blkio.throttle.{name}_device": "" for name in ("read_bps", "write_bps", "read_iops", "write_iops")},
    "blkio.throttle.io_service_bytes": "254:0 Read 100\n254:0 Write 20\n7:0 Read 1\n7:0 Write 2\nTotal 123",
}


@dataclass(frozen=True)
class FakeKernel:
    """Hierarchies below a folder: what is made in them has the files that the kernel would put there."""

    folder: Path

    @property
    def top(self) -> Path:
        """Where hierarchies are mounted."""
        return self.folder / "cgroup"

    @property
    def seam(self) -> Kernel:
        """What `ControlGroups` takes."""
        return Kernel(self.folder / "proc", self._make, self._remove)

    def shows(self, groups: str, *mounts: str) -> "FakeKernel":
        """Write what ``/proc`` shows of this process; ``{top}`` in a mount stands for the folder."""
        own = self.folder / "proc" / "self"
        own.mkdir(parents=True, exist_ok=True)
        (self.folder / "proc" / str(os.getpid())).mkdir(exist_ok=True)
        (own / "cgroup").write_text(groups)
        (own / "mountinfo").write_text("\n".join(mount.format(top=self.top) for mount in mounts))
        return self

    def group(self, path: str, controllers: str, switched_on: str = "") -> Path:
        """Make a group of version 2 that is there already, with what it offers and hands on."""
        folder = self.top / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.controllers").write_text(controllers)
        (folder / "cgroup.subtree_control").write_text(switched_on)
        return folder

    def _make(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "cgroup.procs").touch()
        handed_on = folder.parent / "cgroup.subtree_control"
        files: dict[str, str] = {}
        if handed_on.exists():
            wanted = handed_on.read_text()
            files = {**(_OF_MEMORY if "memory" in wanted else {}), **(_OF_DISKS if "io" in wanted else {})}
        elif "blkio" in folder.parts:
            files = _OF_OLD_DISKS
        elif "memory" in folder.parts:
            files = _OF_OLD_MEMORY
        for name, text in files.items():
            (folder / name).write_text(text)

    @staticmethod
    def _remove(folder: Path) -> None:
        if not folder.exists():
            raise FileNotFoundError(folder)
        pids = (folder / "cgroup.procs").read_text().split()
        if any(Path("/proc", pid).exists() for pid in pids):
            raise OSError(errno.EBUSY, "Device or resource busy", str(folder))
        shutil.rmtree(folder)


V2 = "30 20 0:26 / {top} rw,relatime - cgroup2 cgroup2 rw"
V1_MEMORY = "31 20 0:27 / {top}/memory rw,relatime - cgroup cgroup rw,memory"
V1_DISKS = "32 20 0:28 / {top}/blkio rw,relatime - cgroup cgroup rw,blkio"


def new_kernel(folder: Path) -> FakeKernel:
    """A host with one hierarchy: this process is in ``service``, below a group that hands memory and disks on."""
    kernel = FakeKernel(folder).shows("0::/user/service\n", V2)
    kernel.group("", "cpu memory io")
    kernel.group("user", "cpu memory io", "memory io")
    kernel.group("user/service", "")
    return kernel


def old_kernel(folder: Path) -> FakeKernel:
    """A host with a hierarchy for each controller, and an empty one of the new kind beside them."""
    new = "33 20 0:29 / {top}/unified rw - cgroup2 cgroup2 rw"
    kernel = FakeKernel(folder).shows("4:memory:/own\n7:blkio:/\n0::/\n", V1_MEMORY, V1_DISKS, new)
    for path in ("memory/own", "blkio"):
        (kernel.top / path).mkdir(parents=True)
    kernel.group("unified", "hugetlb")
    return kernel


def kernel_allows_memory() -> bool:
    """Try in the shell, without lsmtune's code, whether a process can be put into a group of limited memory."""
    return any(_holds(Path(parent), limit) for parent, limit in _candidates())


def _candidates() -> list[tuple[str, str]]:
    found = []
    own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    for line in Path("/proc/mounts").read_text().splitlines():
        _, top, kind, options = line.split()[:4]
        if kind == "cgroup" and "memory" in options.split(","):
            path = next(path for names, path in own.items() if "memory" in names.split(","))
            found.append((top + path if Path(top + path).exists() else top, "memory.limit_in_bytes"))
        if kind == "cgroup2" and "" in own:
            folder = Path(top + own[""]) if Path(top + own[""]).exists() else Path(top)
            found += [(str(each), "memory.max") for each in (folder, *folder.parents) if each.is_relative_to(top)]
    return found


def _holds(parent: Path, limit: str) -> bool:
    script = (
        'g="$1/second-opinion-$$"; mkdir "$g" || exit 1; trap \'rmdir "$g"; [ -z "$on" ] || '
        'echo -memory > "$1/cgroup.subtree_control"\' EXIT; on=; '
        '[ -e "$g/$2" ] || { echo +memory > "$1/cgroup.subtree_control" && on=1; } || exit 1; '
        'echo 67108864 > "$g/$2" || exit 1; sleep 60 & p=$!; echo $p > "$g/cgroup.procs"; s=$?; '
        "kill $p; wait $p; exit $s"
    )
    done = subprocess.run(["sh", "-c", script, "sh", str(parent), limit], capture_output=True, check=False)
    return done.returncode == 0
