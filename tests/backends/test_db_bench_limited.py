"""A real db_bench that is held to a share of memory, or reads past the page cache, reads from the disk."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from db_bench_builders import FILL, READ, bench, run_of

from lsmtune.errors import UsageError
from lsmtune.executors import Limits, LocalExecutor, ResourceLimits, host_abilities, host_facts
from lsmtune.model import Outcome, Status, Value, Workload

MIB = 1 << 20
DATA_BYTES = 150_000 * 416
READS = replace(READ, num=150_000, value_size_bytes=400, load=("fillseq",), operations=20_000)
FILLS = replace(FILL, num=300_000, value_size_bytes=400)
HELD = ResourceLimits(memory_bytes=16 * MIB, process_bytes=15 * MIB)


def made(workload: Workload, resources: ResourceLimits | None, **values: Value) -> tuple[Outcome | None, set[str]]:
    """The outcome of a run, None where this host refuses it, after that was seen; what works here, "disk" among it."""
    with tempfile.TemporaryDirectory() as folder:
        works = {each.name for each in host_abilities(Path(folder)) if each.how}
        if host_facts(Path(folder)).filesystem not in {"tmpfs", "ramfs"}:
            works.add("disk")
        executor = LocalExecutor(bench(workload), Path(folder, "scratch"))
        limits = Limits(wall_s=300.0, load_wall_s=300.0, resources=resources)
        run = run_of(None, compression_type="none", cache_size=MIB, **values)
        if resources is None or "memory" in works:
            return executor.run(run, limits, lambda _: None), works
        with pytest.raises(UsageError, match="cannot be limited here"):
            executor.run(run, limits, lambda _: None)
        return None, works


def test_reads_of_a_run_that_is_held_reach_the_disk() -> None:
    held, works = made(READS, HELD)
    if held is not None:
        assert held.measurement is not None, held.reason
        facts = held.measurement.facts
        assert facts["group_memory_limit_bytes"] == str(31 * MIB)
        assert int(facts["group_page_cache_bytes"]) < 31 * MIB < DATA_BYTES
        # Of 20,000 reads of 4 KiB few find their block in a cache of less than half of the data.
        assert ((held.measurement.indicators["io_read_bytes"] or 0) > 20_000 * 4096 // 4) == ("disk" in works)


def test_reads_past_the_page_cache_reach_the_disk() -> None:
    direct, works = made(READS, None, use_direct_reads=True, use_direct_io_for_flush_and_compaction=True)
    assert direct is not None
    if "direct I/O" in works:
        assert direct.measurement is not None, direct.reason
        assert ((direct.measurement.indicators["io_read_bytes"] or 0) > 20_000 * 4096 // 2) == ("disk" in works)
    else:
        assert direct.status is Status.FAILED


def test_memtables_beyond_production_s_memory_fail_the_run() -> None:
    outcome, _ = made(FILLS, HELD, write_buffer_size=512 * MIB)
    if outcome is not None:
        assert outcome.status is Status.FAILED
        assert outcome.reason.startswith("the kernel ended it, as it needed more than the 31 MiB that host.memory")
