"""What stands behind the largest rates of a comparison: closed loop, latency at the rate, what ended the search."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lsmtune.indicators import MAX_RATE, MAX_RATE_LATENCY
from lsmtune.model import RATE_BARS, Purpose
from lsmtune.result._history import Counts, History
from lsmtune.store import Study


@dataclass(frozen=True)
class MaxRates:
    """The largest rates that one arm bore in the fresh runs of a comparison; levels are geometric means.

    Attributes:
        arm: the reference or a candidate.
        runs: that found a rate.
        rate_ops_s: the largest that was sustained.
        closed_loop_ops_s: of the closed loop before the search; None where it is not told.
        latency_s: the percentile of the limit, at that rate; None where it is not told.
        bars: why the next rate was not sustained, in the driver's words, with the number of runs that said so; a run
            may say several, or none where it saw no rate fail.
    """

    arm: str
    runs: int
    rate_ops_s: float
    closed_loop_ops_s: float | None
    latency_s: float | None
    bars: Mapping[str, int]


def max_rates(study: Study, history: History) -> tuple[MaxRates, ...]:
    """Return what stands behind the largest rates of each arm, in the order of their first runs; empty without any."""
    rates = study.indicator(MAX_RATE)
    if not rates:
        return ()
    closed, latencies = study.indicator("throughput_ops_s"), study.indicator(MAX_RATE_LATENCY)
    by_arm: dict[str, list[int]] = {}
    for stored in history.runs:
        run = stored.run
        if run.purpose is Purpose.VERIFY and history.counts(stored) is Counts.ALL and run.id in rates:
            by_arm.setdefault(run.arm, []).append(run.id)
    return tuple(
        MaxRates(
            arm=arm,
            runs=len(ids),
            rate_ops_s=math.exp(math.fsum(math.log(rates[each]) for each in ids) / len(ids)),
            closed_loop_ops_s=_middle(closed.get(each) for each in ids),
            latency_s=_middle(latencies.get(each) for each in ids),
            bars=Counter(bar for each in ids for bar in _bars(study, each)),
        )
        for arm, ids in by_arm.items()
    )


def _middle(values: Iterable[float | None]) -> float | None:
    """Return the geometric mean of the known values above 0; None without any."""
    logs = [math.log(value) for value in values if value]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def _bars(study: Study, run_id: int) -> list[str]:
    measurement = study.measurement(run_id)
    text = "" if measurement is None else measurement.facts.get(RATE_BARS, "")
    return [bar for bar in text.split(", ") if bar]
