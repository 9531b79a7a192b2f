"""Factors as numbers: the features that a model sees."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._runs import Runs
from lsmtune.errors import StatisticsError
from lsmtune.model import Value
from lsmtune.space import Factor, Kind

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Values of each factor by its name, each of shape (n,)."""

Derive: TypeAlias = Callable[[Columns], Mapping[str, FloatArray]]
"""Features computed from knowledge of the engine, by name, each of shape (n,).

It is given the reference value of a factor wherever the factor has no effect."""


def columns_of(runs: Runs) -> Columns:
    """Return the values of all factors of a table of runs."""
    return {factor.name: runs.values(factor.name) for factor in runs.factors}


def active(factors: Sequence[Factor], columns: Columns) -> Mapping[str, BoolArray]:
    """Return where each factor has an effect, by name, each of shape (n,).

    A condition holds only where the factor that it names has an effect itself. A condition on something that is not
    among the columns did not vary and is taken as met.

    Raises:
        StatisticsError: a factor has no column.
    """
    own = {factor.name: _conditions_hold(factor, columns) for factor in factors}
    acting = own
    for _ in factors:  # a chain of conditions is not longer than the list
        before = acting
        acting = {
            factor.name: np.logical_and.reduce(
                [own[factor.name], *(before[name] for name in factor.conditions if name in before)]
            )
            for factor in factors
        }
        if all(np.array_equal(acting[name], before[name]) for name in acting):
            break
    return acting


def varying(factors: Sequence[Factor], columns: Columns) -> tuple[Factor, ...]:
    """Return the factors that take at least two values where they have an effect.

    Raises:
        StatisticsError: a factor has no column.
    """
    acting = active(factors, columns)
    return tuple(factor for factor in factors if _differ(columns[factor.name][acting[factor.name]]))


class _Feature(NamedTuple):
    name: str
    owner: str
    values: FloatArray


@dataclass(frozen=True)
class _Axis:
    """How the values of a factor become numbers.

    Attributes:
        factor: the factor.
        choices: the values of a choice.
        floor: least ordinary value above 0; on a logarithmic axis, others count as at least this.
        centre: median of the ordinary values, on the axis.
    """

    factor: Factor
    choices: tuple[Value, ...] = ()
    floor: float = 1.0
    centre: float = 0.0

    @classmethod
    def learn(cls, factor: Factor, values: npt.NDArray[Any]) -> "_Axis":
        """Learn the axis from the values of the factor where it has an effect."""
        if factor.is_category:
            return cls(factor, factor.choices or tuple(sorted(set(values.tolist()), key=str)))
        ordinary = np.asarray(values[~_among(values, factor.specials)], dtype=np.float64)
        positive = ordinary[ordinary > 0]
        axis = cls(factor, floor=float(positive.min()) if positive.size else 1.0)
        return replace(axis, centre=float(np.median(axis.numbers(ordinary)))) if ordinary.size else axis

    def numbers(self, values: npt.NDArray[Any]) -> FloatArray:
        """Return the places of values on the axis: base-2 logarithms where the range is logarithmic."""
        numbers = np.asarray(values, dtype=np.float64)
        return np.log2(np.maximum(numbers, self.floor)) if self.factor.log else numbers

    def features(self, values: npt.NDArray[Any]) -> Iterator[_Feature]:
        """Return the features of the factor."""
        name = self.factor.name
        if self.factor.kind is Kind.BOOL:
            yield _Feature(name, name, values.astype(bool).astype(np.float64))
            return
        alone = self.choices if self.factor.is_category else self.factor.specials
        for value in alone:
            yield _Feature(f"{name} = {value}", name, _among(values, (value,)).astype(np.float64))
        if not self.factor.is_category:
            yield _Feature(name, name, np.where(_among(values, alone), self.centre, self.numbers(values)))


@dataclass(frozen=True)
class Encoder:
    """Turns values of factors into a matrix of features; made by `Encoder.fit`.

    A range gives one column, on a logarithmic axis the base-2 logarithm. A bool gives one column of 0 and 1, a choice
    one for each value. A special value gives a column of its own and puts the number at the median of the ordinary
    ones, as it has no place in their order. Where the conditions of a factor are not met it takes its reference value,
    and a column ``"NAME is active"`` is 0. Derived features follow as they are. Whatever did not vary has no column.

    Attributes:
        names: of the features, in the order of the columns of the matrix.
        owner: feature -> factor; derived features have none.
        factors: what is encoded, also factors that gave no feature.
        derive: gives the derived features.
        axes: how each factor is encoded, in the order of `factors`.
    """

    names: tuple[str, ...]
    owner: Mapping[str, str]
    factors: tuple[Factor, ...]
    derive: Derive | None
    axes: tuple[_Axis, ...]

    @classmethod
    def fit(cls, factors: Sequence[Factor], columns: Columns, derive: Derive | None = None) -> "Encoder":
        """Learn the features from the values of some runs.

        Args:
            factors: what to encode.
            columns: their values; more columns are passed on to `derive`.
            derive: gives further features.

        Raises:
            StatisticsError: a factor has no column, no factor varied, or two features have one name.
        """
        acting = active(factors, columns)
        axes = tuple(_Axis.learn(factor, columns[factor.name][acting[factor.name]]) for factor in factors)
        whole = cls((), {}, tuple(factors), derive, axes)
        varied = {factor.name for factor in varying(factors, columns)} | {""}
        if len(varied) == 1:
            raise StatisticsError(f"none of the {len(factors)} options varied over the runs; sample a wider space")
        features = list(whole._features(columns))
        names = [feature.name for feature in features]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise StatisticsError(f'two features are called "{twice}"; rename the derived one')
        kept = [feature for feature in features if feature.owner in varied and _differ(feature.values)]
        owner = {feature.name: feature.owner for feature in kept if feature.owner}
        return replace(whole, names=tuple(feature.name for feature in kept), owner=owner)

    def encode(self, columns: Columns) -> FloatArray:
        """Return the features of some values, shape (n, len(names)).

        Raises:
            StatisticsError: a factor has no column, or a feature is not a finite number.
        """
        features = {feature.name: feature.values for feature in self._features(columns)}
        matrix = np.column_stack([features[name] for name in self.names])
        bad = ~np.isfinite(matrix)
        if bad.any():
            place = int(np.flatnonzero(bad.any(axis=0))[0])
            raise StatisticsError(
                f'feature "{self.names[place]}" is not a finite number in {bad[:, place].sum()} of {len(matrix)} rows; '
                "leave these runs or this feature out"
            )
        return matrix

    def _features(self, columns: Columns) -> Iterator[_Feature]:
        acting = active(self.factors, columns)
        settled = dict(columns)
        for factor in self.factors:
            if factor.conditions:
                settled[factor.name] = np.where(acting[factor.name], columns[factor.name], np.array(factor.reference))
        for axis in self.axes:
            name = axis.factor.name
            yield from axis.features(settled[name])
            if axis.factor.conditions:
                yield _Feature(f"{name} is active", name, acting[name].astype(np.float64))
        if self.derive is not None:
            for name, values in self.derive(settled).items():
                yield _Feature(name, "", np.asarray(values, dtype=np.float64))


def _conditions_hold(factor: Factor, columns: Columns) -> BoolArray:
    if factor.name not in columns:
        raise StatisticsError(f'the table has no values of "{factor.name}"; add them, or leave the factor out')
    met = np.ones(len(columns[factor.name]), dtype=bool)
    for name, values in factor.conditions.items():
        if name in columns:
            met &= _among(columns[name], values)
    return met


def _among(column: npt.NDArray[Any], values: Sequence[Value]) -> BoolArray:
    hits = np.zeros(len(column), dtype=bool)
    for value in values:
        hits |= np.asarray(column == value, dtype=bool)
    return hits


def _differ(values: npt.NDArray[Any]) -> bool:
    return len(values) > 0 and bool(np.any(values != values[0]))
