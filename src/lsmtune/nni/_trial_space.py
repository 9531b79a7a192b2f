"""The space of a trial's own parameters, and the values that it starts from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsmtune.errors import ExperimentError, OptionError
from lsmtune.model import Value
from lsmtune.nni._search_space import Condition, Parameter
from lsmtune.space import Change, Dimension, Factor, Kind, Space


def trial_space(parameters: Sequence[Parameter], own: Mapping[str, Any] | None = None) -> Space:
    """Return the space over all parameters that have more than one value.

    NNI has no default. The starting point is the user's own one, or the middle: of a range the middle of its axis (the
    geometric one where it is logarithmic), of a choice its first value.

    Args:
        parameters: of the search space.
        own: what the trial gets when nothing is tuned, as `nni.get_next_parameter` would return it.

    Raises:
        ExperimentError: no parameter has more than one value, or the own values lack one, or have one too many.
    """
    searched = [parameter for parameter in parameters if parameter.only_value is None]
    if not searched:
        raise ExperimentError("no parameter of the search space has more than one value; there is nothing to search")
    middle = {parameter.name: _middle(parameter) for parameter in parameters}
    reference = middle if own is None else {**middle, **_own(parameters, own)}
    return Space(
        tuple(_dimension(parameter, reference[parameter.name]) for parameter in searched),
        reference,
        conditions={each.name: {name: (value,) for name, value in each.condition} for each in parameters},
    )


def factors(space: Space, parameters: Sequence[Parameter]) -> tuple[Factor, ...]:
    """Return what a study keeps of what varied, so that `lsmtune analyze` can read it."""
    conditions = {parameter.name: parameter.condition for parameter in parameters}
    return tuple(
        Factor(
            axis.name,
            axis.kind,
            "",
            space.reference[axis.name],
            Change.RESTART,
            axis.log,
            choices=axis.choices,
            conditions=_varying(space, conditions[axis.name]),
        )
        for axis in space.dimensions
    )


def _varying(space: Space, condition: Condition) -> dict[str, tuple[Value, ...]]:
    return {name: (value,) for name, value in condition if name in space.names}


def _middle(parameter: Parameter) -> Value:
    only = parameter.only_value
    if only is not None:
        return only
    if parameter.choices:
        return parameter.choices[0]
    axis = _dimension(parameter, 0)
    return axis.choices[len(axis.choices) // 2] if axis.choices else axis.from_unit(0.5)


def _dimension(parameter: Parameter, default: Value) -> Dimension:
    grid = parameter.grid
    if grid is None:
        kinds = {type(choice) for choice in parameter.choices}
        kind = Kind.BOOL if kinds == {bool} else Kind.CHOICE if str in kinds else _number_kind(kinds)
        return Dimension(parameter.name, kind, default, choices=parameter.choices)
    kind = Kind.INT if parameter.whole else Kind.FLOAT
    if grid.listed:
        listed = tuple(parameter.kept(number) for number in grid.listed)
        return Dimension(parameter.name, kind, default, choices=listed)
    step = None if kind is Kind.INT and grid.step == 1 else grid.step
    try:
        return Dimension(parameter.name, kind, default, "", grid.low, grid.high, grid.log, step)
    except OptionError as error:
        raise ExperimentError(f"the search space cannot be searched: {error}") from None


def _number_kind(kinds: set[type]) -> Kind:
    return Kind.INT if kinds == {int} else Kind.FLOAT


def _own(parameters: Sequence[Parameter], own: Mapping[str, Any]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for parameter in parameters:
        if any(values.get(name) != needed for name, needed in parameter.condition):
            continue
        table: Any = own
        for key in parameter.path:
            if not isinstance(table, dict) or key not in table:
                raise ExperimentError(f'the values of --default have no "{".".join(parameter.path)}"; add it')
            table = table[key]
        values[parameter.name] = parameter.read(table)
    unknown = sorted(set(_paths(own)) - {parameter.path for parameter in parameters})
    if unknown:
        raise ExperimentError(f'"{".".join(unknown[0])}" of --default is not in the search space; take it out')
    return values


def _paths(own: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every value; a table with a name is the value of a nested choice, and holds further ones."""
    for key, value in own.items():
        if key == "_name":
            continue
        yield (*above, key)
        if isinstance(value, dict) and "_name" in value:
            yield from _paths(value, (*above, key))
