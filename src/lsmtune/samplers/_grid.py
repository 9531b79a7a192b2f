"""A full factorial that grows finer."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler
from lsmtune.space import Dimension

_STEPS = (2, 3, 5, 9, 17)
"""Values on each range, its ends included; each grid holds the one before."""
_MOST = 20_000
"""Points of one grid that are ever looked at, drawn at random from a larger one."""


class GridSampler(Sampler):
    """Goes through all combinations of some values of each option, in random order, whatever it was told.

    Each special value and each choice is a level, and of a range first its two ends; when all these combinations were
    run, those follow that 3 evenly spaced values on each range add, then 5, 9 and 17. So it fits any number of trials,
    but one grid of k options has 2 to the power of k points at least: a grid is for a handful of options.
    Combinations that break a constraint are left out, not repaired. After the last grid come independent draws.

    `startup` has no meaning for it.
    """

    @property
    def remark(self) -> str:
        """How many points the grids have."""
        counts = [math.prod(map(len, self._levels(steps))) for steps in _STEPS[:2]]
        finer = f", {counts[1]:,} with 3 values" if counts[1] > counts[0] else ""
        part = "" if counts[0] <= _MOST else f"; at most {_MOST:,} of them are tried, at random"
        return f"the grid has {counts[0]:,} points with the ends of each range and all choices{finer}{part}"

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the first point of the coarsest grid that is feasible and new; a draw after the last grid."""
        for point in self._points():
            if not self.space.violations(point) and self.is_new(point):
                return point
        return self.space.from_unit(np.random.default_rng([self.seed, index, attempt]).random(len(self.space)))

    def _points(self) -> Iterator[dict[str, Value]]:
        """Yield the points of all grids, each in an order that the seed decides."""
        before: list[tuple[Value, ...]] = []
        for steps in _STEPS:
            levels = self._levels(steps)
            if levels != before:
                yield from self._shuffled(levels, steps)
            before = levels

    def _levels(self, steps: int) -> list[tuple[Value, ...]]:
        """Return the values of each option, in the order of the dimensions."""
        return [_levels(axis, steps) for axis in self.space.dimensions]

    def _shuffled(self, levels: Sequence[tuple[Value, ...]], steps: int) -> Iterator[dict[str, Value]]:
        sizes = [len(values) for values in levels]
        rng = np.random.default_rng([self.seed, steps])
        if math.prod(sizes) <= _MOST:
            for number in rng.permutation(math.prod(sizes)):
                picks = np.unravel_index(int(number), sizes)
                yield self._point(levels, [int(pick) for pick in picks])
        else:
            for picks in rng.integers(sizes, size=(_MOST, len(sizes))):
                yield self._point(levels, [int(pick) for pick in picks])

    def _point(self, levels: Sequence[tuple[Value, ...]], picks: Sequence[int]) -> dict[str, Value]:
        return {name: values[pick] for name, values, pick in zip(self.space.names, levels, picks, strict=True)}


def _levels(axis: Dimension, steps: int) -> tuple[Value, ...]:
    """Return the special values, then the choices or `steps` values from end to end, each once."""
    if axis.choices:
        return tuple(dict.fromkeys((*axis.specials, *axis.choices)))
    low, high = (axis.to_unit(end) for end in axis.extremes)
    return tuple(dict.fromkeys((*axis.specials, *map(axis.from_unit, np.linspace(low, high, steps).tolist()))))
