"""What happened inside runs: side by side on one axis of time as an SVG, a table for the terminal, JSON."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.errors import UsageError
from lsmtune.extras import need
from lsmtune.model import JobKind, Timeline
from lsmtune.report._analysis_figures import FIGURE_STYLE
from lsmtune.report._figure import figure_svg
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import listed
from lsmtune.result import (
    FLUSHES,
    Bar,
    RunTimeline,
    arrival_spans,
    files_by_level,
    job_sums,
    span_rates,
    timeline_bars,
    timeline_lanes,
    written_spans,
)
from lsmtune.units import format_bytes, format_count, format_rate, format_seconds, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PARTS = 120
"""Equal parts of the time, of each of which one value is drawn."""
PRINTED = "as the tool printed it"
"""Ends the names of panels with series of a tool."""
MEAN_LATENCY = "mean latency"
"""The series of a tool whose reports over time have rates only."""
_STAIRS = "offered rate"  # a series of a tool whose times are both ends of each step, not ends of intervals
MOST_BARS = 300
"""Bars of a run in a figure."""

_ARRIVED = {
    "entries": "entries/s that reached memtables",
    "B": "B/s of tables that flushes made",
}


@dataclass(frozen=True)
class Curve:
    """A quantity of a run over time.

    Attributes:
        panel: what it is, with its unit in brackets; curves of one panel can be compared.
        name: what tells it from others of its run in the panel; may be empty.
        place: of the run among those shown.
        times_s: where values begin; shape (values,). Of intervals the last value is there again, where it ends.
        values: nan where unknown; shape (values,).
    """

    panel: str
    name: str
    place: int
    times_s: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


def horizon_s(shown: Sequence[RunTimeline]) -> float:
    """Return the end of the common axis of time in s, which is never 0."""
    ends = [each.timeline.end_s for each in shown]
    printed = [time_s for each in shown for series in each.timeline.series for time_s in series.times_s]
    return max((*ends, *printed), default=0.0) or 1.0


def edges_of(shown: Sequence[RunTimeline]) -> npt.NDArray[np.float64]:
    """Return the ends of equal parts of the common axis of time, shape (PARTS + 1,)."""
    return np.linspace(0.0, horizon_s(shown), PARTS + 1)


def curves(shown: Sequence[RunTimeline]) -> tuple[Curve, ...]:
    """Return what engines wrote per second, what reached their memtables, and the series that tools printed."""
    edges_s = edges_of(shown)
    return tuple(curve for place, each in enumerate(shown) for curve in _of_run(each.timeline, place, edges_s))


def level_curves(shown: Sequence[RunTimeline], place: int) -> tuple[Curve, ...]:
    """Return the largest number of files in each level of a run, in each part of the time, from level 0."""
    edges_s = edges_of(shown)
    timeline = shown[place].timeline
    found = files_by_level(timeline, edges_s)
    return tuple(Curve("files", f"L{level}", place, edges_s[:-1], values) for level, values in enumerate(found))


def _of_run(timeline: Timeline, place: int, edges_s: npt.NDArray[np.float64]) -> Iterator[Curve]:
    inside = edges_s[:-1] <= timeline.end_s
    for kind, words in ((JobKind.FLUSH, "flushes"), (JobKind.COMPACTION, "compactions")):
        speed = span_rates(written_spans(timeline, kind), edges_s) / (1 << 20)
        yield Curve(f"written by {words} [MiB/s]", "", place, edges_s[:-1], np.where(inside, speed, np.nan))
    spans, unit = arrival_spans(timeline)
    told = edges_s[1:] <= (spans[-1][1] if spans else 0.0)  # what came after the last flush began is in no LOG
    if told.any():
        came = np.where(told, span_rates(spans, edges_s), np.nan)
        yield Curve(f"throughput [{_ARRIVED[unit]}]", "", place, edges_s[:-1], came)
    for series in timeline.series:
        times_s, values = _thinned(np.array(series.times_s), np.array(series.values), is_rate=series.unit == "ops/s")
        if series.name != _STAIRS:
            times_s, values = _from_begins(times_s, values)
        panel, _, name = series.name.partition(" of ")
        yield Curve(f"{panel} [{series.unit}, {PRINTED}]", name, place, times_s, values)


def _thinned(
    times_s: npt.NDArray[np.float64], values: npt.NDArray[np.float64], *, is_rate: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return at most `PARTS` points: of neighbouring ones the last time, and the mean of rates, the largest latency."""
    step = max(1, -(-len(times_s) // PARTS))
    cuts = range(0, len(times_s), step)
    return (
        np.array([times_s[cut : cut + step][-1] for cut in cuts]),
        np.array([values[cut : cut + step].mean() if is_rate else values[cut : cut + step].max() for cut in cuts]),
    )


def _from_begins(
    ends_s: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where intervals begin, of which the ends are known, and the end of the last one; each with its value.

    The first one is taken to be as long as the second.
    """
    begin_s = max(0.0, 2 * ends_s[0] - ends_s[min(1, len(ends_s) - 1)])
    return np.append(begin_s, ends_s), np.append(values, values[-1])


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
    need("a figure", "matplotlib")
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


def _ridge(values: npt.NDArray[np.float64], level: int, most: float) -> npt.NDArray[np.float64]:
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


TIMELINE_FORMAT = 1
"""Version of the object of `timeline_json`. 1: the first."""


def timeline_card(shown: Sequence[RunTimeline]) -> RenderableType:
    """Return for each run what its engine did, as a table, and what is missing, in sentences."""
    parts: list[RenderableType] = []
    for each in shown:
        timeline = each.timeline
        title = f"{each.name}: {each.process}, {format_seconds(timeline.end_s)} from opening the database"
        parts += [section(title[0].upper() + title[1:]), timeline_table(timeline), Text(_end(timeline)), Text()]
        if timeline.rates:
            parts += [rates_table(timeline), Text()]
    parts += [Text(sentence) for sentence in timeline_notes(shown)]
    return Group(*parts)


def timeline_table(timeline: Timeline) -> Table:
    """Return what an engine did: number, bytes and times of flushes, compactions by output level, moves, stalls."""
    table = plain_table("what", "number", "written", "busy", "longest", right=(1, 2, 3, 4))
    for each in job_sums(timeline):
        what = "flushes" if each.lane == FLUSHES else f"compactions {each.lane}"
        times = (format_seconds(each.busy_s), format_seconds(each.longest_s))
        table.add_row(*map(Text, (what, format_count(each.jobs), format_bytes(each.written_bytes), *times)))
    files = sum(move.files for move in timeline.moves)
    stops = sum(stall.stopped for stall in timeline.stalls)
    for what, number in (
        ("files moved unchanged", files),
        ("writes slowed down", len(timeline.stalls) - stops),
        (timeline.held, stops),
    ):
        if number:
            table.add_row(*map(Text, (what, format_count(number), "", "", "")))
    return table


def rates_table(timeline: Timeline) -> Table:
    """Return the rates that a search for the largest one held, in order, with what came of each."""
    table = plain_table("at", "offered", "done", "p99", "p99.9", "held for", "", right=(0, 1, 2, 3, 4, 5))
    for each in timeline.rates:
        closed = each.rate_ops_s is None
        came = "" if closed else "sustained" if each.borne else f"not sustained: {', '.join(each.reasons)}"
        table.add_row(
            Text(format_seconds(each.begin_s)),
            Text("closed loop" if closed else format_rate(each.rate_ops_s)),
            Text(format_rate(each.achieved_ops_s)),
            Text(format_seconds(each.latency_p99_s)),
            Text(format_seconds(each.latency_p999_s)),
            Text(format_seconds(each.hold_s)),
            Text(came),
        )
    return table


def timeline_notes(shown: Sequence[RunTimeline]) -> tuple[str, ...]:
    """Return sentences on what the time lines cannot show."""
    notes = list(dict.fromkeys(each.timeline.untold for each in shown if each.timeline.untold))
    silent = [each for each in shown if not each.timeline.series]
    if silent:
        runs = "" if len(silent) == len(shown) else f" of {listed([f'run {each.run.id}' for each in silent])}"
        notes.append(
            f"Latency over time{runs} is not shown: neither the LOG nor the kept outputs have a series of it, as those "
            "of lsmtune-ycsb do."
        )
    if any(series.name == MEAN_LATENCY for each in shown for series in each.timeline.series):
        notes.append(
            "db_bench prints no percentiles over time: what is shown is the mean, the number of threads over their "
            "rate; percentiles are those of the whole run."
        )
    for each in shown:
        if each.timeline.unreadable:
            lines = plural(each.timeline.unreadable, "line")
            notes.append(f"{lines} of the LOG of run {each.run.id} tell of a failure or could not be read.")
    return tuple(notes)


def timeline_json(shown: Sequence[RunTimeline]) -> dict[str, Any]:
    """Return all that is known as values of JSON; times in s from the opening of the database, sizes in bytes."""
    return {
        "format": TIMELINE_FORMAT,
        "runs": [
            {
                "run": each.run.id,
                "purpose": str(each.run.purpose),
                "arm": each.run.arm,
                "step": each.process,
                **plain(each.timeline),
                "sums": plain(job_sums(each.timeline)),
                "arrivals": _arrivals(each.timeline),
            }
            for each in shown
        ],
        "notes": list(timeline_notes(shown)),
    }


def _arrivals(timeline: Timeline) -> dict[str, Any]:
    spans, unit = arrival_spans(timeline)
    return {"unit": unit, "spans": [{"start_s": start, "end_s": end, "amount": amount} for start, end, amount in spans]}


def _end(timeline: Timeline) -> str:
    if not timeline.states:
        return "Files per level: the LOG does not tell."
    last = timeline.states[-1]
    files = ", ".join(f"L{level} {number}" for level, number in enumerate(last.files[: timeline.levels]))
    return f"Files per level at {format_seconds(last.time_s)}, the last time that the LOG tells: {files or 'none'}."
