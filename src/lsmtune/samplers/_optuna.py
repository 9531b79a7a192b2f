"""A space in Optuna's words: what the samplers that ask this library have in common."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsmtune.model import Value
from lsmtune.samplers._axes import is_categorical, places
from lsmtune.space import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

SEED_LIMIT = 2**31
"""Seeds of the libraries are less than this."""


def distributions(space: Space) -> "dict[str, BaseDistribution]":
    """Return for each option the unit interval of its axis, or the numbers of its choices where these have no order."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    return {
        axis.name: CategoricalDistribution(range(len(axis.choices)))
        if is_categorical(axis)
        else FloatDistribution(0.0, 1.0)
        for axis in space.dimensions
    }


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
