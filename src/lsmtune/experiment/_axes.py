"""Axes of the workload that samples and sweeps vary: threads, how compressible data is, sizes of pairs, rates."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lsmtune.backends import Problem, one_of, suggestion
from lsmtune.backends.registry import tools_of
from lsmtune.errors import OptionError, UsageError
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._tables import RangeTable
from lsmtune.model import Value
from lsmtune.space import VARIANT_PREFIX, WORKLOAD_PREFIX, Dimension, Kind
from lsmtune.units import format_seconds, parse_bytes, parse_count, parse_seconds


@dataclass(frozen=True)
class _Axis:
    """A field of the workload as the experiment file spells it: type, unit, and the values that make sense."""

    field: str
    kind: Kind
    unit: str = ""
    least: float = 1
    most: float = math.inf
    only: tuple[float, ...] = ()
    where: str = ""  # the key of [workload] without which the axis means nothing


_AXES = {
    "threads": _Axis("threads", Kind.INT, "threads", most=1024),
    "compression_ratio": _Axis("compression_ratio", Kind.FLOAT, least=0.01, most=1.0),
    "key_size": _Axis("key_size_bytes", Kind.INT, "B", least=8, most=2**31 - 1),
    "value_size": _Axis("value_size_bytes", Kind.INT, "B", most=2**31 - 1),
    "disable_wal": _Axis("disable_wal", Kind.BOOL, least=0, most=1),
    "limit": _Axis("limit_s", Kind.FLOAT, "s", least=1e-6, most=3600.0, where="max_rate"),
    "percentile": _Axis("percentile", Kind.FLOAT, only=(99.0, 99.9), where="max_rate"),
    "target": _Axis("target_ops_s", Kind.FLOAT, "ops/s"),
}
_PARSERS: dict[str, Callable[[str], float]] = {"B": parse_bytes, "s": parse_seconds, "ops/s": parse_count}


def axis_dimensions(experiment: Experiment) -> tuple[Dimension, ...]:
    """Return the axes of the workload that the experiment's sample varies, named ``workload.<field>``.

    Raises:
        OptionError: an axis is unknown, or its range or values do not fit.
    """
    return tuple(_dimension(name, table, experiment) for name, table in experiment.sample.axes.items())


def check_axes(experiment: Experiment) -> Iterator[Problem]:
    """Yield a problem for each axis of the sample and of the sweep that cannot be meant."""
    swept = {} if experiment.sweep is None else experiment.sweep.axes
    tables = {
        "sample": experiment.sample.axes,
        "sweep": {name: RangeTable.model_validate({"values": list(each)}) for name, each in swept.items()},
    }
    for of, axes in tables.items():
        for name, table in axes.items():
            try:
                dimension = _dimension(name, table, experiment)
            except UsageError as error:
                sentence = str(error).removeprefix(f'option "{name}" ')
                yield Problem((of, "axes", name), sentence)
            else:
                if of == "sweep":
                    yield from _variants_take_it(name, dimension.choices, experiment)


def _variants_take_it(name: str, values: Sequence[Value], experiment: Experiment) -> Iterator[Problem]:
    """Yield what the engines of variants cannot vary; that of the experiment is asked where the axis is read."""
    variants = {} if experiment.sweep is None else experiment.sweep.variants
    for factor, listed in variants.items():
        for place, variant in enumerate(listed):
            if variant.engine in (None, experiment.engine.name):
                continue
            backend = tools_of(variant.engine).get(experiment.tool)
            if backend is None:
                continue  # which is told where the variants are checked
            problem = backend.vocabulary.axis_problem(name, values, experiment.workload())
            if problem is not None:
                yield Problem(
                    ("sweep", "variants", factor, place), f'"{variant.name}" runs on {backend.title}: {name} {problem}'
                )


def competing_factor(experiment: Experiment) -> str | None:
    """Return the name of the factor whose values compete in a sweep; None where the experiment names none.

    Raises:
        UsageError: it has no sweep.
    """
    sweep = experiment.sweep
    if sweep is None:
        raise UsageError(
            f'the experiment "{experiment.name}" of these runs has no [sweep]; show them with lsmtune analyze'
        )
    named = sweep.rival
    if named in sweep.variants:
        return f"{VARIANT_PREFIX}{named}"
    return axis_name(named) if named is not None and named in sweep.axes else named


def axis_name(name: str) -> str:
    """Return the factor of an axis as experiment files spell it: ``value_size`` -> ``workload.value_size_bytes``."""
    return f"{WORKLOAD_PREFIX}{_AXES[name].field}"


def _dimension(name: str, table: RangeTable, experiment: Experiment) -> Dimension:
    axis = _AXES.get(name)
    if axis is None:
        raise OptionError(f"is no axis of the workload{suggestion(name, _AXES)}")
    if table.step is not None:
        raise OptionError("takes no step; write low and high, or values")
    reference = _reference(axis, experiment)
    full = f"{WORKLOAD_PREFIX}{axis.field}"
    if axis.kind is Kind.BOOL:
        if table.values is None or {type(value) for value in table.values} != {bool}:
            raise OptionError("is on or off; write values = [false, true]")
        _tool_can_vary(name, table.values, experiment)
        return Dimension(full, axis.kind, reference, choices=tuple(table.values))
    if table.values is not None:
        choices = tuple(_read(axis, raw) for raw in table.values)
        _tool_can_vary(name, choices, experiment)
        _holds_are_long_enough(axis, max(choices), experiment)
        return Dimension(full, axis.kind, reference, axis.unit, choices=choices)
    if axis.only or table.low is None or table.high is None:
        raise OptionError(
            "has no range; list values" if axis.only else "is half a range; write low and high, or values"
        )
    _tool_can_vary(name, None, experiment)
    low, high = _read(axis, table.low), _read(axis, table.high)
    _holds_are_long_enough(axis, high, experiment)
    return Dimension(full, axis.kind, reference, axis.unit, low, high, bool(table.log))


def _reference(axis: _Axis, experiment: Experiment) -> Value:
    """Return what the workload itself has, under which the reference runs."""
    workload = experiment.workload()
    foreign = experiment.backend.vocabulary.foreign.get(axis.where)
    if foreign is not None:
        raise OptionError(foreign)
    sought = workload.max_rate
    if axis.where == "max_rate":
        if sought is None:
            raise OptionError('is of a search for the largest rate; write [workload.max_rate] with limit = "5ms"')
        found: Value = getattr(sought, axis.field)
        return found
    reference: Value | None = getattr(workload, axis.field)
    if reference is not None:
        return reference
    if sought is not None:
        raise OptionError("is a rate, and workload.max_rate seeks one; take one of them out")
    example = experiment.backend.vocabulary.offered_rate
    if not example:
        raise OptionError("is a rate, and this tool cannot pace its operations; take it out")
    raise OptionError(f"is the rate of one measured phase, which the reference needs too; write {example}")


def _tool_can_vary(name: str, values: Sequence[Value] | None, experiment: Experiment) -> None:
    problem = experiment.backend.vocabulary.axis_problem(name, values, experiment.workload())
    if problem is not None:
        raise OptionError(problem)


def _holds_are_long_enough(axis: _Axis, most: float, experiment: Experiment) -> None:
    """Refuse limits that are long against the holds, as under [workload.max_rate]."""
    sought = experiment.workload().max_rate
    if axis.field != "limit_s" or sought is None:
        return
    least_s = replace(sought, limit_s=most).least_hold_s
    if sought.hold_s < least_s:
        raise OptionError(
            f"goes up to {format_seconds(most)}, for which a hold of {format_seconds(sought.hold_s)} is too short: "
            f'write workload.max_rate.hold = "{least_s:g}s" at least'
        )


def _read(axis: _Axis, raw: Value) -> int | float:
    parse = _PARSERS.get(axis.unit)
    number = parse(raw) if parse is not None and isinstance(raw, str) else raw
    if isinstance(number, bool | str) or not math.isfinite(number) or (axis.kind is Kind.INT and number != int(number)):
        raise OptionError(f"cannot be {raw!r}; write a {'whole ' if axis.kind is Kind.INT else ''}number")
    if axis.only and number not in axis.only:
        raise OptionError(f"cannot be {raw!r}; write {one_of(f'{each:g}' for each in axis.only)}")
    if not axis.least <= number <= axis.most:
        bounds = f"from {axis.least:g} to {axis.most:g}" if axis.most < math.inf else f"of at least {axis.least:g}"
        raise OptionError(f"cannot be {raw!r}; write a number {bounds}")
    return int(number) if axis.kind is Kind.INT else float(number)
