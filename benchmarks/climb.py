"""Count how often a tuning that climbs claims an improvement at a larger scale where there is none.

Usage: python benchmarks/climb.py [--studies 400] [--workers 2]

Whole tunings on the fake engine, three finalists that are better at 1/64, and two larger scales, in each of a few
worlds whose truth is known. A study errs where any finalist is called better at any larger scale at which it is not.

Goal: at most 5 % of studies err, as far as so many can tell: code 1 where the lower end of the interval is above it.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from scipy.stats import binomtest

from lsmtune.testing import CLIMB_WORLDS, climb_once

GOAL = 0.05


def main() -> int:
    """Print a row for each world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    print("| World | Studies | Comparisons | False improvements | False losses |\n| --- | --- | --- | --- | --- |")
    missed = False
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        for world in CLIMB_WORLDS:
            found = list(pool.map(partial(climb_once, world), range(1, asked.studies + 1), chunksize=4))
            false, losses = sum(each.false for each in found), sum(each.false_loss for each in found)
            reached = sum(each.reached for each in found)
            print(
                f"| {world} | {len(found)} | {reached} | {_share(false, len(found))} | {_share(losses, len(found))} |"
            )
            missed = missed or float(binomtest(false, len(found)).proportion_ci(0.95, "exact").low) > GOAL
    return int(missed)


def _share(count: int, number: int) -> str:
    ends = binomtest(count, number).proportion_ci(0.95, "exact")
    return f"{100 * count / number:.1f} % [{100 * ends.low:.1f}, {100 * ends.high:.1f}]"


if __name__ == "__main__":
    sys.exit(main())
