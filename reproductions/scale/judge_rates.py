"""Hold predictions of whether writes are held back at offered rates against runs that were offered them.

Usage: python judge_rates.py [rates/runs.parquet]

A rate was too much in two ways: less than 99 % of it was done, as a sweep over rates judges it, or the engine held
writes back at all. Predicted is the probability of rates.csv; above one half counts as held back. Where a
configuration ran twice at a rate, the worst run counts.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from lsmtune.analysis import Runs

HERE = Path(__file__).parent
DONE = 0.99


def main() -> None:
    """Print how often each way was right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=Path, default=HERE / "rates" / "runs.parquet")
    frame = Runs.read(parser.parse_args().runs).frame
    with (HERE / "rates.csv").open() as file:
        said = {(row["configuration"], float(row["target"])): float(row["held_back"]) for row in csv.DictReader(file)}
    told: dict[str, list[tuple[float, bool]]] = {"less than 99 % done": [], "held back at all": []}
    print(f"{'configuration':<18}{'rate':>8}{'predicted':>11}{'done':>7}{'held':>7}")
    for key, runs in frame.groupby(["variant.configuration", "workload.target_ops_s"]):
        name, rate = str(key[0]), float(str(key[1]))
        done = float(runs["indicator.throughput_ops_s"].min()) / rate
        share = float(runs["indicator.stall_share"].max())
        told["less than 99 % done"].append((said[name, rate], done < DONE))
        told["held back at all"].append((said[name, rate], share > 0))
        print(f"{name:<18}{rate:>8.0f}{said[name, rate]:>11.3f}{done:>7.1%}{share:>7.1%}")
    for way, pairs in told.items():
        right = sum((probability > 0.5) == happened for probability, happened in pairs)
        brier = np.mean([(probability - happened) ** 2 for probability, happened in pairs])
        print(f"{way}: right for {right} of {len(pairs)}, Brier score {brier:.2f}")


if __name__ == "__main__":
    main()
