"""What lsmtune-ycsb prints over time."""

from lsmtune.backends.ycsb._output import Progress, parse_output
from lsmtune.model import TimedSeries

_FIRST = '{"type":'


def timed_series(stdout: str) -> tuple[TimedSeries, ...]:
    """Return throughput, and the 99th percentile of latency by kind of operation, of each interval of an output.

    Times count from the opening of the database, as in `lsmtune.model.Timeline`. All phases of the process are in it.
    Empty where `stdout` is not of lsmtune-ycsb, or its intervals are switched off.

    Raises:
        RunError: the output has a format that is newer than this lsmtune.
    """
    if not stdout.startswith(_FIRST):
        return ()
    output = parse_output(stdout)
    hello = output.hello
    opened_s = 0.0 if hello is None or hello.t_s is None or hello.open_s is None else hello.t_s - hello.open_s
    timed = [(round(each.t_s - opened_s, 6), each) for each in output.progress if each.t_s is not None]
    rates = [(time_s, each.throughput_ops_s) for time_s, each in timed if each.throughput_ops_s is not None]
    kinds = dict.fromkeys(kind for _, each in timed for kind in each.latency)
    series = [_series("throughput", "ops/s", rates), *(_latency(kind, timed) for kind in kinds)]
    return tuple(each for each in series if each.times_s)


def _latency(kind: str, timed: list[tuple[float, Progress]]) -> TimedSeries:
    points = [(time_s, each.latency[kind].p99_s) for time_s, each in timed if kind in each.latency]
    return _series(f"p99 latency of {kind.replace('_', ' ')}", "s", points)


def _series(name: str, unit: str, points: list[tuple[float, float]]) -> TimedSeries:
    return TimedSeries(name, unit, tuple(time_s for time_s, _ in points), tuple(value for _, value in points))
