"""What the models of `agp` see of configurations: a column for each axis or category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._additive import Points
from lsmtune.samplers._axes import is_categorical
from lsmtune.samplers._prior import Floats
from lsmtune.space import Dimension, Space

_CATEGORY = 0.7
"""Distance of a category or special value from none; two are about as far from each other as the ends of an axis."""


@dataclass(frozen=True)
class View:
    """Places on the unit cube, and what models see of them.

    Attributes:
        space: of the places.
    """

    space: Space

    def places(self, configurations: Sequence[Mapping[str, Value]]) -> Floats:
        """Return places on the unit cube, shape (m, options); for a value without one the nearest, or the first."""
        known = [{**self.space.reference, **values} for values in configurations]
        return np.column_stack([_places(axis, [each[axis.name] for each in known]) for axis in self.space.dimensions])

    def points(self, places: Floats) -> Points:
        """Return what models see of places: a column for an axis with an order, and one for each category of an axis.

        A special value (0 = off, -1 = automatic) is a category, in the middle of its axis.
        """
        columns = [_columns(axis, column) for axis, column in zip(self.space.dimensions, places.T, strict=True)]
        return Points(places, np.column_stack(columns), tuple(each.shape[1] for each in columns))


def _places(axis: Dimension, values: Sequence[Value]) -> Floats:
    """Return the places of values on one axis, shape (m,); each value, of which there are few, is placed once."""
    found = {value: _place(axis, value) for value in set(values)}
    return np.array([found[value] for value in values])


def _place(axis: Dimension, value: Value) -> float:
    return axis.to_unit(value) if axis.holds(value) or not (axis.choices or isinstance(value, str)) else 0.0


def _columns(axis: Dimension, places: Floats) -> Floats:
    """Return what models see of places on one axis, shape (m, columns)."""
    share, specials = axis.special_share, len(axis.specials)
    categories = [(places >= share * n / specials) & (places < share * (n + 1) / specials) for n in range(specials)]
    rest = (places - share) / (1 - share)
    if not is_categorical(axis):
        return np.column_stack([np.where(places < share, 0.5, rest), *(_CATEGORY * one for one in categories)])
    number = np.minimum(np.floor(rest * len(axis.choices)), len(axis.choices) - 1)
    return _CATEGORY * np.column_stack([*categories, *(number == choice for choice in range(len(axis.choices)))])
