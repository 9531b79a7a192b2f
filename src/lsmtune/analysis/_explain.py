"""The steps of the analysis of one indicator; what fails is said, and the rest is still answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from lsmtune.analysis._accuracy import ceiling, judge, judging_rows, learning_curve
from lsmtune.analysis._anova import Anova
from lsmtune.analysis._choice import Choice, choose_learner, training_rows
from lsmtune.analysis._effects import EffectCurve, effect_curve
from lsmtune.analysis._encoding import Derive, FloatArray, columns_of
from lsmtune.analysis._false_alarms import importance_of_shadows
from lsmtune.analysis._findings import AnalysisPlan, Importance, IndicatorAnalysis, JudgedPoints, Trust
from lsmtune.analysis._impurity import impurity_importance
from lsmtune.analysis._joint import Outcome
from lsmtune.analysis._oneway import ClassicOneWay, classic_one_way
from lsmtune.analysis._permutation import Permutation, PermutationImportance, permutation_importance
from lsmtune.analysis._rank_agreement import ForestImportance, RankAgreement, agreement_words, compare_with_forest
from lsmtune.analysis._response import Response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._sample import Folds, Sample, fit_folds
from lsmtune.analysis._sensitivity import Sensitivity, sobol_indices
from lsmtune.analysis._shadow_features import SHADOWS, with_shadows
from lsmtune.analysis._shapley import shapley_values
from lsmtune.analysis._steps import Steps
from lsmtune.analysis._surrogate import fit_runs, fit_surrogate
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose

_T = TypeVar("_T")
_SHADOWS = 1
"""Sets the draws of the further shadow features apart from those of the tables."""


@dataclass(frozen=True)
class Task:
    """One indicator to be explained.

    Attributes:
        runs: all runs.
        answer: their response.
        plan: how much to compute.
        seed: of all randomness.
        derive: gives further features.
        steps: are told which one begins.
        place: of the indicator among all; each has shadow features of its own.
        pairs: of shadow features that are judged, that of the tables included.
    """

    runs: Runs
    answer: Response
    plan: AnalysisPlan
    seed: int
    derive: Derive | None
    steps: Steps
    place: int = 0
    pairs: int = 1


class Explainer:
    """Explains one indicator: first `model`, then with the analysis of variance of all indicators `finish`."""

    def __init__(self, task: Task) -> None:
        self._task, self._answer = task, task.answer
        self._missing: list[str] = []
        self._rows = training_rows(task.runs, task.answer)
        self._sample: Sample | None = None
        self._folds: Folds | None = None
        self._trust, self._importance = Trust(), Importance()

    def model(self) -> Outcome | None:
        """Fit and judge models, measure importance; return what the analysis of variance needs, None without it."""
        task = self._task
        self._tell("choosing a model")
        choice = self._attempt(
            lambda: choose_learner(
                task.runs, self._answer, seed=task.seed, derive=task.derive, learners=task.plan.learners
            )
        )
        self._trust = self._trusted(choice)
        self._sample = self._attempt(self._learned)
        if choice is not None and self._sample is not None:
            self._importance = self._measured(choice, self._sample)
        if self._sample is None:
            return None
        usable = self._rows & (self._answer.known | self._answer.bounded)
        return Outcome(self._answer.indicator, self._sample, self._answer.bounded[usable])

    def finish(self, table: Anova | None, failed: str) -> IndicatorAnalysis:
        """Return all that is known of the indicator.

        Args:
            table: its analysis of variance.
            failed: why there is none.
        """
        if failed:
            self._missing.append(failed)
        one_way = self._attempt(self._one_way) if self._task.plan.one_way else ()
        agreement = self._rank_agreement(table)
        found = IndicatorAnalysis(
            indicator=self._answer.indicator,
            known=int(self._answer.known.sum()),
            bounded=int(self._answer.bounded.sum()),
            trust=self._trust,
            importance=self._importance,
            anova=table,
            agreement=agreement,
            agreement_words=agreement_words(agreement, table) if agreement is not None and table is not None else "",
            one_way=one_way or (),
        )
        curves = self._curves(found.matters)
        warnings = (*self._answer.warnings, *self._own_warnings(), *(table.warnings if table is not None else ()))
        return replace(found, curves=curves, warnings=warnings, missing=tuple(dict.fromkeys(self._missing)))

    def _trusted(self, choice: Choice | None) -> Trust:
        """Judge the model on runs that it has not seen, against what noise leaves to be reached."""
        task = self._task
        known = Trust(training=int(self._rows.sum()))
        if choice is None:
            return known
        known = replace(known, learner=choice.learner, wins=choice.wins, cross_validated=choice.accuracy)
        if (task.runs.frame["purpose"] == str(Purpose.TEST)).any():
            known = self._on_tests(choice, known)
        else:
            self._missing.append("there are no test runs, so accuracy is that of cross-validation only")
        predictions = choice.predictions if known.points is None else self._at_tests(known.points.predicted)
        found = self._attempt(lambda: ceiling(task.runs, self._answer, predictions, seed=task.seed))
        if found is None:
            return known
        top, share = found
        if share is None:
            self._missing.append("the ceiling is too uncertain to divide R² by; repeat more configurations")
        return replace(known, ceiling=top, share=share)

    def _at_tests(self, predicted: FloatArray) -> FloatArray:
        """Return predictions of the known test points at their places among all runs, nan elsewhere."""
        everywhere = np.full(len(self._answer), np.nan)
        everywhere[judging_rows(self._task.runs, self._answer) & self._answer.known] = predicted
        return everywhere

    def _on_tests(self, choice: Choice, known: Trust) -> Trust:
        task, answer = self._task, self._answer
        self._tell("judging it on the test runs")
        rows = judging_rows(task.runs, answer)
        model = fit_runs(
            choice.learner, task.runs.where(self._rows), answer.where(self._rows), seed=task.seed, derive=task.derive
        )
        test = self._attempt(lambda: judge(model, task.runs, answer, seed=task.seed))
        if test is None:
            return known
        rows &= answer.known
        points = JudgedPoints(answer.log_ratio[rows], model.predict(columns_of(task.runs.where(rows))))
        curve = self._attempt(
            lambda: learning_curve(
                task.plan.sizes, task.runs, answer, choice.learner, seed=task.seed, derive=task.derive
            )
        )
        return replace(known, test=test, points=points, curve=curve or ())

    def _learned(self) -> Sample:
        """Return the runs that importance is learned from, with shadow features."""
        task = self._task
        runs = with_shadows(task.runs, (task.seed, task.place)).where(self._rows)
        return Sample.of(runs, self._answer.where(self._rows), seed=task.seed, derive=task.derive)

    def _measured(self, choice: Choice, sample: Sample) -> Importance:
        task, plan, seed = self._task, self._task.plan, self._task.seed
        self._tell("importance by permutation")
        fit = partial(fit_folds, learner=choice.learner, seed=seed, derive=task.derive)
        folds = self._folds = self._attempt(lambda: fit(sample, trees=plan.trees))
        permutation = None
        if folds is not None:
            permutation = self._attempt(lambda: permutation_importance(folds, seed=seed, draws=plan.draws))
        shadows = self._further_shadows(sample, fit)
        self._tell("Sobol indices")
        model = fit_surrogate(
            choice.learner,
            sample.factors,
            sample.columns,
            sample.response,
            seed=seed,
            derive=task.derive,
            trees=plan.trees,
        )
        sensitivity = self._attempt(lambda: sobol_indices(model, sample, seed=seed, points=plan.points))
        self._tell("Shapley values")
        few = plan.trees // 2  # TreeSHAP takes longer than anything else, and mean sizes settle early
        shapley = self._attempt(lambda: shapley_values(sample, seed=seed, limit=plan.explained, trees=few))
        raw, runs = self._raw(), task.runs.where(self._rows)
        impurity = self._attempt(lambda: impurity_importance(runs.factors, columns_of(runs), raw))
        return Importance(permutation, sensitivity, shapley, impurity, shadows)

    def _further_shadows(self, sample: Sample, fit: Callable[..., Folds]) -> tuple[PermutationImportance, ...]:
        """Judge shadow features in models of their own; none where the factors have no models."""
        task, plan = self._task, self._task.plan
        if self._folds is None:
            return ()
        self._tell("importance of shadow features")
        smaller = partial(fit, trees=plan.trees // 2)
        seed = task.seed, task.place, _SHADOWS
        return (
            self._attempt(lambda: importance_of_shadows(sample, task.pairs - 1, smaller, seed=seed, draws=plan.draws))
            or ()
        )

    def _raw(self) -> FloatArray:
        """Return the indicator as measured in the runs that are learned from, nan where they did not finish."""
        runs = self._task.runs.where(self._rows)
        return np.where(runs.counting(self._answer.indicator), runs.indicator(self._answer.indicator), np.nan)

    def _one_way(self) -> tuple[ClassicOneWay, ...]:
        runs = self._task.runs.where(self._rows)
        return classic_one_way(runs.factors, columns_of(runs), self._raw())

    def _rank_agreement(self, table: Anova | None) -> RankAgreement | None:
        permutation = self._importance.permutation
        if table is None or permutation is None:
            return None
        forest, sobol = _forest_of(permutation), _sobol_of(self._importance.sensitivity)
        return self._attempt(lambda: compare_with_forest(table, forest, sobol))

    def _curves(self, matters: tuple[str, ...]) -> tuple[EffectCurve, ...]:
        """Draw the factors that matter, of a bundle its members, the strongest first."""
        folds, plan, permutation = self._folds, self._task.plan, self._importance.permutation
        if folds is None or permutation is None:
            return ()
        self._tell("effect curves")
        members = {one.player.name: one.player.members for one in permutation.importances}
        names = dict.fromkeys(member for name in matters for member in members[name])
        draw = partial(effect_curve, folds, seed=self._task.seed)
        found = (self._attempt(partial(draw, name)) for name in list(names)[: plan.curves])
        return tuple(curve for curve in found if curve is not None)

    def _own_warnings(self) -> tuple[str, ...]:
        trials = int((self._task.runs.frame["purpose"][self._rows] == str(Purpose.TRIAL)).sum())
        if not trials:
            return ()
        total = int(self._rows.sum())
        return (
            f"{trials} of {total} runs are trials of a sampler: they crowd where it looked, and findings hold there",
        )

    def _attempt(self, compute: Callable[[], _T]) -> _T | None:
        """Return what `compute` returns; where the numbers do not suffice, keep the reason and return None."""
        try:
            return compute()
        except StatisticsError as error:
            self._missing.append(str(error))
            return None

    def _tell(self, what: str) -> None:
        self._task.steps.begin(what, self._answer.indicator, self._task.place)


def _forest_of(permutation: Permutation) -> Mapping[str, ForestImportance]:
    """Return the verdicts on single factors; shadow features are no part of the comparison."""
    return {
        one.player.name: ForestImportance(one.loss.value, one.loss.low, one.loss.high, one.matters)
        for one in permutation.importances
        if not one.player.is_bundle and one.player.name not in SHADOWS
    }


def _sobol_of(sensitivity: Sensitivity | None) -> Mapping[str, tuple[float, float]]:
    indices = sensitivity.indices if sensitivity is not None else ()
    return {index.player.name: (index.first.value, index.total.value) for index in indices}
