"""What the driver costs beside a cached read.

Runs YCSB's workload C with uniform keys, all data in memory, one thread, on the engine `null`, which does nothing, and
on RocksDB and LevelDB, interleaved. Prints the time of an operation on each, and the share of the driver: the time of
an operation on `null` divided by that on the engine, for each repeat. The time is elapsed time by operations, so that
everything that a thread does between two calls of the engine is in it, drawing keys and keeping books included.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NATIVE = Path(__file__).resolve().parents[1] / "native" / "ycsb"
CACHE_BYTES = 1 << 30
# A pass over the data fills the caches before anything is counted.
WARMUP_S = 0.7
OPTIONS = {"rocksdb": [f"block_cache={CACHE_BYTES}"], "leveldb": [f"cache_size={CACHE_BYTES}"], "null": []}


def run(ycsb: Path, engine: str, folder: Path, phases: str, properties: dict[str, object]) -> dict[str, Any]:
    """Run the driver and return its last `phase_end` line."""
    command = [str(ycsb), "--engine", engine, "--db", str(folder / engine), "--phases", phases]
    command += ["-P", str(NATIVE / "workloads" / "workloadc")]
    for name, value in {"requestdistribution": "uniform", "lsmtune.interval_s": 0, **properties}.items():
        command += ["-p", f"{name}={value}"]
    for option in OPTIONS[engine]:
        command += ["-o", option]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    ends: list[dict[str, Any]] = [
        line for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "phase_end"
    ]
    return ends[-1]


def operation_ns(ycsb: Path, engine: str, folder: Path, arguments: argparse.Namespace, seed: int) -> float:
    """Return the time of an operation in ns, from the start of one to the start of the next."""
    # An operation of `null` is so short that a run of as many would be over at once.
    operations = arguments.operations * (8 if engine == "null" else 1)
    end = run(
        ycsb,
        engine,
        folder,
        "run",
        {
            "recordcount": arguments.records,
            "operationcount": operations,
            "lsmtune.warmup_s": WARMUP_S,
            "lsmtune.seed": seed,
        },
    )
    return float(end["elapsed_s"]) / float(end["operations"]) * 1e9


def show(name: str, values: list[float], unit: str, digits: int) -> None:
    """Print a row: median, least and largest value."""
    low, middle, high = min(values), statistics.median(values), max(values)
    print(f"{name:16} {middle:9.{digits}f} {low:9.{digits}f} {high:9.{digits}f}  {unit}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ycsb", type=Path, default=NATIVE / "build" / "lsmtune-ycsb", help="the driver's binary")
    parser.add_argument("--engines", nargs="+", default=["rocksdb", "leveldb"], choices=["rocksdb", "leveldb"])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--operations", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    times: dict[str, list[float]] = {engine: [] for engine in ["null", *arguments.engines]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for engine in arguments.engines:
            run(arguments.ycsb, engine, folder, "load,settle", {"recordcount": arguments.records})
        for repeat in range(arguments.repeats):
            order = list(times)
            order = order[repeat % len(order) :] + order[: repeat % len(order)]
            for engine in order:
                times[engine].append(operation_ns(arguments.ycsb, engine, folder, arguments, repeat + 1))
    print(f"{'':16} {'median':>9} {'min':>9} {'max':>9}  {arguments.repeats} repeats of {arguments.operations} reads")
    for engine, values in times.items():
        show(engine, values, "ns an operation", 0)
    for engine in arguments.engines:
        shares = [100 * null / whole for null, whole in zip(times["null"], times[engine], strict=True)]
        show(f"null/{engine}", shares, "% is the driver", 2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
