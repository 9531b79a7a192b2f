"""Runs in control groups of this machine. Where it allows none, the same runs are refused, and that is tested."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from executor_builders import FILL, CountingBench, Fake, run_of, unwatched

from lsmtune.backends import Process
from lsmtune.errors import UsageError
from lsmtune.executors import Limits, LocalExecutor, ResourceLimits
from lsmtune.executors._cgroup import ControlGroups
from lsmtune.executors._clone import forget_pages
from lsmtune.executors._host import host_facts
from lsmtune.model import Outcome, Run, Status
from lsmtune.space import catalogue

MIB = 1 << 20
HELD = Limits(resources=ResourceLimits(memory_bytes=48 * MIB, process_bytes=16 * MIB))
_GREEDY = "kept = bytearray(300 << 20)"
_FILES = """
with open("big", "wb") as file:
    for _ in range(160):
        file.write(bytes(1 << 20))
with open("big", "rb") as file:
    while file.read(1 << 20):
        pass
"""


class Doing(CountingBench):
    """Does something else in the place of the measured process, or before it."""

    code, before = "", False

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        own = Process("measure", (sys.executable, "-c", self.code))
        measured = super().processes(run, database)
        return (replace(own, name="settle"), *measured) if self.before else (own, *measured[1:])


def executor(fake: Fake, code: str, *, before: bool = False) -> LocalExecutor:
    doing = Doing(fake.build, catalogue().for_version(fake.build.version_tuple), FILL)
    doing.code, doing.before = code, before
    return LocalExecutor(doing, fake.scratch)


def allowed(controller: str, folder: Path) -> bool:
    return not ControlGroups().trouble(frozenset({controller}), folder)


def outcome_or_refusal(fake: Fake, made: LocalExecutor, limits: Limits, controller: str) -> Outcome | None:
    """What comes of a run; None where this machine cannot hold it, after that was found to be said."""
    fake.scratch.mkdir(exist_ok=True)
    if allowed(controller, fake.scratch):
        return made.run(run_of(), limits, unwatched)
    with pytest.raises(UsageError, match="cannot be limited here"):
        made.run(run_of(), limits, unwatched)
    return None


def test_a_run_that_needs_more_memory_than_production_has_failed_for_that_reason(fake: Fake) -> None:
    outcome = outcome_or_refusal(fake, executor(fake, _GREEDY), HELD, "memory")
    if outcome is not None:
        assert outcome.status is Status.FAILED
        assert outcome.reason == (
            "the kernel ended it, as it needed more than the 64 MiB that host.memory leaves a run at this scale"
        )
    assert executor(fake, _GREEDY).run(run_of(), Limits(), unwatched).reason.count("host.memory") == 0


def test_a_run_keeps_no_more_of_its_files_in_memory_than_its_share(fake: Fake) -> None:
    outcome = outcome_or_refusal(fake, executor(fake, _FILES, before=True), HELD, "memory")
    if outcome is not None:
        assert outcome.measurement is not None, outcome.reason
        facts = outcome.measurement.facts
        assert facts["group_memory_limit_bytes"] == str(64 * MIB)
        assert int(facts["group_page_cache_bytes"]) <= 64 * MIB
        assert int(facts["group_oom_kills"]) == 0
    free = executor(fake, _FILES, before=True).run(run_of(), Limits(), unwatched)
    assert free.measurement is not None
    assert not [name for name in free.measurement.facts if name.startswith("group_")]


def test_a_rung_has_its_part_of_the_memory(fake: Fake) -> None:
    half = replace(run_of(), rung=Fraction(1, 2))
    if allowed("memory", fake.scratch.parent):
        outcome = fake.executor().run(half, HELD, unwatched)
        assert outcome.measurement is not None, outcome.reason
        assert outcome.measurement.facts["group_memory_limit_bytes"] == str(40 * MIB)
    else:
        with pytest.raises(UsageError, match="cannot be limited here"):
            fake.executor().run(half, HELD, unwatched)


def test_a_disk_is_no_faster_than_it_was_said_to_be(fake: Fake) -> None:
    direct = ("dd", "if=/dev/zero", "of=big", "bs=1M", "count=8", "oflag=direct")
    code = f"import subprocess, sys; sys.exit(subprocess.run({direct!r}, capture_output=True).returncode)"
    slow = Limits(resources=ResourceLimits(write_bytes_s=16 * MIB))
    outcome = outcome_or_refusal(fake, executor(fake, code, before=True), slow, "io")
    if outcome is not None:
        assert outcome.measurement is not None, outcome.reason
        assert outcome.elapsed_s > 0.3  # 8 MiB take half a second at 16 MiB/s, less what may come at once
        assert int(outcome.measurement.facts["group_written_bytes"]) >= 8 * MIB


def test_no_group_stays_behind(fake: Fake) -> None:
    outcome_or_refusal(fake, executor(fake, _GREEDY), HELD, "memory")
    assert groups_of(os.getpid()) == []


_VICTIM = """
import os, signal, sys
from fractions import Fraction
from pathlib import Path
from lsmtune.executors import ResourceLimits
from lsmtune.executors._cgroup import ControlGroups

with ControlGroups().of_run(ResourceLimits(memory_bytes=64 << 20), Fraction(1), Path(sys.argv[1])) as group:
    assert group.entries[0].parent.is_dir()
    print(group.entries[0].parent, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_start_removes_the_groups_of_a_killed_lsmtune(fake: Fake, tmp_path: Path) -> None:
    """What was left may be gone at once: other tests start lsmtune beside this one."""
    killed = subprocess.run([sys.executable, "-c", _VICTIM, str(tmp_path)], capture_output=True, text=True, check=False)
    if allowed("memory", tmp_path):
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        left = Path(killed.stdout.strip())
        fake.executor()
        assert not left.exists()
    else:
        assert killed.returncode == 1
        assert "cannot be limited here" in killed.stderr


def test_what_was_read_before_a_run_is_in_no_ones_cache(tmp_path: Path) -> None:
    file = tmp_path / "000001.sst"
    file.write_bytes(os.urandom(4 * MIB))
    assert cached_pages(file) > 0
    until = time.monotonic() + 20
    while cached_pages(file) and time.monotonic() < until:  # a page that somebody looks at stays
        forget_pages(tmp_path)
    in_memory = host_facts(tmp_path).filesystem in {"tmpfs", "ramfs"}
    assert (cached_pages(file) > 0) == in_memory


def groups_of(pid: int) -> list[Path]:
    return [Path(path) for path, _, _ in os.walk("/sys/fs/cgroup") if Path(path).name.startswith(f"lsmtune-{pid}-")]


def cached_pages(file: Path) -> int:
    """Pages of a file in memory, as the kernel tells who maps it."""
    import ctypes
    import mmap

    size = file.stat().st_size
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), size) as mapped:
        pages = size // mmap.PAGESIZE
        vector = (ctypes.c_ubyte * pages)()
        address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        ctypes.CDLL(None).mincore(ctypes.c_void_p(address), ctypes.c_size_t(size), vector)
    return sum(page & 1 for page in vector)
