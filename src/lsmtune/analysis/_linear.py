"""Linear algebra of the analysis of variance: type II tests with a robust covariance, and their bootstrap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.analysis._multiplicity import log10_f_tail
from lsmtune.analysis._terms import BoolArray, FloatArray, Term

_MOST_LEVERAGE = 0.99


@dataclass(frozen=True)
class TypeTwo:
    """The type II test of a term.

    Attributes:
        term: what is tested.
        f: Wald F with the HC3 covariance.
        df: columns of the term, and residual degrees of freedom of the model it is tested in.
        log10_p: decimal logarithm of the p-value.
        sum_sq: sum of squares that the term adds to the model of all terms that do not contain it.
        gvif: generalized variance inflation factor.
        basis: orthonormal, shape (n, df[0]); spans what the term adds, so ``sum_sq = |basis' y|^2``.
        lone: configurations that (almost) alone determine a coefficient of the term.
    """

    term: Term
    f: float
    df: tuple[int, int]
    log10_p: float
    sum_sq: float
    gvif: float
    basis: FloatArray
    lone: int

    def lost_by_chance(self, n: int) -> float:
        """Factor of at least 1 by which `sum_sq` of an effect is too small for n configurations drawn at random.

        Terms that have nothing to do with each other correlate by chance, and what they share counts for none of
        them: with c other columns, a share of c / (n - 1) of the sum of squares on average. A balanced layout loses
        nothing, so the factor is at most the inflation that there is.
        """
        others = n - 1 - self.df[1] - self.df[0]
        return min(float(self.gvif ** (1 / self.df[0])), (n - 1) / (n - 1 - others))

    @property
    def inflation(self) -> float:
        """Root of `gvif` that compares over df: by how much intervals are wider than without the other terms."""
        return float(self.gvif ** (1 / (2 * self.df[0])))


@dataclass(frozen=True)
class Effect:
    """An omega squared with its bootstrap interval; below 0 means no sign of an effect, print it as 0."""

    value: float
    low: float
    high: float


class LinearFit:
    """Least squares of a response on a constant and terms whose columns are independent."""

    def __init__(self, terms: Sequence[Term], response: FloatArray) -> None:
        matrix = np.column_stack([np.ones(len(response)), *(term.matrix for term in terms)])
        ends = 1 + np.cumsum([0, *(term.df for term in terms)])
        self._places = {term.name: slice(ends[place], ends[place + 1]) for place, term in enumerate(terms)}
        scaled = matrix / np.linalg.norm(matrix, axis=0)
        self.terms, self.response = tuple(terms), response
        self._q, upper = np.linalg.qr(scaled)
        # Columns dual to those of the model: each is orthogonal to all others of the model.
        self._duals = np.asarray(scipy.linalg.solve_triangular(upper, self._q.T).T)
        self._centred = scaled - scaled.mean(axis=0)
        self.fitted: FloatArray = self._q @ (self._q.T @ response)
        self.residuals: FloatArray = response - self.fitted
        self.leverage: FloatArray = np.minimum((self._q**2).sum(axis=1), 1.0)
        self.df_residual: int = matrix.shape[0] - matrix.shape[1]

    @property
    def mean_sq(self) -> float:
        """Mean square of the residuals."""
        return float(self.residuals @ self.residuals) / self.df_residual

    @property
    def lone(self) -> BoolArray:
        """Configurations of leverage near 1, shape (n,): the model follows them wherever they are."""
        return np.asarray(self.leverage > _MOST_LEVERAGE)

    @cached_property
    def variances(self) -> FloatArray:
        """HC3's estimate of each configuration's own variance, shape (n,).

        e² / (1 - h)² (MacKinnon and White 1985, J. Econometrics 29). Where the leverage h is near 1 this is rounding
        noise over rounding noise; the common variance is put in its place.
        """
        own = (self.residuals / np.where(self.lone, 1.0, 1 - self.leverage)) ** 2
        # The floor keeps the covariance of a term invertible where the model happens to hit all its runs.
        return np.where(self.lone, self.mean_sq, np.maximum(own, 1e-12 * self.mean_sq))

    def residual_sq(self, responses: FloatArray) -> FloatArray:
        """Sums of squared residuals for responses of shape (n, m); result (m,)."""
        return np.asarray((responses**2).sum(axis=0) - ((self._q.T @ responses) ** 2).sum(axis=0))

    def test(self, term: Term) -> TypeTwo:
        """Test a term of this model against the model without it."""
        place = self._places[term.name]
        duals, own = self._duals[:, place], self._centred[:, place]
        basis = np.linalg.qr(duals)[0]
        score = basis.T @ self.response
        covariance = basis.T @ (basis * self.variances[:, None])
        f = float(score @ np.linalg.solve(covariance, score)) / term.df
        # Fox and Monette (1992), JASA 87: |R11| |R22| / |R|, where |R22| / |R| is a block of the inverse.
        log_gvif = np.linalg.slogdet(own.T @ own)[1] + np.linalg.slogdet(duals.T @ duals)[1]
        df = (term.df, self.df_residual)
        gvif = float(np.exp(max(log_gvif, 0.0)))
        lone = int(np.count_nonzero(self.lone & ((basis**2).sum(axis=1) > 0.5)))
        return TypeTwo(term, f, df, log10_f_tail(f, *df), float(score @ score), gvif, basis, lone)

    def wild(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw responses as they could have come, shape (n, draws).

        Wild bootstrap (Wu 1986, Ann. Stat. 14): the fit plus each configuration's own residual, e / sqrt(1 - h), times
        a random number of mean 0 and variance 1. The design stays as it was run, and unequal variances stay where they
        are. The number is uniform: with the usual random sign all squares stay the same, so the residual variance, by
        which omega squared divides, would hardly vary, and intervals were too narrow (88 % in place of 95 %). To draw
        configurations themselves was rejected: of 200, a draw holds 126 different ones, and 100 columns fit those
        nearly without residual.
        """
        common = np.sqrt(self.mean_sq)
        own = np.where(self.lone, common, self.residuals / np.sqrt(np.where(self.lone, 1.0, 1 - self.leverage)))
        factors = rng.uniform(-(3**0.5), 3**0.5, size=(len(own), draws))
        return np.asarray(self.fitted[:, None] + own[:, None] * factors)


def type_two(full: LinearFit) -> tuple[TypeTwo, ...]:
    """Test each term of a model in the model without the interactions that contain it."""
    fits = {tuple(term.name for term in full.terms): full}
    tests = []
    for term in full.terms:
        kept = [other for other in full.terms if not set(term.factors) < set(other.factors)]
        names = tuple(other.name for other in kept)
        if names not in fits:
            fits[names] = LinearFit(kept, full.response)
        tests.append(fits[names].test(term))
    return tuple(tests)


def _omega_squared(
    test: TypeTwo, sum_sq: FloatArray, mean_sq: FloatArray, total_sq: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Return partial and overall omega squared, each of shape (m,), from sums of squares of shape (m,).

    Partial: (SS - df MS) / (SS + (n - df) MS); overall: (SS - df MS) / (SS_total + MS), with MS of the residuals
    (Olejnik and Algina 2003, Psychol. Methods 8; Kroes and Finley 2023, Psychol. Methods). SS - df MS, the sum of
    squares without its noise, is first made good for `TypeTwo.lost_by_chance`, which is 1 in the balanced layouts of
    these papers; without it, 100 columns on 200 runs would halve all effects.
    """
    excess = (sum_sq - test.df[0] * mean_sq) * test.lost_by_chance(n)
    return excess / (excess + n * mean_sq), excess / (total_sq + mean_sq)


def one_way_log10_p(term: Term, response: FloatArray) -> float:
    """Return log10 p of the plain F test of a term in a model of its own; 0 where there are too few configurations."""
    centred = response - response.mean()
    basis = np.linalg.qr(term.matrix - term.matrix.mean(axis=0))[0]
    total, explained = float(centred @ centred), float(((basis.T @ centred) ** 2).sum())
    df = len(response) - 1 - term.df
    if df < 1:
        return 0.0
    residual = max(total - explained, 1e-20 * total)
    return log10_f_tail(explained / term.df / (residual / df), term.df, df)


def effect_sizes(
    fit: LinearFit, tests: Sequence[TypeTwo], *, draws: int, seed: int, level: float
) -> Mapping[str, tuple[Effect, Effect]]:
    """Return partial and overall omega squared of each term by name, with intervals.

    Partial is the share of the variance that is left after all other terms, overall the share of all variance. Both
    are below 0 for about half of the terms without an effect.

    The intervals are percentiles of the wild bootstrap, moved by its estimate of bias (Efron and Tibshirani 1993, An
    Introduction to the Bootstrap, chapters 10 and 13): resampled noise adds to the sum of squares of every term what
    the noise of the data added already.

    Args:
        fit: of all terms.
        tests: of its terms.
        draws: of the bootstrap.
        seed: of the bootstrap.
        level: of the intervals.
    """
    drawn = np.column_stack([fit.response, fit.wild(draws, np.random.default_rng(seed))])
    drawn -= drawn.mean(axis=0)
    mean_sq, total_sq = fit.residual_sq(drawn) / fit.df_residual, (drawn**2).sum(axis=0)
    result = {}
    for test in tests:
        sum_sq = ((test.basis.T @ drawn) ** 2).sum(axis=0)
        partial, overall = _omega_squared(test, sum_sq, mean_sq, total_sq, len(drawn))
        result[test.term.name] = _effect(partial, level), _effect(overall, level)
    return result


def _effect(values: FloatArray, level: float) -> Effect:
    low, high = np.quantile(values[1:], [(1 - level) / 2, (1 + level) / 2]) - (values[1:].mean() - values[0])
    return Effect(float(values[0]), float(low), float(high))
