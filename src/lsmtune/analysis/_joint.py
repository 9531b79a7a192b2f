"""The joint linear model of one indicator: which terms it holds and their tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lsmtune.analysis._encoding import active
from lsmtune.analysis._linear import LinearFit, TypeTwo, one_way_log10_p, type_two
from lsmtune.analysis._sample import Sample
from lsmtune.analysis._terms import (
    MOST_LEVELS,
    BoolArray,
    Dropped,
    FloatArray,
    IntArray,
    Shape,
    Term,
    factor_term,
    independent_terms,
    interaction_term,
)
from lsmtune.errors import StatisticsError

SPARE_RUNS = 10
"""Configurations that a joint model needs beyond its number of columns."""
TIED_INFLATION = 5**0.5
"""Inflation above which terms count as entangled: for one column, a variance inflation factor of 5."""
_WELL_FED = 5
_HUNGRY = 3
_EXACT_FIT = 1e-20


@dataclass(frozen=True)
class Outcome:
    """What is analysed: one indicator over the runs.

    Attributes:
        indicator: its name.
        sample: factors and complete response.
        imputed: runs whose response was filled in because they were censored, shape (n,).
    """

    indicator: str
    sample: Sample
    imputed: BoolArray

    def __post_init__(self) -> None:
        if self.imputed.shape != (len(self.sample),):
            raise StatisticsError(
                f"{self.indicator}: {self.imputed.size} marks of imputed runs for {len(self.sample)} runs; give each"
            )

    def configurations(self) -> "Outcome":
        """Return one row a configuration, with the mean response of its repeats, in the order of first appearance.

        Repeats say nothing new of options. Counted as runs they would pass for evidence, and the reference, which is
        run again and again, would outweigh all others.
        """
        _, first, codes = np.unique(self.sample.groups, return_index=True, return_inverse=True)
        means = np.bincount(codes, self.sample.response) / np.bincount(codes)
        touched = np.bincount(codes, self.imputed) > 0
        order = np.argsort(first)
        return self._of(first[order], means[order], touched[order])

    def observed(self) -> "Outcome":
        """Return the rows that are not imputed."""
        rows = np.flatnonzero(~self.imputed)
        return self._of(rows, self.sample.response[rows], self.imputed[rows])

    def _of(self, rows: IntArray, response: FloatArray, imputed: BoolArray) -> "Outcome":
        sample = self.sample
        chosen = Sample(sample.factors, sample.bundles, sample.columns_at(rows), response, sample.groups[rows])
        return Outcome(self.indicator, chosen, imputed)


@dataclass(frozen=True)
class AnovaPlan:
    """How to analyse.

    Attributes:
        shape: of numbers with many values: `Shape.SPLINE` or `Shape.BINS`.
        curve_df: columns of such a number, 1 to 3; None takes 3, or 2 where that leaves fewer than 5 configurations a
            column: with 30 numbers and 200 configurations, 3 halve the power of the robust tests, and 1 misses a U.
        interactions: pairs of factors.
        top_interactions: how many pairs of the strongest factors to add to them.
        draws: of the bootstrap.
        seed: of the bootstrap.
        level: of the intervals.
    """

    shape: Shape = Shape.SPLINE
    curve_df: int | None = None
    interactions: tuple[tuple[str, str], ...] = ()
    top_interactions: int = 0
    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.shape not in (Shape.SPLINE, Shape.BINS):
            raise StatisticsError(f'a number can follow "spline" or "bins", not "{self.shape}"')
        if self.curve_df not in (None, 1, 2, MOST_LEVELS - 1):
            raise StatisticsError(f"a number can have 1, 2 or {MOST_LEVELS - 1} columns, not {self.curve_df}")
        if any(one == other for one, other in self.interactions):
            raise StatisticsError("a factor has no interaction with itself; name two factors")
        if self.top_interactions < 0 or self.draws < 20 or not 0 < self.level < 1:
            raise StatisticsError(
                f"{self.top_interactions} top interactions, {self.draws} draws, level {self.level:g}: "
                "give at least 0, at least 20, and a level between 0 and 1"
            )


@dataclass(frozen=True)
class Joint:
    """The joint model of one indicator.

    Attributes:
        outcome: one row a configuration.
        fit: of all terms.
        tests: in the order of the factors, then interactions.
        dropped: terms that the model could not hold.
        left_out: factors without a place because there are too few configurations.
        warnings: in words.
        curve_df: columns of a number with many values.
    """

    outcome: Outcome
    fit: LinearFit
    tests: tuple[TypeTwo, ...]
    dropped: tuple[Dropped, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]
    curve_df: int

    @property
    def columns(self) -> int:
        """Columns of the model, with the constant."""
        return len(self.outcome.sample) - self.fit.df_residual


def fit_joint(outcome: Outcome, plan: AnovaPlan) -> Joint:
    """Fit and test the joint model.

    Args:
        outcome: one row a configuration.
        plan: how to analyse.

    Raises:
        StatisticsError: the response or all factors are constant, there are too few configurations for even the
            strongest factor, or the model leaves no residual to test against.
    """
    sample = outcome.sample
    if len(sample) == 0 or not np.ptp(sample.response) > 0:
        raise StatisticsError(
            f"{outcome.indicator} is the same in all {len(sample)} configurations, so nothing can matter for it; "
            "look at how it is measured"
        )
    found, curve_df = _found(sample, plan)
    varied = [term for term in found if term.varies]
    if not varied:
        raise StatisticsError(f"none of the {len(found)} factors varied; sample a wider space")
    needed = sum(term.df for term in varied) + SPARE_RUNS + 2
    chosen, left_out = _strongest(varied, outcome)
    mains, _, _ = independent_terms(chosen)
    products, refused = _interactions(mains, outcome, plan)
    fixed = [term for term in found if not term.varies]
    terms, dropped, warnings = independent_terms([*fixed, *chosen, *products])
    fit = _fitted(terms, outcome)
    tests = type_two(fit)
    if left_out:
        names = ", ".join(term.name for term in mains)
        warning = (
            f"{len(sample)} configurations are too few for all factors, which need {needed}: the joint model holds the "
            f"{len(mains)} strongest one by one, {names}; chosen on the same runs, their p-values are too small"
        )
        warnings += (warning,)
    warnings += _fit_warnings(tests, fit, sample)
    return Joint(outcome, fit, tests, dropped + refused, left_out, warnings, curve_df)


def _found(sample: Sample, plan: AnovaPlan) -> tuple[list[Term], int]:
    """Return a term for each factor, and the columns that a number with many values has in them."""
    acting = active(sample.factors, sample.columns)
    for curve_df in (plan.curve_df,) if plan.curve_df else (3, 2):
        found = [
            factor_term(factor, sample.columns[factor.name], acting[factor.name], plan.shape, curve_df)
            for factor in sample.factors
        ]
        if len(sample) >= _WELL_FED * (1 + sum(term.df for term in found)):
            break
    return found, curve_df


def _fitted(terms: Sequence[Term], outcome: Outcome) -> LinearFit:
    response = outcome.sample.response
    fit = LinearFit(terms, response)
    if fit.mean_sq <= _EXACT_FIT * response.var():
        raise StatisticsError(
            f"the model explains {outcome.indicator} of all {len(response)} configurations exactly, so there is no "
            "noise to test against; leave out factors that restate the indicator"
        )
    return fit


def _strongest(terms: Sequence[Term], outcome: Outcome) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """Return the terms that the configurations suffice for, the strongest alone first, and the names of the others."""
    n = len(outcome.sample)
    room = n - SPARE_RUNS - 2
    if sum(term.df for term in terms) <= room:
        return tuple(terms), ()
    if room < min(term.df for term in terms):
        needed = min(term.df for term in terms) + SPARE_RUNS + 2
        raise StatisticsError(
            f"an analysis of variance of {outcome.indicator} needs at least {needed} configurations, and "
            f"{sum(term.df for term in terms) + SPARE_RUNS + 2} for all {len(terms)} factors, but there are {n}; "
            "sample more"
        )
    chosen: set[str] = set()
    for term in sorted(terms, key=lambda term: one_way_log10_p(term, outcome.sample.response)):
        if term.df <= room:
            chosen.add(term.name)
            room -= term.df
    left_out = tuple(term.name for term in terms if term.name not in chosen)
    return tuple(term for term in terms if term.name in chosen), left_out


def _interactions(
    mains: tuple[Term, ...], outcome: Outcome, plan: AnovaPlan
) -> tuple[tuple[Term, ...], tuple[Dropped, ...]]:
    """Return the terms of the wanted pairs for which there is room, and the others with the reason."""
    by_name = {term.name: term for term in mains}
    pairs = [*plan.interactions]
    if plan.top_interactions:
        asked = {frozenset(pair) for pair in pairs}
        pairs += [pair for pair in _top_pairs(mains, outcome, plan) if frozenset(pair) not in asked]
    room = len(outcome.sample) - SPARE_RUNS - 2 - sum(term.df for term in mains)
    terms, refused = [], []
    for one, other in pairs:
        if one not in by_name or other not in by_name:
            refused.append(Dropped(f"{one} x {other}", "one of its factors is not in the model"))
            continue
        term = interaction_term(by_name[one], by_name[other])
        if term.df > room:
            refused.append(Dropped(term.name, f"its {term.df} columns need {term.df - room} more configurations"))
            continue
        terms.append(term)
        room -= term.df
    return tuple(terms), tuple(refused)


def _top_pairs(mains: tuple[Term, ...], outcome: Outcome, plan: AnovaPlan) -> list[tuple[str, str]]:
    """Return the pairs with the largest products of main effects; a condition and what it switches are no pair.

    They are chosen by main effects only, of which interactions are nearly independent, so their tests stay honest.
    """
    fit = _fitted(mains, outcome)
    size = {test.term.name: max(test.sum_sq - test.df[0] * fit.mean_sq, 0.0) for test in type_two(fit)}
    switches = {frozenset((factor.name, name)) for factor in outcome.sample.factors for name in factor.conditions}
    pairs = [pair for pair in combinations(size, 2) if frozenset(pair) not in switches]
    return sorted(pairs, key=lambda pair: -size[pair[0]] * size[pair[1]])[: plan.top_interactions]


def _fit_warnings(tests: Sequence[TypeTwo], fit: LinearFit, sample: Sample) -> tuple[str, ...]:
    warnings = []
    columns = len(sample) - fit.df_residual
    if len(sample) < _HUNGRY * columns:
        warnings.append(f"{len(sample)} configurations for {columns} columns: robust tests miss weak effects")
    lone = [f'"{test.term.name}" ({test.lone})' for test in tests if test.lone]
    if lone:
        warnings.append(
            f"single configurations settle a level or an end of {', '.join(lone)}; there HC3 is not defined, and the "
            "common variance of all configurations is used"
        )
    tied = {test.term.name: test.inflation for test in tests if test.inflation > TIED_INFLATION}
    for bundle in sample.bundles:
        members = [name for name in bundle if name in tied]
        if members:
            inflated = ", ".join(f"{name} {tied.pop(name):.1f}x" for name in members)
            warnings.append(
                f"a constraint ties {', '.join(bundle)}: their effects are confounded (intervals wider: "
                f"{inflated}); a term that is not significant may still matter together with the others"
            )
    warnings += [
        f'"{name}" varies along with other terms (intervals {wider:.1f}x wider); not significant does not mean without '
        "effect"
        for name, wider in tied.items()
    ]
    return tuple(warnings)
