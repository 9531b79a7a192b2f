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

from lsmtune.analysis import adjusted
from lsmtune.stats import compare_pairs

HERE = Path(__file__).parent
NAMES = {
    "finalist-1": "NNI's published optimum",
    "finalist-2": "TPE, 255 trials",
    "finalist-3": "SMAC, 255 trials",
    "finalist-4": "lsmtune, three options",
    "finalist-5": "lsmtune, 18 options",
}


def read(indicator: str) -> dict[str, dict[str, float]]:
    """Return an indicator by arm and block of the fresh runs."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    with (HERE / "compare-full" / "runs.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["purpose"] == "verify" and row["status"] == "ok":
                values[row["arm"]][row["pair"]] = float(row[indicator])
    return values


def main(indicator: str) -> None:
    """Print the ten comparisons, the least p first."""
    values = read(indicator)
    found = []
    for one, other in combinations(NAMES, 2):
        blocks = sorted(values[one].keys() & values[other].keys())
        pair = compare_pairs([values[other][block] for block in blocks], [values[one][block] for block in blocks])
        ratio = f"{pair.ratio:.2f}x [{pair.low:.2f}, {pair.high:.2f}]"
        found.append((pair.p, f"{NAMES[other]} against {NAMES[one]}: {ratio}, n = {pair.n}"))
    corrected = adjusted([math.log10(p) for p, _ in found])
    for (p, words), told in sorted(zip(found, corrected, strict=True), key=lambda each: each[0]):
        print(f"{words}, p = {p:.3f}, after Holm over {len(found)} pairs {told.holm:.2f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "throughput_ops_s")
