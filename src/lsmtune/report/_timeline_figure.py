"""Runs side by side on one axis of time, as an SVG."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsmtune.errors import UsageError
from lsmtune.report._analysis_figures import FIGURE_STYLE
from lsmtune.report._figure import figure_svg
from lsmtune.report._timeline_panels import MOST_BARS, Curve, curves, horizon_s, level_curves
from lsmtune.result import Bar, RunTimeline, timeline_bars, timeline_lanes
from lsmtune.units import format_bytes, format_seconds

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes

MOST_RUNS = 6
"""Runs that find room side by side."""

_STALLS = "writes held"
_SLOT = 0.8  # of a lane; the rest keeps lanes apart
_DASHES = ("-", "--", ":", "-.")
_WIDTH_IN, _LANE_IN, _PANEL_IN = 4.4, 0.24, 1.15


def timeline_figure(shown: Sequence[RunTimeline]) -> str:
    """Return the text of an SVG: a column a run, all on the same axes, so that they can be compared.

    A bar is a job, in a lane by where its output went; the darker, the more it wrote. Equal values give equal texts.

    Raises:
        UsageError: no run, or more than find room.
    """
    if not 1 <= len(shown) <= MOST_RUNS:
        raise UsageError(f"{len(shown)} runs cannot be drawn side by side; name 1 to {MOST_RUNS} runs")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    drawn, jobs = curves(shown), [timeline_bars(each.timeline, MOST_BARS) for each in shown]
    panels = list(dict.fromkeys(curve.panel for curve in drawn))
    most_bytes = max((bar.written_bytes for found, _ in jobs for bar in found), default=0) or 1
    lanes = (*timeline_lanes(each.timeline for each in shown), _STALLS)
    levels = max(1, *(each.timeline.levels for each in shown))
    heights = [0.5 + _LANE_IN * len(lanes), 0.3 + _LANE_IN * levels, *(_PANEL_IN for _ in panels)]
    with mpl.rc_context(dict(FIGURE_STYLE)):
        figure = Figure(figsize=(1.2 + _WIDTH_IN * len(shown), 0.6 + sum(heights)), layout="constrained")
        axes = figure.subplots(
            len(heights), len(shown), sharex=True, sharey="row", squeeze=False, height_ratios=heights
        )
        for place, each in enumerate(shown):
            column: list[Axes] = list(axes[:, place])
            column[0].set_title(_plain(each.name), fontsize=9)
            _draw_jobs(column[0], jobs[place], lanes, horizon_s(shown), most_bytes)
            _draw_stalls(column[0], each, len(lanes) - 1, horizon_s(shown))
            _draw_levels(column[1], shown, place, levels)
            for panel, below in zip(panels, column[2:], strict=True):
                _draw_curves(below, [curve for curve in drawn if curve.panel == panel and curve.place == place])
            column[-1].set_xlabel("s from opening the database")
        for row, words in enumerate(("jobs, by output level", "files in each level", *panels)):
            axes[row, 0].set_ylabel(_wrapped(words), fontsize=7.5)
            if row > 1:
                axes[row, 0].set_ylim(bottom=0)  # once all runs are drawn: it ends the search for a common top
        figure.align_ylabels(axes[:, 0])
        axes[0, 0].set_xlim(0, horizon_s(shown))
        figure.suptitle(_title(most_bytes), fontsize=9)
        return figure_svg(figure)


def _draw_jobs(
    axes: "Axes", drawn: tuple[tuple[Bar, ...], float], lanes: tuple[str, ...], end_s: float, most_bytes: int
) -> None:
    from matplotlib.collections import PolyCollection

    found, grain_s = drawn
    corners = [_corners(bar, lanes.index(bar.lane), end_s) for bar in found]
    axes.add_collection(
        PolyCollection(corners, facecolors=[_shade(bar, most_bytes) for bar in found], edgecolors="0", linewidths=0.3)
    )
    axes.set_yticks(range(len(lanes)), lanes)
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    if grain_s:
        words = f"jobs below {format_seconds(grain_s)} that begin close together are one bar"
        axes.text(1, 1, words, transform=axes.transAxes, ha="right", va="bottom", fontsize=7, color="0.3")


def _draw_stalls(axes: "Axes", each: RunTimeline, lane: int, end_s: float) -> None:
    for stopped, marker in ((True, "x"), (False, "|")):
        times_s = sorted({_in_parts(s.time_s, end_s) for s in each.timeline.stalls if s.stopped is stopped})
        axes.plot(times_s, [float(lane)] * len(times_s), linestyle="", marker=marker, color="0", markersize=4)


def _draw_levels(axes: "Axes", shown: Sequence[RunTimeline], place: int, levels: int) -> None:
    """Draw the files of each level as a line above its own base, each against its largest number, which is written."""
    import numpy as np

    for level, curve in enumerate(level_curves(shown, place)):
        known = curve.values[~np.isnan(curve.values)]
        most = float(known.max()) if known.size else 0.0
        axes.axhline(level + _SLOT / 2, color="0.85", linewidth=0.6, zorder=0)
        axes.plot(curve.times_s, _ridge(curve.values, level, most), color="0", linewidth=1, drawstyle="steps-post")
        text = f"most {most:.0f}"
        axes.text(1, level, text, transform=axes.get_yaxis_transform(), fontsize=7, va="center", clip_on=False)
    axes.set_yticks(range(levels), [f"L{level}" for level in range(levels)])
    axes.set_ylim(levels - 0.5, -0.5)


def _draw_curves(axes: "Axes", found: Sequence[Curve]) -> None:
    for curve, dash in zip(found, _DASHES * len(found), strict=False):
        axes.plot(curve.times_s, curve.values, dash, color="0", linewidth=1, drawstyle="steps-post", label=curve.name)
    if not found:
        axes.text(0.5, 0.5, "not told", transform=axes.transAxes, ha="center", va="center", color="0.4")
    elif any(curve.name for curve in found):
        axes.legend(frameon=False, fontsize=7)


def _corners(bar: Bar, lane: int, end_s: float) -> list[tuple[float, float]]:
    """Return the corners of a bar, which is never too short to be seen."""
    right = max(bar.end_s, bar.start_s + end_s / 500)
    top = lane - _SLOT / 2 + _SLOT * bar.row / bar.rows
    bottom = top + _SLOT / bar.rows
    return [(bar.start_s, top), (right, top), (right, bottom), (bar.start_s, bottom)]


def _shade(bar: Bar, most_bytes: int) -> str:
    """Return a grey: the square root of the bytes, so that bars of few bytes still differ."""
    return f"{0.95 - 0.75 * math.sqrt(bar.written_bytes / most_bytes):.2f}"


def _ridge(values: "npt.NDArray[np.float64]", level: int, most: float) -> "npt.NDArray[np.float64]":
    return level + _SLOT / 2 - _SLOT * values / (most or 1.0)


def _title(most_bytes: int) -> str:
    return (
        "Inside a run: bars are flushes and compactions, the darker the more bytes "
        f"(most {format_bytes(most_bytes)}); x: writes stopped, |: slowed down"
    )


def _in_parts(time_s: float, end_s: float) -> float:
    """Return the middle of the hundredth of the axis that a time lies in: thousands of marks would be one line."""
    part = end_s / 100
    return (min(math.floor(time_s / part), 99) + 0.5) * part


def _wrapped(words: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(words, 19))


def _plain(text: str) -> str:
    """Return text that matplotlib does not take for mathematics."""
    return text.replace("$", r"\$")
