"""A time line made small enough to draw and to print: bars, rates in equal parts of the time, sums."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Job, JobKind, Timeline

Span: TypeAlias = tuple[float, float, float]
"""Start and end in s, and how much happened evenly between them."""

FLUSHES, UNENDED = "flush", "not ended"
"""Lanes of flushes, and of compactions of which the LOG does not say where they went."""

_SHORTEST_S = 1e-9
_GROWTH = 1.5
_MOST_ROWS = 4


@dataclass(frozen=True)
class Bar:
    """A job, or short ones close together.

    Attributes:
        lane: `FLUSHES`, ``"to L1"`` or `UNENDED`.
        start_s, end_s: from the opening of the database.
        written_bytes: of all its jobs.
        jobs: how many it stands for.
        row: its place from 0 among bars of the lane at the same time, of `rows`.
        rows: of its lane.
    """

    lane: str
    start_s: float
    end_s: float
    written_bytes: int
    jobs: int = 1
    row: int = 0
    rows: int = 1


@dataclass(frozen=True)
class JobSum:
    """The jobs of a lane together: how many, bytes that they wrote, their times in s, and the longest one's."""

    lane: str
    jobs: int
    written_bytes: int
    busy_s: float
    longest_s: float


def lane_of(job: Job) -> str:
    """Return the lane of a job."""
    if job.kind is JobKind.FLUSH:
        return FLUSHES
    return UNENDED if job.level is None else f"to L{job.level}"


def timeline_lanes(timelines: Iterable[Timeline]) -> tuple[str, ...]:
    """Return the lanes that time lines have together, flushes first, then compactions by their output level."""
    found = {lane_of(job) for timeline in timelines for job in timeline.jobs}
    ends = {FLUSHES: -1, UNENDED: 1 << 30}
    return tuple(sorted(found, key=lambda lane: ends[lane] if lane in ends else int(lane[4:])))


def job_sums(timeline: Timeline) -> tuple[JobSum, ...]:
    """Return the sums of all jobs by lane; jobs without an end count as far as the LOG goes."""
    by_lane: defaultdict[str, list[Job]] = defaultdict(list)
    for job in timeline.jobs:
        by_lane[lane_of(job)].append(job)
    found = []
    for lane in timeline_lanes((timeline,)):
        jobs = by_lane[lane]
        times = [timeline.lasted_s(job) for job in jobs]
        found.append(JobSum(lane, len(jobs), sum(job.written_bytes for job in jobs), sum(times), max(times)))
    return tuple(found)


def timeline_bars(timeline: Timeline, most: int) -> tuple[tuple[Bar, ...], float]:
    """Return the jobs as bars, and the length in s below which they were merged; 0 where none was.

    Where there are more than `most` jobs, those shorter than that length become one bar where they begin in the same
    part of the time, which is as long, and lie in the same lane. The length grows until there are at most `most`.
    """
    singles = [
        Bar(lane_of(job), job.started_s, job.started_s + timeline.lasted_s(job), job.written_bytes)
        for job in timeline.jobs
    ]
    found, grain_s = singles, 0.0
    while len(found) > max(most, len(timeline_lanes((timeline,)))):
        grain_s = grain_s * _GROWTH or max(timeline.end_s, _SHORTEST_S) / most
        found = _merged(singles, grain_s)
    return _in_rows(found), grain_s


def span_rates(spans: Sequence[Span], edges_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how much happened per second between neighbouring edges, shape (edges - 1,).

    What happened within an instant is put just before it ends.

    Args:
        spans: what happened, each evenly over its time.
        edges_s: ascending, shape (edges,).
    """
    if not spans:
        return np.zeros(len(edges_s) - 1)
    start_s, end_s, amount = np.array(spans, dtype=float).T
    length_s = np.maximum(end_s - start_s, _SHORTEST_S)
    begin_s = end_s - length_s
    done = [float(np.sum(amount * np.clip((edge_s - begin_s) / length_s, 0.0, 1.0))) for edge_s in edges_s]
    return np.diff(done) / np.diff(edges_s)


def written_spans(timeline: Timeline, kind: JobKind) -> tuple[Span, ...]:
    """Return the bytes that flushes or compactions wrote, each evenly over its own time."""
    return tuple(
        (job.started_s, job.started_s + timeline.lasted_s(job), float(job.written_bytes)) for job in timeline.of(kind)
    )


def arrival_spans(timeline: Timeline) -> tuple[tuple[Span, ...], str]:
    """Return what reached the memtables, and its unit: ``"entries"``, or ``"B"`` of tables where they are not logged.

    A flush tells how much had come when it began; it is taken to have come evenly since the flush before it began.
    What an earlier process had left does not count, nor what was still in memory when the LOG ended.
    """
    flushes = [job for job in timeline.of(JobKind.FLUSH) if not job.recovered]
    in_entries = bool(flushes) and all(job.entries is not None for job in flushes)
    spans: list[Span] = []
    since_s = 0.0
    for job in flushes:
        amount = job.entries if in_entries else job.written_bytes
        spans.append((since_s, job.started_s, float(amount or 0)))
        since_s = job.started_s
    return tuple(spans), "entries" if in_entries else "B"


def files_by_level(timeline: Timeline, edges_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the largest number of files in each level between neighbouring edges, shape (levels, edges - 1).

    The number stays until the LOG tells another. nan before it tells the first, and after its end.
    """
    found = np.full((timeline.levels, len(edges_s) - 1), np.nan)
    known = np.full(timeline.levels, np.nan)
    states = iter(timeline.states)
    state = next(states, None)
    for place, (from_s, to_s) in enumerate(pairwise(edges_s.tolist())):
        if from_s > timeline.end_s:
            break
        most = known
        while state is not None and (state.time_s < to_s or place == len(edges_s) - 2):
            known = np.zeros(timeline.levels)
            held = state.files[: timeline.levels]
            known[: len(held)] = held
            most = np.fmax(most, known)
            state = next(states, None)
        found[:, place] = most
    return found


def _merged(singles: Sequence[Bar], grain_s: float) -> list[Bar]:
    found: list[Bar] = []
    places: dict[tuple[str, int], int] = {}
    for bar in singles:
        if bar.end_s - bar.start_s >= grain_s:
            found.append(bar)
            continue
        key = bar.lane, int(bar.start_s / grain_s)
        if key not in places:
            places[key] = len(found)
            found.append(bar)
            continue
        earlier = found[places[key]]
        found[places[key]] = replace(
            earlier,
            end_s=max(earlier.end_s, bar.end_s),
            written_bytes=earlier.written_bytes + bar.written_bytes,
            jobs=earlier.jobs + 1,
        )
    return found


def _in_rows(found: Sequence[Bar]) -> tuple[Bar, ...]:
    """Give bars of a lane that overlap rows of their own; beyond a few rows they cover one another."""
    ends: defaultdict[str, list[float]] = defaultdict(list)
    placed = []
    for bar in sorted(found, key=lambda each: each.start_s):
        rows = ends[bar.lane]
        row = next((place for place, end_s in enumerate(rows) if end_s <= bar.start_s), len(rows))
        if row == len(rows) and row < _MOST_ROWS:
            rows.append(bar.end_s)
        row = min(row, _MOST_ROWS - 1)
        rows[row] = max(rows[row], bar.end_s)
        placed.append(replace(bar, row=row))
    return tuple(replace(bar, rows=len(ends[bar.lane])) for bar in placed)
