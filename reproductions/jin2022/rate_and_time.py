"""Print whether RATE and TIME were "directly proportional" in recorded runs: RATE x TIME by the number of threads.

Usage: python rate_and_time.py RUNS.parquet   (whose indicators are read right after the load, as in the paper)

RATE is what a fill writes a second, TIME how long the load takes. Where their product is the same in all runs, each is
the other's inverse, and a model, a ranking or a fitness that counts both counts one thing twice.
"""

import argparse
from pathlib import Path

import numpy as np

from lsmtune.analysis import Runs

RATE, TIME, THREADS = "throughput_bytes_s", "load_time_s", "workload.threads"
MIB = 2**20


def main(path: Path) -> None:
    """Print a line for each number of threads, and one for all runs."""
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    main(parser.parse_args().runs)
