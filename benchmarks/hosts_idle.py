"""What a worker takes of a core, and writes, while it waits beside a run.

Usage: python benchmarks/hosts_idle.py [seconds]

A worker is given a run whose engine sleeps; the processor time of the worker and what it wrote are read before and
after some time of that, from /proc, from its tenth second on. Goals: <= 0.1 % of a core, and nothing written.
Exit code 1 if one is missed. All that the worker does counts, looks at the engine's process among it; the engine's own
process does not. The share of a worker without a run is printed beside it.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from hosts_processes import Processes, wait_until
from hosts_speedup import EXPERIMENT

GOAL = 0.001
NAME = "lab-1"


def share(process: psutil.Process, seconds: float) -> tuple[float, int]:
    """Return what a process takes of a core in some time, and the bytes that it writes to a disk."""
    before, wrote, began = process.cpu_times(), process.io_counters().write_bytes, time.monotonic()
    time.sleep(seconds)
    after, took_s = process.cpu_times(), time.monotonic() - began
    used_s = after.user + after.system - before.user - before.system
    return used_s / took_s, process.io_counters().write_bytes - wrote


def main(seconds: float) -> int:
    """Measure both; return the exit code."""
    with (
        tempfile.TemporaryDirectory(prefix="lsmtune-idle-") as place,
        Processes(Path(place), sleep_s=3 * seconds + 60) as processes,
    ):
        processes.start(NAME)
        worker = psutil.Process(processes.running[NAME].pid)
        time.sleep(10)
        idle, _ = share(worker, seconds)
        path = processes.folder / "idle.toml"
        words = {"db_bench": processes.db_bench, "address": processes.address, "runs": 8, "require": "[]"}
        path.write_text(EXPERIMENT.format(**words))
        command = [
            sys.executable,
            "-m",
            "lsmtune",
            "sample",
            str(path),
            "--study",
            str(path.with_suffix("")),
            "--quiet",
        ]
        coordinator = subprocess.Popen(command, env=processes.environment("coordinator"))
        wait_until(worker.children)
        time.sleep(10)
        beside, wrote = share(worker, seconds)
        coordinator.terminate()
        coordinator.wait()
        for child in worker.children():
            child.kill()
    print(f"a worker without a run takes {idle:.3%} of a core")
    print(f"a worker beside a run takes {beside:.3%} of a core (goal {GOAL:.1%}) and writes {wrote} bytes (goal 0)")
    return int(beside > GOAL or wrote > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
