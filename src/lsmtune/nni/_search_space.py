"""NNI's search space: every ``_type``, what it means, and the values that a trial gets.

Formulas are those of NNI's documentation of search spaces: a ``q`` type gives ``round(x / q) * q``, clipped into its
bounds where it has some.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lsmtune.errors import ExperimentError
from lsmtune.model import Value
from lsmtune.result import StudyFacts

SIGMAS = 3.0
"""A type without bounds is searched within so many standard deviations of its mean."""

_MOST_LISTED = 100  # values of a grid that no single step describes
_ARGUMENTS: Mapping[str, str] = {
    "randint": "[lower, upper)",
    "uniform": "[low, high]",
    "quniform": "[low, high, q]",
    "loguniform": "[low, high]",
    "qloguniform": "[low, high, q]",
    "normal": "[mu, sigma]",
    "qnormal": "[mu, sigma, q]",
    "lognormal": "[mu, sigma]",
    "qlognormal": "[mu, sigma, q]",
}
_TYPES = ("choice", *_ARGUMENTS)

Condition: TypeAlias = tuple[tuple[str, Value], ...]
"""For a nested parameter: the names of those above it with the values for which it exists, the outermost first."""


@dataclass(frozen=True)
class Grid:
    """The numbers that a numeric type may give.

    Attributes:
        low, high: ends, both included.
        log: drawn on a logarithmic axis.
        step: distance between values, counted from `low`; None: any number.
        listed: the values themselves, where they do not have one distance; `low` and `high` are the first and the last.
        note: what was made of the type where it is not what NNI would draw; may be empty.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    listed: tuple[float, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Parameter:
    """One parameter, flattened: what NNI nests inside a choice has conditions instead.

    Attributes:
        name: keys and names of the choices above it, with dots: ``"layer0.Max_pool.pooling_size"``.
        path: keys in what a trial gets: ``("layer0", "pooling_size")``.
        type: NNI's ``_type``.
        arguments: NNI's ``_value``.
        condition: see `Condition`.
    """

    name: str
    path: tuple[str, ...]
    type: str
    arguments: tuple[Any, ...]
    condition: Condition = ()

    @property
    def nested(self) -> bool:
        """Whether the choices hold parameters of their own."""
        return self.type == "choice" and all(isinstance(each, dict) and "_name" in each for each in self.arguments)

    @property
    def choices(self) -> tuple[Value, ...]:
        """The values of a choice as lsmtune keeps them, each once; empty for other types.

        Texts, numbers and truth values alone are kept as they are; of everything else, and of a mixture, the JSON text.
        """
        if self.type != "choice":
            return ()
        return tuple(dict.fromkeys(_label(self, each) for each in self.arguments))

    @property
    def grid(self) -> Grid | None:
        """The numbers of a numeric type; None for a choice."""
        return None if self.type == "choice" else _GRIDS[self.type.removeprefix("q")](self)

    @property
    def only_value(self) -> Value | None:
        """The value of a parameter that has but one; None where there is something to search."""
        grid = self.grid
        if grid is None:
            return self.choices[0] if len(self.choices) == 1 else None
        return self.kept(grid.low) if grid.low == grid.high else None

    @property
    def whole(self) -> bool:
        """Whether all values of a numeric type are whole numbers."""
        grid = self.grid
        if grid is None or (grid.step is None and not grid.listed):
            return False
        return all(number == int(number) for number in (grid.low, grid.high, grid.step or 1.0, *grid.listed))

    def kept(self, number: float) -> Value:
        """Return a number as lsmtune keeps it: whole ones as ints."""
        return round(number) if self.whole else float(number)

    def given(self, value: Value) -> Any:
        """Return what a trial gets for a value that lsmtune keeps: NNI's ``q`` types give floats, 7.0."""
        if self.type == "choice":
            found = next(each for each in self.arguments if _label(self, each) == value)
            return found["_name"] if self.nested else found
        return value if self.type == "randint" else float(value)

    def read(self, raw: Any) -> Value:
        """Return the value that a trial would get as lsmtune keeps it.

        Raises:
            ExperimentError: it is none of the choices, or not a number.
        """
        if self.type == "choice":
            label = raw.get("_name") if self.nested and isinstance(raw, dict) else raw
            for each in self.arguments:
                if label == (each["_name"] if self.nested else each):
                    return _label(self, each)
            raise ExperimentError(f"{self.name}: {raw!r} is none of {list(self.choices)}; write one of them")
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
            raise ExperimentError(f"{self.name}: {raw!r} is not a number; write one")
        return round(raw) if self.whole and raw == int(raw) else float(raw)


def read_search_space(document: Any, source: str) -> tuple[Parameter, ...]:
    """Return the parameters of a search space, those inside of a choice behind it.

    Args:
        document: as read from JSON or YAML.
        source: where it comes from, for messages.

    Raises:
        ExperimentError: a ``_type`` is unknown, or a ``_value`` does not fit it.
    """
    if not isinstance(document, dict) or not document:
        raise ExperimentError(f'{source}: this is no search space; write {{"name": {{"_type": ..., "_value": [...]}}}}')
    return tuple(_parameters(document, source, "", (), ()))


def recorded_parameters(facts: StudyFacts) -> tuple[Parameter, ...]:
    """Return the search space that a study of a command has kept; empty for a study of options of an engine."""
    return tuple(
        Parameter(each.name, each.path, each.type, each.arguments, each.condition) for each in facts.search_space or ()
    )


def nested_values(parameters: Sequence[Parameter], values: Mapping[str, Value]) -> dict[str, Any]:
    """Return what a trial gets: the values under their keys, without those of choices that were not taken.

    Args:
        parameters: of the search space.
        values: one for every parameter, by name.
    """
    given: dict[str, Any] = {}
    for parameter in parameters:
        if any(values[name] != needed for name, needed in parameter.condition):
            continue
        path = (*parameter.path, "_name") if parameter.nested else parameter.path
        table = given
        for key in path[:-1]:
            table = table.setdefault(key, {})
        table[path[-1]] = parameter.given(values[parameter.name])
    return given


def _parameters(
    document: Mapping[str, Any], source: str, above: str, path: tuple[str, ...], condition: Condition
) -> Iterator[Parameter]:
    for key, entry in document.items():
        if key == "_name":
            continue
        name = f"{above}{key}"
        parameter = Parameter(name, (*path, str(key)), *_entry(entry, f"{source}: {name}"), condition)
        _check(parameter, f"{source}: {name}")
        yield parameter
        if parameter.nested:
            for each in parameter.arguments:
                label = str(each["_name"])
                inner = (*condition, (name, label))
                yield from _parameters(each, source, f"{name}.{label}.", parameter.path, inner)


def _entry(entry: Any, place: str) -> tuple[str, tuple[Any, ...]]:
    if not isinstance(entry, dict) or not {"_type", "_value"} <= entry.keys():
        raise ExperimentError(f'{place} is not described; write {{"_type": "uniform", "_value": [0, 1]}}')
    if entry["_type"] not in _TYPES:
        raise ExperimentError(f'{place} has the _type "{entry["_type"]}"; NNI has {", ".join(_TYPES)}')
    if not isinstance(entry["_value"], list) or not entry["_value"]:
        raise ExperimentError(
            f"{place} has no list as _value; write it like {_ARGUMENTS.get(entry['_type'], '[1, 2]')}"
        )
    return entry["_type"], tuple(entry["_value"])


def _check(parameter: Parameter, place: str) -> None:
    form = _ARGUMENTS.get(parameter.type)
    if form is None:
        return
    try:
        numbers = _numbers(parameter)
        fits = len(numbers) == form.count(",") + 1 and all(math.isfinite(number) for number in numbers)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ExperimentError(f"{place} has the _value {list(parameter.arguments)}; {parameter.type} takes {form}")
    if "normal" in parameter.type:
        if numbers[1] <= 0:
            raise ExperimentError(f"{place} has sigma {numbers[1]:g}; it has to be above 0")
    elif numbers[0] > numbers[1] or (parameter.type == "randint" and math.ceil(numbers[0]) >= math.ceil(numbers[1])):
        raise ExperimentError(f"{place} has no value from {numbers[0]:g} to {numbers[1]:g}; write the smaller first")
    elif "log" in parameter.type and numbers[0] <= 0:
        raise ExperimentError(f"{place} begins at {numbers[0]:g}, which has no logarithm; begin above 0")
    if parameter.type.startswith("q") and numbers[2] <= 0:
        raise ExperimentError(f"{place} has q = {numbers[2]:g}; it has to be above 0")


def _numbers(parameter: Parameter) -> tuple[float, ...]:
    """Return the arguments; a YAML file may hold 1e-4 as text, which NNI reads too."""
    return tuple(float(each) for each in parameter.arguments)


def _label(parameter: Parameter, each: Any) -> Value:
    if parameter.nested:
        return str(each["_name"])
    kinds = {type(value) for value in parameter.arguments}
    if kinds in ({str}, {bool}) or kinds <= {int, float}:
        plain: Value = each
        return plain
    return json.dumps(each, sort_keys=True)


def _randint(parameter: Parameter) -> Grid:
    low, upper = (math.ceil(number) for number in _numbers(parameter))
    return Grid(low, upper - 1, step=1.0)


def _uniform(parameter: Parameter) -> Grid:
    low, high, *q = _numbers(parameter)
    return _quantised(low, high, "log" in parameter.type, q[0]) if q else Grid(low, high, "log" in parameter.type)


def _normal(parameter: Parameter) -> Grid:
    mu, sigma, *q = _numbers(parameter)
    log = "log" in parameter.type
    low, high = mu - SIGMAS * sigma, mu + SIGMAS * sigma
    low, high = (math.exp(low), math.exp(high)) if log else (low, high)
    if q:
        low, high = (round(end / q[0]) * q[0] for end in (low, high))
        low = max(low, q[0]) if log else low
        high = max(low, high)
    note = f"{parameter.type} has no bounds; it is searched evenly within {SIGMAS:g} sigma, from {low:g} to {high:g}"
    grid = _quantised(low, high, log, q[0]) if q else Grid(low, high, log)
    return Grid(grid.low, grid.high, grid.log, grid.step, grid.listed, note)


def _quantised(low: float, high: float, log: bool, q: float) -> Grid:
    """Return the values of ``clip(round(x / q) * q, low, high)`` for x from low to high."""
    first, last = round(low / q), round(high / q)
    if math.isclose(first * q, low, abs_tol=q * 1e-9) and math.isclose(last * q, high, abs_tol=q * 1e-9):
        return Grid(low, high, log, q if high > low else None)
    if last - first < _MOST_LISTED:
        values = tuple(dict.fromkeys(min(max(count * q, low), high) for count in range(first, last + 1)))
        return Grid(values[0], values[-1], log, listed=values)
    low_grid, high_grid = math.ceil(low / q) * q, math.floor(high / q) * q
    note = f"the ends {low:g} and {high:g} are no multiples of {q:g}; it is searched from {low_grid:g} to {high_grid:g}"
    return Grid(low_grid, high_grid, log, q, (), note)


_GRIDS = {
    "randint": _randint,
    "uniform": _uniform,
    "loguniform": _uniform,
    "normal": _normal,
    "lognormal": _normal,
}
