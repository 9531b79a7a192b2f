"""What is expected of configurations before any of them is run, and draws that it prefers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.space import Space

Floats: TypeAlias = npt.NDArray[np.float64]
Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Values by option, each of shape (n,); an option that is left out stands at the reference."""
Expected: TypeAlias = Callable[[Columns], Floats]
"""From the values of options to by how much something is expected to differ from the reference's, shape (n,)."""

_DRAWS, _ROUNDS = 16, 3
_BINS = 64
"""Of an axis, in each of which one value tells what is expected."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Expectations that a sampler may start from, and has to correct by what comes of its trials.

    Attributes:
        response: what is expected of the response, a log ratio; lower is better.
        slacks: what is expected of the slack of a guard or limit, by its indicator; some may be left out.
    """

    response: Expected
    slacks: Mapping[str, Expected] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Trend:
    """What is expected of places on the unit cube, as a sum over options.

    Attributes:
        table: what is expected in each bin of each axis, shape (options, bins).
    """

    table: Floats

    def at(self, places: Floats) -> Floats:
        """Return what is expected of places of shape (m, options), shape (m,)."""
        count = self.table.shape[1]
        bins = np.clip(np.floor(places * count), 0, count - 1).astype(np.intp)
        return np.asarray(self.table[np.arange(len(self.table)), bins].sum(axis=1))

    def products(self, left: Floats, right: Floats) -> Floats:
        """Return what is expected of each place times what is of each other one, shape (m, n)."""
        return np.outer(self.at(left), self.at(right))


FLAT = Trend(np.zeros((1, 1)))
"""Where nothing is expected of any place."""


def trends(space: Space, prior: Prior | None) -> tuple[Trend, Mapping[str, Trend]]:
    """Tabulate what a prior expects of the response and of slacks: samplers look at thousands of places for a proposal.

    Without one, nothing is expected.
    """
    if prior is None:
        return FLAT, {}
    middles = ((np.arange(_BINS) + 0.5) / _BINS).tolist()
    columns = [{axis.name: _column([axis.from_unit(place) for place in middles])} for axis in space.dimensions]

    def tabulated(expected: Expected) -> Trend:
        return Trend(np.array([expected(column) for column in columns]))

    return tabulated(prior.response), {name: tabulated(expected) for name, expected in prior.slacks.items()}


def promising(
    space: Space, prior: Prior, slacks: Mapping[str, float], rng: np.random.Generator
) -> dict[str, Value] | None:
    """Return a feasible draw of which a prior expects much; None where nothing feasible was found.

    For each option the best of three values is taken, by what is expected of it alone; any, where nothing is known. The
    best of 16 such draws is returned, those first that are expected to hold all guards. No value is left out, in case
    the prior misleads.

    Args:
        space: of the configurations.
        prior: what is expected of them.
        slacks: of the reference, by the indicator of a guard or limit; 0 where one is left out.
        rng: draws.
    """
    winners = [_winners(space, prior, number, rng) for number in range(len(space))]
    drawn = (dict(zip(space.names, row, strict=True)) for row in zip(*winners, strict=True))
    feasible = [values for one in drawn if (values := space.repair(one)) is not None]
    if not feasible:
        return None
    columns = {name: _column([values[name] for values in feasible]) for name in space.names}
    short = np.zeros(len(feasible))
    for name, expected in prior.slacks.items():
        short += np.maximum(0.0, -(slacks.get(name, 0.0) + expected(columns)))
    best: int = np.lexsort((prior.response(columns), short))[0]
    return feasible[best]


def _winners(space: Space, prior: Prior, number: int, rng: np.random.Generator) -> list[Value]:
    """Return for one option the value of each draw, the best of some by what is expected of it alone."""
    axis = space.dimensions[number]
    rolled = [axis.from_unit(place) for place in rng.random(_DRAWS * _ROUNDS).tolist()]
    expected = prior.response({axis.name: _column(rolled)}).reshape(_DRAWS, _ROUNDS)
    return [rolled[draw * _ROUNDS + best] for draw, best in enumerate(expected.argmin(axis=1).tolist())]


def _column(values: Sequence[Value]) -> npt.NDArray[Any]:
    return np.array(values, dtype=object if any(isinstance(value, str) for value in values) else None)
