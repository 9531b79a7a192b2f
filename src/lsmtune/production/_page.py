"""What the LOGs of a service say, as one HTML file that loads nothing."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from lsmtune.production._card import diagnosis_card, diagnosis_head
from lsmtune.production._repeated_hour import going_on
from lsmtune.production._service_log import Moment, ServiceLog
from lsmtune.production._trends import trends_of
from lsmtune.report.html import Axis, Chart, Mark, Series, card_page

_HOUR_S = 3600.0
_UNITS = {"B": (2.0**20, "MiB"), "B/s": (2.0**20, "MiB/s")}
_MOST_POINTS = 2000
"""Of a chart; above them neighbouring intervals between dumps are drawn as one."""


def diagnosis_page(log: ServiceLog) -> str:
    """Return the page: what changed over time as pictures, and all of the card."""
    sentence, covered = diagnosis_head(log)
    head = {
        "title": log.files[-1],
        "state": "a service",
        "sentence": f"{sentence}.",
        "next": f"{covered}. All figures: lsmtune diagnose --json.",
    }
    return card_page(head, diagnosis_card(log), [*_charts(log), *_trend_charts(log)])


def _trend_charts(log: ServiceLog) -> Iterator[Chart]:
    """Yield a picture of each figure that the card tells over time, of the last opening, a line a column family."""
    begin_s = log.first_s or 0.0
    trends = trends_of(log.last)
    for name in dict.fromkeys(each.name for each in trends):
        lines = [each for each in trends if each.name == name]
        factor, unit = _UNITS.get(lines[0].unit, (1.0, lines[0].unit))
        known = [value / factor for each in lines for value in each.known]
        series = tuple(
            Series(
                each.family or each.title,
                Mark.STEP,
                tuple((time_s - begin_s) / _HOUR_S for time_s in each.times_s),
                tuple(None if value is None else value / factor for value in each.values),
            )
            for each in lines
        )
        alt = f"{lines[0].title}: {min(known):.3g} to {max(known):.3g} {unit}."
        x, y = Axis("hours since the first line"), Axis(unit)
        yield Chart(name, lines[0].title, alt, x, y, series, legend=len(series) > 1)


def _charts(log: ServiceLog) -> Iterator[Chart]:
    charts: tuple[tuple[str, str, str, Callable[[Moment, Moment], float | None]], ...] = (
        ("stalled", "Writes slowed down or stopped", "share of the time [%]", _stalled),
        ("ingest", "What users wrote", "GB an hour", _ingest),
        ("files", "What flushes and compactions wrote", "GB an hour", _files),
        ("size", "Size of all tables", "GB", lambda _, later: _gb(later.size_bytes)),
    )
    for name, title, unit, level in charts:
        x, y = _line(log, level)
        known = [value for value in y if value is not None]
        if known:
            alt = (
                f"Between dumps of statistics: {min(known):.3g} to {max(known):.3g} {unit}, {known[-1]:.3g} at the end."
            )
            series = Series(title, Mark.STEP, tuple(x), tuple(y))
            yield Chart(name, title, alt, Axis("hours since the first line"), Axis(unit), (series,), legend=False)


def _line(log: ServiceLog, level: Callable[[Moment, Moment], float | None]) -> tuple[list[float], list[float | None]]:
    """Return hours and values, a point at the end of each interval between two dumps; None between openings."""
    begin_s = log.first_s or 0.0
    x: list[float] = []
    y: list[float | None] = []
    every = max(1, sum(len(opening.moments) for opening in log.openings) // _MOST_POINTS)
    for opening in log.openings:
        moments = going_on(opening.timed_moments[::every])
        for earlier, later in pairwise(moments):
            if later.uptime_s > earlier.uptime_s:
                x.append((later.time_s - begin_s) / _HOUR_S)
                y.append(level(earlier, later))
        if x and y[-1] is not None:
            x.append(x[-1])
            y.append(None)
    return x, y


def _stalled(earlier: Moment, later: Moment) -> float | None:
    if earlier.stall_s is None or later.stall_s is None:
        return None
    return 100 * (later.stall_s - earlier.stall_s) / (later.uptime_s - earlier.uptime_s)


def _ingest(earlier: Moment, later: Moment) -> float | None:
    if earlier.ingest_gb is None or later.ingest_gb is None:
        return None
    return (later.ingest_gb - earlier.ingest_gb) * _HOUR_S / (later.uptime_s - earlier.uptime_s)


def _files(earlier: Moment, later: Moment) -> float | None:
    written_gb = _gb(later.files_bytes - earlier.files_bytes)
    return None if written_gb is None else written_gb * _HOUR_S / (later.uptime_s - earlier.uptime_s)


def _gb(size_bytes: float | None) -> float | None:
    return None if size_bytes is None else size_bytes / 2**30
