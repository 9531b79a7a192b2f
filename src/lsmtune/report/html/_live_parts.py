"""The sections of a report as pieces of a page that is open already, with charts as values."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rich.console import RenderableType

from lsmtune.report.html._blocks import Part, Section, charts_in, parts_of
from lsmtune.report.html._chart import CELL_HEIGHT, CELL_WIDTH, Axis, Chart, Series
from lsmtune.report.html._columns import Column, RunColumns
from lsmtune.report.html._page import page_head, page_template
from lsmtune.report.html._sections import sections_of
from lsmtune.report.html._view import ReportView

MOST_LINES = 2000
"""Runs that a browser can show as lines and still answer at once."""
_BEST = 500
_ELSEWHERE = frozenset({"tradeoff", "summary"})
"""Sections that a live page shows in its own way."""
_DIGITS = 6


@dataclass(frozen=True)
class LiveParts:
    """What a study says so far, for a page that is open.

    Attributes:
        head: what stands first, see `page_head`.
        sections: key, title and HTML of each section.
        charts: the charts in them by name, as JSON values.
        table: the runs as columns, as JSON values; at most `MOST_LINES`.
        left_out: number of runs that the table has no room for.
        best: number of runs in it that have their place as those with the largest gain; the others are an even share.
    """

    head: Mapping[str, str]
    sections: tuple[tuple[str, str, str], ...]
    charts: Mapping[str, Any]
    table: Mapping[str, Any]
    left_out: int
    best: int


def live_parts(view: ReportView) -> LiveParts:
    """Return what a study says so far: the sections of its report but what happened inside runs."""
    columns = RunColumns.of(view)
    sections = tuple(each for each in sections_of(view, columns) if each.key not in _ELSEWHERE)
    shown, best = _thinned(columns)
    return LiveParts(
        head=page_head(view),
        sections=tuple((each.key, each.title, _html(each.parts)) for each in sections),
        charts={chart.name: chart_json(chart) for chart in _charts(sections)},
        table=shown.to_json(),
        left_out=len(columns.runs) - len(shown.runs),
        best=best,
    )


def card_html(card: RenderableType) -> str:
    """Return what a terminal shows as HTML, a piece of a page."""
    return _html(tuple(parts_of(card)))


def chart_json(chart: Chart) -> dict[str, Any]:
    """Return a chart as JSON values, numbers with 6 digits."""
    return {
        "name": chart.name,
        "title": chart.title,
        "alt": chart.alt,
        "height": chart.height,
        "legend": chart.legend,
        "x": _axis(chart.x),
        "y": _axis(chart.y),
        "cell": [CELL_WIDTH, CELL_HEIGHT],
        "series": [_series(each) for each in chart.series],
        "levels": [{"axis": each.axis, "at": each.at, "name": each.name} for each in chart.levels],
    }


def _html(parts: tuple[Part, ...]) -> str:
    html: str = page_template("live-parts.html.j2").render(parts=parts, scripts=(True,), pictures={})
    return html


def _charts(sections: Iterable[Section]) -> list[Chart]:
    return [chart for section in sections for chart in charts_in(section.parts)]


def _axis(axis: Axis) -> dict[str, Any]:
    ends = None if axis.ends is None else list(axis.ends)
    return {"title": axis.title, "labels": list(axis.written), "log": axis.log, "suffix": axis.suffix, "ends": ends}


def _series(series: Series) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": series.name,
        "mark": str(series.mark),
        "x": [_short(value) for value in series.x],
        "y": [_short(value) for value in series.y],
    }
    for name, spans in (("xSpan", series.x_span), ("ySpan", series.y_span)):
        if spans:
            told[name] = [[_short(low), _short(high)] for low, high in spans]
    for name, words in (("notes", series.notes), ("texts", series.texts)):
        if words:
            told[name] = list(words)
    return told


def _short(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.{_DIGITS}g}")


def _thinned(columns: RunColumns) -> tuple[RunColumns, int]:
    """Return columns of at most `MOST_LINES` runs: so many with the largest gain, and an even share of the others."""
    if len(columns.runs) <= MOST_LINES:
        return columns, 0
    gain = next((each for each in columns.columns if each.name == "gain"), None)
    known = [] if gain is None else sorted((-value, row) for row, value in enumerate(gain.values) if value is not None)
    best = {row for _, row in known[:_BEST]}
    rest = [row for row in range(len(columns.runs)) if row not in best]
    step = -(-len(rest) // (MOST_LINES - len(best)))
    rows = sorted(best.union(rest[::step]))
    kept = RunColumns(
        columns=tuple(_kept(column, rows) for column in columns.columns),
        runs=tuple(columns.runs[row] for row in rows),
        usable=tuple(columns.usable[row] for row in rows),
        axes=columns.axes,
        verified=columns.verified,
    )
    return kept, len(best)


def _kept(column: Column, rows: list[int]) -> Column:
    return replace(column, values=tuple(column.values[row] for row in rows))
