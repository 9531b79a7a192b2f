"""Axes of the workload that a sample varies: threads, how compressible the data is, sizes of pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

from lsmtune.backends import Problem, suggestion
from lsmtune.errors import OptionError, UsageError
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._tables import RangeTable
from lsmtune.model import Value, Workload
from lsmtune.space import VARIANT_PREFIX, WORKLOAD_PREFIX, Dimension, Kind
from lsmtune.units import parse_bytes


@dataclass(frozen=True)
class _Axis:
    """A field of the workload as the experiment file spells it: type, unit, and the values that make sense."""

    field: str
    kind: Kind
    unit: str = ""
    least: float = 1
    most: float = float("inf")


_AXES = {
    "threads": _Axis("threads", Kind.INT, "threads", most=1024),
    "compression_ratio": _Axis("compression_ratio", Kind.FLOAT, least=0.01, most=1.0),
    "key_size": _Axis("key_size_bytes", Kind.INT, "B", least=8),
    "value_size": _Axis("value_size_bytes", Kind.INT, "B"),
    "disable_wal": _Axis("disable_wal", Kind.BOOL, least=0, most=1),
}


def axis_dimensions(experiment: Experiment) -> tuple[Dimension, ...]:
    """Return the axes of the workload that the experiment's sample varies, named ``workload.<field>``.

    Raises:
        OptionError: an axis is unknown, or its range or values do not fit.
    """
    workload = experiment.workload()
    return tuple(_dimension(name, table, workload) for name, table in experiment.sample.axes.items())


def check_axes(experiment: Experiment) -> Iterator[Problem]:
    """Yield a problem for each axis of the sample and of the sweep that cannot be meant."""
    workload = experiment.workload()
    swept = {} if experiment.sweep is None else experiment.sweep.axes
    tables = {
        "sample": experiment.sample.axes,
        "sweep": {name: RangeTable.model_validate({"values": list(each)}) for name, each in swept.items()},
    }
    for of, axes in tables.items():
        for name, table in axes.items():
            try:
                _dimension(name, table, workload)
            except UsageError as error:
                sentence = str(error).removeprefix(f'option "{name}" ')
                yield Problem((of, "axes", name), sentence)


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


def _dimension(name: str, table: RangeTable, workload: Workload) -> Dimension:
    axis = _AXES.get(name)
    if axis is None:
        raise OptionError(f"is no axis of the workload{suggestion(name, _AXES)}")
    if table.step is not None:
        raise OptionError("takes no step; write low and high, or values")
    reference: Value = getattr(workload, axis.field)
    full = f"{WORKLOAD_PREFIX}{axis.field}"
    if axis.kind is Kind.BOOL:
        if table.values is None or {type(value) for value in table.values} != {bool}:
            raise OptionError("is on or off; write values = [false, true]")
        return Dimension(full, axis.kind, reference, choices=tuple(table.values))
    if table.values is not None:
        return Dimension(full, axis.kind, reference, axis.unit, choices=tuple(_read(axis, raw) for raw in table.values))
    if table.low is None or table.high is None:
        raise OptionError("is half a range; write low and high, or values")
    low, high = _read(axis, table.low), _read(axis, table.high)
    return Dimension(full, axis.kind, reference, axis.unit, low, high, bool(table.log))


def _read(axis: _Axis, raw: Value) -> int | float:
    number = parse_bytes(raw) if axis.unit == "B" and isinstance(raw, str) else raw
    if isinstance(number, bool | str) or (axis.kind is Kind.INT and number != int(number)):
        raise OptionError(f"cannot be {raw!r}; write a {'whole ' if axis.kind is Kind.INT else ''}number")
    if not axis.least <= number <= axis.most:
        raise OptionError(f"cannot be {raw!r}; write a number from {axis.least:g} to {axis.most:g}")
    return int(number) if axis.kind is Kind.INT else float(number)
