"""What the interval reports of db_bench (``--stats_interval_seconds=1``) cost a run.

Usage: python benchmarks/interval_reports.py [pairs] [db_bench]

Pairs of fills of 500,000 keys, one with the reports and one without, side by side and in turns first. They write into
one memtable without a log, so that no flush or compaction adds its noise, and operations are short: reports can hardly
cost more than there. Prints the ratio of the time for an operation with its 95 % interval (Student's t on the
logarithms). Goal: the interval holds nothing above 1.02. Exit code 1 if it is missed.
"""

import sys
import tempfile
from pathlib import Path
from subprocess import run

from lsmtune.backends.db_bench._output import parse_output
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.stats import compare_pairs

MOST = 1.02
REPORTS = "--stats_interval_seconds=1"
FILL = ("--benchmarks=fillrandom", "--num=500000", "--write_buffer_size=2147483648", "--disable_wal=1", "--histogram=1")


def micros(program: Path, *flags: str) -> float:
    """Return the time of an operation of a fill, in microseconds."""
    with tempfile.TemporaryDirectory(prefix="lsmtune-intervals-") as folder:
        command = [str(program), *FILL, f"--db={folder}", *flags]
        printed = run(command, capture_output=True, text=True, check=True).stdout
    (phase,) = parse_output(printed).phases
    return phase.micros_per_op


def main(pairs: int, program: Path) -> int:
    """Make the pairs; return the exit code."""
    with_reports, without = [], []
    for pair in range(pairs):
        order = ((), (REPORTS,)) if pair % 2 else ((REPORTS,), ())
        found = {bool(flags): micros(program, *flags) for flags in order}
        with_reports.append(found[True])
        without.append(found[False])
        print(f"{pair + 1:3}  {found[True]:.3f} us with reports, {found[False]:.3f} us without", flush=True)
    ratio = compare_pairs(with_reports, without)
    print(
        f"with reports {ratio.ratio:.4f}x [{ratio.low:.4f}, {ratio.high:.4f}] the time of an operation "
        f"({pairs} pairs, goal <= {MOST})"
    )
    return int(ratio.high > MOST)


if __name__ == "__main__":
    given = find_db_bench(Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, given))
