"""A space in Optuna's words: what the samplers that ask this library have in common."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsmtune.model import Value
from lsmtune.space import Dimension, Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

SEED_LIMIT = 2**31
"""Optuna's seeds are less than this."""


def distributions(space: Space) -> "dict[str, BaseDistribution]":
    """Return for each option the unit interval of its axis, or the numbers of its choices where these have no order."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    return {
        axis.name: CategoricalDistribution(range(len(axis.choices)))
        if _is_categorical(axis)
        else FloatDistribution(0.0, 1.0)
        for axis in space.dimensions
    }


def to_params(space: Space, values: Mapping[str, Value]) -> dict[str, float]:
    """Return the options that had an effect and a value on their axis, each as a number of its distribution."""
    active = space.active(values)
    known = {**space.reference, **values}
    return {
        axis.name: _to_param(axis, known[axis.name])
        for axis in space.dimensions
        if axis.name in active and axis.holds(known[axis.name])
    }


def to_values(space: Space, params: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values for numbers of all distributions."""
    return {
        axis.name: axis.choices[params[axis.name]] if _is_categorical(axis) else axis.from_unit(params[axis.name])
        for axis in space.dimensions
    }


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Optuna from writing to the terminal, which belongs to the progress display."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _is_categorical(axis: Dimension) -> bool:
    """Return whether the values have no order; a list of numbers has one and is searched along it."""
    return any(isinstance(choice, bool | str) for choice in axis.choices)


def _to_param(axis: Dimension, value: Value) -> float:
    return axis.choices.index(value) if _is_categorical(axis) else axis.to_unit(value)
