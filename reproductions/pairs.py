"""Compare what was tuned or compared with the values before it, and with each other, in its fresh runs, pair by pair.

Usage: python pairs.py FOLDER [INDICATOR...] [--mean] [--level 0.95]

Reads runs.csv of a recorded tuning or comparison, and the names from experiment.toml there or FOLDER.toml beside it.
Runs of one block are paired: those of the verification, of its confirmation, and of each step with what it builds on.
Ratios are geometric means with the t interval of their logarithms, each for itself; where several were verified, also
all pairs of them, with two-sided p-values once bare and once after Holm (1979). With --mean the geometric mean of the
indicators is one more of them, as an objective of equal weights has it.
"""

import argparse
import csv
import math
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from lsmtune.analysis import adjusted
from lsmtune.report import with_interval
from lsmtune.stats import PairedComparison, compare_pairs, geometric_mean

Arms = dict[str, dict[str, float]]
"""What was measured, by arm and block."""


def names(folder: Path) -> dict[str, str]:
    """Return the names of what was compared or tried in steps, by arm; none where the experiment names none."""
    beside = folder / "experiment.toml"
    path = beside if beside.exists() else folder.with_suffix(".toml")
    experiment = tomllib.loads(path.read_text()) if path.exists() else {}
    kinds = {"finalist": experiment.get("compare", []), "step": experiment.get("steps", [])}
    return {
        f"{arm}-{place}": each["name"]
        for arm, listed in kinds.items()
        for place, each in enumerate(listed, start=1)
        if "name" in each
    }


def read(folder: Path, indicators: Sequence[str]) -> dict[str, Arms]:
    """Return the geometric mean of some indicators in all runs that ended well, by purpose, arm and block."""
    path = folder / "runs.csv"
    values: dict[str, Arms] = defaultdict(lambda: defaultdict(dict))
    with path.open() as lines:
        for row in csv.DictReader(lines):
            if unknown := [name for name in indicators if name not in row]:
                raise SystemExit(f"{path}: no indicator {unknown[0]!r}; docs/reference/indicators.md lists them")
            if row["status"] == "ok" and all(row[name] for name in indicators):
                measured = [float(row[name]) for name in indicators]
                if not all(measured):
                    raise SystemExit(f"{path}: {' or '.join(indicators)} is 0 in run {row['run']}, which has no ratio")
                values[row["purpose"]][row["arm"]][row["pair"]] = geometric_mean(measured)
    return values


def paired(new: dict[str, float], old: dict[str, float], alpha: float) -> PairedComparison:
    """Compare two arms by the blocks that both have."""
    blocks = sorted(new.keys() & old.keys())
    return compare_pairs([new[block] for block in blocks], [old[block] for block in blocks], alpha)


def words(pair: PairedComparison) -> str:
    """Return a ratio with its interval and the number of pairs."""
    return f"{with_interval(pair.ratio, pair.low, pair.high)}, n = {pair.n}"


def main(folder: Path, indicators: Sequence[str], alpha: float = 0.05) -> None:
    """Print what each is against the values before it, then the pairs of what was verified, the least p first."""
    values, named = read(folder, indicators), names(folder)
    for arm in values["step"]:
        if (before := f"{arm}:before") in values["step"]:
            against = words(paired(values["step"][arm], values["step"][before], alpha))
            print(f"{named.get(arm, arm)} against what it builds on: {against}")
    for purpose in ("verify", "confirm"):
        arms = values[purpose]
        references = {arm: arms[arm] for arm in arms if arm in values["baseline"]}
        new = {named.get(arm, arm): arms[arm] for arm in sorted(arms) if arm not in references}
        for reference in references.values():
            for name, measured in new.items():
                if len(measured.keys() & reference.keys()) > 1:
                    print(f"{name} against the values before tuning: {words(paired(measured, reference, alpha))}")
        print_pairs(new, alpha)


def print_pairs(arms: Arms, alpha: float) -> None:
    """Print each pair of some arms, the least p first."""
    found = []
    for one, other in combinations(arms, 2):
        if len(arms[one].keys() & arms[other].keys()) > 1:
            pair = paired(arms[other], arms[one], alpha)
            found.append((pair.p, f"{other} against {one}: {words(pair)}"))
    corrected = adjusted([math.log10(p) for p, _ in found])
    for (p, said), told in sorted(zip(found, corrected, strict=True), key=lambda each: each[0]):
        print(f"{said}, p = {p:.3f}, after Holm over {len(found)} pairs {told.holm:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("indicators", nargs="*", default=["throughput_ops_s"], metavar="INDICATOR")
    parser.add_argument("--mean", action="store_true", help="also the geometric mean of the indicators")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals; 0.95 left out")
    given = parser.parse_args()
    asked = [[name] for name in given.indicators] + ([given.indicators] if given.mean else [])
    for each in asked:
        print(each[0] if len(each) == 1 else f"the geometric mean of {', '.join(each)}")
        main(given.folder, each, 1 - given.level)
