"""Compare the five configurations of compare-full with each other, pair by pair, corrected for the ten pairs.

Usage: python pairs.py [INDICATOR]

Reads compare-full/runs.csv. The runs of one block are paired; ratios are geometric means with the t interval of their
logarithms at 95 %, p-values two-sided, once bare and once after Holm (1979) over the ten pairs.
"""

import csv
import math
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy.stats

HERE = Path(__file__).parent
NAMES = {
    "finalist-1": "NNI's published optimum",
    "finalist-2": "TPE, 255 trials",
    "finalist-3": "SMAC, 255 trials",
    "finalist-4": "lsmtune, three options",
    "finalist-5": "lsmtune, 18 options",
}


def read(indicator: str) -> dict[str, dict[str, float]]:
    """Return the logarithm of an indicator by arm and block of the fresh runs."""
    logs: dict[str, dict[str, float]] = defaultdict(dict)
    with (HERE / "compare-full" / "runs.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["purpose"] == "verify" and row["status"] == "ok":
                logs[row["arm"]][row["pair"]] = math.log(float(row[indicator]))
    return logs


def holm(p_values: list[float]) -> list[float]:
    """Adjust p-values by Holm's step-down rule."""
    order = np.argsort(p_values)
    steps = np.maximum.accumulate([(len(p_values) - place) * p_values[at] for place, at in enumerate(order)])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(steps, 1)
    return [float(p) for p in adjusted]


def main(indicator: str) -> None:
    """Print the ten comparisons, the least p first."""
    logs = read(indicator)
    found = []
    for one, other in combinations(NAMES, 2):
        blocks = sorted(logs[one].keys() & logs[other].keys())
        gains = np.array([logs[other][block] - logs[one][block] for block in blocks])
        low, high = scipy.stats.t.interval(0.95, len(gains) - 1, gains.mean(), scipy.stats.sem(gains))
        p = float(scipy.stats.ttest_1samp(gains, 0).pvalue)
        ratio = f"{math.exp(gains.mean()):.2f}x [{math.exp(low):.2f}, {math.exp(high):.2f}]"
        found.append((p, f"{NAMES[other]} against {NAMES[one]}: {ratio}, n = {len(gains)}"))
    adjusted = holm([p for p, _ in found])
    for (p, words), corrected in sorted(zip(found, adjusted, strict=True)):
        print(f"{words}, p = {p:.3f}, after Holm over {len(found)} pairs {corrected:.2f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "throughput_ops_s")
