"""What lsmtune-ycsb prints over time."""

from collections.abc import Iterator
from itertools import pairwise

from lsmtune.backends.ycsb._output import Output, Progress, parse_output
from lsmtune.model import HeldRate, TimedSeries

_FIRST = '{"type":'


def timed_series(stdout: str) -> tuple[TimedSeries, ...]:
    """Return throughput, and the 99th percentile of latency by kind of operation, of each interval of an output.

    The rates that a search for the largest one held are a series too, as steps. Times count from the last opening of
    the database, as in `lsmtune.model.Timeline`: like the LOG, what was before a reopening is left out. Empty where
    `stdout` is not of lsmtune-ycsb, or its intervals are switched off.

    Raises:
        RunError: the output has a format that is newer than this lsmtune.
    """
    if not stdout.startswith(_FIRST):
        return ()
    output = parse_output(stdout)
    opened_s = _opened_s(output)
    timed = [
        (round(each.t_s - opened_s, 6), each)
        for each in output.progress
        if each.t_s is not None and each.t_s >= opened_s
    ]
    rates = [(time_s, each.throughput_ops_s) for time_s, each in timed if each.throughput_ops_s is not None]
    kinds = dict.fromkeys(kind for _, each in timed for kind in each.latency)
    series = [_series("throughput", "ops/s", rates), *(_latency(kind, timed) for kind in kinds)]
    series.append(_series("offered rate", "ops/s", list(_stairs(output, opened_s))))
    return tuple(each for each in series if each.times_s)


def held_rates(stdout: str) -> tuple[HeldRate, ...]:
    """Return the rates that a search for the largest one held since the last opening, in order; empty without one.

    Raises:
        RunError: the output has a format that is newer than this lsmtune.
    """
    if not stdout.startswith(_FIRST):
        return ()
    output = parse_output(stdout)
    opened_s = _opened_s(output)
    return tuple(
        HeldRate(
            round(step.begin_s - opened_s, 6),
            step.hold_s,
            step.rate_ops_s,
            step.achieved_ops_s,
            None if step.latency is None else step.latency.p99_s,
            None if step.latency is None else step.latency.p999_s,
            step.borne,
            step.reasons,
        )
        for step in output.rate_steps
        if step.begin_s >= opened_s
    )


def _opened_s(output: Output) -> float:
    """Return when the database was opened last, from the start of the process; closing it before counts along."""
    for before, after in reversed([*pairwise(output.phases)]):
        if after.reopen_s is not None and before.t_s is not None:
            return before.t_s
    hello = output.hello
    return 0.0 if hello is None or hello.t_s is None or hello.open_s is None else hello.t_s - hello.open_s


def _stairs(output: Output, opened_s: float) -> Iterator[tuple[float, float]]:
    """Yield the ends of each rate that was held, its lead-in included."""
    for step in output.rate_steps:
        if step.rate_ops_s is not None and step.begin_s >= opened_s:
            begin_s = step.begin_s - opened_s
            yield round(begin_s - step.lead_s, 6), step.rate_ops_s
            yield round(begin_s + step.hold_s, 6), step.rate_ops_s


def _latency(kind: str, timed: list[tuple[float, Progress]]) -> TimedSeries:
    points = [(time_s, each.latency[kind].p99_s) for time_s, each in timed if kind in each.latency]
    return _series(f"p99 latency of {kind.replace('_', ' ')}", "s", points)


def _series(name: str, unit: str, points: list[tuple[float, float]]) -> TimedSeries:
    return TimedSeries(name, unit, tuple(time_s for time_s, _ in points), tuple(value for _, value in points))
