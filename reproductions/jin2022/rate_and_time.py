"""Print whether RATE and TIME were "directly proportional" in recorded runs: RATE x TIME by the number of threads.

Usage: python rate_and_time.py RUNS.parquet   (whose indicators are read right after the load, as in the paper)

RATE is what a fill writes a second, TIME how long the load takes. Where their product is the same in all runs, each is
the other's inverse, and a model, a ranking or a fitness that counts both counts one thing twice. The last line is the
paper's example: what both do where write_buffer_size is twice as large, by a straight line through their logarithms,
with 95 % intervals.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.stats

from lsmtune.analysis import Runs
from lsmtune.report import with_interval

RATE, TIME, THREADS, BUFFER = "throughput_bytes_s", "load_time_s", "workload.threads", "write_buffer_size"
MIB = 2**20


def main(path: Path) -> None:
    """Print a line for each number of threads, one for all runs, and one for the size of the write buffer."""
    runs = Runs.read(path)
    runs = runs.where(runs.counting(RATE) & runs.counting(TIME))
    rate, time = runs.indicator(RATE), runs.indicator(TIME)
    threads = runs.values(THREADS) if THREADS in runs.by_name else np.ones(len(runs), dtype=int)
    print(f"{'threads':<8}{'runs':>5}  {'RATE, MiB/s':<16}{'TIME, s':<17}RATE x TIME, MiB: median (all runs)")
    groups = [(str(count), threads == count) for count in np.unique(threads)]
    for name, rows in [*groups, ("all", np.ones(len(runs), dtype=bool))]:
        product = rate[rows] * time[rows] / MIB
        print(
            f"{name:<8}{rows.sum():>5}  "
            f"{f'{rate[rows].min() / MIB:.1f} to {rate[rows].max() / MIB:.1f}':<16}"
            f"{f'{time[rows].min():.2f} to {time[rows].max():.2f}':<17}"
            f"{np.median(product):.1f} ({product.min():.1f} to {product.max():.1f})"
        )
    doublings = np.log2(runs.values(BUFFER).astype(np.float64))
    print(f"{BUFFER} doubled: RATE {per_doubling(doublings, rate)}, TIME {per_doubling(doublings, time)}")


def per_doubling(doublings: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> str:
    """Return the ratio of values that goes with one more doubling, with its 95 % interval."""
    line = scipy.stats.linregress(doublings, np.log(values))
    reach = scipy.stats.t.ppf(0.975, len(values) - 2) * line.stderr
    return with_interval(*(float(np.exp(line.slope + by)) for by in (0, -reach, reach)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    main(parser.parse_args().runs)
