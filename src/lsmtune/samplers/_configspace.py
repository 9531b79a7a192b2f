"""A space in ConfigSpace's words: what the samplers made of SMAC's pieces have in common."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.samplers._axes import is_categorical
from lsmtune.space import Dimension, Space

if TYPE_CHECKING:
    from ConfigSpace import Configuration

_OFF_AXIS = -1.0
"""Column of a value that has no place on its axis, as a reference may have."""


class ConfigSpaceWords:
    """Translates between a space and its twin in ConfigSpace.

    Choices without an order are categories, all other axes unit intervals, with the shares that special values have
    there. Conditions on such choices are ConfigSpace's conditions; an option with any other condition stands at the
    reference where it has no effect. Constraints stay with `Space.repair`: they calculate with sizes of several
    options, and ConfigSpace's forbidden clauses compare one or two values.

    Attributes:
        space: the original.
        twin: in ConfigSpace; it draws by the seed.
    """

    def __init__(self, space: Space, seed: int) -> None:
        from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, UniformFloatHyperparameter

        self.space = space
        self.twin: ConfigurationSpace = ConfigurationSpace(seed=seed)
        # Names by number, since ConfigSpace has its own rules for names.
        self._by_axis: dict[str, Any] = {
            axis.name: CategoricalHyperparameter(f"{place:04}", range(len(axis.choices)))
            if is_categorical(axis)
            else UniformFloatHyperparameter(f"{place:04}", 0.0, 1.0)
            for place, axis in enumerate(space.dimensions)
        }
        self.twin.add(list(self._by_axis.values()))
        self._conditional = {axis.name for axis in space.dimensions if self._add_condition(axis)}
        # ConfigSpace puts options behind those that they depend on.
        self._columns = tuple(space.dimensions[int(name)] for name in self.twin)

    def rows(self, trials: list[Mapping[str, Value]]) -> npt.NDArray[np.float64]:
        """Return the values of trials as a model sees them.

        Returns:
            Array of shape (trials, options) in ConfigSpace's order: places and numbers of choices; nan for an option
            without an effect, -1 for a value without a place.
        """
        return np.array([self._row(values) for values in trials], dtype=np.float64)

    def configurations(self, rows: npt.NDArray[np.float64]) -> "list[Configuration]":
        """Return those rows that ConfigSpace can express."""
        from ConfigSpace import Configuration

        expressed = []
        for row in rows[(rows != _OFF_AXIS).all(axis=1)]:
            configuration = Configuration(self.twin, vector=row)
            try:
                configuration.check_valid_configuration()
            except ValueError:
                continue
            expressed.append(configuration)
        return expressed

    def values(self, configuration: "Configuration") -> dict[str, Value]:
        """Return the values of the options that have an effect in a configuration."""
        row = configuration.get_array()
        return {
            axis.name: axis.choices[int(number)] if is_categorical(axis) else axis.from_unit(float(number))
            for axis, number in zip(self._columns, row, strict=True)
            if not np.isnan(number)
        }

    def _row(self, values: Mapping[str, Value]) -> list[float]:
        active = self.space.active(values)
        known = {**self.space.reference, **values}
        return [
            _number(axis, known[axis.name])
            if axis.name in active
            else np.nan
            if axis.name in self._conditional
            else _number(axis, self.space.reference[axis.name])
            for axis in self._columns
        ]

    def _add_condition(self, axis: Dimension) -> bool:
        """Add what ConfigSpace can express of an option's condition; return whether there was anything."""
        from ConfigSpace import AndConjunction, InCondition

        found = []
        for parent, allowed in self.space.conditions.get(axis.name, {}).items():
            choices = self.space.by_name[parent].choices if parent in self._by_axis else ()
            numbers = [number for number, choice in enumerate(choices) if choice in allowed]
            if numbers and is_categorical(self.space.by_name[parent]):
                found.append(InCondition(self._by_axis[axis.name], self._by_axis[parent], numbers))
        if found:
            self.twin.add(found[0] if len(found) == 1 else AndConjunction(*found))
        return bool(found)


def _number(axis: Dimension, value: Value) -> float:
    if not axis.holds(value):
        return _OFF_AXIS
    return float(axis.choices.index(value)) if is_categorical(axis) else axis.to_unit(value)
