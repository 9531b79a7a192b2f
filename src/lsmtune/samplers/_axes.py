"""What samplers ask of an axis beyond its unit interval."""

from collections.abc import Mapping

from lsmtune.model import Value
from lsmtune.space import Dimension, Space


def is_categorical(axis: Dimension) -> bool:
    """Return whether the values have no order; a list of numbers has one and is searched along it."""
    return any(isinstance(choice, bool | str) for choice in axis.choices)


def places(space: Space, values: Mapping[str, Value]) -> dict[str, float]:
    """Return the place on the unit interval of each option that had an effect and a value on its axis."""
    active = space.active(values)
    known = {**space.reference, **values}
    return {
        axis.name: axis.to_unit(known[axis.name])
        for axis in space.dimensions
        if axis.name in active and axis.holds(known[axis.name])
    }
