"""The rule of thumb of a sweep: who usually wins, by how much, and the fewest words that say where others do."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

from lsmtune.analysis._sweep import PairwiseComparison
from lsmtune.model import Value

Where: TypeAlias = Mapping[str, tuple[Value, ...]]
"""A region of the grid: factors with the values that they may have; a factor that is not named may have any."""

_MOST_REGIONS = 3  # up to so many the fewest are found exactly, beyond greedily
_MOST_CANDIDATES = 24


@dataclass(frozen=True)
class Exceptions:
    """Where another than the usual winner is shown to win.

    Attributes:
        winner: its value of the competing factor.
        regions: together they hold exactly the cells in which it is shown to win.
        cells: how many these are.
    """

    winner: Value
    regions: tuple[Where, ...]
    cells: int


@dataclass(frozen=True)
class Rule:
    """What the cells of a sweep say in one indicator.

    Attributes:
        winner: who is shown to win in most cells, among equals who does so by more; None: nobody anywhere.
        cells: in how many it is shown to win.
        of: how many cells there are.
        middle, low, high: median, least and largest gain over the second in these cells; 1 where nobody wins.
        exceptions: the others that are shown to win somewhere, most cells first.
        uncertain: cells in which nobody is shown to win, although at least two gave the indicator.
        alone: cells in which only one gave it.
    """

    winner: Value | None
    cells: int
    of: int
    middle: float
    low: float
    high: float
    exceptions: tuple[Exceptions, ...]
    uncertain: int
    alone: int


def rule_of_thumb(found: Sequence[PairwiseComparison]) -> Rule:
    """Return the rule that pairwise comparisons over all cells of one indicator make, with its exceptions."""
    certain = [compared for compared in found if compared.certain and compared.lead is not None]
    alone = sum(compared.second is None for compared in found)
    counts = Counter(compared.winner for compared in certain)
    gains = {winner: [_log_gain(compared) for compared in certain if compared.winner == winner] for winner in counts}
    order = sorted(counts, key=lambda winner: (-counts[winner], -sum(gains[winner])))
    uncertain = len(found) - len(certain) - alone
    if not order:
        return Rule(None, 0, len(found), 1.0, 1.0, 1.0, (), uncertain, alone)
    first = gains[order[0]]
    grid = [compared.where for compared in found]
    exceptions = tuple(
        Exceptions(
            winner,
            regions_of([compared.where for compared in certain if compared.winner == winner], grid),
            counts[winner],
        )
        for winner in order[1:]
    )
    middle, low, high = (math.exp(value) for value in (median(first), min(first), max(first)))
    return Rule(order[0], counts[order[0]], len(found), middle, low, high, exceptions, uncertain, alone)


def regions_of(cells: Sequence[Mapping[str, Value]], grid: Sequence[Mapping[str, Value]]) -> tuple[Where, ...]:
    """Return few regions that hold all of some cells of a grid and no other cell of it.

    First the largest regions without another cell are listed (the prime implicants of Quine and McCluskey); of these
    the fewest are taken that hold all cells, and among equally many those that name the fewest values. Regions that
    differ in one factor only become one. Beyond 3 regions, or 24 candidates, they are taken greedily.

    Args:
        cells: some of `grid`, at least one.
        grid: values of the same factors in all cells.
    """
    varied = [name for name in grid[0] if len({cell[name] for cell in grid}) > 1]
    primes = _primes(cells, grid, varied)
    held = {
        place: frozenset(at for at, cell in enumerate(cells) if _holds(prime, cell))
        for place, prime in enumerate(primes)
    }
    return _merged([primes[place] for place in _cover(held, primes, len(cells))], varied)


def _primes(
    cells: Sequence[Mapping[str, Value]], grid: Sequence[Mapping[str, Value]], varied: Sequence[str]
) -> list[dict[str, Value]]:
    """Return the least sets of values that no other cell of the grid has all of."""
    wanted = list(cells)
    primes: list[dict[str, Value]] = []
    for count in range(len(varied) + 1):
        for names in itertools.combinations(varied, count):
            for values in dict.fromkeys(tuple(cell[name] for name in names) for cell in cells):
                term = dict(zip(names, values, strict=True))
                if any(prime.items() <= term.items() for prime in primes):
                    continue
                if all(cell in wanted for cell in grid if _holds(term, cell)):
                    primes.append(term)
    return primes


def _cover(held: Mapping[int, frozenset[int]], primes: Sequence[Mapping[str, Value]], cells: int) -> list[int]:
    every = frozenset(range(cells))
    if len(primes) <= _MOST_CANDIDATES:
        for count in range(1, _MOST_REGIONS + 1):
            fitting = [
                places
                for places in itertools.combinations(held, count)
                if frozenset().union(*(held[place] for place in places)) == every
            ]
            if fitting:
                return list(min(fitting, key=lambda places: sum(len(primes[place]) for place in places)))
    left, taken = set(every), []
    while left:
        best = max(held, key=lambda place: (len(held[place] & left), -len(primes[place])))
        taken.append(best)
        left -= held[best]
    return taken


def _merged(terms: Sequence[Mapping[str, Value]], varied: Sequence[str]) -> tuple[Where, ...]:
    """Return the terms as regions, those that differ in one factor's values only as one."""
    regions: list[dict[str, tuple[Value, ...]]] = []
    for term in terms:
        new: dict[str, tuple[Value, ...]] = {name: (term[name],) for name in varied if name in term}
        for region in regions:
            differing = [name for name in new if region.get(name) != new[name]]
            if region.keys() == new.keys() and len(differing) == 1:
                region[differing[0]] += new[differing[0]]
                break
        else:
            regions.append(new)
    return tuple(regions)


def _holds(term: Mapping[str, Value], cell: Mapping[str, Value]) -> bool:
    return all(cell[name] == value for name, value in term.items())


def _log_gain(compared: PairwiseComparison) -> float:
    return math.log(compared.lead.ratio) if compared.lead is not None else 0.0
