"""Ways to make a broken constraint hold, simplest first."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lsmtune.model import Value
from lsmtune.space._computed import ComputedLimit
from lsmtune.space._constraint import Constraint
from lsmtune.space._dimension import Dimension
from lsmtune.space._expression import Name, Node, evaluate

_SHARES = (0.5, 0.25, 0.125, 0.0625, 0.0)
"""How far a shrunken value is from its target, as a share of the way it was."""

_HALVINGS = 6
"""How near to the edge of a computed bound a number is moved: within 1/64 of the way."""

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


def candidates(
    constraint: Constraint | ComputedLimit,
    values: Mapping[str, Value],
    dimensions: Mapping[str, Dimension],
    reference: Mapping[str, Value],
) -> Iterator[dict[str, Value]]:
    """Yield changed values that may make the constraint hold, the smallest interference first.

    1. In a broken link with a plain option on one side, that option is moved just onto the other side's value.
    2. Of what is computed, one number goes just so far towards an end of its range that the bound holds, that one first
       whose end leaves the most room.
    3. One choice, bool or special value goes to the reference, else to another of its values.
    4. All numbers in the relation go geometrically towards the reference, else towards their low or high ends.

    Args:
        constraint: the broken one.
        values: of all options, those outside of the space included.
        dimensions: the axes by name; only their options are changed.
        reference: value of each option at the starting point.
    """
    allowed = constraint.repair or tuple(sorted(constraint.names))
    movable = [dimensions[name] for name in allowed if name in dimensions]
    numbers = [axis for axis in movable if axis.is_ordered(values[axis.name])]
    yield from _moved(constraint, values, movable)
    if isinstance(constraint, ComputedLimit):
        yield from _at_the_edge(constraint, values, numbers)
    yield from _switched(values, movable, reference)
    targets: Iterable[dict[str, Value]] = (
        {axis.name: reference[axis.name] for axis in numbers if axis.is_ordered(reference[axis.name])},
        {axis.name: axis.at_least(-math.inf) for axis in numbers},
        {axis.name: axis.at_most(math.inf) for axis in numbers},
    )
    for target in targets:
        yield from _shrunk(values, numbers, target)


def _moved(
    constraint: Constraint | ComputedLimit, values: Mapping[str, Value], movable: Sequence[Dimension]
) -> Iterator[dict[str, Value]]:
    for link in constraint.broken_links(values):
        left, right = link.operands
        symbol = link.symbols[0]
        sides: list[tuple[Node, str, Node]] = [(right, _MIRRORED.get(symbol, ""), left), (left, symbol, right)]
        if constraint.repair:
            sides.sort(key=lambda side: _place(side[0], constraint.repair))
        for side, relation, other in sides:
            axis = next((each for each in movable if isinstance(side, Name) and each.name == side.name), None)
            limit = _limit(other, values)
            if axis is None or limit is None or not axis.is_ordered(values[axis.name]):
                continue
            moved = _onto(axis, relation, limit)
            if moved is not None:
                yield {**values, axis.name: moved}


def _at_the_edge(
    limit: ComputedLimit, values: Mapping[str, Value], numbers: Sequence[Dimension]
) -> Iterator[dict[str, Value]]:
    """Yield values with one number moved along its range until a computed bound holds, the roomiest end first."""
    ends = []
    for place, axis in enumerate(numbers):
        for end in (axis.at_least(-math.inf), axis.at_most(math.inf)):
            amount = limit.amount({**values, axis.name: end})
            if amount <= limit.most:
                ends.append((amount, place, end))
    for _, place, end in sorted(ends, key=lambda each: each[:2]):
        axis = numbers[place]
        yield {**values, axis.name: _nearest_held(limit, values, axis, end)}


def _nearest_held(limit: ComputedLimit, values: Mapping[str, Value], axis: Dimension, end: Value) -> Value:
    """Return the value nearest to the own one, on the way to an end of the axis that holds, that holds as well."""
    held, broken, nearest = 0.0, 1.0, end
    for _ in range(_HALVINGS):
        share = (held + broken) / 2
        tried = axis.between(values[axis.name], end, share)
        if limit.amount({**values, axis.name: tried}) <= limit.most:
            held, nearest = share, tried
        else:
            broken = share
    return nearest


def _place(node: Node, order: tuple[str, ...]) -> int:
    return order.index(node.name) if isinstance(node, Name) and node.name in order else len(order)


def _limit(node: Node, values: Mapping[str, Value]) -> float | None:
    try:
        limit = evaluate(node, values)
    except ZeroDivisionError:
        return None
    return None if isinstance(limit, str) else limit


def _onto(axis: Dimension, relation: str, limit: float) -> Value | None:
    """Return the value of the axis next to the limit that stands in the relation to it."""
    match relation:
        case "<=":
            return axis.at_most(limit)
        case ">=":
            return axis.at_least(limit)
        case "<":
            return axis.at_most(math.nextafter(limit, -math.inf))
        case ">":
            return axis.at_least(math.nextafter(limit, math.inf))
        case "==":
            return axis.at_most(limit)
    return None


def _switched(
    values: Mapping[str, Value], movable: Sequence[Dimension], reference: Mapping[str, Value]
) -> Iterator[dict[str, Value]]:
    for axis in reversed(movable):
        if axis.is_ordered(values[axis.name]):
            continue
        others = (reference[axis.name], *axis.choices)
        for other in dict.fromkeys(others):
            if other != values[axis.name] and axis.holds(other):
                yield {**values, axis.name: other}


def _shrunk(
    values: Mapping[str, Value], numbers: Sequence[Dimension], target: Mapping[str, Value]
) -> Iterator[dict[str, Value]]:
    for share in _SHARES if target else ():
        nearer = {
            axis.name: axis.between(values[axis.name], target[axis.name], share)
            for axis in numbers
            if axis.name in target
        }
        yield {**values, **nearer}
