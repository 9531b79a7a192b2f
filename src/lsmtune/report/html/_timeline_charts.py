"""Charts of what happened inside runs."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from lsmtune.model import WriteStall
from lsmtune.report._timeline import MOST_BARS, PRINTED, Curve, curves, horizon_s, level_curves
from lsmtune.report._values import listed
from lsmtune.report.html._chart import Axis, Chart, Mark, Scale, Series
from lsmtune.report.html._verdict_charts import TAILS, latency_kinds, latency_name, tail_words
from lsmtune.result import Bar, History, RunTimeline, job_sums, timeline_bars, timeline_lanes
from lsmtune.units import format_bytes, format_count, format_seconds, plural

_STALLS = "writes held"
_SLOT = 0.8  # of a lane; the rest keeps lanes apart
_LANE = 44
_STALL_PARTS = 100
_SIZES = ((Mark.BAR_THIN, 1 / 16), (Mark.BAR, 1 / 4), (Mark.BAR_THICK, 1.0))
"""How thick a bar is: up to which share of the bytes of the largest one."""
_TAIL_LINES = (Mark.LINE, Mark.DASHED, Mark.DOTTED, Mark.DASHDOT)
_LEAST_TAILS = 3  # percentiles of a run, below which there is no line
_LINES = (Mark.STEP, Mark.DASHED, Mark.DOTTED)


def job_charts(shown: Sequence[RunTimeline]) -> tuple[Chart, ...]:
    """Show for each run its flushes and compactions as bars, in lanes by output level, and when writes were held."""
    lanes = (*timeline_lanes(each.timeline for each in shown), _STALLS)
    drawn = [timeline_bars(each.timeline, MOST_BARS) for each in shown]
    most = max((bar.written_bytes for found, _ in drawn for bar in found), default=0) or 1
    return tuple(
        _jobs(each, lanes, found, grain_s, (most, horizon_s(shown)))
        for each, (found, grain_s) in zip(shown, drawn, strict=True)
    )


def curve_charts(shown: Sequence[RunTimeline], *, printed: bool) -> Iterator[Chart]:
    """Show rates and latencies that tools printed over time, or else what engines wrote; all runs in each chart."""
    drawn = curves(shown)
    for number, panel in enumerate(dict.fromkeys(curve.panel for curve in drawn)):
        if panel.endswith(f"{PRINTED}]") is not printed:
            continue
        found = [curve for curve in drawn if curve.panel == panel]
        title, _, unit = panel.removesuffix("]").partition(" [")
        top = 1.05 * max(_largest(curve.values) for curve in found)
        yield Chart(
            name=f"inside-series-{number}",
            title=f"Over time: {title}",
            alt=f"{title[0].upper()}{title[1:]} ({unit}) of {listed([each.name for each in shown])}; "
            f"{_extent(found)} Each point stands for a part of the time.",
            x=_time(horizon_s(shown)),
            y=Axis(unit, ends=(0.0, top or 1.0)),
            series=tuple(_line(curve, shown, place) for place, curve in enumerate(found)),
            height=260,
        )


def whole_run_charts(shown: Sequence[RunTimeline], history: History) -> Iterator[Chart]:
    """Show latency from the median to the maximum over the whole of each run, a chart for each kind of operation."""
    runs = {each.run.id: each for each in shown}
    for kind, phase in latency_kinds(history.columns):
        names = [name for tail in TAILS if (name := latency_name(kind, tail, phase)) in history.columns]
        found = {run: [history.columns[name].get(run) for name in names] for run in runs}
        told = {run: values for run, values in found.items() if sum(bool(value) for value in values) >= _LEAST_TAILS}
        if phase or not told:
            continue
        scale = Scale.of(names[0], [value for values in told.values() for value in values if value])
        what = f"{kind} latency".strip()
        yield Chart(
            name=f"inside-tails{f'-{kind}' if kind else ''}",
            title=f"Over the whole run: {what}",
            alt="Percentiles of the tool's histogram of all operations of the measured phase, of single runs.",
            x=Axis("", tuple(tail_words(name) for name in names)),
            y=Axis(f"{what} [{scale.title.rpartition('[')[2]}", log=True),
            series=tuple(
                Series(
                    runs[run].name,
                    _TAIL_LINES[place % len(_TAIL_LINES)],
                    tuple(float(at) for at in range(len(names))),
                    tuple(value / scale.factor if value else None for value in values),
                )
                for place, (run, values) in enumerate(told.items())
            ),
            height=260,
        )


def level_charts(shown: Sequence[RunTimeline]) -> Iterator[Chart]:
    """Show for each run the files of each level, each level in a lane against its own largest number."""
    for place, each in enumerate(shown):
        found = level_curves(shown, place)
        if not found or not each.timeline.states:
            continue
        most = [_largest(curve.values) for curve in found]
        labels = tuple(f"{curve.name}, most {format_count(top)}" for curve, top in zip(found, most, strict=True))
        yield Chart(
            name=f"inside-levels-{each.run.id}",
            title=f"Files in each level: {each.name}",
            alt=f"Largest number of files in each part of the time, in each level: {listed(list(labels))}.",
            x=_time(horizon_s(shown)),
            y=Axis("level", labels=labels),
            series=tuple(
                Series(
                    curve.name,
                    Mark.STEP,
                    tuple(curve.times_s.tolist()),
                    _known(level + _SLOT / 2 - _SLOT * curve.values / (top or 1.0)),
                    notes=tuple(_files(curve.name, value) for value in curve.values.tolist()),
                )
                for level, (curve, top) in enumerate(zip(found, most, strict=True))
            ),
            height=90 + _LANE * len(found),
            legend=False,
        )


def _jobs(
    each: RunTimeline, lanes: tuple[str, ...], found: Sequence[Bar], grain_s: float, scale: tuple[int, float]
) -> Chart:
    most, end_s = scale
    series = [_bars(found, lanes, place, most, end_s) for place in range(len(_SIZES))]
    for stopped, mark, words in ((True, Mark.CROSS, "writes stopped"), (False, Mark.DOT, "writes slowed down")):
        stalls = [stall for stall in each.timeline.stalls if stall.stopped is stopped]
        series.append(_stalls(stalls, mark, words, len(lanes) - 1, end_s))
    merged = f" Jobs below {format_seconds(grain_s)} that begin close together are one bar." if grain_s else ""
    told = [f"{plural(part.jobs, 'job')} in {part.lane}" for part in job_sums(each.timeline)]
    return Chart(
        name=f"inside-jobs-{each.run.id}",
        title=f"Flushes and compactions: {each.name}",
        alt=f"{listed(told) or 'No job'} over {format_seconds(each.timeline.end_s)}, and "
        f"{plural(len(each.timeline.stalls), 'mark')} of writes that were held. A bar's lane is where its output went, "
        f"its thickness how much it wrote.{merged}",
        x=_time(end_s),
        y=Axis("", labels=lanes),
        series=tuple(part for part in series if part.x) or (Series("none", Mark.DOT, (), ()),),
        height=110 + _LANE * len(lanes),
    )


def _bars(found: Sequence[Bar], lanes: tuple[str, ...], size: int, most: int, end_s: float) -> Series:
    mark, share = _SIZES[size]
    above = _SIZES[size - 1][1] * most if size else -1.0
    x: list[float | None] = []
    y: list[float | None] = []
    notes: list[str] = []
    for bar in found:
        if not above < bar.written_bytes <= share * most:
            continue
        place = lanes.index(bar.lane) - _SLOT / 2 + _SLOT * (bar.row + 0.5) / bar.rows
        x += [bar.start_s, max(bar.end_s, bar.start_s + end_s / 500), None]
        y += [place, place, None]
        jobs = "" if bar.jobs == 1 else f", {bar.jobs} jobs"
        note = f"{bar.lane}: {format_bytes(bar.written_bytes)} in {format_seconds(bar.end_s - bar.start_s)}{jobs}"
        notes += [note, note, ""]
    return Series(f"wrote up to {format_bytes(share * most)}", mark, tuple(x), tuple(y), notes=tuple(notes))


def _stalls(stalls: Sequence[WriteStall], mark: Mark, words: str, lane: int, end_s: float) -> Series:
    """Return a mark for each hundredth of the time in which writes began to be held."""
    part_s = end_s / _STALL_PARTS
    parts: dict[int, list[WriteStall]] = {}
    for stall in stalls:
        parts.setdefault(min(math.floor(stall.time_s / part_s), _STALL_PARTS - 1), []).append(stall)
    notes = tuple(f"{words}, {plural(len(held), 'time')}: {held[0].reason}"[:160] for held in parts.values())
    x = tuple((part + 0.5) * part_s for part in parts)
    return Series(words, mark, x, (float(lane),) * len(x), notes=notes)


def _line(curve: Curve, shown: Sequence[RunTimeline], place: int) -> Series:
    name = f"{shown[curve.place].name}, {curve.name}" if curve.name else shown[curve.place].name
    mark = _LINES[place % len(_LINES)]
    return Series(name, mark, tuple(curve.times_s.tolist()), _known(curve.values))


def _time(end_s: float) -> Axis:
    return Axis("s from opening the database", ends=(0.0, end_s))


def _known(values: npt.NDArray[np.float64]) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(value) else value for value in values.tolist())


def _extent(found: Sequence[Curve]) -> str:
    most = max(_largest(curve.values) for curve in found)
    return f"at most {most:.3g}."


def _largest(values: npt.NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else 0.0


def _files(level: str, files: float) -> str:
    return "" if math.isnan(files) else f"{level}: {plural(round(files), 'file')}"
