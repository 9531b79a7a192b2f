"""The series of time lines on one axis of time, as both kinds of figures draw them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.model import JobKind, Timeline
from lsmtune.result import RunTimeline, arrival_spans, files_by_level, span_rates, written_spans

PARTS = 120
"""Equal parts of the time, of each of which one value is drawn."""
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
        times_s: where values begin; shape (values,).
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
        panel, _, name = series.name.partition(" of ")
        yield Curve(f"{panel} [{series.unit}, as the tool printed it]", name, place, times_s, values)


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
