"""The forest of Jin et al. (2022), and its ranking of options by mean decrease in impurity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._encoding import Columns, FloatArray
from lsmtune.analysis._players import sort_key
from lsmtune.analysis._scores import r_squared
from lsmtune.analysis._threads import side_by_side
from lsmtune.errors import StatisticsError
from lsmtune.space import Factor

_LEAST = 10
_TEST_SHARE = 0.2


@dataclass(frozen=True)
class Spread:
    """A number over several random splits: the middle one and the ends."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: FloatArray) -> "Spread":
        """Summarise the values of all splits."""
        return cls(float(np.median(values)), float(values.min()), float(values.max()))


@dataclass(frozen=True)
class ImpurityImportance:
    """Mean decrease in impurity of a factor.

    Attributes:
        name: of the factor.
        value: share of the forest's decrease of variance on its training runs; all factors add up to 1.
        rank: 1 for the largest.
    """

    name: str
    value: Spread
    rank: Spread


@dataclass(frozen=True)
class Impurity:
    """The paper's forest over several random splits.

    Attributes:
        importances: the largest median first.
        r2_train, r2_test: on the runs it learned from, and on those it did not see.
        n: runs with a response.
        trees: of a forest.
        seeds: one for each split and forest.
        points: observed and predicted response of each test run of the first split, as measured.
    """

    importances: tuple[ImpurityImportance, ...]
    r2_train: Spread
    r2_test: Spread
    n: int
    trees: int
    seeds: tuple[int, ...]
    points: tuple[tuple[float, float], ...] = ()


def impurity_importance(
    factors: Sequence[Factor],
    columns: Columns,
    response: FloatArray,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    trees: int = 100,
) -> Impurity:
    """Fit random forests as Jin et al. (2022) did and rank the factors by mean decrease in impurity.

    scikit-learn's forest with its defaults on raw values: categories as whole numbers in the order of their choices,
    no logarithms, 8:2 split of the runs (Breiman 2001; R² is their Eq. 1). The paper gives one split; here the spread
    over several is shown, because one split of a noisy response moves R² and the ranks below the first few.

    Do not trust it for more than the first ranks: impurity is measured on the training runs, so it gives every factor a
    share, more to numbers than to bools (Strobl et al. 2007, BMC Bioinformatics 8). It is here to repeat the paper.

    Args:
        factors: what varied.
        columns: values of each factor by name, shape (n,).
        response: the indicator as measured, shape (n,); runs where it is nan are left out.
        seeds: one for each split and forest.
        trees: of a forest.

    Raises:
        StatisticsError: fewer than 10 runs have a response, or it is constant, or there is no seed.
    """
    known = np.isfinite(response)
    _check(response[known], seeds)
    matrix = np.column_stack([_codes(factor, columns[factor.name])[known] for factor in factors])
    fits = side_by_side(lambda seed: _fit(matrix, response[known], seed, trees), seeds)
    values = np.array([fit.importances for fit in fits])
    # Equal importances, such as the zeros of factors that never varied, share a rank.
    ranks = 1.0 + (values[:, None, :] > values[:, :, None]).sum(axis=2)
    importances = [
        ImpurityImportance(factor.name, Spread.of(values[:, place]), Spread.of(ranks[:, place]))
        for place, factor in enumerate(factors)
    ]
    return Impurity(
        importances=tuple(sorted(importances, key=lambda importance: -importance.value.median)),
        r2_train=Spread.of(np.array([fit.r2_train for fit in fits])),
        r2_test=Spread.of(np.array([fit.r2_test for fit in fits])),
        n=int(known.sum()),
        trees=trees,
        seeds=tuple(seeds),
        points=tuple(zip(fits[0].observed.tolist(), fits[0].predicted.tolist(), strict=True)),
    )


def _check(response: FloatArray, seeds: Sequence[int]) -> None:
    if not seeds:
        raise StatisticsError("the forest needs at least one seed; give some")
    if len(response) < _LEAST:
        raise StatisticsError(f"a forest needs at least {_LEAST} runs, but {len(response)} have a value; sample more")
    if np.ptp(response) == 0:
        raise StatisticsError(
            f"all {len(response)} responses are equal, so no factor can matter; look at the indicator"
        )


@dataclass(frozen=True)
class _Forest:
    """What a forest on one split says: its importances, its R², and what it predicts of the test runs."""

    importances: FloatArray
    r2_train: float
    r2_test: float
    observed: FloatArray
    predicted: FloatArray


def _fit(matrix: FloatArray, response: FloatArray, seed: int, trees: int) -> _Forest:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(response)), test_size=_TEST_SHARE, random_state=seed)
    forest = RandomForestRegressor(n_estimators=trees, random_state=seed).fit(matrix[train], response[train])
    observed, predicted = response[test], forest.predict(matrix[test])
    r2_train = r_squared(response[train], forest.predict(matrix[train]))
    return _Forest(forest.feature_importances_, r2_train, r_squared(observed, predicted), observed, predicted)


def _codes(factor: Factor, values: npt.NDArray[Any]) -> FloatArray:
    """Return numbers as they are, and categories as their place among the choices."""
    if factor.is_category and factor.choices:
        places = {choice: float(place) for place, choice in enumerate(factor.choices)}
        return np.array([places.get(value, float(len(places))) for value in values.tolist()])
    return sort_key(factor, values)
