"""Control groups: where they can be made is found by trying, they hold what was asked, and none stays behind."""

import os
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from cgroup_builders import FakeKernel, kernel_allows_memory, new_kernel, old_kernel

from lsmtune.errors import UsageError
from lsmtune.executors import ResourceLimits, host_abilities
from lsmtune.executors import _cgroup as cgroup
from lsmtune.executors._cgroup import ControlGroups
from lsmtune.executors._resources import Taken

MIB = 1 << 20
MEMORY, DISKS = frozenset({"memory"}), frozenset({"io"})
WANTED = ResourceLimits(memory_bytes=256 * MIB, process_bytes=16 * MIB, read_bytes_s=100 * MIB, write_ops_s=500)
COUNTED = {"memory_peak_bytes": 7_000_000, "page_cache_bytes": 4096, "refaults": 12, "oom_kills": 0}


@pytest.fixture(autouse=True)
def disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data is on the disk 254:0, on whatever machine."""
    monkeypatch.setattr(cgroup, "disk_number", lambda _: "254:0")


def made_in(kernel: FakeKernel) -> list[Path]:
    return sorted(kernel.top.rglob("lsmtune-*"))


def test_one_group_holds_memory_and_disks_where_all_controllers_share_a_hierarchy(tmp_path: Path) -> None:
    kernel = new_kernel(tmp_path)
    with ControlGroups(kernel.seam).of_run(WANTED, Fraction(1, 4), tmp_path) as group:
        (folder,) = made_in(kernel)
        assert folder.parent == kernel.top / "user"  # the nearest that hands memory and disks on
        said = {name: (folder / name).read_text() for name in ("memory.max", "memory.swap.max", "memory.oom.group")}
        assert said["memory.max"].startswith(str(80 * MIB))  # a quarter of 256 MiB, and what does not shrink
        assert (said["memory.swap.max"][0], said["memory.oom.group"]) == ("0", "1")
        assert (folder / "io.max").read_text() == f"254:0 rbps={100 * MIB} riops=500".replace("riops", "wiops")
        assert list(group.entries) == [folder / "cgroup.procs"]
        assert group.taken() == Taken(80 * MIB, **COUNTED, read_bytes=101, written_bytes=22)
    assert made_in(kernel) == []


def test_a_group_for_each_old_hierarchy_holds_its_own_part(tmp_path: Path) -> None:
    kernel = old_kernel(tmp_path)
    with ControlGroups(kernel.seam).of_run(WANTED, Fraction(1), tmp_path) as group:
        disks, memory = made_in(kernel)
        assert (disks.parent, memory.parent) == (kernel.top / "blkio", kernel.top / "memory" / "own")
        for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
            assert (memory / name).read_text().startswith(str(272 * MIB))
        assert (disks / "blkio.throttle.read_bps_device").read_text() == f"254:0 {100 * MIB}"
        assert (disks / "blkio.throttle.write_iops_device").read_text() == "254:0 500"
        assert (disks / "blkio.throttle.write_bps_device").read_text() == ""
        assert len(group.entries) == 2
        taken = group.taken()
        assert (taken.oom_kills, taken.read_bytes, taken.written_bytes) == (0, 101, 22)
    assert made_in(kernel) == []


def test_a_controller_that_is_switched_on_for_a_run_is_switched_off_again(tmp_path: Path) -> None:
    kernel = FakeKernel(tmp_path).shows("0::/\n", "30 20 0:26 / {top} rw - cgroup2 cgroup2 rw")
    switch = kernel.group("", "memory") / "cgroup.subtree_control"
    only_memory = ResourceLimits(memory_bytes=MIB)
    with ControlGroups(kernel.seam).of_run(only_memory, Fraction(1), tmp_path):
        assert switch.read_text() == "+memory"
    assert switch.read_text() == "-memory"  # a real one would then read as empty


def test_a_controller_stays_on_while_a_run_under_another_lock_needs_it(tmp_path: Path) -> None:
    kernel = FakeKernel(tmp_path).shows("0::/\n", "30 20 0:26 / {top} rw - cgroup2 cgroup2 rw")
    switch = kernel.group("", "memory") / "cgroup.subtree_control"
    with ControlGroups(kernel.seam).of_run(ResourceLimits(memory_bytes=MIB), Fraction(1), tmp_path):
        kernel.seam.make(kernel.top / "lsmtune-8-1")
    assert switch.read_text() == "+memory"


def test_what_is_tried_is_tried_once_for_each_wish(tmp_path: Path) -> None:
    kernel = new_kernel(tmp_path)
    groups = ControlGroups(kernel.seam)
    assert groups.trouble(MEMORY, tmp_path) == ""
    for path in ("", "user"):
        kernel.group(path, "cpu")
    assert (groups.trouble(MEMORY, tmp_path), groups.versions(MEMORY, tmp_path)) == ("", (2,))
    assert "the controller io is not offered there" in groups.trouble(DISKS, tmp_path)


@pytest.mark.parametrize(
    ("mounts", "reason"),
    [
        ((), "no control groups are mounted"),
        (("30 20 0:26 / {top} rw - cgroup2 cgroup2 rw",), "the controller memory is not offered there"),
        (("31 20 0:27 / {top}/absent rw - cgroup cgroup rw,memory",), "No such file or directory"),
    ],
)
def test_a_host_without_groups_refuses_a_run_and_says_what_else_to_write(
    tmp_path: Path, mounts: tuple[str, ...], reason: str
) -> None:
    kernel = FakeKernel(tmp_path).shows("4:memory:/\n0::/\n", *mounts)
    kernel.group("", "cpu")
    with (
        pytest.raises(
            UsageError, match=r'the memory of runs cannot be limited here, as .*page_cache = "direct"'
        ) as told,
        ControlGroups(kernel.seam).of_run(ResourceLimits(memory_bytes=MIB), Fraction(1), tmp_path),
    ):
        pass
    assert reason in str(told.value)


def test_data_that_is_on_no_disk_has_no_bandwidth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "disk_number", lambda _: None)
    groups = ControlGroups(new_kernel(tmp_path).seam)
    assert "is on no disk of its own" in groups.trouble(DISKS, tmp_path)
    assert groups.trouble(MEMORY, tmp_path) == ""


def test_without_limits_there_is_no_group(tmp_path: Path) -> None:
    kernel = new_kernel(tmp_path)
    for limits in (None, ResourceLimits(process_bytes=MIB)):
        with ControlGroups(kernel.seam).of_run(limits, Fraction(1), tmp_path) as group:
            assert (group.entries, group.taken().facts, made_in(kernel)) == ((), {}, [])


def test_groups_of_a_killed_lsmtune_go_and_those_of_a_living_one_stay(tmp_path: Path) -> None:
    kernel = new_kernel(tmp_path)
    dead, living, foreign = (
        kernel.top / "user" / name for name in ("lsmtune-9-1", f"lsmtune-{os.getpid()}-7", "lsmtune-x")
    )
    busy = kernel.top / "lsmtune-8-1"
    for folder in (dead, living, foreign, busy):
        kernel.seam.make(folder)
    (busy / "cgroup.procs").write_text(str(os.getpid()))
    cgroup_patience = cgroup._PATIENCE_S
    try:
        cgroup._PATIENCE_S = 0.05
        ControlGroups(kernel.seam).clear()
    finally:
        cgroup._PATIENCE_S = cgroup_patience
    assert set(made_in(kernel)) == {living, foreign, busy}
    (busy / "cgroup.procs").write_text("")
    ControlGroups(kernel.seam).clear()
    assert set(made_in(kernel)) == {living, foreign}


def test_what_a_mount_shows_from_below_the_top_is_found_there(tmp_path: Path) -> None:
    kernel = FakeKernel(tmp_path).shows("0::/docker/abc/x\n", "30 20 0:26 /docker/abc {top} rw - cgroup2 cgroup2 rw")
    kernel.group("x", "memory", "memory")
    with ControlGroups(kernel.seam).of_run(ResourceLimits(memory_bytes=MIB), Fraction(1), tmp_path):
        assert [folder.parent for folder in made_in(kernel)] == [kernel.top / "x"]


def test_a_disk_that_is_mounted_under_a_name_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    kernel = new_kernel(tmp_path)
    with (tmp_path / "proc" / "self" / "mountinfo").open("ab") as file:
        file.write(b"\n40 20 8:1 / /media/M\xfcller rw - vfat /dev/sda1 rw")
    assert ControlGroups(kernel.seam).trouble(MEMORY, tmp_path) == ""


def test_what_works_is_told_with_the_version_that_does_it(tmp_path: Path) -> None:
    def told(kernel: FakeKernel) -> list[str]:
        return [each.how for each in host_abilities(tmp_path, ControlGroups(kernel.seam))][:2]

    groups = "control groups, version"
    assert told(new_kernel(tmp_path / "new")) == [f"{groups} 2", f"{groups} 2"]
    assert told(old_kernel(tmp_path / "old")) == [f"{groups} 1", f"{groups} 1, without writes that the kernel puts off"]
    memory, disks, _ = host_abilities(tmp_path, ControlGroups(FakeKernel(tmp_path / "bare").shows("", "").seam))
    assert (memory.how, memory.trouble) == (disks.how, disks.trouble) == ("", "no control groups are mounted")


def test_the_answer_for_this_machine_is_the_kernels(tmp_path: Path) -> None:
    memory, _, direct = host_abilities(tmp_path)
    assert bool(memory.how) == kernel_allows_memory()
    assert bool(memory.how) != bool(memory.trouble)
    assert bool(direct.how) == _opens_past_the_page_cache(tmp_path)


def _opens_past_the_page_cache(folder: Path) -> bool:
    command = ["dd", "if=/dev/zero", f"of={folder}/probe", "bs=4096", "count=1", "oflag=direct"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
