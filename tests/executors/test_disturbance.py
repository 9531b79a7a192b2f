"""How much others used during a run, from readings of the host's counters."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from executor_builders import Fake, run_of, unwatched

from lsmtune.executors import Limits, _disturbance, _local
from lsmtune.executors._disturbance import (
    DiskCounters,
    Disturbance,
    HostReading,
    OwnUse,
    disturbance,
    own_use,
    usable_cores,
)
from lsmtune.model import Status

MIB = 1 << 20
IDLE_DISK = DiskCounters(0, 0, 0.0, 0.0)
BEFORE = HostReading(100.0, 1.0, {7: 3.0}, 50.0, 20.0, 0, IDLE_DISK)
NOTHING = OwnUse(0.0, 0, 0)


def after(busy_s: float = 0.0, stolen_s: float = 0.0, kernel_s: float = 0.0) -> HostReading:
    """What the counters say 10 s later."""
    return replace(BEFORE, busy_s=100.0 + busy_s, stolen_s=1.0 + stolen_s, kernel_s={7: 3.0 + kernel_s, 8: kernel_s})


def written(disk_bytes: int, own_bytes: int, dirty_bytes: int = 0, *, busy_s: float = 9.0) -> Disturbance:
    """What 10 s say in which the disk wrote so much."""
    before = replace(BEFORE, dirty_bytes=dirty_bytes)
    later = replace(before, disk=DiskCounters(0, disk_bytes, busy_s, 3 * busy_s), io_waited_s=25.0)
    return disturbance(before, later, OwnUse(0.0, 0, own_bytes), 10.0, 4.0)


@pytest.mark.parametrize(
    ("busy_s", "stolen_s", "own_cpu_s", "share"),
    [
        (8.0, 0.0, 8.0, 0.0),  # only the run itself
        (12.0, 0.0, 8.0, 0.1),  # others took 4 s of 10 s x 4 cores
        (8.0, 2.0, 8.0, 0.05),  # the hypervisor took 2 s
        (7.5, 0.0, 8.0, 0.0),  # the host's counters lag behind
        (80.0, 0.0, 0.0, 1.0),
    ],
)
def test_others_are_what_is_left_of_the_cores_that_the_run_may_use(
    busy_s: float, stolen_s: float, own_cpu_s: float, share: float
) -> None:
    found = disturbance(BEFORE, after(busy_s, stolen_s), OwnUse(own_cpu_s, 0, 0), 10.0, 4.0)
    assert found.cpu == pytest.approx(share)
    assert bool(found.reason) == (share > 0.1)


def test_a_run_that_may_use_two_cores_of_many_sees_who_is_on_them() -> None:
    own = OwnUse(10.0, 0, 0)
    assert disturbance(BEFORE, after(busy_s=14.0), own, 10.0, 64.0).cpu == pytest.approx(4 / 640)
    found = disturbance(BEFORE, after(busy_s=14.0), own, 10.0, 2.0)
    assert found.cpu == pytest.approx(0.2)
    assert found.reason == "others used 20.0 % of the cores that the run may use"


def test_kernel_threads_that_serve_files_are_not_others() -> None:
    assert disturbance(BEFORE, after(busy_s=8.0, kernel_s=4.0), NOTHING, 10.0, 4.0).cpu == pytest.approx(0.0)
    unseen = replace(after(busy_s=8.0), kernel_s=None)
    assert disturbance(BEFORE, unseen, NOTHING, 10.0, 4.0).cpu == pytest.approx(0.2)


def test_no_time_has_no_disturbance() -> None:
    assert disturbance(BEFORE, after(5.0), NOTHING, 0.0, 4.0) == Disturbance(0.0)


def test_a_backup_that_fills_the_disk_is_seen() -> None:
    backup = replace(BEFORE, disk=DiskCounters(900 * MIB, 100 * MIB, 9.0, 45.0), io_waited_s=25.0)
    found = disturbance(BEFORE, backup, OwnUse(5.0, 100 * MIB, 100 * MIB), 10.0, 4.0)
    assert found.disk == pytest.approx(0.9 * 0.8)
    assert found.queue == pytest.approx(4.5)
    assert found.io_pressure == pytest.approx(0.5)
    assert found.reason == "the disk worked for others in 72.0 % of the time"


def test_what_the_run_wrote_its_journal_and_what_was_dirty_before_are_not_others() -> None:
    assert written(100 * MIB, 100 * MIB).disk == 0.0
    assert written(400 * MIB, 100 * MIB).disk == 0.0, "small synced writes cost journal blocks"
    assert written(400 * MIB, 0, dirty_bytes=400 * MIB).disk == 0.0, "the clone of the loaded data"
    assert written(400 * MIB, 0, busy_s=0.5).reason == "", "the disk was idle"
    assert written(1000 * MIB, 125 * MIB).disk == pytest.approx(0.45)


def test_others_on_a_disk_that_nobody_waited_for_disturb_nobody() -> None:
    busy = written(400 * MIB, 0)
    assert busy.reason
    assert replace(busy, io_pressure=0.01).reason == ""
    assert replace(busy, io_pressure=None).reason, "a host without pressure goes by the disk alone"


def test_pressure_alone_accuses_nobody() -> None:
    assert Disturbance(0.0, 0.0, 0.5, cpu_pressure=0.99, io_pressure=0.99).reason == ""


def test_what_is_missing_is_not_nothing() -> None:
    bare = HostReading(100.0, 1.0)
    found = disturbance(bare, replace(bare, busy_s=120.0), NOTHING, 10.0, 4.0)
    assert found == Disturbance(0.5)
    assert found.facts == {"host_disturbance": "0.5000"}
    unknown = disturbance(BEFORE, after(), OwnUse(0.0, None, 0), 10.0, 4.0)
    assert unknown.disk is None
    assert set(unknown.facts) == {"host_disturbance", "host_disk_queue", "host_cpu_pressure", "host_io_pressure"}


def test_readings_come_from_the_counters_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 2})
    monkeypatch.setattr(_disturbance, "_TICKS_S", 100)
    (tmp_path / "stat").write_text(
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 900 0 0 5 5 0 0 7 0 0\ncpu1 100 20 30 5 5 9 9 4 0 0\n"
        "cpu2 50 0 0 5 5 0 0 6 0 0\nintr 5\n"
    )
    tail = "0 " * 9 + "150 50 " + "0 " * 23 + "{core} 0 0\n"
    threads = {2: ("kthreadd", 0, 1), 31: ("kworker/1:1-events", 2, 1), 32: ("jbd2/vda-8", 2, 0), 33: ("rcu_gp", 2, 1)}
    for number, (name, parent, core) in {**threads, 40: ("kworker-like", 1, 1)}.items():
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "stat").write_text(f"{number} ({name}) S {parent} " + tail.format(core=core))
    (tmp_path / "pressure").mkdir()
    (tmp_path / "pressure" / "cpu").write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull total=7\n")
    (tmp_path / "meminfo").write_text("MemTotal: 100 kB\nDirty:     3 kB\nWriteback:  1 kB\n")
    read = HostReading.now(tmp_path, proc=tmp_path)
    assert (read.busy_s, read.stolen_s) == (2.0, 0.1)
    assert read.kernel_s == {31: 2.0}
    assert (read.cpu_waited_s, read.io_waited_s, read.dirty_bytes) == (2.5, None, 4096)


def test_a_process_whose_name_the_kernel_cuts_amid_a_character_is_one_of_others(tmp_path: Path) -> None:
    for number, name in ((2, b"kthreadd"), (41, "Wärmebilderprüfung".encode()[:15])):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "stat").write_bytes(b"%d (%s) S 1 " % (number, name) + b"0 " * 40)
    assert HostReading.now(tmp_path, proc=tmp_path).kernel_s == {}


def test_a_kernel_that_shows_nothing_says_nothing(tmp_path: Path) -> None:
    read = HostReading.now(tmp_path, proc=tmp_path)
    assert (read.kernel_s, read.cpu_waited_s, read.io_waited_s, read.dirty_bytes) == (None, None, None, None)


def test_counters_of_this_host_only_grow(tmp_path: Path) -> None:
    first, own = HostReading.now(tmp_path), own_use()
    (tmp_path / "data").write_bytes(os.urandom(MIB))
    second = HostReading.now(tmp_path)
    assert second.busy_s >= first.busy_s > 0
    assert own_use().cpu_s >= own.cpu_s > 0
    if first.disk is not None and second.disk is not None:
        assert second.disk.written_bytes >= first.disk.written_bytes


def test_a_control_group_limits_the_cores(tmp_path: Path) -> None:
    every = float(len(os.sched_getaffinity(0)))
    (tmp_path / "a" / "b").mkdir(parents=True)
    own = tmp_path / "cgroup"
    own.write_text("0::/a/b\n")
    assert usable_cores(tmp_path, own) == every
    (tmp_path / "a" / "b" / "cpu.max").write_text("max 100000\n")
    (tmp_path / "a" / "cpu.max").write_text("50000 100000\n")
    assert usable_cores(tmp_path, own) == 0.5


def test_a_run_beside_a_busy_process_is_disturbed(fake: Fake) -> None:
    fake.monkeypatch.setattr(_local, "_JUDGED_S", 1.0)
    fake.behave("sleep=1.1")
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 1)]
    try:
        outcome = fake.executor().run(run_of(), Limits(), unwatched)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert outcome.status is Status.DISTURBED
    assert outcome.reason.startswith("others used ")
    assert outcome.measurement is not None
    assert float(outcome.measurement.facts["host_disturbance"]) > 0.5
