"""The search space: its axes, what has an effect when, and which relations have to hold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.errors import ConstraintError, OptionError
from lsmtune.model import Value
from lsmtune.space._computed import ComputedLimit
from lsmtune.space._constraint import Constraint
from lsmtune.space._dimension import Dimension
from lsmtune.space._repair import candidates

Relation: TypeAlias = Constraint | ComputedLimit
"""What has to hold of a configuration."""

_DRAWS = 100
_REPAIR_ROUNDS = 20


@dataclass(frozen=True)
class Space:
    """The options to tune, around a starting point (the reference).

    Values are at full size and in base units. Methods that take values accept any part of the options; what is left
    out stands at the reference. Values of options outside of the space are taken into account as they are.

    Attributes:
        dimensions: the axes, in order; this order is that of all arrays.
        reference: value of every option of the engine at the starting point, the user's fixed options included.
        constraints: relations that have to hold; over options of the space or of the reference.
        conditions: for options inside and outside of the space, the values of others for which they have an effect.

    Raises:
        OptionError: there is no axis, or one twice, or the reference has no value for one.
        ConstraintError: a constraint names an option without a value.
    """

    dimensions: tuple[Dimension, ...]
    reference: Mapping[str, Value]
    constraints: tuple[Relation, ...] = ()
    conditions: Mapping[str, Mapping[str, tuple[Value, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.dimensions:
            raise OptionError("the search space has no option; name at least one to tune")
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise OptionError(f'option "{twice[0]}" is in the search space twice; name it once')
        missing = [name for name in self.names if name not in self.reference]
        if missing:
            raise OptionError(f'option "{missing[0]}" has no value at the starting point; give it one')
        for constraint in self.constraints:
            unknown = sorted(constraint.names - self.reference.keys())
            if unknown:
                raise ConstraintError(
                    f'constraint "{constraint.text}" names "{unknown[0]}", which has no value at the '
                    f'starting point; name an option of the engine, or write "{unknown[0]}" in quotes where a value '
                    "is meant"
                )

    def __len__(self) -> int:
        return len(self.dimensions)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the options in the space, in order."""
        return tuple(axis.name for axis in self.dimensions)

    @cached_property
    def by_name(self) -> Mapping[str, Dimension]:
        """The axes by the name of their option."""
        return {axis.name: axis for axis in self.dimensions}

    def default(self) -> dict[str, Value]:
        """Return the starting point: for each option of the space its value in the reference."""
        return {name: self.reference[name] for name in self.names}

    def active(self, values: Mapping[str, Value]) -> frozenset[str]:
        """Return the options of the space that have an effect, given the values.

        An option that depends on one without an effect has none itself.
        """
        known = {**self.reference, **values}
        return frozenset(name for name in self.names if self._is_active(name, known, ()))

    def canonical(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the least difference from the reference that does the same: what has no effect is dropped."""
        known = {**self.reference, **values}
        return {
            name: value
            for name, value in sorted(values.items())
            if (name not in self.reference or value != self.reference[name]) and self._is_active(name, known, ())
        }

    def violations(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Return a sentence for each broken constraint; empty where the values are feasible.

        Raises:
            ConstraintError: a constraint calculates with a value of the wrong kind.
        """
        known = self._known(values)
        broken = (constraint.violation(known) for constraint in self.constraints)
        return tuple(sentence for sentence in broken if sentence is not None)

    def repair(self, values: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return feasible values near to the given ones, or None where none were found.

        Args:
            values: of any part of the space; those left out may be changed, too.

        Returns:
            A value for each option given and each that had to be moved.

        Raises:
            ConstraintError: a constraint calculates with a value of the wrong kind.
        """
        repaired = dict(values)
        for _ in range(_REPAIR_ROUNDS):
            broken = self._broken(repaired)
            if not broken:
                return repaired
            better = self._mended(broken[0], repaired, len(broken))
            if better is None:
                return None
            repaired = better
        return None

    def sample(self, rng: np.random.Generator) -> dict[str, Value]:
        """Return feasible values for all options of the space, drawn evenly over the unit cube and repaired.

        Raises:
            ConstraintError: 100 draws could not be repaired; the message names what was broken most often.
        """
        failed: list[dict[str, Value]] = []
        for _ in range(_DRAWS):
            drawn = self.from_unit(rng.random(len(self)))
            repaired = self.repair(drawn)
            if repaired is not None:
                return repaired
            failed.append(drawn)
        raise ConstraintError(
            f"{_DRAWS} configurations were drawn and none could be made feasible; for example "
            f"{self.most_broken(failed)}; loosen the constraint or change the ranges"
        )

    def most_broken(self, configurations: Sequence[Mapping[str, Value]]) -> str:
        """Return a sentence on the relation that most of some configurations break, as one breaks it; else nothing."""
        counts = Counter(place for values in configurations for place, _ in self._broken_places(values))
        if not counts:
            return ""
        most, _ = counts.most_common(1)[0]
        return next(said for values in configurations for place, said in self._broken_places(values) if place == most)

    def _broken_places(self, values: Mapping[str, Value]) -> list[tuple[int, str]]:
        known = self._known(values)
        broken = ((place, constraint.violation(known)) for place, constraint in enumerate(self.constraints))
        return [(place, said) for place, said in broken if said is not None]

    def from_unit(self, places: npt.NDArray[np.float64]) -> dict[str, Value]:
        """Return the values at a point of the unit cube, feasible or not.

        Args:
            places: shape (len(self),), from 0 to 1, in the order of `dimensions`.

        Raises:
            OptionError: the shape is another, or a place is nan.
        """
        if places.shape != (len(self),):
            raise OptionError(f"a point of the unit cube has shape {places.shape}; give {len(self)} places")
        return {axis.name: axis.from_unit(float(place)) for axis, place in zip(self.dimensions, places, strict=True)}

    def to_unit(self, values: Mapping[str, Value]) -> npt.NDArray[np.float64]:
        """Return the point of the unit cube for the values; options left out stand at the reference.

        A number outside of its range counts as the nearer end.

        Returns:
            Array of shape (len(self),), in the order of `dimensions`.

        Raises:
            OptionError: a value is not one of the choices of its axis.
        """
        known = {**self.reference, **values}
        return np.array([axis.to_unit(known[axis.name]) for axis in self.dimensions], dtype=np.float64)

    def _known(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values of all options as a run has them: what has no effect is not set."""
        return {**self.reference, **self.canonical(values)}

    def _is_active(self, name: str, known: Mapping[str, Value], above: tuple[str, ...]) -> bool:
        return name not in above and all(
            (parent not in known or known[parent] in allowed) and self._is_active(parent, known, (*above, name))
            for parent, allowed in self.conditions.get(name, {}).items()
        )

    def _broken(self, values: Mapping[str, Value]) -> list[Relation]:
        known = self._known(values)
        return [constraint for constraint in self.constraints if constraint.violation(known) is not None]

    def _mended(self, constraint: Relation, values: Mapping[str, Value], count: int) -> dict[str, Value] | None:
        """Return values that mend a constraint: the first that break fewer than `count`, else the first."""
        first: dict[str, Value] | None = None
        known = self._known(values)
        for candidate in candidates(constraint, known, self.by_name, self.reference):
            changed = {name: candidate[name] for name in self.names if candidate[name] != known[name]}
            tried = {**values, **changed}
            broken = self._broken(tried)
            if constraint in broken:
                continue
            if len(broken) < count:
                return tried
            first = first or tried
        return first
