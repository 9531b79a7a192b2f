"""The real driver at a target rate that no engine can keep: what the latencies count from."""

import subprocess
from pathlib import Path

import pytest
from ycsb_builders import record, run_of

from lsmtune.backends.ycsb import YcsbBench, discover_driver, find_driver
from lsmtune.backends.ycsb._output import parse_output
from lsmtune.model import Workload
from lsmtune.space import catalogue

RUSH = (("readproportion", "1"), ("updateproportion", "0"), ("target", "1000000000"))
WORKLOAD = Workload(
    ("load", "rush"),
    "rush",
    num=2000,
    operations=20_000,
    compression_ratio=1.0,
    tool="ycsb",
    phases=(("rush", RUSH),),
)


@pytest.mark.parametrize("engine", ["rocksdb", "leveldb"])
def test_an_operation_that_others_held_up_is_late_by_all_of_them(engine: str, tmp_path: Path) -> None:
    build = discover_driver(find_driver(), engine)
    bench = YcsbBench(build, catalogue(engine).for_version(build.version_tuple), WORKLOAD)
    (process,) = bench.processes(run_of(), tmp_path / "db")
    printed = subprocess.run(process.argv, check=True, capture_output=True, text=True).stdout
    found = bench.parse_results(run_of(), [record(printed)]).indicators
    rush, load = parse_output(printed).phase("rush"), parse_output(printed).phase("load")
    assert rush is not None
    assert load is not None
    # All were due within 20 us, and one thread did one after the other: the last one waited for the whole phase.
    due_s = 20e-6
    # Half of them took at least the median, so that the last one waited for these 10,000 whatever held up the others.
    served_s = rush.latency["read"].p50_s
    assert 0.9 * 10_000 * served_s - due_s < (found["latency_max_s"] or 0) <= rush.elapsed_s
    assert (found["latency_p50_s"] or 0) > 100 * served_s
    assert found["latency_p99_s@load"] == load.latency["insert"].p99_s
    assert load.intended_latency is None
