"""Open a study of 100,000 runs x 40 indicators, show its summary and read 3 indicators.

Usage: python benchmarks/store_100k.py [runs]

The study is built in one transaction through the store's own statements (one commit per run would only measure the
disk). Opening is measured as the whole life of a fresh process, start of the interpreter included, with the file in
the page cache. Goals: <= 1 s and <= 300 MB of peak memory for 100,000 runs. Exit code 1 if one is missed.
"""

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lsmtune.model import Configuration, EngineBuild, HostFacts, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import StudyDescription, create_study, read_study
from lsmtune.store._database import transaction
from lsmtune.store._rows import insert_run, update_outcome

INDICATORS = 40
GOAL_S = 1.0
GOAL_BYTES = 300e6


def build(folder: Path, runs: int) -> None:
    """Make a study of `runs` finished runs of distinct configurations."""
    engine = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0" * 16, True, ("zstd",), ())
    host = HostFacts("bench", "1" * 16, "cpu", 2, 8 << 30, "6.1", "ext4", 80 << 30)
    chance = random.Random(1)
    with create_study(folder, StudyDescription("100k", "", engine, host)) as study:
        connection = study._connection  # noqa: SLF001  the benchmark writes the store's tables in bulk
        with transaction(connection, write=True):
            for run_id in range(1, runs + 1):
                values = {f"option_{number}": chance.randrange(1 << 20) for number in range(10)}
                purpose = Purpose.ANCHOR if run_id % 5 == 0 else Purpose.TRIAL
                insert_run(connection, Run(run_id, purpose, f"t{run_id}", None, Configuration.of(values), run_id, 1))
                connection.execute("UPDATE runs SET status = ? WHERE id = ?", (Status.RUNNING, run_id))
                indicators = {f"indicator_{number}": chance.random() for number in range(INDICATORS)}
                measurement = Measurement(indicators, values)
                update_outcome(connection, run_id, Outcome(Status.OK, 1.7e9 + run_id, 60.0, measurement=measurement))


def read(folder: Path, what: str) -> None:
    """Open the study at `folder`, read `what` ("summary" or "runs"), and print the peak memory in bytes."""
    with read_study(folder) as study:
        summary = study.summary()
        if what == "summary":
            values = [study.indicator(f"indicator_{number}") for number in (0, 20, 39)]
            assert all(len(value) == summary.runs for value in values)
        else:
            assert len(study.runs()) == summary.runs
    # not ru_maxrss: it survives exec, so it would show the peak of the process that built the study
    (peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) * 1024)


def measure(folder: Path, what: str) -> tuple[float, int]:
    """Return the median wall time in s of 5 fresh processes that `read`, and their largest peak memory in bytes."""
    times, peaks = list[float](), list[int]()
    for _ in range(5):
        begin = time.perf_counter()
        child = subprocess.run([sys.executable, __file__, "--read", what, str(folder)], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
        peaks.append(int(child.stdout))
    return statistics.median(times), max(peaks)


def main(runs: int) -> int:
    """Build, read in fresh processes, print the figures; return the exit code."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        begin = time.perf_counter()
        build(folder, runs)
        size_bytes = (folder / "study.sqlite").stat().st_size
        print(f"build: {time.perf_counter() - begin:.1f} s, {runs} runs x {INDICATORS} indicators, {size_bytes:,} B")
        elapsed_s, peak_bytes = measure(folder, "summary")
        all_s, all_bytes = measure(folder, "runs")
    print(f"open, summary, 3 indicators: {elapsed_s:.2f} s (median of 5), {elapsed_s / GOAL_S:.2f} of the goal")
    print(f"  peak memory {peak_bytes / 1e6:.0f} MB, {peak_bytes / GOAL_BYTES:.2f} of the goal")
    print(f"every run with its configuration: {all_s:.2f} s, peak memory {all_bytes / 1e6:.0f} MB (no goal)")
    return int(elapsed_s > GOAL_S or peak_bytes > GOAL_BYTES)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[3]), sys.argv[2])
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
