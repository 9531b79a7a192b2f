"""Compare the configurations of a comparison with the values before tuning, and with each other, pair by pair.

Usage: python pairs.py [INDICATOR] [--of compare-full]

Reads experiment.toml and runs.csv of that folder. The runs of one block are paired; ratios are geometric means with the
t interval of their logarithms at 95 %, p-values of the pairs two-sided, once bare and once after Holm (1979) over all.
"""

import argparse
import csv
import math
import tomllib
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from lsmtune.analysis import adjusted
from lsmtune.report import with_interval
from lsmtune.stats import PairedComparison, compare_pairs

HERE = Path(__file__).parent
BEFORE = "options"
"""The arm of the values before tuning."""


def names(folder: Path) -> dict[str, str]:
    """Return the names of what was compared, by arm."""
    experiment = tomllib.loads((folder / "experiment.toml").read_text())
    return {f"finalist-{place}": each["name"] for place, each in enumerate(experiment["compare"], start=1)}


def read(folder: Path, indicator: str) -> dict[str, dict[str, float]]:
    """Return an indicator by arm and block of the fresh runs."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    with (folder / "runs.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["purpose"] == "verify" and row["status"] == "ok":
                values[row["arm"]][row["pair"]] = float(row[indicator])
    return values


def paired(new: dict[str, float], old: dict[str, float]) -> PairedComparison:
    """Compare two arms by the blocks that both have."""
    blocks = sorted(new.keys() & old.keys())
    return compare_pairs([new[block] for block in blocks], [old[block] for block in blocks])


def words(pair: PairedComparison) -> str:
    """Return a ratio with its interval and the number of pairs."""
    return f"{with_interval(pair.ratio, pair.low, pair.high)}, n = {pair.n}"


def main(folder: Path, indicator: str) -> None:
    """Print what each is against the values before tuning, then the pairs, the least p first."""
    values, named = read(folder, indicator), names(folder)
    for arm, name in named.items():
        print(f"{name} against the values before tuning: {words(paired(values[arm], values[BEFORE]))}")
    found = []
    for one, other in combinations(named, 2):
        pair = paired(values[other], values[one])
        found.append((pair.p, f"{named[other]} against {named[one]}: {words(pair)}"))
    corrected = adjusted([math.log10(p) for p, _ in found])
    for (p, said), told in sorted(zip(found, corrected, strict=True), key=lambda each: each[0]):
        print(f"{said}, p = {p:.3f}, after Holm over {len(found)} pairs {told.holm:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("indicator", nargs="?", default="throughput_ops_s")
    parser.add_argument("--of", type=Path, default=HERE / "compare-full")
    given = parser.parse_args()
    main(given.of, given.indicator)
