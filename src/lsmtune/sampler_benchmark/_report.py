"""Samplers against each other: a table, a figure and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.extras import need
from lsmtune.report import FIGURE_STYLE, figure_svg, percent, plain_table, ratio_text
from lsmtune.sampler_benchmark._search import BenchmarkedSearch
from lsmtune.units import format_seconds, plural

_MARKS = (10, 20, 30, 50, 75, 100, 150, 200)
_GOAL = 0.95
_SHADES = ("0.0", "0.35", "0.6")
_DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class _Field:
    """All searches of one sampler.

    Attributes:
        name: of the sampler.
        shares: share of the best-known log gain after each run, shape (seeds, runs).
        seconds: time of the engine by then in s, shape (seeds, runs).
        asking_s: mean time of a proposal in s.
    """

    name: str
    shares: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    asking_s: float

    def reached(self) -> float | None:
        """Return the median number of runs to `_GOAL`; None where half of the searches did not get there."""
        runs = [np.flatnonzero(row >= _GOAL) for row in self.shares]
        first = sorted(float(found[0] + 1) if found.size else np.inf for found in runs)
        middle = float(np.median(first))
        return middle if np.isfinite(middle) else None


def sampler_benchmark_card(searches: Sequence[BenchmarkedSearch], best: float) -> RenderableType:
    """Return what each sampler found after so many runs, as a share of the best-known log gain.

    Args:
        searches: all of them, each sampler with the same seeds and number of runs.
        best: the largest log gain that is known.
    """
    fields = _fields(searches, best)
    runs, seeds = fields[0].shares.shape[1], fields[0].shares.shape[0]
    marks = [mark for mark in _MARKS if mark < runs] + [runs]
    headers = [f"{mark} runs" for mark in marks]
    right = tuple(range(1, len(marks) + 4))
    table = plain_table("sampler", *headers, f"runs to {percent(_GOAL)}", "asking", right=right)
    for field in sorted(fields, key=lambda each: -float(np.median(each.shares[:, -1]))):
        cells = [_spread(field.shares[:, mark - 1]) for mark in marks]
        reached = field.reached()
        table.add_row(
            Text(field.name, style="bold"),
            *(Text(cell) for cell in cells),
            Text("not reached" if reached is None else f"{reached:.0f}"),
            Text(format_seconds(field.asking_s)),
        )
    about = (
        f"Share of the best-known gain, {ratio_text(float(np.exp(best)))}, on a logarithmic scale: median over "
        f"{plural(seeds, 'search')} [quartiles]. Of the best three trials the one that verification would find is "
        "handed over."
    ).replace("searchs", "searches")
    return Group(Text(about), table)


def sampler_benchmark_json(searches: Sequence[BenchmarkedSearch], best: float) -> dict[str, Any]:
    """Return all searches as values of JSON: log gains and seconds after each run."""
    return {
        "format": 1,
        "best_known_log_gain": best,
        "races": [
            {
                "sampler": each.sampler,
                "seed": each.seed,
                "log_gains": each.gains.tolist(),
                "seconds": each.seconds.tolist(),
                "asking_s": each.asking_s,
            }
            for each in searches
        ],
    }


def sampler_benchmark_figure(searches: Sequence[BenchmarkedSearch], best: float) -> str:
    """Return a figure as the text of an SVG: the share of the best-known gain over runs and over time."""
    need("a figure", "matplotlib")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(dict(FIGURE_STYLE)):
        figure = Figure(figsize=(9, 4), layout="constrained")
        by_runs, by_time = figure.subplots(1, 2, sharey=True)
        for place, field in enumerate(_fields(searches, best)):
            look: Mapping[str, Any] = {
                "color": _SHADES[place % len(_SHADES)],
                "linestyle": _DASHES[(place // len(_SHADES)) % len(_DASHES)],
                "linewidth": 1.2,
                "label": field.name,
            }
            low, middle, high = np.quantile(field.shares, [0.25, 0.5, 0.75], axis=0)
            numbers = np.arange(1, len(middle) + 1)
            by_runs.plot(numbers, middle, **look)
            by_runs.fill_between(numbers, low, high, color=look["color"], alpha=0.08, linewidth=0)
            by_time.plot(np.median(field.seconds, axis=0) / 60, middle, **look)
        by_runs.set(xlabel="runs", ylabel="share of the best-known gain (log scale),\nmedian and quartiles")
        by_time.set(xlabel="time of the engine, minutes")
        by_time.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        for axes in (by_runs, by_time):
            axes.axhline(_GOAL, color="0.8", linewidth=0.8, zorder=0)
        return figure_svg(figure)


def _fields(searches: Sequence[BenchmarkedSearch], best: float) -> list[_Field]:
    names = dict.fromkeys(each.sampler for each in searches)
    return [
        _Field(
            name,
            np.array([each.gains for each in searches if each.sampler == name]) / (best or 1.0),
            np.array([each.seconds for each in searches if each.sampler == name]),
            float(np.mean([each.asking_s for each in searches if each.sampler == name])),
        )
        for name in names
    ]


def _spread(shares: npt.NDArray[np.float64]) -> str:
    low, middle, high = np.quantile(shares, [0.25, 0.5, 0.75]) * 100
    return f"{middle:.0f} [{low:.0f}, {high:.0f}] %"
