"""An engine that is not there: recorded runs as a function from configurations to indicators, with their noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._encoding import BoolArray, Columns, FloatArray
from lsmtune.analysis._kernel import KernelRidge
from lsmtune.analysis._response import Response, response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._surrogate import Learner, MeanOfModels, Surrogate, fit_runs
from lsmtune.errors import StatisticsError
from lsmtune.extras import EXTRAS, need
from lsmtune.model import Purpose, Value
from lsmtune.space import Factor

_LEAST_REPEATS = 10
_LEAF = 3
"""Runs in a leaf, at least: one of a single run tells the noise of that run as if it were the engine's."""
_TREES = 300
_REFERENCES = (Purpose.BASELINE, Purpose.ANCHOR)


class WithinLearnt:
    """A regressor that predicts nothing below or above all values that it learnt from."""

    def __init__(self, model: KernelRidge) -> None:
        self._model = model
        self._range = (0.0, 0.0)

    def fit(self, matrix: FloatArray, response: FloatArray) -> "WithinLearnt":
        self._model.fit(matrix, response)
        self._range = (float(response.min()), float(response.max()))
        return self

    def predict(self, matrix: FloatArray) -> FloatArray:
        return np.clip(self._model.predict(matrix), *self._range)


@dataclass(frozen=True)
class Emulator:
    """Models of several indicators over recorded runs, as an engine with a known truth; made by `fit_emulator`.

    Its truth is a model's prediction: smoother than the engine's, and silent about what no run tried. It serves to
    compare samplers with each other (surrogate benchmarks: Eggensperger et al. 2015), never to claim a gain.

    Attributes:
        indicators: k names, in the order of all arrays.
        factors: what varied; a configuration names any of them, the others stand at their reference.
        surrogates: model of the log ratio to the reference, for each indicator.
        levels: the reference's own value by indicator, in its unit.
        residuals: by how much repeats of a configuration differed in the logarithm, shape (m, k); a row is one run,
            so that indicators that vary together do so here.
    """

    indicators: tuple[str, ...]
    factors: tuple[Factor, ...]
    surrogates: tuple[Surrogate, ...]
    levels: Mapping[str, float]
    residuals: FloatArray

    def log_ratios(self, configurations: Sequence[Mapping[str, Value]]) -> FloatArray:
        """Return the true log ratios to the reference, shape (n, k); those of the reference are 0."""
        columns = self._columns([*configurations, {}])
        predicted = np.column_stack([surrogate.predict(columns) for surrogate in self.surrogates])
        return np.asarray(predicted[:-1] - predicted[-1])

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return what one run adds to its log ratios, shape (k,): that of a recorded repeat."""
        return np.asarray(self.residuals[rng.integers(len(self.residuals))])

    def values(self, log_ratios: FloatArray) -> dict[str, float]:
        """Return the indicators of one run, in their units, from its log ratios of shape (k,)."""
        return {
            name: self.levels[name] * float(np.exp(ratio))
            for name, ratio in zip(self.indicators, log_ratios, strict=True)
        }

    def _columns(self, configurations: Sequence[Mapping[str, Value]]) -> Columns:
        return {
            factor.name: _array(factor, [values.get(factor.name, factor.reference) for values in configurations])
            for factor in self.factors
        }


def fit_emulator(runs: Runs, indicators: Sequence[str], *, seed: int = 0) -> Emulator:
    """Fit an emulator to all design points, test points and trials of some runs, and to their reference.

    Its models are the mean of extremely randomised trees and of a kernel ridge regression, which predicts unseen
    configurations better than either, and is not the model of one sampler alone. Leaves hold several runs, so that no
    run's noise is taken for the truth, and nothing lies beyond what was measured.

    Args:
        runs: recorded runs, with the reference among them.
        indicators: names.
        seed: of the models.

    Raises:
        UsageError: no run has one of the indicators.
        StatisticsError: an indicator cannot be modelled, or there are too few repeats to know the noise.
    """
    need("an emulator", *EXTRAS["analysis"])
    names = tuple(dict.fromkeys(indicators))
    answers = [response(runs, name) for name in names]
    design = ~runs.frame["purpose"].isin([str(purpose) for purpose in _REFERENCES]).to_numpy(dtype=bool)
    return Emulator(
        indicators=names,
        factors=runs.factors,
        surrogates=tuple(_surrogate(runs, answer, seed) for answer in answers),
        levels={name: _level(runs, name) for name in names},
        residuals=_residuals(answers, design),
    )


def _surrogate(runs: Runs, answer: Response, seed: int) -> Surrogate:
    """Fit the models of an indicator to all runs of which it is known or bounded."""
    from sklearn.ensemble import ExtraTreesRegressor

    models = MeanOfModels(
        ExtraTreesRegressor(_TREES, min_samples_leaf=_LEAF, random_state=seed),
        WithinLearnt(KernelRidge(seed)),
    )
    return fit_runs(Learner.BLEND, runs, answer, seed=seed, trees=_TREES, estimator=models)


def _level(runs: Runs, name: str) -> float:
    """Return the geometric mean of an indicator over the reference's runs."""
    reference = runs.frame["arm"].to_numpy() == runs.facts.reference
    values = runs.indicator(name)[reference & runs.counting(name)]
    known = values[np.isfinite(values) & (values > 0)]
    if not known.size:
        raise StatisticsError(f'no run of the reference has "{name}"; an emulator needs its level')
    return float(np.exp(np.log(known).mean()))


def _residuals(answers: Sequence[Response], design: BoolArray) -> FloatArray:
    """Return by how much repeats differ from the mean of their configuration; the reference's where others are few."""
    logs = np.column_stack([answer.log_ratio for answer in answers])
    known = np.isfinite(logs).all(axis=1)
    for rows in (known & design, known & ~design):
        deviations = _deviations(logs[rows], answers[0].groups[rows])
        if len(deviations) >= _LEAST_REPEATS:
            return deviations
    raise StatisticsError(
        f"fewer than {_LEAST_REPEATS} runs repeat a configuration, so the noise is not known; sample with replicates"
    )


def _deviations(logs: FloatArray, groups: npt.NDArray[np.int64]) -> FloatArray:
    found = []
    for group in np.unique(groups):
        repeats = logs[groups == group]
        if len(repeats) > 1:
            found.append((repeats - repeats.mean(axis=0)) * np.sqrt(len(repeats) / (len(repeats) - 1)))
    return np.concatenate(found) if found else np.empty((0, logs.shape[1]))


def _array(factor: Factor, values: Sequence[Value]) -> npt.NDArray[np.generic]:
    if factor.kind == "bool":
        return np.array(values, dtype=bool)
    return np.array(values, dtype=object if factor.is_category else np.float64)
