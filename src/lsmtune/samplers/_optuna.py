"""A space in Optuna's words: what the samplers that ask this library have in common."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from lsmtune.model import Value
from lsmtune.samplers._axes import is_categorical, places
from lsmtune.space import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution

SEED_LIMIT = 2**31
"""Seeds of the libraries are less than this."""


def distributions(space: Space) -> "dict[str, BaseDistribution]":
    """Return for each option the unit interval of its axis, or the numbers of its choices where these have no order."""
    numbers, interval = _shared_distributions()
    return {
        axis.name: numbers(range(len(axis.choices))) if is_categorical(axis) else interval(0.0, 1.0)
        for axis in space.dimensions
    }


@cache
def _shared_distributions() -> "tuple[type[CategoricalDistribution], type[FloatDistribution]]":
    """Return distributions of which a copy is the same object.

    Optuna copies each trial that it is told, with a distribution for each option: a third of the time of a proposal.
    Nothing changes a distribution after it is made.
    """
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    class _Numbers(CategoricalDistribution):
        def __deepcopy__(self, memo: dict[int, Any]) -> "_Numbers":
            return self

    class _Interval(FloatDistribution):
        def __deepcopy__(self, memo: dict[int, Any]) -> "_Interval":
            return self

    return _Numbers, _Interval


def to_params(space: Space, values: Mapping[str, Value]) -> dict[str, float]:
    """Return the options that had an effect and a value on their axis, each as a number of its distribution."""
    known = {**space.reference, **values}
    return {
        name: axis.choices.index(known[name]) if is_categorical(axis := space.by_name[name]) else place
        for name, place in places(space, values).items()
    }


def to_values(space: Space, params: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values for numbers of all distributions."""
    return {
        axis.name: axis.choices[params[axis.name]] if is_categorical(axis) else axis.from_unit(params[axis.name])
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
