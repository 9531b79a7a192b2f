"""Analysis of variance: which factors matter in a joint model, by how much, and how sure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lsmtune.analysis._encoding import active
from lsmtune.analysis._joint import AnovaPlan, Joint, Outcome, fit_joint
from lsmtune.analysis._linear import Effect, TypeTwo, effect_sizes
from lsmtune.analysis._multiplicity import PValue, adjusted
from lsmtune.analysis._oneway import GroupMean, OneWay, group_means, kruskal_test, welch_test
from lsmtune.analysis._terms import Dropped, Shape, grouping
from lsmtune.errors import StatisticsError


@dataclass(frozen=True)
class Check:
    """A one-way test beside the joint model, with its p-value adjusted over all tests of its kind."""

    test: OneWay
    p: PValue


@dataclass(frozen=True)
class TermTest:
    """What the analysis says of a factor or an interaction.

    Attributes:
        term: name of the factor, or of two joined by ``" x "``.
        factors: names of the one or two factors.
        shape: how the term follows its factor.
        f: Wald F with the HC3 covariance, type II.
        df: of the term, and residual.
        p: of the F test, adjusted over all terms of all indicators.
        sum_sq: type II sum of squares of the log response.
        partial: omega squared, share of what is left after all other terms.
        overall: omega squared, share of all variance.
        inflation: GVIF^(1 / 2 df): by how much other terms widen its intervals; 1 is not at all.
        means: of the groups of the factor; none for an interaction.
        welch: check; None for an interaction, or where it cannot be done.
        kruskal: check, likewise.
    """

    term: str
    factors: tuple[str, ...]
    shape: Shape
    f: float
    df: tuple[int, int]
    p: PValue
    sum_sq: float
    partial: Effect
    overall: Effect
    inflation: float
    means: tuple[GroupMean, ...]
    welch: Check | None
    kruskal: Check | None


@dataclass(frozen=True)
class Flip:
    """A term whose verdict hangs on imputed runs.

    Attributes:
        term: its name.
        p_all: with imputed runs.
        p_observed: without; None where the term cannot be tested without them.
    """

    term: str
    p_all: PValue
    p_observed: PValue | None


@dataclass(frozen=True)
class Anova:
    """The analysis of variance of one indicator.

    Attributes:
        indicator: its name.
        runs: all runs.
        n: configurations; repeats are averaged, as they say nothing new of options.
        imputed: configurations with an imputed run.
        columns: of the joint model, with the constant.
        r2: of the joint model on the runs it was fitted to, adjusted for its columns; None without a model.
        tests: of the terms in the order of the factors, then interactions; empty where no analysis was possible.
        dropped: terms that the model could not hold.
        left_out: factors without a place in the model because there are too few runs.
        flips: terms whose verdict changes when imputed configurations are left out.
        warnings: in words.
    """

    indicator: str
    runs: int
    n: int
    imputed: int
    columns: int
    r2: float | None
    tests: tuple[TermTest, ...]
    dropped: tuple[Dropped, ...]
    left_out: tuple[str, ...]
    flips: tuple[Flip, ...]
    warnings: tuple[str, ...]

    def __getitem__(self, term: str) -> TermTest:
        """Return the test of the term of this name."""
        return next(test for test in self.tests if test.term == term)


def anova(outcomes: Sequence[Outcome], plan: AnovaPlan | None = None) -> tuple[Anova, ...]:
    """Analyse the variance of one or more indicators.

    Each factor is a term of one linear model of the log response, tested by type II: what it adds to all terms that
    do not contain it. Tests are Wald F with the HC3 covariance (MacKinnon and White 1985, J. Econometrics 29; Long and
    Ervin 2000, Am. Stat. 54, advise it below 250 runs), so variances may differ. Holm and Benjamini-Hochberg adjust
    over all terms of all `outcomes` together; each kind of one-way check is a family of its own. Effect sizes are
    omega squared, with wild bootstrap intervals over configurations.

    Do not trust a verdict "no effect" where `TermTest.inflation` is high (tied factors hide each other), nor any where
    the model fits badly. With fewer than about 5 configurations a column HC3 is over-cautious: with 30 numbers and 200
    configurations 1 % of null terms come out below .05, and weak effects are missed. The intervals of omega squared
    hold the design fixed; with fewer than 5 configurations a column they cover the truth in about 9 of 10 cases.

    Args:
        outcomes: the indicators.
        plan: how to analyse.

    Returns:
        In the order of `outcomes`. One that cannot be analysed has no tests and a warning that says why.

    Raises:
        StatisticsError: no outcome can be analysed (the reason of the first is given), or an interaction names a
            factor that did not vary.
    """
    plan = plan or AnovaPlan()
    for outcome in outcomes:
        for name in {name for pair in plan.interactions for name in pair}:
            outcome.sample.factor(name)
    configurations = [outcome.configurations() for outcome in outcomes]
    models = [_attempt(rows, plan) for rows in configurations]
    if not any(isinstance(model, Joint) for model in models):
        raise StatisticsError(str(models[0]) if models else "there is no indicator to analyse; name at least one")
    observed = [_without_imputed(rows, model, plan) for rows, model in zip(configurations, models, strict=True)]
    verdicts, on_observed = _verdicts(models), _verdicts(observed)
    tests = _tests(models, verdicts, plan)
    tables = []
    for place, (outcome, rows, model) in enumerate(zip(outcomes, configurations, models, strict=True)):
        counts = len(outcome.sample), len(rows.sample), int(rows.imputed.sum())
        if isinstance(model, str):
            tables.append(Anova(outcome.indicator, *counts, 0, None, (), (), (), (), (model,)))
            continue
        r2 = 1 - model.fit.mean_sq / float(rows.sample.response.var(ddof=1))
        flips, warnings = _flips(verdicts[place], observed[place], on_observed[place])
        left = model.dropped, model.left_out
        said = flips, (*model.warnings, *warnings)
        tables.append(Anova(outcome.indicator, *counts, model.columns, r2, tests[place], *left, *said))
    return tuple(tables)


def p_values(outcomes: Sequence[Outcome], plan: AnovaPlan) -> Sequence[Mapping[str, PValue]]:
    """Return the tests alone, of each outcome by name of the term; none of one that cannot be analysed."""
    return _verdicts([_attempt(outcome.configurations(), plan) for outcome in outcomes])


def _attempt(rows: Outcome, plan: AnovaPlan) -> Joint | str:
    """Return the model, or why there is none: one indicator that fails leaves the others as they are."""
    try:
        return fit_joint(rows, plan)
    except StatisticsError as error:
        return str(error)


def _without_imputed(rows: Outcome, model: Joint | str, plan: AnovaPlan) -> Joint | str:
    """Return the same model without the imputed configurations, where there are any."""
    if isinstance(model, str) or not rows.imputed.any():
        return model
    return _attempt(rows.observed(), replace(plan, curve_df=model.curve_df))


def _family(logs: Sequence[Mapping[str, float]], untested: int = 0) -> list[Mapping[str, PValue]]:
    """Adjust the tests of all indicators, each by name of its term, as one family."""
    values = iter(adjusted([log10_p for of_one in logs for log10_p in of_one.values()], untested))
    return [{name: next(values) for name in of_one} for of_one in logs]


def _verdicts(models: Sequence[Joint | str]) -> list[Mapping[str, PValue]]:
    logs = [
        {test.term.name: test.log10_p for test in model.tests} if isinstance(model, Joint) else {} for model in models
    ]
    return _family(logs, sum(len(model.left_out) for model in models if isinstance(model, Joint)))


class _Beside(NamedTuple):
    """What is said of a factor without the joint model."""

    means: tuple[GroupMean, ...]
    welch: OneWay | None
    kruskal: OneWay | None


def _beside(model: Joint, level: float) -> Mapping[str, _Beside]:
    sample = model.outcome.sample
    acting = active(sample.factors, sample.columns)
    tested = {test.term.name for test in model.tests}
    result = {}
    for factor in sample.factors:
        if factor.name in tested:
            groups = grouping(factor, sample.columns[factor.name], acting[factor.name])
            means = group_means(groups, sample.response, level)
            result[factor.name] = _Beside(
                means, welch_test(groups, sample.response), kruskal_test(groups, sample.response)
            )
    return result


def _tests(
    models: Sequence[Joint | str], verdicts: Sequence[Mapping[str, PValue]], plan: AnovaPlan
) -> list[tuple[TermTest, ...]]:
    """Put together what is known of each term of each indicator."""
    beside = [_beside(model, plan.level) if isinstance(model, Joint) else {} for model in models]
    welch = _family([{name: each.welch.log10_p for name, each in of.items() if each.welch} for of in beside])
    kruskal = _family([{name: each.kruskal.log10_p for name, each in of.items() if each.kruskal} for of in beside])
    result = []
    for place, model in enumerate(models):
        tests = []
        if isinstance(model, Joint):
            effects = effect_sizes(model.fit, model.tests, draws=plan.draws, seed=plan.seed, level=plan.level)
            for test in model.tests:
                name = test.term.name
                means, by_welch, by_kruskal = beside[place].get(name, _Beside((), None, None))
                checks = _check(by_welch, welch[place].get(name)), _check(by_kruskal, kruskal[place].get(name))
                tests.append(_term_test(test, verdicts[place][name], effects[name], means, checks))
        result.append(tuple(tests))
    return result


def _check(test: OneWay | None, p: PValue | None) -> Check | None:
    return Check(test, p) if test is not None and p is not None else None


def _term_test(
    test: TypeTwo,
    p: PValue,
    effects: tuple[Effect, Effect],
    means: tuple[GroupMean, ...],
    checks: tuple[Check | None, Check | None],
) -> TermTest:
    term = test.term
    tested = test.f, test.df, p, test.sum_sq
    return TermTest(term.name, term.factors, term.shape, *tested, *effects, test.inflation, means, *checks)


def _flips(
    verdicts: Mapping[str, PValue], observed: Joint | str, on_observed: Mapping[str, PValue]
) -> tuple[tuple[Flip, ...], tuple[str, ...]]:
    """Compare the verdicts with those without imputed configurations."""
    if isinstance(observed, str):
        return (), (f"the effect of imputed runs is not known: without them, {observed}",)
    flips = []
    for name, p in verdicts.items():
        other = on_observed.get(name)
        if p.significant != (other is not None and other.significant):
            flips.append(Flip(name, p, other))
    return tuple(flips), ()
