"""Shapley values of single configurations: how much does each factor move the prediction for this one?"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsmtune.analysis._encoding import Encoder, FloatArray
from lsmtune.analysis._sample import IntArray, Sample, grouped_folds
from lsmtune.analysis._scores import Estimate, r_squared
from lsmtune.analysis._shadow_features import null_line
from lsmtune.analysis._threads import predict_with_one_thread, side_by_side
from lsmtune.errors import StatisticsError

_LEAVES = 128
"""TreeSHAP's time grows with the leaves times the square of the depth: trees grown to their ends take 10 times as
long at 2,000 runs and predict no better."""
_LEAST_LEAF = 2
_FOLDS = 5
_DRAWS = 1000


@dataclass(frozen=True)
class ShapleyImportance:
    """How far a factor moves predictions on average.

    Attributes:
        name: of the factor.
        size: mean absolute contribution, in the unit of the response (0.1 on logarithms: about 10 %), with the
            bootstrap interval over the explained runs.
    """

    name: str
    size: Estimate


@dataclass(frozen=True)
class Shapley:
    """Contributions of all factors to the predictions for some runs.

    Attributes:
        importances: in the order of the factors.
        rows: which runs of the sample are explained, shape (m,).
        contributions: shape (m, factors); a row and `base` add up to the prediction for that run.
        base: mean prediction over the runs that the forest learned from.
        predictions: of the forest for `rows`, shape (m,).
        r2: of the forest on held-out folds; it is smaller than the surrogate, so that this takes seconds.
        null: upper end of the larger shadow feature; None where there are no shadow features.
    """

    importances: tuple[ShapleyImportance, ...]
    rows: IntArray
    contributions: FloatArray
    base: float
    predictions: FloatArray
    r2: float
    null: float | None


def shapley_values(
    sample: Sample,
    *,
    seed: int,
    rows: IntArray | None = None,
    limit: int = 300,
    trees: int = 100,
) -> Shapley:
    """Explain the predictions of a small forest by the factors' Shapley values.

    TreeSHAP (Lundberg et al. 2020, Nature Mach. Intell. 2; path-dependent, library shap) on extremely randomised
    trees of 128 leaves. It has no derived features: their contribution could not be given to one factor. The
    contributions of all features of a factor (each category, each special value) are summed. Whether a factor is active
    is told by those that switch it, and theirs is the credit.

    Do not trust it more than `r2` allows, nor as a cause: contributions explain the model, and factors that vary
    together share them in the way the trees happened to split. The interval is over the explained runs only.

    Args:
        sample: what the forest learns from.
        seed: of the forest, its folds, the choice of runs and the bootstrap.
        rows: runs to explain; None takes all, or `limit` random ones.
        limit: largest number of random runs.
        trees: of the forest.

    Raises:
        StatisticsError: no runs are to be explained, there are too few configurations, or no factor varied.
    """
    rng = np.random.default_rng(seed)
    if rows is None:
        rows = np.sort(rng.permutation(len(sample))[:limit])
    if not len(rows):
        raise StatisticsError("there are no runs to explain; name at least one")
    encoder = Encoder.fit(sample.factors, sample.columns)
    # A factor's flag of being active is decided by the factors that switch it; as a feature it would take their credit.
    features = [name for name in encoder.names if name != f"{encoder.owner[name]} is active"]
    matrix = encoder.encode(sample.columns)[:, [encoder.names.index(name) for name in features]]
    forest = _forest(trees, seed).fit(matrix, sample.response)
    explainer = _explainer(forest)
    by_feature = np.asarray(explainer.shap_values(matrix[rows]), dtype=np.float64)
    names = [factor.name for factor in sample.factors]
    owners = np.array([[encoder.owner[feature] == name for name in names] for feature in features], dtype=float)
    contributions = by_feature @ owners
    importances = _importances(names, contributions, rng)
    return Shapley(
        importances=importances,
        rows=rows,
        contributions=contributions,
        base=float(np.ravel(explainer.expected_value)[0]),
        predictions=predict_with_one_thread(forest, matrix[rows]),
        r2=_held_out_r2(matrix, sample, trees, seed),
        null=null_line({importance.name: importance.size.high for importance in importances}),
    )


def _explainer(forest: Any) -> Any:
    # Importing shap imports its plots, which use what matplotlib is going to drop; nothing here draws.
    with warnings.catch_warnings(category=DeprecationWarning, action="ignore"):
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        from shap import TreeExplainer
    return TreeExplainer(forest)


def _forest(trees: int, seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(trees, max_leaf_nodes=_LEAVES, min_samples_leaf=_LEAST_LEAF, random_state=seed)


def _held_out_r2(matrix: FloatArray, sample: Sample, trees: int, seed: int) -> float:
    def predicted(rows: IntArray) -> FloatArray:
        rest = np.setdiff1d(np.arange(len(sample)), rows)
        forest = _forest(trees, seed).fit(matrix[rest], sample.response[rest])
        return predict_with_one_thread(forest, matrix[rows])

    folds = grouped_folds(sample.groups, _FOLDS, seed)
    predictions = np.empty(len(sample))
    predictions[np.concatenate(folds)] = np.concatenate(side_by_side(predicted, folds))
    return r_squared(sample.response, predictions)


def _importances(
    names: list[str], contributions: FloatArray, rng: np.random.Generator
) -> tuple[ShapleyImportance, ...]:
    sizes = np.abs(contributions)
    runs = len(sizes)
    drawn = rng.multinomial(runs, np.full(runs, 1 / runs), size=_DRAWS) @ sizes / runs
    return tuple(
        ShapleyImportance(name, Estimate.of(sizes[:, place].mean(), drawn[:, place]))
        for place, name in enumerate(names)
    )
