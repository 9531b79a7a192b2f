"""Facts of the host."""

import os
from pathlib import Path

import pytest

from lsmtune.executors import _host as host
from lsmtune.executors import host_facts


def test_the_facts_are_those_of_this_machine(tmp_path: Path) -> None:
    facts = host_facts(tmp_path)
    assert facts.cores == len(os.sched_getaffinity(0))
    assert facts.kernel == os.uname().release
    assert facts.processor
    assert facts.filesystem not in {"", "unknown"}
    assert 0 < facts.memory_bytes <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert facts.disk_free_bytes > 0


def test_the_cache_of_the_processor_is_the_last_one_that_holds_data(tmp_path: Path) -> None:
    cores = os.sched_getaffinity(0)
    for core in cores:
        for place, (level, kind, size) in enumerate(
            (("1", "Data", "48K"), ("2", "Unified", "1M"), ("2", "Instruction", "9M"))
        ):
            index = tmp_path / f"cpu{core}" / "cache" / f"index{place}"
            index.mkdir(parents=True)
            for name, text in (("level", level), ("type", kind), ("size", size)):
                (index / name).write_text(f"{text}\n")
    assert host.processor_cache_bytes(tmp_path) == 1 << 20
    (tmp_path / f"cpu{min(cores)}" / "cache" / "index1" / "size").write_text("512K\n")
    assert host.processor_cache_bytes(tmp_path) == 512 << 10
    assert host.processor_cache_bytes(tmp_path / "hidden") is None


def test_the_readahead_is_that_of_the_whole_disk(tmp_path: Path) -> None:
    for name in ("254:0", "254:0/254:1"):
        (tmp_path / name).mkdir()
    (tmp_path / "254:0" / "254:1" / "partition").write_text("1\n")
    (tmp_path / "254:0" / "queue").mkdir()
    (tmp_path / "254:0" / "queue" / "read_ahead_kb").write_text("8192\n")
    (tmp_path / "254:1").symlink_to(tmp_path / "254:0" / "254:1")
    assert host.readahead_bytes(os.makedev(254, 0), tmp_path) == 8 << 20
    assert host.readahead_bytes(os.makedev(254, 1), tmp_path) == 8 << 20
    assert host.readahead_bytes(os.makedev(0, 50), tmp_path) is None


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
