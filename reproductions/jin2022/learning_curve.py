"""Print what R² the forest of Jin et al. (2022) reaches by the number of samples, over many random splits.

Usage: python learning_curve.py RUNS.parquet [--splits N] [--sizes N...] [--over-reference] [--figure FILE.svg]

The paper of 2020 prints its R² from 1,000 samples, and that of 2022 the same four numbers from 2,000. For each size so
many runs of the sample are drawn, split 8:2 as the paper does, and the forest is judged on its fifth: once for each
split. What is shown is the median, and between which R² nine of ten splits lie. That is how far one split, which is
what the paper shows, can be off. It is no interval of the median, as the splits share their runs; with all runs that
there are, only the split is drawn. Sizes beyond the runs that ended are left out. Seeds are fixed. As in the paper,
the forests learn what was measured. With --over-reference they learn its ratio to the reference's level at that
moment, which takes out that the machine became faster or slower in hours of running.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lsmtune.analysis import Runs, columns_of, impurity_importance, response
from lsmtune.jin2022 import JIN2022_PAPER, PAPER_NAMES, recorded_reproduction
from lsmtune.model import Purpose
from lsmtune.report import FIGURE_STYLE, figure_svg

SIZES = tuple(range(100, 1001, 100))

Floats = npt.NDArray[np.float64]
Curve = dict[int, Floats]
"""R² of each split, by the number of samples."""


def curve(learned: Runs, response: Floats, sizes: Sequence[int], splits: int) -> Curve:
    """Return R² of the paper's forest on the fifth that it did not learn from, for each size and split.

    Args:
        learned: runs of the sample.
        response: an indicator of each, nan where it does not count, shape (n,).
        sizes: numbers of samples; larger ones than there are known responses give way to one of all of them.
        splits: of each size.
    """
    known = np.flatnonzero(np.isfinite(response))
    columns = columns_of(learned)
    found: Curve = {}
    for size in sorted({min(size, known.size) for size in sizes}):
        scores = []
        for split in range(splits):
            drawn = np.full(response.shape, np.nan)
            rows = np.random.default_rng([size, split]).choice(known, size, replace=False)
            drawn[rows] = response[rows]
            forest = impurity_importance(learned.factors, columns, drawn, seeds=(split,))
            scores.append(forest.r2_test.median)
        found[size] = np.array(scores)
    return found


def words(scores: Floats) -> str:
    """Return the median and the middle nine tenths of some R²."""
    low, middle, high = np.quantile(scores, (0.05, 0.5, 0.95))
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def draw(curves: dict[str, Curve], path: Path) -> None:
    """Write the curves as SVG: the median as a line, the middle nine tenths as a band, the published R² as dashes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(dict(FIGURE_STYLE)):
        figure = Figure(figsize=(12, 3.2), layout="constrained")
        for axes, (paper, found) in zip(figure.subplots(1, len(curves), sharey=True), curves.items(), strict=True):
            sizes = list(found)
            low, middle, high = np.array([np.quantile(found[size], (0.05, 0.5, 0.95)) for size in sizes]).T
            axes.fill_between(sizes, low, high, color="0.85")
            axes.plot(sizes, middle, color="0.15", marker="o", markersize=3)
            axes.axhline(JIN2022_PAPER.r2[paper], color="0.5", linestyle="--", linewidth=1)
            axes.set_title(f"{paper}, published {JIN2022_PAPER.r2[paper]:.3f}", fontsize=8)
            axes.set_xlabel("samples, a fifth of them to judge by", fontsize=8)
        figure.axes[0].set_ylabel("R² of the paper's forest", fontsize=8)
        path.write_text(figure_svg(figure))


def responses(runs: Runs, name: str, *, over_reference: bool) -> Floats:
    """Return an indicator of each run, or its ratio to the reference's level; nan where it does not count."""
    known = np.exp(response(runs, name).log_ratio) if over_reference else runs.indicator(name)
    return np.where(runs.counting(name), known, np.nan)


def main(path: Path, sizes: Sequence[int], splits: int, figure: Path | None, *, over_reference: bool = False) -> None:
    """Print a row for each size."""
    runs = Runs.read(path)
    indicators = recorded_reproduction(runs)
    sampled = (runs.frame["purpose"] == str(Purpose.SAMPLE)).to_numpy()
    learned = runs.where(sampled)
    readings = dict(zip(PAPER_NAMES, (indicators.waf, indicators.space, indicators.rate, indicators.time), strict=True))
    curves = {
        paper: curve(learned, responses(runs, name, over_reference=over_reference)[sampled], sizes, splits)
        for paper, name in readings.items()
    }
    lost = len(learned) - int(learned.counting(indicators.waf).sum())
    print(f"{len(learned)} runs of the sample, {lost} of them without a result; {splits} splits of each size,")
    learnt = " of ratios to the reference at their moment" if over_reference else ""
    print(f"R²{learnt} on a fifth: median [between which nine of ten splits lie]")
    print(f"{'samples':>9}  " + "  ".join(f"{paper:<20}" for paper in PAPER_NAMES).rstrip())
    for size in sorted({size for found in curves.values() for size in found}):
        cells = [words(curves[paper][size]) if size in curves[paper] else "" for paper in PAPER_NAMES]
        print(f"{size:>9}  " + "  ".join(f"{cell:<20}" for cell in cells).rstrip())
    print("published  " + "  ".join(f"{JIN2022_PAPER.r2[paper]:<20.3f}" for paper in PAPER_NAMES).rstrip())
    if figure is not None:
        draw(curves, figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--over-reference", action="store_true", help="learn ratios to the reference at their moment")
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    main(given.runs, given.sizes, given.splits, given.figure, over_reference=given.over_reference)
