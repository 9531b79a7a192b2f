"""A design over a space: which configurations and workloads a sample runs."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lsmtune.errors import ConstraintError
from lsmtune.experiment import Variants, chosen
from lsmtune.model import Value
from lsmtune.result import Point
from lsmtune.space import WORKLOAD_PREFIX, Space
from lsmtune.stats import POINT_DESIGNS, Part, plackett_burman, runs_in_part

FACTORIAL = "factorial"
_DRAWS = 100


def design_points(
    space: Space, design: str, runs: int, seed: int, variants: Sequence[Variants] = (), part: Part | None = None
) -> list[Point]:
    """Return the points of a design, all feasible.

    A point that breaks a constraint is moved to the nearest values that hold it, and drawn anew where there are none.

    Args:
        space: its axes named ``workload.<field>`` are fields of the workload.
        design: ``"sobol"``, ``"lhs"``, ``"random"``, ``"plackett-burman"`` or ``"factorial"``.
        runs: number of points; the last two designs decide by themselves.
        seed: decides all randomness.
        variants: axes of the space whose values are names of variants, for a factorial design.
        part: of a factorial design that is run; None for all of it.

    Raises:
        ConstraintError: no feasible points were found, or an axis of a factorial design has a range.
        StatisticsError: the design cannot have so many axes.
    """
    rng = np.random.default_rng([seed, 1])
    if design == FACTORIAL:
        return _combinations(space, variants, part)
    if design == "plackett-burman":
        drawn = [_corner(space, high) for high in plackett_burman(len(space))]
    else:
        drawn = [space.from_unit(place) for place in POINT_DESIGNS[design](runs, len(space), seed)]
    return [point_of(_feasible(space, values, rng)) for values in drawn]


def point_of(values: Mapping[str, Value]) -> Point:
    """Return the point with these values, those named ``workload.<field>`` in its scenario."""
    options = {name: value for name, value in values.items() if not name.startswith(WORKLOAD_PREFIX)}
    axes = sorted(
        (name.removeprefix(WORKLOAD_PREFIX), value)
        for name, value in values.items()
        if name.startswith(WORKLOAD_PREFIX)
    )
    return Point(options, tuple(axes))


def _combinations(space: Space, variants: Sequence[Variants], part: Part | None) -> list[Point]:
    """Return the feasible combinations of the listed values, or of a part; of those that do the same, the first."""
    ranges = [axis.name for axis in space.dimensions if not axis.choices]
    if ranges:
        raise ConstraintError(f'a factorial design takes listed values, and "{ranges[0]}" has a range; list its values')
    lists = itertools.product(*(axis.choices for axis in space.dimensions))
    every = [dict(zip(space.names, values, strict=True)) for values in lists]
    if part is not None:
        thinned = [axis for axis in space.dimensions if axis.name != part.whole]
        every = [
            values
            for values in every
            if runs_in_part([axis.choices.index(values[axis.name]) for axis in thinned], part.of)
        ]
    feasible = [values for values in every if not space.violations(chosen(values, variants))]
    if not feasible:
        broken = space.violations(chosen(every[0], variants))[0]
        raise ConstraintError(f"no combination of the listed values is feasible; {broken}")
    different: dict[Hashable, Point] = {}
    for values in feasible:
        taken, names = chosen(values, variants), tuple((each.name, values[each.name]) for each in variants)
        does = (names, tuple(space.canonical(taken).items()))
        different.setdefault(does, replace(point_of(taken), variants=names))
    return list(different.values())


def _corner(space: Space, high: npt.NDArray[np.bool_]) -> dict[str, Value]:
    return {axis.name: axis.extremes[int(up)] for axis, up in zip(space.dimensions, high, strict=True)}


def _feasible(space: Space, values: Mapping[str, Value], rng: np.random.Generator) -> dict[str, Value]:
    for _ in itertools.repeat(None, _DRAWS):
        repaired = space.repair(values)
        if repaired is not None:
            return repaired
        values = space.from_unit(rng.random(len(space)))
    sentence = space.violations(values)[0]
    raise ConstraintError(f"{_DRAWS} points were drawn and none could be made feasible; for example {sentence}")
