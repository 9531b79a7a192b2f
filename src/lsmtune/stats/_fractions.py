"""Fractions of a grid: a part of its cells in which every value still stands beside as many others as can be."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Which part of a grid is run.

    Attributes:
        of: one of so many cells, at least 2.
        whole: name of the factor that is not thinned out: in each cell that is run, all its values are. None for none.
    """

    of: int
    whole: str | None = None


def runs_in_part(levels: Sequence[int], of: int) -> bool:
    """Whether a cell belongs to the part: the numbers of its values, counted from 0, add up to a multiple of `of`.

    For factors of two values and one half, and for factors of three and one third, these are the regular fractions of
    highest resolution (Box, Hunter and Hunter, Statistics for Experimenters, 2005, ch. 6).
    """
    return sum(levels) % of == 0


def lost_value(sizes: Sequence[int], of: int) -> tuple[int, int] | None:
    """Return a factor and its value, by their numbers from 0, that no cell of the part has; None where all stay.

    Args:
        sizes: number of values of each factor that is thinned out.
        of: one of so many cells is run.
    """
    kept = [cell for cell in itertools.product(*map(range, sizes)) if runs_in_part(cell, of)]
    for factor, size in enumerate(sizes):
        for value in range(size):
            if all(cell[factor] != value for cell in kept):
                return factor, value
    return None
