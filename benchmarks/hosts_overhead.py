"""What carrying a run of 5 s to a worker and back adds to it.

Usage: python benchmarks/hosts_overhead.py [runs]

A worker on this machine, under mutual TLS, makes runs of an engine that sleeps for 5 s; a study makes them one after
the other. What is added is the time between two runs of the study: from the end of a run on the worker, as the worker
tells it, to the start of the next one there, so that the outcome comes back, is stored, and the next run is planned and
sent. Goal: <= 3 % of the time of a run, in the median. Exit code 1 if it is missed.
"""

import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median

from hosts_processes import Processes
from hosts_speedup import EXPERIMENT
from lsmtune.store import read_study

GOAL = 0.03
RUN_S = 5.0


def main(runs: int) -> int:
    """Make the runs; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="lsmtune-carried-") as place, Processes(Path(place), RUN_S) as processes:
        processes.start("lab-1")
        path = processes.folder / "carried.toml"
        words = {"db_bench": processes.db_bench, "address": processes.address, "runs": runs, "require": "[]"}
        path.write_text(EXPERIMENT.format(**words))
        study = path.with_suffix("")
        command = [sys.executable, "-m", "lsmtune", "sample", str(path), "--study", str(study), "--quiet"]
        subprocess.run(command, env=processes.environment("coordinator"), check=True, stdout=subprocess.DEVNULL)
        with read_study(study) as opened:
            made = [(stored.started_at or 0.0, stored.elapsed_s or 0.0) for stored in opened.runs()]
    between = [later - (began + took) for (began, took), (later, _) in pairwise(made)]
    share = median(between) / median(took for _, took in made)
    print(f"{len(made)} runs of {median(took for _, took in made):.2f} s; between them {median(between) * 1e3:.0f} ms")
    print(f"added: {share:.2%} of a run (goal {GOAL:.0%}), at most {max(between) * 1e3:.0f} ms")
    return int(share > GOAL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
