"""What a trial saves that begins with a copy of loaded data, and whether it measures the same as one that loads.

Usage: python benchmarks/clone_or_reload.py [--records N] [--pairs N] [--engines NAME ...]

For RocksDB and LevelDB through the driver: data of N records of 1 KiB, and YCSB's workload C (reads, Zipfian) on it,
as many reads as records. A trial with a clone is the hard-linked copy of data that was loaded once, and the run; one
with a reload is the load, settled, and the run on it, with no copy. Both run the commands of the bench, with the same
seeds within a pair; the pairs go clone, reload, reload, clone, ... Two ratios come with their 95 % intervals:

- seconds of a trial, clone over reload; the removal of the data is in neither.
- throughput of the reads, clone over reload: 1 where a clone measures the same.

The driver is found as lsmtune finds it (LSMTUNE_DRIVER, PATH, lsmtune build driver). Goal: a clone is shown to save
time, and is not shown to change the throughput by more than 3 %; exit code 1 where that is missed.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lsmtune.backends import Bench, Process, ProcessRecord
from lsmtune.backends.registry import backend_for
from lsmtune.backends.ycsb import LOAD, record_bytes
from lsmtune.errors import RunError
from lsmtune.executors import HostLock, clone_database, run_process
from lsmtune.model import Configuration, Purpose, Run, Workload
from lsmtune.space import catalogue
from lsmtune.stats import PairedComparison, compare_pairs

PROPERTIES = {"fieldcount": "1", "fieldlength": "1024"}
LOAD_SEED = 11
TOLERANCE = 1.03


@dataclass(frozen=True)
class Trial:
    """One trial: time to get the data, time of the run, both in s, and the rate of its reads in operations/s."""

    data_s: float
    run_s: float
    reads_ops_s: float

    @property
    def all_s(self) -> float:
        """Time of the whole trial in s."""
        return self.data_s + self.run_s


class Trials:
    """Makes trials of both kinds on one engine, below one folder; holds the host's lock while it measures."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self._bench = bench
        self._folder = folder
        self._loaded = folder / "loaded" / "db"

    def load_once(self) -> float:
        """Load the data that clones are made of; return the time in s."""
        self._loaded.mkdir(parents=True)
        with HostLock() as lock:
            begin = time.perf_counter()
            self._run(self._bench.load_processes(trial_run(0), self._loaded), self._loaded.parent, lock)
            return time.perf_counter() - begin

    def make(self, number: int, clone: bool) -> Trial:
        """Make a trial with a clone or with a reload; its data is removed after its time was taken."""
        run, folder = trial_run(number), self._folder / "trial"
        database = folder / "db"
        folder.mkdir()
        with HostLock() as lock:
            begin = time.perf_counter()
            if clone:
                clone_database(self._loaded, database)
            else:
                database.mkdir()
                self._run(self._bench.load_processes(run, database), folder, lock)
            there = time.perf_counter()
            records = self._run(self._bench.processes(run, database), folder, lock)
            end = time.perf_counter()
            shutil.rmtree(folder)
        reads_ops_s = self._bench.parse_results(run, records).indicators["throughput_ops_s"]
        assert reads_ops_s is not None
        return Trial(there - begin, end - there, reads_ops_s)

    def _run(self, processes: Sequence[Process], folder: Path, lock: HostLock) -> list[ProcessRecord]:
        records = []
        for process in processes:
            records.append(run_process(process, folder, lock.descriptor, lambda _: None))
            if records[-1].returncode:
                raise RunError(self._bench.failure(records[-1]))
        return records


def trial_run(number: int) -> Run:
    """Return the run of the trials of a pair: the same data in all pairs, other reads in each."""
    return Run(number + 1, Purpose.TRIAL, "trial", None, Configuration(), number + 1, LOAD_SEED)


def make_bench(engine: str, records: int) -> Bench:
    """Return the bench of the driver for workload C on loaded data, with the engine's defaults."""
    key_bytes, value_bytes = record_bytes(PROPERTIES)
    workload = Workload(
        ("c",),
        "c",
        num=records,
        load=(LOAD,),
        key_size_bytes=key_bytes,
        value_size_bytes=value_bytes,
        compression_ratio=1.0,
        flags=tuple(PROPERTIES.items()),
        tool="ycsb",
    )
    backend = backend_for("ycsb", engine)
    build = backend.find(engine, None, "LSMTUNE_DRIVER")
    print(f"{engine} {build.version}, assertions {'on' if build.assertions else 'off or unknown'}, {build.path}")
    return backend.bench(build, catalogue(engine).for_version(build.version_tuple), workload, Fraction(1))


def compare(bench: Bench, pairs: int) -> bool:
    """Make the pairs of one engine and print their ratios; return whether the goal is met."""
    clones, reloads = list[Trial](), list[Trial]()
    with tempfile.TemporaryDirectory(prefix="lsmtune-clone-") as place:
        trials = Trials(bench, Path(place))
        print(f"  loaded once in {trials.load_once():.2f} s")
        for pair in range(pairs):
            for clone in (True, False) if pair % 2 == 0 else (False, True):
                (clones if clone else reloads).append(trials.make(pair, clone))
            for name, trial in (("clone ", clones[-1]), ("reload", reloads[-1])):
                times = f"{trial.data_s:8.3f} s for the data, {trial.run_s:7.3f} s for the run"
                print(f"  pair {pair + 1}, {name} {times}, {trial.reads_ops_s:10,.0f} reads/s", flush=True)
    seconds = compare_pairs([each.all_s for each in clones], [each.all_s for each in reloads])
    rates = compare_pairs([each.reads_ops_s for each in clones], [each.reads_ops_s for each in reloads])
    tell("seconds of a trial, clone / reload", seconds)
    tell("reads a second, clone / reload", rates)
    return seconds.high < 1 and rates.low <= TOLERANCE and rates.high >= 1 / TOLERANCE


def tell(name: str, ratio: PairedComparison) -> None:
    """Print a ratio with its interval."""
    print(f"  {name}: {ratio.ratio:.3f}x (95 % interval {ratio.low:.3f} to {ratio.high:.3f}, n = {ratio.n})")


def main() -> int:
    """Measure each engine; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000, help="records of 1 KiB, and reads of a trial")
    parser.add_argument("--pairs", type=int, default=6, help="at least 2; an even number is balanced")
    parser.add_argument("--engines", nargs="+", default=["rocksdb", "leveldb"], choices=["rocksdb", "leveldb"])
    arguments = parser.parse_args()
    held = [compare(make_bench(engine, arguments.records), arguments.pairs) for engine in arguments.engines]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
