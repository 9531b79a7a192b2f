"""What a model of one indicator is learned from, and the models that each leave a part of it out."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._encoding import Columns, Derive, FloatArray, columns_of
from lsmtune.analysis._response import Response, complete
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._surrogate import Learner, Surrogate, fit_surrogate
from lsmtune.analysis._threads import side_by_side
from lsmtune.errors import StatisticsError
from lsmtune.space import Factor

IntArray: TypeAlias = npt.NDArray[np.intp]


class Predictor(Protocol):
    """What importance needs of a model."""

    def predict(self, columns: Columns) -> FloatArray:
        """Return predictions of shape (n,) for values of the factors, each of shape (n,)."""
        ...


@dataclass(frozen=True)
class Sample:
    """The factors and the response of the runs that have one.

    Attributes:
        factors: what varied.
        bundles: names of factors that a constraint ties together.
        columns: values of each factor by name, shape (n,).
        response: to be explained, finite, shape (n,); mostly the log ratio to the reference.
        groups: equal numbers for repeats of one configuration, shape (n,).
    """

    factors: tuple[Factor, ...]
    bundles: tuple[tuple[str, ...], ...]
    columns: Columns
    response: FloatArray
    groups: npt.NDArray[Any]

    @classmethod
    def of(cls, runs: Runs, answer: Response, *, seed: int, derive: Derive | None = None) -> "Sample":
        """Return the runs whose response is known or bounded; bounded ones are completed by a model.

        That model saw all runs, so what is measured on held-out folds is a little too good where many are completed.

        Args:
            runs: the runs to learn from, and no others.
            answer: their response, row by row.
            seed: of completing.
            derive: gives further features.

        Raises:
            StatisticsError: see `complete`.
        """
        usable = answer.known | answer.bounded
        part = runs.where(usable)
        columns = columns_of(part)
        target = complete(answer.where(usable), part.factors, columns, seed=seed, derive=derive)
        return cls(part.factors, part.bundles, columns, target, answer.groups[usable])

    def __post_init__(self) -> None:
        for name in [factor.name for factor in self.factors]:
            if len(self.columns[name]) != len(self):
                raise StatisticsError(
                    f'"{name}" has {len(self.columns[name])} values for {len(self)} responses; give one for each'
                )
        if len(self.groups) != len(self):
            raise StatisticsError(f"{len(self.groups)} groups for {len(self)} responses; give one for each")
        missing = int(np.count_nonzero(~np.isfinite(self.response)))
        if missing:
            raise StatisticsError(f"{missing} of {len(self)} responses are missing; leave these runs out")

    def __len__(self) -> int:
        return len(self.response)

    def columns_at(self, rows: IntArray) -> dict[str, npt.NDArray[Any]]:
        """Return the values of the factors in some rows."""
        return {factor.name: self.columns[factor.name][rows] for factor in self.factors}

    def factor(self, name: str) -> Factor:
        """Return a factor.

        Raises:
            StatisticsError: there is none of this name.
        """
        for factor in self.factors:
            if factor.name == name:
                return factor
        known = ", ".join(factor.name for factor in self.factors)
        raise StatisticsError(f'"{name}" did not vary; take one of {known}')


@dataclass(frozen=True)
class Folds:
    """Models that each saw all configurations but those of one fold.

    Attributes:
        sample: what they learned from.
        models: one for each fold.
        held_out: rows of each fold.
    """

    sample: Sample
    models: tuple[Predictor, ...]
    held_out: tuple[IntArray, ...]

    def predictions(self) -> FloatArray:
        """Return for each row the prediction of the model that did not see it, shape (n,)."""
        result = np.empty(len(self.sample))
        for model, rows in zip(self.models, self.held_out, strict=True):
            result[rows] = model.predict(self.sample.columns_at(rows))
        return result


def grouped_folds(groups: npt.NDArray[Any], folds: int, seed: int) -> tuple[IntArray, ...]:
    """Return the rows of each fold; repeats of one configuration are never parted.

    Raises:
        StatisticsError: there are fewer configurations than folds.
    """
    from sklearn.model_selection import GroupKFold

    configurations = len(np.unique(groups))
    if configurations < folds:
        raise StatisticsError(
            f"{folds} folds need at least {folds} configurations, but there are {configurations}; sample more"
        )
    splits = GroupKFold(folds, shuffle=True, random_state=seed).split(groups, groups=groups)
    return tuple(held_out for _, held_out in splits)


def fit_folds(
    sample: Sample, learner: Learner, *, seed: int, derive: Derive | None = None, trees: int = 100, folds: int = 5
) -> Folds:
    """Fit a model for each fold on the runs outside of it.

    Args:
        sample: what to learn from.
        learner: the kind of model.
        seed: of the folds and the models.
        derive: features from knowledge of the engine.
        trees: of each model. Fewer than for the best prediction: importance needs many predictions, and beyond 100
            trees they change little.
        folds: number of parts.

    Raises:
        StatisticsError: there are fewer configurations than folds.
    """
    held_out = grouped_folds(sample.groups, folds, seed)

    def fitted(number: int) -> Surrogate:
        rest = np.setdiff1d(np.arange(len(sample)), held_out[number])
        columns, response = sample.columns_at(rest), sample.response[rest]
        return fit_surrogate(learner, sample.factors, columns, response, seed=seed + number, derive=derive, trees=trees)

    return Folds(sample, tuple(side_by_side(fitted, range(folds))), held_out)
