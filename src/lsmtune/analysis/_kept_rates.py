"""Rates that were offered over a sweep: which of them the engine kept up with."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._runs import Runs
from lsmtune.analysis._sweep import combinations, rows_with
from lsmtune.model import Purpose, Value
from lsmtune.space import WORKLOAD_PREFIX

OFFERED = f"{WORKLOAD_PREFIX}target_ops_s"
"""The factor whose values are rates."""

_DONE = 0.99  # of what was offered, at least
_DEBT = 0.1  # of the phase's time, at most, to pay what is due when it ends


@dataclass(frozen=True)
class OfferedRate:
    """A rate that was offered in one cell, judged by the worst of its runs.

    Attributes:
        rate_ops_s: at which operations were offered.
        runs, lost: how many ended well, and how many did not.
        done: least share of the rate that was done; None without a run that ended well.
        stops: most times that the engine stopped writes; None where that is not told.
        debt: most time to pay what was due at the end, as a share of the phase's time; None where that is not told. As
            compactions that keep up owe the same after any time, and others more and more, it is by how much
            they fell behind.
    """

    rate_ops_s: float
    runs: int
    lost: int
    done: float | None
    stops: float | None
    debt: float | None

    @property
    def kept(self) -> bool:
        """Whether the engine kept up with it in every run, as far as the runs tell."""
        if self.done is None or self.lost or self.done < _DONE:
            return False
        return not self.stops and (self.debt is None or self.debt <= _DEBT)


@dataclass(frozen=True)
class KeptRate:
    """The largest of the offered rates up to which each was kept up with, in one cell of the other factors.

    Attributes:
        where: values of the other factors.
        kept: that rate; None where the least one was too much.
        above: the next one, which was too much; None where the largest was kept up with.
    """

    where: Mapping[str, Value]
    kept: OfferedRate | None
    above: OfferedRate | None


def kept_rates(runs: Runs) -> tuple[KeptRate, ...]:
    """Return up to which of the offered rates each cell kept up; empty where no rate was swept."""
    cells = runs.of(Purpose.SAMPLE)
    if OFFERED not in cells.by_name or not len(cells):
        return ()
    others = tuple(factor for factor in cells.factors if factor.name != OFFERED)
    rates = sorted({float(value) for value in cells.values(OFFERED)})
    found = []
    for where in combinations(cells, others):
        offered = [_offered(cells, rate, rows_with(cells, {**where, OFFERED: rate})) for rate in rates]
        tried = [each for each in offered if each.runs or each.lost]
        if tried:
            first = next((place for place, each in enumerate(tried) if not each.kept), len(tried))
            kept = tried[first - 1] if first else None
            found.append(KeptRate(where, kept, tried[first] if first < len(tried) else None))
    return tuple(found)


def _offered(cells: Runs, rate: float, here: npt.NDArray[np.bool_]) -> OfferedRate:
    well = cells.counting() & here
    throughput = _column(cells, "throughput_ops_s")[well]
    settled = _column(cells, "throughput_settled_ops_s")[well]
    blocks = int(cells.frame["block"][here].nunique())
    return OfferedRate(
        rate_ops_s=rate,
        runs=int(well.sum()),
        lost=blocks - int(well.sum()),
        done=_worst(throughput / rate, least=True),
        stops=_worst(_column(cells, "stop_count")[well]),
        debt=_worst(throughput / settled - 1),
    )


def _column(cells: Runs, name: str) -> npt.NDArray[np.float64]:
    return cells.indicator(name) if name in cells.indicators else np.full(len(cells), np.nan)


def _worst(values: npt.NDArray[np.float64], *, least: bool = False) -> float | None:
    """Return the largest of the known values, or the least; None without any."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    return float(known.min() if least else known.max())
