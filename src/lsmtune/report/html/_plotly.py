"""A chart as traces and layout of plotly.js.

Colours are roles (``@ink``; ``@ink-12`` with an opacity of 12 %), which the page fills in by its theme.
"""

import math
from collections.abc import Mapping
from typing import Any

from lsmtune.report.html._chart import CELL_HEIGHT, CELL_WIDTH, Axis, Chart, Level, Mark, Series

_DIGITS = 6
_SLACK = 1.3  # beyond the points of a logarithmic axis, where its ends are
_LOOKS: Mapping[Mark, Mapping[str, Any]] = {
    Mark.DOT: {"mode": "markers", "marker": {"symbol": "circle", "size": 7, "color": "@accent", "opacity": 0.7}},
    Mark.CROSS: {"mode": "markers", "marker": {"symbol": "x", "size": 7, "color": "@bad", "opacity": 0.7}},
    Mark.REFERENCE: {"mode": "markers", "marker": {"symbol": "diamond-open", "size": 9, "color": "@ink"}},
    Mark.ESTIMATE: {"mode": "markers", "marker": {"symbol": "square", "size": 9, "color": "@ink"}},
    Mark.STAR: {"mode": "markers", "marker": {"symbol": "star", "size": 15, "color": "@ink"}},
    Mark.VERIFIED: {"mode": "markers", "marker": {"symbol": "cross", "size": 11, "color": "@bad"}},
    Mark.LINE: {"mode": "lines", "line": {"color": "@ink", "width": 2}},
    Mark.STEP: {"mode": "lines", "line": {"color": "@ink", "width": 2, "shape": "hv"}},
    Mark.DASHED: {"mode": "lines", "line": {"color": "@muted", "width": 2, "dash": "dash"}},
    Mark.DOTTED: {"mode": "lines", "line": {"color": "@accent", "width": 2, "dash": "dot"}},
    Mark.DASHDOT: {"mode": "lines", "line": {"color": "@bad", "width": 2, "dash": "dashdot"}},
    Mark.CELL_1: {"marker": {"color": "@accent-45"}},
    Mark.CELL_2: {"marker": {"color": "@ink-12"}},
    Mark.CELL_3: {"marker": {"color": "@ink-30"}},
    Mark.CELL_4: {"marker": {"color": "@bad-20"}},
    Mark.CELL_OPEN: {"marker": {"color": "rgba(0,0,0,0)", "line": {"color": "@muted", "width": 1}}},
    Mark.BAR_THIN: {"mode": "lines", "line": {"color": "@ink", "width": 3}},
    Mark.BAR: {"mode": "lines", "line": {"color": "@accent", "width": 7}},
    Mark.BAR_THICK: {"mode": "lines", "line": {"color": "@accent", "width": 13}},
    Mark.FAINT: {"mode": "lines", "line": {"color": "@line", "width": 1}},
}


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """Return ``data`` and ``layout`` of a chart."""
    layout: dict[str, Any] = {
        "height": chart.height,
        "margin": {"l": 60, "r": 20, "t": 30, "b": 50},
        "paper_bgcolor": "@paper",
        "plot_bgcolor": "@paper",
        "font": {"color": "@ink", "size": 13},
        "hovermode": "closest",
        "showlegend": chart.legend and len(chart.series) > 1,
        "legend": {
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 12},
        },
        "xaxis": _axis(chart.x, [value for series in chart.series for value in series.x], reverse=False),
        "yaxis": _axis(chart.y, [value for series in chart.series for value in series.y], reverse=True),
        "shapes": [_line(level) for level in chart.levels],
        "annotations": [_name(level) for level in chart.levels if level.name],
    }
    if chart.has_cells:  # which stand side by side; lines of a grid would cross their texts
        layout["barmode"] = "overlay"
        for axis in ("xaxis", "yaxis"):
            layout[axis]["showgrid"] = False
    return {"data": [_cells(series) if series.texts else _trace(series) for series in chart.series], "layout": layout}


def _axis(axis: Axis, values: list[float | None], *, reverse: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "title": {"text": _shown(axis.title), "standoff": 8},
        "automargin": True,
        "gridcolor": "@line",
        "zeroline": False,
        "ticksuffix": axis.suffix,
    }
    if axis.labels:
        ends = [-0.5, len(axis.labels) - 0.5]
        told |= {
            "tickvals": list(range(len(axis.labels))),
            "ticktext": [_shown(name) for name in axis.written],
            "range": ends[::-1] if reverse else ends,
        }
    elif axis.ends is not None:
        told["range"] = list(axis.ends)
    elif axis.log:
        told |= {"type": "log", **_round_ticks([value for value in values if value is not None and value > 0])}
    return told


def _round_ticks(values: list[float]) -> dict[str, Any]:
    """Return ticks of a logarithmic axis at 1, 2 and 5 times powers of ten; none where they would be fewer than 2."""
    if not values:
        return {}
    low, high = min(values), max(values)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    shown = [tick for tick in ticks if low / _SLACK <= tick <= high * _SLACK]
    return {"tickvals": shown, "ticktext": [f"{tick:g}" for tick in shown]} if len(shown) > 1 else {}


def _trace(series: Series) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": _shown(series.name),
        "x": _rounded(series.x),
        "y": _rounded(series.y),
        **_LOOKS[series.mark],
    }
    for axis, places, spans in (("x", series.x, series.x_span), ("y", series.y, series.y_span)):
        if spans:
            pairs = [(value or 0.0, low, high) for value, (low, high) in zip(places, spans, strict=True)]
            trace[f"error_{axis}"] = {
                "type": "data",
                "symmetric": False,
                "array": _rounded(tuple(max(high - value, 0.0) for value, _, high in pairs)),
                "arrayminus": _rounded(tuple(max(value - low, 0.0) for value, low, _ in pairs)),
                "color": "@ink",
                "thickness": 1.5,
                "width": 4,
            }
    if series.notes:
        trace |= {"text": [_shown(note) for note in series.notes], "hovertemplate": "%{text}<extra></extra>"}
    elif series.mark is Mark.FAINT:
        trace["hoverinfo"] = "skip"
    return trace


def _cells(series: Series) -> dict[str, Any]:
    """Return cells as bars that fill their places, whatever the width of the page."""
    return {
        "type": "bar",
        "name": _shown(series.name),
        "x": _rounded(series.x),
        "y": [CELL_HEIGHT] * len(series.y),
        "base": _rounded(tuple(None if value is None else value - CELL_HEIGHT / 2 for value in series.y)),
        "width": CELL_WIDTH,
        "text": [_shown(text).replace("\n", "<br>") for text in series.texts],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"color": "@ink", "size": 12},
        "hovertext": [_shown(note) for note in series.notes or series.texts],
        "hovertemplate": "%{hovertext}<extra></extra>",
        **_LOOKS[series.mark],
    }


def _line(level: Level) -> dict[str, Any]:
    other = "y" if level.axis == "x" else "x"
    return {
        "type": "line",
        f"{level.axis}0": level.at,
        f"{level.axis}1": level.at,
        f"{other}0": 0,
        f"{other}1": 1,
        f"{other}ref": "paper",
        "layer": "below",
        "line": {"color": "@muted", "width": 1, "dash": "dot"},
    }


def _name(level: Level) -> dict[str, Any]:
    at_top = {"x": level.at, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "top"}
    at_right = {"y": level.at, "x": 1, "xref": "paper", "xanchor": "right", "yanchor": "bottom"}
    return {
        **(at_top if level.axis == "x" else at_right),
        "text": _shown(level.name),
        "showarrow": False,
        "font": {"size": 11, "color": "@muted"},
    }


def _shown(text: str) -> str:
    """Return text that plotly does not take for markup: it reads a few HTML tags in names and notes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _rounded(values: tuple[float | None, ...]) -> list[float | None]:
    return [None if value is None or not math.isfinite(value) else float(f"{value:.{_DIGITS}g}") for value in values]
