"""How far the largest rate scatters when it is sought again on the same machine.

Loads YCSB's records once, and seeks the largest rate of a workload on a copy of them again and again, on the real
driver. Prints each rate, how its search ended, and over all of them the median, the least and the largest, and the
interval of the geometric mean (t, 95 %) with the spread of single runs. Run it on a machine that does nothing else.
"""

import argparse
import json
import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from scipy.stats import t

NATIVE = Path(__file__).resolve().parents[1] / "native" / "ycsb"
# Small memtables: a hold of some seconds sees many flushes and compactions.
OPTIONS = {
    "rocksdb": ["write_buffer_size=1048576", "target_file_size_base=1048576", "max_bytes_for_level_base=4194304"],
    "leveldb": ["write_buffer_size=1048576"],
}


def drive(arguments: argparse.Namespace, database: Path, phases: str, *words: str) -> list[dict[str, Any]]:
    """Run the driver and return its lines."""
    command = [str(arguments.ycsb), "--engine", arguments.engine, "--db", str(database), "--phases", phases, *words]
    command += ["-P", str(NATIVE / "workloads" / f"workload{arguments.workload}")]
    for name in (f"recordcount={arguments.records}", "lsmtune.interval_s=0"):
        command += ["-p", name]
    for option in OPTIONS[arguments.engine]:
        command += ["-o", option]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def seek(arguments: argparse.Namespace, base: Path, folder: Path, seed: int) -> dict[str, Any]:
    """Seek the largest rate on a copy of `base` and return what the search came to, its flushes at the answer too."""
    words = ["--clone-from", str(base)]
    for name, value in {
        "lsmtune.max_rate.limit_s": arguments.limit_s,
        "lsmtune.max_rate.percentile": arguments.percentile,
        "lsmtune.max_rate.hold_s": arguments.hold_s,
        "lsmtune.max_rate.precision": arguments.precision,
        "lsmtune.max_rate.steps": arguments.most,
        "threadcount": arguments.threads,
        "lsmtune.seed": seed,
    }.items():
        words += ["-p", f"{name}={value}"]
    lines = drive(arguments, folder, "max_rate", *words)
    (found,) = [line["max_rate"] for line in lines if line["type"] == "phase_end"]
    steps = [line for line in lines if line["type"] == "rate_step"]
    at = [step for step in steps if step["rate_ops_s"] is not None and step["rate_ops_s"] == found["rate_ops_s"]]
    return {**found, "flushes": sum(step["flushes"] for step in at if step["borne"])}


def summary(rates: list[float]) -> str:
    """Say where the rates lie, with the interval of their geometric mean and their spread."""
    logs = [math.log(rate) for rate in rates]
    spread = statistics.stdev(logs)
    half = float(t.ppf(0.975, len(logs) - 1)) * spread / math.sqrt(len(logs))
    middle = statistics.fmean(logs)
    return (
        f"n = {len(rates)}: median {statistics.median(rates):,.0f}, from {min(rates):,.0f} to {max(rates):,.0f} ops/s; "
        f"geometric mean {math.exp(middle):,.0f} [{math.exp(middle - half):,.0f}, {math.exp(middle + half):,.0f}] "
        f"(95 %); single runs vary by {100 * spread:.1f} %, largest / least {max(rates) / min(rates):.3f}"
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ycsb", type=Path, default=NATIVE / "build" / "lsmtune-ycsb", help="the driver's binary")
    parser.add_argument("--engine", default="rocksdb", choices=["rocksdb", "leveldb"])
    parser.add_argument("--workload", default="a", choices=list("abcdef"))
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--limit-s", type=float, default=0.005)
    parser.add_argument("--percentile", default="99", choices=["99", "99.9"])
    parser.add_argument("--hold-s", type=float, default=10.0)
    parser.add_argument("--precision", type=float, default=0.05)
    parser.add_argument("--most", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--scratch", type=Path, help="folder for the data; left out, a temporary one")
    arguments = parser.parse_args()
    rates = []
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as name:
        base = Path(name) / "base"
        drive(arguments, base, "load,settle")
        for repeat in range(1, arguments.repeats + 1):
            began = time.monotonic()
            found = seek(arguments, base, Path(name) / f"run-{repeat}", repeat)
            took_s = time.monotonic() - began
            rate = found["rate_ops_s"]
            print(
                f"{repeat:3}  {'none was sustained' if rate is None else f'{rate:,.0f} ops/s'}, closed loop "
                f"{found['ceiling_ops_s']:,.0f}; {found['steps']} rates, {found['flushes']} flushes at the answer, "
                f"{'settled' if found['confirmed'] and found['precise'] else 'not settled'}, {took_s:.0f} s",
                flush=True,
            )
            rates += [] if rate is None else [rate]
    print(summary(rates) if len(rates) > 1 else "too few rates for an interval")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
