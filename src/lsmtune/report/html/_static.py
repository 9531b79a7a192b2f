"""A chart as an SVG that needs no script, drawn by matplotlib."""

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsmtune.extras import need
from lsmtune.report._analysis_figures import FIGURE_STYLE
from lsmtune.report._figure import figure_svg
from lsmtune.report.html._chart import CELL_HEIGHT, CELL_WIDTH, Axis, Chart, Mark, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH_IN, _PIXELS = 7.6, 96
_INK, _MUTED, _LINE, _ACCENT, _BAD = "#1b1f24", "#57606a", "#d0d7de", "#0b57a4", "#b3261e"
_ROLES = {
    _INK: "var(--ink)",
    _MUTED: "var(--muted)",
    _LINE: "var(--line)",
    _ACCENT: "var(--accent)",
    _BAD: "var(--bad)",
}
_STYLE: Mapping[Any, Any] = {
    **FIGURE_STYLE,
    "axes.edgecolor": _MUTED,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "grid.color": _LINE,
    "axes.grid": True,
    "axes.axisbelow": True,
    "savefig.transparent": True,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
_LOOKS: Mapping[Mark, Mapping[str, Any]] = {
    Mark.DOT: {"marker": "o", "linestyle": "", "color": _ACCENT, "markersize": 4, "alpha": 0.7},
    Mark.CROSS: {"marker": "x", "linestyle": "", "color": _BAD, "markersize": 4},
    Mark.REFERENCE: {"marker": "D", "linestyle": "", "color": _INK, "markersize": 5, "markerfacecolor": "none"},
    Mark.ESTIMATE: {"marker": "s", "linestyle": "", "color": _INK, "markersize": 5},
    Mark.STAR: {"marker": "*", "linestyle": "", "color": _INK, "markersize": 11},
    Mark.VERIFIED: {"marker": "P", "linestyle": "", "color": _BAD, "markersize": 8},
    Mark.LINE: {"color": _INK, "linewidth": 1.5},
    Mark.STEP: {"color": _INK, "linewidth": 1.5, "drawstyle": "steps-post"},
    Mark.DASHED: {"color": _MUTED, "linewidth": 1.5, "linestyle": "--"},
    Mark.DOTTED: {"color": _ACCENT, "linewidth": 1.5, "linestyle": ":"},
    Mark.DASHDOT: {"color": _BAD, "linewidth": 1.5, "linestyle": "-."},
    Mark.CELL_1: {"color": _ACCENT, "alpha": 0.45},
    Mark.CELL_2: {"color": _INK, "alpha": 0.12},
    Mark.CELL_3: {"color": _INK, "alpha": 0.3},
    Mark.CELL_4: {"color": _BAD, "alpha": 0.2},
    Mark.CELL_OPEN: {"facecolor": "none", "edgecolor": _MUTED},
    Mark.BAR_THIN: {"color": _INK, "linewidth": 2, "solid_capstyle": "butt"},
    Mark.BAR: {"color": _ACCENT, "linewidth": 5, "solid_capstyle": "butt"},
    Mark.BAR_THICK: {"color": _ACCENT, "linewidth": 9, "solid_capstyle": "butt"},
    Mark.FAINT: {"color": _LINE, "linewidth": 0.7},
}
_MOST_POINTS = 400  # of a series in a static picture
_GENERATED_ID = re.compile(
    r' id="(?:figure|axes|patch|matplotlib\.axis|xtick|ytick|line2d|text|legend|[A-Za-z]+Collection)_\d+"'
)
_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def svg_file(chart: Chart) -> str:
    """Return the text of an SVG file with the title of the chart above it. Equal charts give equal texts."""
    return _drawn(chart, with_title=True)


def element_of(svg: str) -> str:
    """Return the element of an SVG file for a page."""
    text = _METADATA.sub("", _HEAD.sub("", svg))
    return _GENERATED_ID.sub("", text).replace("<svg ", '<svg aria-hidden="true" ', 1)


def svg_inline(chart: Chart) -> str:
    """Return an SVG element for a page whose style sets ``--ink``, ``--muted``, ``--line``, ``--accent``, ``--bad``."""
    text = element_of(_drawn(chart, with_title=False))
    for colour, role in _ROLES.items():
        text = text.replace(colour, role)
    return text


def _drawn(chart: Chart, *, with_title: bool) -> str:
    need("a figure", "matplotlib")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(dict(_STYLE)):
        figure = Figure(figsize=(_WIDTH_IN, chart.height / _PIXELS), layout="constrained")
        axes = figure.add_subplot()
        for series in chart.series:
            (_draw_cells if series.texts else _draw)(axes, series)
        for level in chart.levels:
            line = axes.axvline if level.axis == "x" else axes.axhline
            line(level.at, color=_MUTED, linestyle=":", linewidth=1, zorder=1)
        _prepare(axes, chart)
        if chart.has_cells:
            axes.grid(visible=False)  # its lines would cross the texts
        if with_title:
            axes.set_title(_plain(chart.title), loc="left", fontsize=10)
        if chart.legend and len(chart.series) > 1:
            figure.legend(loc="outside upper left", ncols=3)
        return figure_svg(figure, Title=chart.title, Description=chart.alt)


def _draw(axes: "Axes", series: Series) -> None:
    step = 1 if None in series.x else max(1, -(-len(series.x) // _MOST_POINTS))
    x, y = ([float("nan") if value is None else value for value in part] for part in (series.x, series.y))
    bars = [_bars(places, spans, step) for places, spans in ((x, series.x_span), (y, series.y_span))]
    share = "" if step == 1 else f", 1 of {step}"
    look = dict(_LOOKS[series.mark])
    name = _plain(f"{series.name}{share}")
    if bars != [None, None]:
        bar: Mapping[str, Any] = {"ecolor": _INK, "capsize": 3, "elinewidth": 1}
        axes.errorbar(x[::step], y[::step], xerr=bars[0], yerr=bars[1], label=name, **bar, **look)
    else:
        axes.plot(x[::step], y[::step], label=name, **look)


def _draw_cells(axes: "Axes", series: Series) -> None:
    places = [(x, y) for x, y in zip(series.x, series.y, strict=True) if x is not None and y is not None]
    across, bottoms = [x for x, _ in places], [y - CELL_HEIGHT / 2 for _, y in places]
    look = dict(_LOOKS[series.mark])
    axes.bar(across, CELL_HEIGHT, CELL_WIDTH, bottoms, label=_plain(series.name), linewidth=1, **look)
    for (x, y), text in zip(places, series.texts, strict=True):
        axes.text(x, y, _plain(text), ha="center", va="center", fontsize=8)


def _bars(places: list[float], spans: tuple[tuple[float, float], ...], step: int) -> list[list[float]] | None:
    """Return how far bars reach below and above every `step`-th point; nan where an end is not finite."""
    if not spans:
        return None
    reach = [
        [max(value - low, 0.0) for value, (low, _) in zip(places, spans, strict=True)],
        [max(high - value, 0.0) for value, (_, high) in zip(places, spans, strict=True)],
    ]
    return [[length if math.isfinite(length) else math.nan for length in side[::step]] for side in reach]


def _prepare(axes: "Axes", chart: Chart) -> None:
    from matplotlib.ticker import FuncFormatter

    for axis, its, reverse in ((chart.x, axes.xaxis, False), (chart.y, axes.yaxis, True)):
        its.set_label_text(_plain(axis.title))
        if axis.labels:
            its.set_ticks(range(len(axis.labels)), [_plain(name) for name in axis.written], **_turn(axis, reverse))
            ends = (-0.5, len(axis.labels) - 0.5)
            its.set_view_interval(*ends, ignore=True)
            if reverse:
                axes.set_ylim(ends[1], ends[0])
            else:
                axes.set_xlim(*ends)
            continue
        if axis.ends is not None:
            (axes.set_ylim if reverse else axes.set_xlim)(*axis.ends)
        if axis.log:
            (axes.set_yscale if reverse else axes.set_xscale)("log")
        if axis.suffix:
            its.set_major_formatter(FuncFormatter(lambda value, _, suffix=axis.suffix: f"{value:g}{suffix}"))


def _turn(axis: Axis, vertical: bool) -> dict[str, Any]:
    """Return how names under an axis are turned so that they do not cover one another."""
    crowded = not vertical and sum(map(len, axis.written)) > 70
    return {"rotation": 35, "ha": "right", "rotation_mode": "anchor", "fontsize": 8} if crowded else {"fontsize": 8}


def _plain(text: str) -> str:
    """Return text that matplotlib does not take for mathematics."""
    return text.replace("$", r"\$")
