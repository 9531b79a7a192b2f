"""Grids of workloads and options: what each cell gave, and which of some competing values wins where."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsmtune.analysis._multiplicity import adjusted
from lsmtune.analysis._runs import Runs
from lsmtune.errors import UsageError
from lsmtune.indicators import indicator
from lsmtune.model import Purpose, Status, Value
from lsmtune.space import Factor
from lsmtune.stats import PairedComparison, compare_pairs

ALPHA = 0.05


@dataclass(frozen=True)
class Cell:
    """One combination of the swept values.

    Attributes:
        values: of the swept factors, by name.
        levels: mean of each indicator over the runs that ended well and have it: the geometric mean, but the arithmetic
            one where a run has 0, as a count of stalls can.
        runs: how many ended well.
        lost: how many failed, were stopped, or were disturbed and do not count.
        arithmetic: the indicators whose mean is the arithmetic one.
    """

    values: Mapping[str, Value]
    levels: Mapping[str, float]
    runs: int
    lost: int
    arithmetic: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PairwiseComparison:
    """The best of the competing values in one cell of the other factors, against the second.

    Attributes:
        where: values of the other factors.
        winner, second: values of the competing factor; `second` is None where only one could be run.
        lead: the winner's gain over the second, paired by block, with its 95 % interval; None with fewer than 2 blocks.
        p_holm: p of the lead, corrected for the number of cells; None as above.
        troubled: the winner's runs here that failed or were stopped: of what they would have come to nothing is known
            that speaks for it, so it is not certain then.
    """

    where: Mapping[str, Value]
    winner: Value
    second: Value | None
    lead: PairedComparison | None
    p_holm: float | None = None
    troubled: int = 0

    @property
    def certain(self) -> bool:
        """Whether the winner is shown to be better than the second."""
        better = self.lead is not None and self.lead.ratio > 1
        return better and self.p_holm is not None and self.p_holm <= ALPHA and not self.troubled


def sweep_cells(runs: Runs, indicators: Sequence[str]) -> tuple[Cell, ...]:
    """Return all cells in the order of their values, with the means of some indicators.

    Raises:
        UsageError: no run has one of the indicators, or the runs are of no sweep.
    """
    cells = runs.of(Purpose.SAMPLE)
    if not len(cells):
        raise UsageError("there is no run of a sweep among these; make some with lsmtune sweep")
    columns = {name: (cells.indicator(name), cells.counting(name)) for name in indicators}
    well, slots = cells.counting(), cells.frame[["arm", "block"]]
    found = []
    for values in combinations(cells, cells.factors):
        here = rows_with(cells, values)
        if here.any():
            counted = {name: column[here & counts] for name, (column, counts) in columns.items()}
            known = {name: column[np.isfinite(column)] for name, column in counted.items()}
            known = {name: column for name, column in known.items() if column.size}
            arithmetic = frozenset(name for name, column in known.items() if np.any(column <= 0))
            levels = {name: _mean(column, arithmetic=name in arithmetic) for name, column in known.items()}
            runs_well = int((here & well).sum())
            found.append(Cell(values, levels, runs_well, len(slots[here].drop_duplicates()) - runs_well, arithmetic))
    return tuple(found)


def pairwise_comparisons(runs: Runs, competing: str, name: str) -> tuple[PairwiseComparison, ...]:
    """Return who wins in an indicator in each cell of the other factors.

    Where a run of a cell has 0, nothing is a ratio: the better mean wins there, and it is not certain.

    Runs of one block stand side by side in time and are compared as pairs. The p values are corrected for the number
    of cells by Holm's rule; that the winner was chosen as the better of several is not corrected for.

    Args:
        runs: of a sweep.
        competing: the factor whose values compete.
        name: the indicator.

    Raises:
        UsageError: the factor did not vary, or no run has the indicator, or neither more nor less of it is better.
    """
    if competing not in runs.by_name:
        known = ", ".join(factor.name for factor in runs.factors)
        raise UsageError(f'"{competing}" is not swept; take one of {known}')
    if indicator(name).better is None:
        raise UsageError(f'neither more nor less of "{name}" is better, so nobody wins in it; take another indicator')
    cells = runs.of(Purpose.SAMPLE)
    others = tuple(factor for factor in cells.factors if factor.name != competing)
    found = [
        compared
        for where in combinations(cells, others)
        if (compared := _comparison_at(cells, competing, name, where)) is not None
    ]
    logs = [_log10(compared.lead.p) for compared in found if compared.lead is not None]
    corrected = iter(adjusted(logs)) if logs else iter(())
    return tuple(
        replace(compared, p_holm=next(corrected).holm) if compared.lead is not None else compared for compared in found
    )


def _comparison_at(cells: Runs, competing: str, name: str, where: Mapping[str, Value]) -> PairwiseComparison | None:
    levels = {
        value: block_levels(cells, name, {**where, competing: value})
        for value in _values(cells, cells.by_name[competing])
    }
    by_value = {value: own for value, own in levels.items() if own}
    if not by_value:
        return None
    sign = 1 if indicator(name).better == "higher" else -1
    ratios = all(level > 0 for own in by_value.values() for level in own.values())
    means = _means(by_value, np.log if ratios else np.asarray)
    order = sorted(by_value, key=lambda value: -sign * means[value])
    ill = cells.ended(Status.FAILED, Status.CENSORED) & rows_with(cells, {**where, competing: order[0]})
    troubled = int(ill.sum())
    if len(order) == 1:
        return PairwiseComparison(where, order[0], None, None, troubled=troubled)
    first, second = by_value[order[0]], by_value[order[1]]
    common = sorted(first.keys() & second.keys())
    better, worse = ([own[block] for block in common] for own in ((first, second) if sign > 0 else (second, first)))
    lead = compare_pairs(better, worse, ALPHA, indicator(name).step) if ratios and len(common) > 1 else None
    return PairwiseComparison(where, order[0], order[1], lead, troubled=troubled)


def _means(by_value: Mapping[Value, Mapping[int, float]], scale: Callable[[Any], Any]) -> dict[Value, float]:
    """Return the scaled mean of each value's levels; where values lack blocks, as if each had all of them.

    What a block that is slow for all of them adds is taken away then: least squares of a value's and a block's effect.
    """
    blocks = sorted(set().union(*by_value.values()))
    if all(len(own) == len(blocks) for own in by_value.values()):
        return {value: float(np.mean(scale(list(own.values())))) for value, own in by_value.items()}
    cells = [(place, block) for place, own in enumerate(by_value.values()) for block in own]
    design = np.zeros((len(cells), len(by_value) + len(blocks)))
    for row, (place, block) in enumerate(cells):
        design[row, place] = design[row, len(by_value) + blocks.index(block)] = 1.0
    levels = scale([level for own in by_value.values() for level in own.values()])
    effects = np.linalg.lstsq(design, levels, rcond=None)[0]
    return dict(zip(by_value, effects[: len(by_value)].tolist(), strict=True))


def combinations(runs: Runs, factors: Sequence[Factor]) -> list[dict[str, Value]]:
    """Return every combination of the values that some factors had, whether or not it ran."""
    lists = [_values(runs, factor) for factor in factors]
    return [dict(zip((factor.name for factor in factors), values, strict=True)) for values in itertools.product(*lists)]


def _values(runs: Runs, factor: Factor) -> list[Any]:
    seen = list(dict.fromkeys(runs.values(factor.name).tolist()))
    return sorted(seen, key=str) if factor.is_category else sorted(seen)


def block_levels(cells: Runs, name: str, values: Mapping[str, Value]) -> dict[int, float]:
    """Return an indicator's mean in each block over the runs that count and have these values, in base units."""
    column = cells.indicator(name)
    rows = rows_with(cells, values) & cells.counting(name) & np.isfinite(column)
    blocks = cells.frame["block"].to_numpy()
    return {block: float(column[rows & (blocks == block)].mean()) for block in dict.fromkeys(blocks[rows].tolist())}


def rows_with(runs: Runs, values: Mapping[str, Value]) -> Any:
    """Return where factors have these values, shape (len(runs),)."""
    mask = np.ones(len(runs), dtype=bool)
    for name, value in values.items():
        mask &= runs.values(name) == value
    return mask


def _log10(p: float) -> float:
    return math.log10(p) if p > 0 else -300.0


def _mean(values: Any, *, arithmetic: bool) -> float:
    return float(values.mean() if arithmetic else np.exp(np.log(values).mean()))
