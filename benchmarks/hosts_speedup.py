"""How much sooner a sample ends with four workers than with one.

Usage: python benchmarks/hosts_speedup.py [runs]

A scheduler and workers are processes of this machine; their engine is a program that sleeps for 2 s, so that two cores
are enough for four of them. A sample of 200 configurations is made with its baselines and anchors, by one worker and by
all four. What counts is the time from the start of its first run to the end of its last one; the start of lsmtune takes
the same in both. Goal: <= 0.27 of the time of one. Exit code 1 if it is missed. About 13 minutes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from hosts_processes import Processes
from lsmtune.store import read_study

GOAL = 0.27
WORKERS = ("lab-1", "lab-2", "lab-3", "lab-4")
EXPERIMENT = """
name = "speedup"
[workload]
benchmarks = "fillrandom"
num = "1M"
settle = "none"
[engine]
db_bench = "{db_bench}"
[space]
options = ["write_buffer_size", "compression_type", "max_background_jobs", "block_size"]
[sample]
runs = {runs}
replicates = 0
[host]
disturbed = "use"
min_free = "16MiB"
[hosts]
scheduler = "{address}"
require = {require}
"""


def sample(processes: Processes, label: str, runs: int) -> float:
    """Make the sample on the workers with a label; return the time that its runs took in s."""
    path = processes.folder / f"sample-{label or 'all'}.toml"
    require = f'["{label}"]' if label else "[]"
    words = {"db_bench": processes.db_bench, "address": processes.address, "runs": runs, "require": require}
    path.write_text(EXPERIMENT.format(**words))
    study = path.with_suffix("")
    command = [sys.executable, "-m", "lsmtune", "sample", str(path), "--study", str(study), "--quiet"]
    subprocess.run(command, env=processes.environment("coordinator"), check=True, stdout=subprocess.DEVNULL)
    with read_study(study) as opened:
        summary = opened.summary()
    assert summary.first_started_at is not None
    assert summary.last_ended_at is not None
    took_s = summary.last_ended_at - summary.first_started_at
    print(f"{label or 'all four'}: {summary.runs} runs in {took_s:.1f} s, {summary.run_time_s:.1f} s of runs")
    return took_s


def main(runs: int) -> int:
    """Make both samples; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="lsmtune-speedup-") as place, Processes(Path(place)) as processes:
        processes.start(*WORKERS)
        all_s, one_s = sample(processes, "", runs), sample(processes, WORKERS[0], runs)
    print(f"four workers take {all_s / one_s:.3f} of the time of one (goal {GOAL})")
    return int(all_s / one_s > GOAL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
