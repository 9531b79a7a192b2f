"""What lsmtune costs around one run of about 5 s, beyond what the engine itself takes.

Usage: python benchmarks/overhead.py [pairs] [operations]

Pairs of runs of one db_bench command, in the order bare, watched, watched, bare, ... give three figures:

- beside the engine: time of planning, starting, executing, reading and committing a run, less the time in which
  the engine's process lived and less the removal of its data, as a share of the engine's time. Precise: all is
  measured in the same run. Goal: <= 3 %. The removal is printed too: by hand db_bench does it, at the start of the next
  run in the same folder; where the disk takes milliseconds for each file it is most of what happens between runs.
- on the engine: time of the engine's process when lsmtune watches it, over its time when nobody does.
- in all: time of the run through lsmtune, removal included, over the time of the bare command in a folder that holds
  the data of its last run, as when one repeats it by hand.

The intervals of the ratios are those of a noisy machine; they say whether lsmtune disturbs, not by how little.
The run is a fill of 300,000 pairs of 1 KiB at 1/64 with statistics, not settled; its LOG has hundreds of events.
Exit code 1 if the goal is missed.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

from lsmtune.backends.db_bench import DbBench
from lsmtune.backends.rocksdb import discover, find_db_bench
from lsmtune.executors import Limits, LocalExecutor, host_facts
from lsmtune.model import Configuration, Purpose, Run, Settle, Workload
from lsmtune.space import catalogue
from lsmtune.stats import compare_pairs
from lsmtune.store import Study, StudyDescription, create_study

SCALE = Fraction(1, 64)
GOAL = 0.03


@dataclass(frozen=True)
class Watched:
    """Times of one run through lsmtune in s: all of it, the engine's process, the removal of its data."""

    all_s: float
    engine_s: float
    removal_s: float

    @property
    def share(self) -> float:
        """What lsmtune took beside the engine and the removal, as a share of the engine's time."""
        return (self.all_s - self.removal_s) / self.engine_s - 1


def bare(bench: DbBench, folder: Path, database: Path) -> float:
    """Run the command as a person would; return the time of its process in s."""
    run = Run(1, Purpose.TRIAL, "bare", None, Configuration(), 11, 1)
    (process,) = bench.processes(run, database)
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        begin = time.perf_counter()
        subprocess.run(process.argv, check=True, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        return time.perf_counter() - begin


def bare_again(bench: DbBench, folder: Path) -> tuple[float, float]:
    """Run the command in a new folder and again in the same one, where it first removes the data; return both times."""
    folder.mkdir()
    times = bare(bench, folder, folder / "db"), bare(bench, folder, folder / "db")
    shutil.rmtree(folder)
    return times


def watched(executor: LocalExecutor, study: Study) -> Watched:
    """Make the same run as a study does."""
    removals, remove = list[float](), shutil.rmtree

    def timed(path: Path, ignore_errors: bool = False) -> None:
        begin = time.perf_counter()
        remove(path, ignore_errors)
        removals.append(time.perf_counter() - begin)

    begin = time.perf_counter()
    run = study.plan(Run(0, Purpose.TRIAL, "watched", None, Configuration(), 11, 1))
    study.start(run)
    with patch("shutil.rmtree", timed):
        outcome = executor.run(run, Limits(wall_s=600.0, disk_bytes=1 << 40, free_bytes=1), lambda _: None)
    study.finish(run, outcome)
    all_s = time.perf_counter() - begin
    if outcome.measurement is None:
        raise SystemExit(f"the run failed: {outcome.reason}")
    engine_s = outcome.measurement.indicators["elapsed_s"]
    assert engine_s is not None
    return Watched(all_s, engine_s, sum(removals))


def main(pairs: int, operations: int) -> int:
    """Make the runs; return the exit code."""
    build = discover(find_db_bench())
    full_size = Workload(("fillrandom",), "fillrandom", num=operations * SCALE.denominator, value_size_bytes=1024)
    bench = DbBench(build, catalogue().for_version(build.version_tuple), replace(full_size, settle=Settle.NONE), SCALE)
    alone, runs = list[tuple[float, float]](), list[Watched]()
    with tempfile.TemporaryDirectory(prefix="lsmtune-overhead-") as place:
        folder = Path(place)
        executor = LocalExecutor(bench, folder / "scratch")
        description = StudyDescription("overhead", "", build, host_facts(folder))
        with create_study(folder / "study", description) as study:
            for pair in range(pairs):
                if pair % 2 == 0:
                    alone.append(bare_again(bench, folder / "bare"))
                runs.append(watched(executor, study))
                if pair % 2 == 1:
                    alone.append(bare_again(bench, folder / "bare"))
                first_s, again_s = alone[-1]
                print(
                    f"pair {pair + 1}: bare {first_s:.2f} s, again {again_s:.2f} s, watched {runs[-1].engine_s:.2f} s"
                )
                print(f"  beside it {runs[-1].share:.2%}, removal {runs[-1].removal_s:.2f} s")
    return report(alone, runs)


def report(alone: list[tuple[float, float]], runs: list[Watched]) -> int:
    """Print the figures; return the exit code."""
    share = statistics.median(run.share for run in runs)
    removal = statistics.median(run.removal_s / run.engine_s for run in runs)
    print(f"beside the engine: {share:.2%} (median of {len(runs)}), {share / GOAL:.2f} of the goal of {GOAL:.0%}")
    print(f"  removal of its data: {removal:.2%}")
    engine = compare_pairs([run.engine_s for run in runs], [first_s for first_s, _ in alone])
    everything = compare_pairs([run.all_s for run in runs], [again_s for _, again_s in alone])
    for name, ratio in (("on the engine", engine), ("in all", everything)):
        print(f"{name}: {ratio.ratio:.3f}x (95 % interval {ratio.low:.3f} to {ratio.high:.3f}, n = {ratio.n})")
    return int(share > GOAL)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(given + [4, 300_000][len(given) :])))
