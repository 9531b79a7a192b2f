"""Charts over all runs: two indicators against each other, and parallel coordinates."""

import math

from lsmtune.report._values import ADJUSTED, label
from lsmtune.report.html._chart import Axis, Chart, Mark, Scale, Series
from lsmtune.report.html._columns import Column, RunColumns
from lsmtune.report.html._view import ReportView
from lsmtune.units import plural

_BEST_SHARE = 0.1


def first_pair(view: ReportView, table: RunColumns) -> tuple[int, int] | None:
    """Return the places of the two indicators that are shown at first, those that decide; None below two."""
    names = [*view.result.rules.judged, *view.result.rules.shown]
    by_name = {table.columns[place].name: place for place in table.judged}
    ranked = [by_name[name] for name in dict.fromkeys(names) if name in by_name]
    places = list(dict.fromkeys([*ranked, *table.judged]))
    return (places[0], places[1]) if len(places) > 1 else None


def tradeoff_chart(view: ReportView, table: RunColumns) -> Chart | None:
    """Show two indicators against each other, with the noise and the Pareto front; None below two indicators."""
    pair = first_pair(view, table)
    if pair is None:
        return None
    x, y = (table.columns[place] for place in pair)
    ordered = (min(pair), max(pair))
    front = table.fronts[ordered]
    scales = [column.scale for column in (x, y)]
    rows = [
        row
        for row in range(len(table.runs))
        if table.usable[row] and x.values[row] is not None and y.values[row] is not None
    ]
    series = [
        _series(("run", Mark.DOT), table, (x, y), scales, rows),
        _series(("on the front", Mark.ESTIMATE), table, (x, y), scales, list(front), noise=True),
    ]
    if x.reference is not None and y.reference is not None:
        at = (x.reference / scales[0].factor, y.reference / scales[1].factor)
        series.append(Series("reference", Mark.STAR, (at[0],), (at[1],)))
    verified = _verified(table, (x, y), scales)
    series += [] if verified is None else [verified]
    crosses = "" if verified is None else f" Crosses: verified finalists with their {ADJUSTED} intervals."
    has_bars = any(column.noise is not None for column in (x, y))
    bars = " Bars on the front: one standard deviation of repeated runs." if has_bars else ""
    better = " and ".join(f"{column.better} {label(column.name)}" for column in (x, y))
    return Chart(
        name="tradeoff",
        title=f"{x.title[0].upper()}{x.title[1:]} against {y.title}",
        alt=f"{plural(len(rows), 'run')}; {plural(len(front), 'run')} on the Pareto front, which no other run beats "
        f"in both ({better} is better).{bars} Single runs; no claim.{crosses}",
        x=Axis(scales[0].title),
        y=Axis(scales[1].title),
        series=tuple(part for part in series if part.x),
        height=420,
    )


def parallel_chart(table: RunColumns) -> Chart | None:
    """Show all runs as lines across the first axes, the best tenth dark; None without columns or runs."""
    by_name = {column.name: column for column in table.columns}
    shown = [by_name[name] for name in table.axes]
    if len(shown) < 2 or not table.runs:
        return None
    best = _best_rows(by_name.get("gain"))
    rest = [row for row in range(len(table.runs)) if row not in best]
    series = [_lines("other runs", Mark.FAINT, shown, rest)]
    if best:
        series.append(_lines(f"the {len(best)} with the largest gain", Mark.LINE, shown, sorted(best)))
    return Chart(
        name="parallel",
        title="All runs across options and indicators",
        alt=f"{plural(len(table.runs), 'run')}; each axis goes from its least value below to its largest above.",
        x=Axis("", tuple(column.title for column in shown)),
        y=Axis("place between least and largest value"),
        series=tuple(part for part in series if part.x),
        height=420,
    )


def position(column: Column, value: float | None) -> float | None:
    """Return the place of a value on its axis, from 0 to 1; None where it is not known."""
    known = [each for each in column.values if each is not None]
    low, high = (0.0, float(len(column.names) - 1)) if column.names else (min(known), max(known))
    if value is None or low == high:
        return None if value is None else 0.5
    if column.log:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def _series(
    kind: tuple[str, Mark],
    table: RunColumns,
    columns: tuple[Column, Column],
    scales: list[Scale],
    rows: list[int],
    *,
    noise: bool = False,
) -> Series:
    places = [
        tuple((column.values[row] or 0.0) / scale.factor for row in rows)
        for column, scale in zip(columns, scales, strict=True)
    ]
    spans = [
        tuple((value * math.exp(-column.noise), value * math.exp(column.noise)) for value in values)
        if noise and column.noise is not None
        else ()
        for column, values in zip(columns, places, strict=True)
    ]
    notes = tuple(f"run {table.runs[row][0]}, {table.runs[row][1]}" for row in rows)
    return Series(*kind, places[0], places[1], spans[0], spans[1], notes)


def _verified(table: RunColumns, columns: tuple[Column, Column], scales: list[Scale]) -> Series | None:
    """Return the verified finalists with an interval along each axis; None where there are none."""
    x, y = (column.name for column in columns)
    known = [each for each in table.verified if x in each.at and y in each.at]
    if not known:
        return None
    places, spans = [], []
    for name, scale in zip((x, y), scales, strict=True):
        places.append(tuple(each.at[name][0] / scale.factor for each in known))
        spans.append(tuple((each.at[name][1] / scale.factor, each.at[name][2] / scale.factor) for each in known))
    notes = tuple(each.name for each in known)
    return Series("verified", Mark.VERIFIED, places[0], places[1], spans[0], spans[1], notes)


def _best_rows(gain: Column | None) -> set[int]:
    if gain is None:
        return set()
    known = sorted((-value, row) for row, value in enumerate(gain.values) if value is not None)
    return {row for _, row in known[: max(1, round(_BEST_SHARE * len(known)))]}


def _lines(name: str, mark: Mark, columns: list[Column], rows: list[int]) -> Series:
    """Return one line a run, with a gap after each."""
    most = 200  # lines of a static picture
    step = max(1, -(-len(rows) // most))
    x: list[float | None] = []
    y: list[float | None] = []
    for row in rows[::step]:
        x += [*map(float, range(len(columns))), None]
        y += [*(position(column, column.values[row]) for column in columns), None]
    return Series(name if step == 1 else f"{name}, 1 of {step}", mark, tuple(x), tuple(y))
