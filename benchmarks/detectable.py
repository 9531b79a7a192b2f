"""How far the spread of pairs, from which the smallest detectable gain follows, is from the true one.

    python benchmarks/detectable.py [--studies 100] [--runs 60]
    python benchmarks/detectable.py --recorded reproductions

Studies of a flat surface on the fake engine, in worlds where the machine drifts, wanders or jumps and where trees
differ. The truth is the spread of further pairs of three random configurations and the reference, after the study.

With --recorded: how much neighbouring anchors scatter beside the consecutive first runs, in the recorded runs of a
folder, studies with at least three anchors.
"""

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from lsmtune.model import Configuration
from lsmtune.result import noise_of_gain
from lsmtune.stats import noise_floor, spread_of_runs
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, fake_study
from lsmtune.testing.hostile import WORLDS

_RATE, _LEAST_ANCHORS = "indicator.throughput_ops_s", 3
NAMES = ("calm", "drift", "ar1", "jumps", "trees-5", "trees-15")


@dataclass(frozen=True)
class Seen:
    """What one study estimated, over the truth: from the reference's runs, and from the pairs of its looks."""

    runs: float
    pairs: float | None


def study_of(name: str, runs: int, seed: int) -> Seen:
    """Run a study in a world and hold its estimates against the truth."""
    world = WORLDS[name]
    rules = replace(
        world.rules(3), baselines={"stock": Configuration(), "other": Configuration.of({"block_size": 16384})}
    )
    plan = FakePlan(Budget(None, runs), world.surface, world.noise, seed, rules=rules, world=world.world)
    with TemporaryDirectory(dir="/dev/shm") as folder, fake_study(Path(folder) / "study", plan) as study:
        seen, true = study.tune().detectable, study.true_spread()
        own = noise_of_gain(study.history, rules) or math.nan
    return Seen(own / true, seen.spread.sd / true if seen is not None and seen.looks else None)


def line(name: str, seen: Sequence[Seen]) -> str:
    """Return a row of the table."""
    pairs = [each.pairs for each in seen if each.pairs is not None]
    return f"| {name} | {_quartiles([each.runs for each in seen])} | {_quartiles(pairs)} | {len(pairs)} |"


def _quartiles(ratios: Sequence[float]) -> str:
    low, middle, high = quantiles(ratios, n=4)
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def recorded(folder: Path) -> list[float]:
    """Return the ratio of the anchors' standard deviation to that of the first runs, study by study, in throughput."""
    ratios = []
    for file in sorted(folder.rglob("runs.parquet")):
        runs = pd.read_parquet(file, columns=["purpose", "arm", "order", "status", _RATE]).sort_values("order")
        runs = runs[runs["status"].isin(["ok", "disturbed", "contaminated"]) & runs[_RATE].notna()]
        anchors = runs[runs["purpose"] == "anchor"]
        first = runs[(runs["purpose"] == "baseline") & runs["arm"].isin(anchors["arm"])]
        if len(anchors) >= _LEAST_ANCHORS:
            neighbours = spread_of_runs(np.log(anchors[_RATE]).tolist()).sd
            ratios.append(neighbours / noise_floor(first[_RATE].tolist()).of_pairs.sd)
    return ratios


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--recorded", type=Path)
    args = parser.parse_args()
    if args.recorded is not None:
        ratios = recorded(args.recorded)
        print(f"{len(ratios)} studies: {_quartiles(ratios)}, at most {max(ratios):.1f}")
        return
    print("| World | from the reference's runs | from the pairs of the first look | studies with one |")
    print("| --- | --- | --- | --- |")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for name in NAMES:
            work = partial(study_of, name, args.runs)
            print(line(name, list(pool.map(work, range(1, args.studies + 1), chunksize=4))), flush=True)


if __name__ == "__main__":
    main()
