"""Draw the trials of both tuners over their number, and print their best as NNI's page does, with what is left of it.

Usage: python trials.py FIGURE.svg FOLDER... [--fresh RUNS.parquet]

Each folder is a recorded search with its runs.parquet. As on the page, a trial counts with the operations per second of
its single run, and the best is the largest of them. A single run may be lucky: where RUNS.parquet, of a comparison, has
fresh runs of the same three values, their ratio to the values before tuning stands beside the ratio that the best trial
claimed over the runs of the reference in its own search.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.figure import Figure

from lsmtune.analysis import Runs, response
from lsmtune.model import Purpose
from lsmtune.report import FIGURE_STYLE, figure_svg, ratio_text, with_interval
from lsmtune.stats import compare_pairs

INDICATOR = "throughput_ops_s"
OPTIONS = ("write_buffer_size", "min_write_buffer_number_to_merge", "level0_file_num_compaction_trigger")
PUBLISHED = (("SMAC", 255, 779289, (2097152, 7, 7)), ("TPE", 169, 761456, (2097152, 7, 7)))
LOOKS = (("0.1", "o"), ("0.6", "^"), ("0.3", "x"))
"""Colour and marker of each search."""


@dataclass(frozen=True)
class Trials:
    """The trials of a search that ended well.

    Attributes:
        name: of its folder.
        numbers: of each trial, from 1, shape (n,).
        ops_s: of its single run, shape (n,).
        claimed: over the reference at its moment, shape (n,).
        values: of the three options, shape (n, 3).
    """

    name: str
    numbers: npt.NDArray[np.int64]
    ops_s: npt.NDArray[np.float64]
    claimed: npt.NDArray[np.float64]
    values: npt.NDArray[np.int64]

    @classmethod
    def read(cls, folder: Path) -> "Trials":
        """Return those of a folder."""
        runs = Runs.read(folder / "runs.parquet")
        rows = (runs.frame["purpose"] == str(Purpose.TRIAL)).to_numpy() & runs.counting(INDICATOR)
        claimed = np.exp(response(runs, INDICATOR).log_ratio)[rows]
        trials = runs.where(rows)
        numbers = np.array([int(arm.removeprefix("trial-")) for arm in trials.frame["arm"]], dtype=np.int64)
        return cls(folder.name, numbers, trials.indicator(INDICATOR), claimed, values_of(trials))

    @property
    def best(self) -> int:
        """The place of the best trial."""
        return int(np.argmax(self.ops_s))


def values_of(runs: Runs) -> npt.NDArray[np.int64]:
    """Return the values of the three options in each run, at full size."""
    return np.column_stack([runs.values(name).astype(np.int64) for name in OPTIONS])


def fresh(path: Path, values: npt.NDArray[np.int64]) -> str:
    """Return the ratio of fresh runs of three values to those of the reference, paired by block."""
    runs = Runs.read(path)
    verified = runs.of(Purpose.VERIFY)
    verified = verified.where(verified.counting(INDICATOR))
    frame = verified.frame.assign(ops_s=verified.indicator(INDICATOR))
    same = (values_of(verified) == values).all(axis=1) & (frame["arm"] != runs.facts.reference).to_numpy()
    if not same.any():
        return "not run again"
    first = frame[same]["arm"].iloc[0]  # more options may differ in another arm with these three
    by_arm = frame.pivot_table(index="block", columns="arm", values="ops_s")[[first, runs.facts.reference]].dropna()
    found = compare_pairs(by_arm[first].tolist(), by_arm[runs.facts.reference].tolist())
    return f"{with_interval(found.ratio, found.low, found.high)}, n = {found.n}"


def table(searches: Sequence[Trials], compared: Path | None) -> list[str]:
    """Return the rows of the page's table: the published ones, then those of each search."""
    rows: list[tuple[Any, ...]] = [
        ("Tuner", "Best trial", "of", "Best OPS", *OPTIONS, "claimed", "fresh runs [95 %]"),
        *((f"{name}, published", trial, "?", ops, *values, "?", "?") for name, trial, ops, values in PUBLISHED),
    ]
    for each in searches:
        best = each.best
        left = "?" if compared is None else fresh(compared, each.values[best])
        claimed = ratio_text(float(each.claimed[best]))
        counted = (each.name, each.numbers[best], each.numbers.max(), round(each.ops_s[best]))
        rows.append((*counted, *each.values[best], claimed, left))
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def draw(searches: Sequence[Trials], path: Path) -> None:
    """Write the trials as SVG: a mark for each, another one for each tuner, the best one ringed."""
    with rc_context(dict(FIGURE_STYLE)):
        figure = Figure(figsize=(9, 4), layout="constrained")
        axes = figure.add_subplot()
        for each, (color, marker) in zip(searches, LOOKS, strict=False):
            axes.plot(each.numbers, each.ops_s / 1000, marker, markersize=3, label=each.name, color=color)
            at = each.numbers[each.best], each.ops_s[each.best] / 1000
            axes.plot(*at, marker="o", markersize=9, fillstyle="none", color=color)
        axes.set(xlabel="number of the trial", ylabel="writes, kops/s, of a single run")
        axes.legend(frameon=False, loc="lower right")
        path.write_text(figure_svg(figure))


def main(figure: Path, folders: Sequence[Path], compared: Path | None) -> None:
    """Print the table and write the figure."""
    searches = [Trials.read(folder) for folder in folders]
    print("\n".join(table(searches, compared)))
    draw(searches, figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--fresh", type=Path)
    given = parser.parse_args()
    main(given.figure, given.folders, given.fresh)
