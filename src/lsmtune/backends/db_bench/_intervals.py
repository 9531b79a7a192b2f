"""What db_bench prints over time with ``--stats_interval_seconds``: rate and mean latency of each second.

Each client thread prints a line to stderr when it first looks at the clock after a second; it looks every 1000
operations. So a run costs a line a second and thread; a thread that ends no 1000 operations in a second has a longer
interval. Of ``--report_file``, which has one line a second for all threads, each phase of a process writes over the
phases before, and its counter is shared by all threads.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lsmtune.model import TimedSeries

_LINE = re.compile(
    r"^(\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d) +\.\.\. thread (\d+): \((\d+),(\d+)\) ops and \([^)]*\) ops/second in "
    r"\(([\d.]+),([\d.]+)\) seconds",
    re.MULTILINE,
)
_LOG_TIME = re.compile(r"^(\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{1,6}) ")
_CLOCK = "%Y/%m/%d-%H:%M:%S"
_TOGETHER_S = 2.0  # by which the starts of threads of one phase differ at most, as far as their lines tell
_BIN_S = 1.0
_NEVER = datetime(1, 1, 1)


@dataclass(frozen=True)
class _Interval:
    """What one thread did between two of its reports, in s from the start of its phase."""

    start_s: float
    end_s: float
    operations: int


@dataclass
class _Phase:
    """A phase while it is read.

    Attributes:
        earliest_s, latest_s: between which it began, in s since year 1: reports have the whole second only.
        threads: intervals of each thread, in order.
    """

    earliest_s: float
    latest_s: float
    threads: dict[int, list[_Interval]] = field(default_factory=dict)

    @property
    def began_s(self) -> float:
        return (self.earliest_s + max(self.earliest_s, self.latest_s)) / 2

    @property
    def told_s(self) -> float:
        """Up to when all threads have reported: after its last report nobody knows what a thread did."""
        return min(intervals[-1].end_s for intervals in self.threads.values())


def interval_series(stderr: str, log: Sequence[str]) -> tuple[TimedSeries, ...]:
    """Return rate and mean latency over time of a db_bench process; empty where it printed no intervals.

    Times are where each second ends, from the opening of the database, as in `lsmtune.model.Timeline`. The rate is
    that of all threads together, those of a background writer included; mean latency is threads over rate: what an
    operation takes of its thread's time. Operations of an interval are spread evenly over it.

    Args:
        stderr: of the process; lines that cannot be read are left out.
        log: lines of its LOG, the first of which says when the database was opened.
    """
    opened = next((match[1] for line in log if (match := _LOG_TIME.match(line))), None)
    if opened is None:
        return ()
    opened_s = _since(datetime.strptime(opened, f"{_CLOCK}.%f"))
    rates: list[tuple[float, float]] = []
    latencies: list[tuple[float, float]] = []
    for phase in _phases(stderr):
        begin_s = phase.began_s - opened_s
        if begin_s < -_TOGETHER_S:
            continue  # the database was opened anew since, and its LOG begins then
        for second, operations in enumerate(_by_second(phase), start=1):
            rates.append((round(max(begin_s, 0.0) + second * _BIN_S, 3), operations / _BIN_S))
            if operations > 0:
                latencies.append((rates[-1][0], len(phase.threads) * _BIN_S / operations))
    named = (("throughput", "ops/s", rates), ("mean latency", "s", latencies))
    return tuple(
        TimedSeries(name, unit, tuple(time_s for time_s, _ in points), tuple(value for _, value in points))
        for name, unit, points in named
        if points
    )


def _phases(stderr: str) -> Iterator[_Phase]:
    """Yield the phases of a process; one whose threads all ended within a second printed nothing and is none."""
    phase: _Phase | None = None
    for match in _LINE.finditer(stderr):
        thread, (operations, total) = int(match[2]), (int(match[3]), int(match[4]))
        try:
            lasted_s, elapsed_s = float(match[5]), float(match[6])
            earliest_s = _since(datetime.strptime(match[1], _CLOCK)) - elapsed_s
        except ValueError:
            continue  # a damaged line
        is_first = operations == total
        if phase is None or (is_first and (thread in phase.threads or earliest_s - phase.earliest_s > _TOGETHER_S)):
            if phase is not None:
                yield phase
            phase = _Phase(earliest_s, earliest_s + 1)
        phase.earliest_s, phase.latest_s = max(phase.earliest_s, earliest_s), min(phase.latest_s, earliest_s + 1)
        interval = _Interval(max(elapsed_s - lasted_s, 0.0), elapsed_s, operations)
        phase.threads.setdefault(thread, []).append(interval)
    if phase is not None:
        yield phase


def _by_second(phase: _Phase) -> list[float]:
    """Return the operations of all threads in each second of a phase of which all have reported."""
    found = [0.0] * math.floor(phase.told_s / _BIN_S)
    for intervals in phase.threads.values():
        for it in intervals:
            lasted_s = it.end_s - it.start_s
            for second in range(math.floor(it.start_s / _BIN_S), min(math.ceil(it.end_s / _BIN_S), len(found))):
                inside_s = min(it.end_s, (second + 1) * _BIN_S) - max(it.start_s, second * _BIN_S)
                found[second] += it.operations * max(inside_s, 0.0) / lasted_s if lasted_s > 0 else 0.0
    return found


def _since(time: datetime) -> float:
    return (time - _NEVER).total_seconds()
