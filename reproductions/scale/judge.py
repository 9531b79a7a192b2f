"""Hold predictions against what was measured at the scale that they are for.

Usage: python judge.py [--predictions predictions.csv] LARGER/runs.parquet...

For each scale, indicator and way: how many configurations, the median of measured over predicted, the median and the
largest absolute error of the logarithm, the same of the ratio to the default (whose own prediction errs, too), how many
of the 90 % intervals hold what was measured, Spearman's rank correlation, and how much worse than the best one that is
that the prediction calls best. Leveled and other configurations apart and together.
"""

import argparse
import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from lsmtune.analysis import Runs
from lsmtune.indicators import indicator
from lsmtune.model import Status

HERE = Path(__file__).parent
DEFAULT = "default"


def measured(path: Path) -> tuple[str, dict[tuple[str, str], float]]:
    """Return the scale, and geometric means by configuration and indicator; stalls as the share of runs with some."""
    runs = Runs.read(path)
    found: dict[tuple[str, str], float] = {}
    for name, rows in runs.frame[runs.frame["status"] == Status.OK].groupby("variant.configuration"):
        for column in rows.columns:
            if column.startswith("indicator.") and (rows[column] > 0).all():
                found[str(name), column.removeprefix("indicator.")] = float(np.exp(np.log(rows[column]).mean()))
        held_back = (rows["indicator.stall_count"] > 0) | (rows["indicator.stop_count"] > 0)
        found[str(name), "stalls"] = float(held_back.mean())
    return str(runs.facts.scale), found


def report(scale: str, name: str, way: str, style: str, rows: list[dict[str, float]]) -> None:
    """Print one line."""
    real, said = (np.log([row[key] for row in rows]) for key in ("measured", "value"))
    off = real - said
    of_ratio = [row["ratio"] for row in rows if math.isfinite(row["ratio"]) and row["ratio"] != 0]
    told = [row for row in rows if math.isfinite(row["low"])]
    covered = sum(row["low"] <= row["measured"] <= row["high"] for row in told)
    rank = spearmanr(real, said)[0] if len(rows) > 2 and len(set(said)) > 1 else math.nan
    best = (np.argmax if indicator(name).better == "higher" else np.argmin)(said)
    least = max(real) - real[best] if indicator(name).better == "higher" else real[best] - min(real)
    cover = f"{covered}/{len(told)}" if told else "-"
    ratio = f"{np.median(np.abs(of_ratio)):>8.3f}" if of_ratio else f"{'-':>8}"
    print(
        f"{scale:<6}{name:<26}{way:<12}{style:<11}{len(rows):>3}{np.exp(np.median(off)):>8.2f}{np.median(abs(off)):>8.3f}"
        f"{max(abs(off)):>8.3f}{ratio}{cover:>8}{rank:>7.2f}{np.expm1(least):>8.1%}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("larger", nargs="+", type=Path)
    parser.add_argument("--predictions", type=Path, default=HERE / "predictions.csv")
    words = parser.parse_args()
    with words.predictions.open() as file:
        predictions = list(csv.DictReader(file))
    print(
        f"{'scale':<6}{'indicator':<26}{'way':<12}{'style':<11}{'n':>3}{'factor':>8}{'median':>8}{'most':>8}{'ratio':>8}"
        f"{'covers':>8}{'rank':>7}{'regret':>8}"
    )
    for path in words.larger:
        scale, found = measured(path)
        here = [row for row in predictions if row["scale"] == scale]
        levels = {
            (row["indicator"], row["way"]): float(row["value"]) for row in here if row["configuration"] == DEFAULT
        }
        groups: dict[tuple[str, str, str], list[dict[str, float]]] = defaultdict(list)
        right = []
        for row in here:
            name, key, way = row["indicator"], (row["configuration"], row["indicator"]), row["way"]
            value = float(row["value"])
            if key not in found or math.isnan(value):
                continue
            if name == "stalls":
                right.append((found[key] > 0) == (value > 0))
                continue
            ratio = math.nan
            if (DEFAULT, name) in found:
                ratio = math.log(found[key] / found[DEFAULT, name]) - math.log(value / levels[name, way])
            line = {
                "measured": found[key],
                "value": value,
                "low": float(row["low"]),
                "high": float(row["high"]),
                "ratio": ratio,
            }
            for style in ("all", "leveled" if row["style"] == "level" else row["style"]):
                groups[name, way, style].append(line)
        for (name, way, style), rows in groups.items():
            report(scale, name, way, style, rows)
        print(f"{scale:<6}stall or no stall: right for {sum(right)} of {len(right)}")


if __name__ == "__main__":
    main()
