"""Choice of the learner by nested, grouped cross-validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._encoding import BoolArray, Columns, Derive, FloatArray, columns_of
from lsmtune.analysis._response import LEAST_RUNS, Response, complete
from lsmtune.analysis._runs import Runs, require
from lsmtune.analysis._sample import grouped_folds
from lsmtune.analysis._scores import Accuracy, grade
from lsmtune.analysis._surrogate import Learner, Surrogate, fit_surrogate
from lsmtune.analysis._threads import side_by_side
from lsmtune.model import Purpose
from lsmtune.space import Factor

_OUTER_FOLDS = 5
_INNER_FOLDS = 3
_INNER_ALL = 400
"""Up to this many rows all inner folds are tried, beyond only the first."""
_INNER_ROWS = 450
_OUTER_TREES = 100
_INNER_TREES = 60


@dataclass(frozen=True)
class Choice:
    """The learner that suits the runs, and how well it does on runs that it has not seen; made by `choose_learner`.

    Attributes:
        learner: the one with the least mean squared error over all inner choices.
        wins: how often each learner was chosen in an outer fold.
        predictions: of the log ratio by models that did not see the run, shape (repeats, n); nan for runs that
            were not learned from.
        accuracy: of these predictions. It includes the price of choosing the learner.
    """

    learner: Learner
    wins: Mapping[Learner, int]
    predictions: FloatArray
    accuracy: Accuracy


def training_rows(runs: Runs, answer: Response) -> BoolArray:
    """Return where a model may learn from, shape (n,): design points and trials with a known or bounded response."""
    purposes = [str(Purpose.SAMPLE), str(Purpose.TRIAL)]
    return runs.frame["purpose"].isin(purposes).to_numpy(dtype=bool) & (answer.known | answer.bounded)


def choose_learner(
    runs: Runs,
    answer: Response,
    *,
    seed: int,
    derive: Derive | None = None,
    repeats: int = 1,
    learners: Sequence[Learner] = tuple(Learner),
) -> Choice:
    """Choose a learner by nested cross-validation and judge the whole procedure (Varma and Simon 2006).

    In each of 5 outer folds an inner cross-validation on the other four picks the learner that predicts the fold.
    Runs of one effective configuration stay in one fold. Bounded runs are completed anew in each fold, from its
    training runs alone. To save time the inner folds use at most 450 rows and small forests, and beyond 400 rows
    a single split, so with thousands of runs the choice leans towards what suits hundreds.

    Args:
        runs: all runs; learned from are those of `training_rows`.
        answer: their response.
        seed: of all randomness.
        derive: gives further features.
        repeats: how often the outer folds are drawn anew.
        learners: to choose from; a single one needs no inner folds.

    Raises:
        StatisticsError: fewer than 20 runs are known, or they are of fewer than 5 configurations.
    """
    rows = training_rows(runs, answer)
    require(runs.where(rows & answer.known), LEAST_RUNS, f'modelling "{answer.indicator}"')
    task = _Task(runs.factors, columns_of(runs.where(rows)), answer.where(rows), derive)

    def judged(part: tuple[int, npt.NDArray[np.intp]]) -> tuple[list[float], FloatArray]:
        repeat, held_out = part
        train = _others(held_out, len(task.answer))
        rest = task.completed(train, seed)
        errors = _inner_losses(rest, learners, seed + repeat)
        model = rest.fit(_best(learners, errors), np.arange(len(train)), _OUTER_TREES, seed + repeat)
        return errors, model.predict(_take(task.columns, held_out))

    folds = [
        (repeat, held_out)
        for repeat in range(repeats)
        for held_out in grouped_folds(task.answer.groups, _OUTER_FOLDS, seed + repeat)
    ]
    predictions = np.full((repeats, len(task.answer)), np.nan)
    losses: list[list[float]] = []
    for (repeat, held_out), (errors, predicted) in zip(folds, side_by_side(judged, folds), strict=True):
        losses.append(errors)
        predictions[repeat, held_out] = predicted
    everywhere = np.full((repeats, len(runs)), np.nan)
    everywhere[:, rows] = predictions
    chosen = [_best(learners, errors) for errors in losses]
    wins = {learner: chosen.count(learner) for learner in learners}
    accuracy = grade(task.answer, predictions, seed=seed)
    return Choice(_best(learners, np.mean(losses, axis=0)), wins, everywhere, accuracy)


@dataclass(frozen=True)
class _Task:
    """What is learned from: rows with a known or bounded response."""

    factors: Sequence[Factor]
    columns: Columns
    answer: Response
    derive: Derive | None
    target: FloatArray | None = None

    def completed(self, rows: npt.NDArray[np.intp], seed: int) -> "_Task":
        """Return some of the rows, with a target for each, from these rows alone."""
        columns, answer = _take(self.columns, rows), self.answer.where(rows)
        target = complete(answer, self.factors, columns, seed=seed, derive=self.derive)
        return replace(self, columns=columns, answer=answer, target=target)

    def fit(self, learner: Learner, rows: npt.NDArray[np.intp], trees: int, seed: int) -> Surrogate:
        assert self.target is not None
        columns = _take(self.columns, rows)
        return fit_surrogate(
            learner, self.factors, columns, self.target[rows], seed=seed, derive=self.derive, trees=trees
        )


def _best(learners: Sequence[Learner], losses: npt.ArrayLike) -> Learner:
    return learners[int(np.argmin(losses))]


def _inner_losses(task: _Task, learners: Sequence[Learner], seed: int) -> list[float]:
    """Return the mean squared error of each learner on the known among held-out rows."""
    if len(learners) == 1:
        return [0.0]
    n = len(task.answer)
    some = np.random.default_rng(seed).permutation(n)[:_INNER_ROWS]
    folds = grouped_folds(task.answer.groups[some], _INNER_FOLDS, seed)
    errors: dict[Learner, list[FloatArray]] = {learner: [] for learner in learners}
    for held_out in folds if n <= _INNER_ALL else folds[:1]:
        train, rows = _others(held_out, len(some)), some[held_out]
        rows = rows[task.answer.known[rows]]
        for learner, found in errors.items():
            model = task.fit(learner, some[train], _INNER_TREES, seed)
            found.append((task.answer.log_ratio[rows] - model.predict(_take(task.columns, rows))) ** 2)
    return [float(np.mean(np.concatenate(found))) for found in errors.values()]


def _others(rows: npt.NDArray[np.intp], n: int) -> npt.NDArray[np.intp]:
    return np.setdiff1d(np.arange(n), rows)


def _take(columns: Columns, rows: npt.NDArray[np.intp]) -> Columns:
    return {name: values[rows] for name, values in columns.items()}
