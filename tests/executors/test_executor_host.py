"""Facts of the host, and how much of it others used during a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from executor_builders import Fake, run_of, unwatched

from lsmtune.executors import Limits, host_facts
from lsmtune.executors import _host as host
from lsmtune.executors._host import HostUse
from lsmtune.model import Status


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)


@pytest.mark.usefixtures("four_cores")
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
def test_a_disturbance_is_what_others_took_of_all_cores(
    busy_s: float, stolen_s: float, own_cpu_s: float, share: float
) -> None:
    after = HostUse(100.0 + busy_s, 1.0 + stolen_s)
    assert after.disturbance(HostUse(100.0, 1.0), own_cpu_s, 10.0) == pytest.approx(share)


def test_no_time_has_no_disturbance() -> None:
    assert HostUse(2.0, 0.0).disturbance(HostUse(1.0, 0.0), 0.0, 0.0) == 0.0


def test_a_run_beside_a_busy_process_is_contaminated(fake: Fake) -> None:
    fake.behave("sleep=1.1")
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 1)]
    try:
        outcome = fake.executor().run(run_of(), Limits(), unwatched)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert outcome.status is Status.CONTAMINATED
    assert outcome.reason.startswith("others used ")
    assert outcome.measurement is not None
    assert float(outcome.measurement.facts["host_disturbance"]) > 0.5


def test_the_facts_are_those_of_this_machine(tmp_path: Path) -> None:
    facts = host_facts(tmp_path)
    assert facts.cores == len(os.sched_getaffinity(0))
    assert facts.kernel == os.uname().release
    assert facts.processor
    assert facts.filesystem not in {"", "unknown"}
    assert 0 < facts.memory_bytes <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert facts.disk_free_bytes > 0


def test_the_fingerprint_tells_machines_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = host_facts(tmp_path).fingerprint
    assert here == host_facts(tmp_path).fingerprint
    monkeypatch.setattr(host, "_processor", lambda: "another processor")
    assert host_facts(tmp_path).fingerprint != here


def test_a_control_group_limits_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(host, "_CGROUP_LIMITS", (tmp_path / "absent", limit))
    limit.write_text(f"{1 << 28}\n")
    assert host_facts(tmp_path).memory_bytes == 1 << 28
    limit.write_text("max\n")
    assert host_facts(tmp_path).memory_bytes > 1 << 28
