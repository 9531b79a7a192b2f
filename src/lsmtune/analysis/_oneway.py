"""One factor at a time: group means, Welch and Kruskal-Wallis as checks, and the F test as the paper did it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.analysis._multiplicity import log10_chi2_tail, log10_f_tail
from lsmtune.analysis._terms import FloatArray, Grouping, IntArray, Shape, grouping
from lsmtune.errors import StatisticsError
from lsmtune.space import Factor


@dataclass(frozen=True)
class GroupMean:
    """Geometric mean of a group as a ratio to that of all runs in which the factor has an effect.

    Attributes:
        label: the value, or the ends of the range of values.
        n: configurations.
        ratio: 1.10 is 10 % above the mean of all; of the indicator itself, whatever way is better.
        low, high: ends of the interval (Welch's, of the group against the rest); None for a group of one.
    """

    label: str
    n: int
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class OneWay:
    """A test of equal groups.

    Attributes:
        statistic: F of Welch, or H of Kruskal and Wallis.
        df: of F (two numbers) or of chi-square (one).
        log10_p: decimal logarithm of the p-value, not adjusted.
        n: configurations that took part.
    """

    statistic: float
    df: tuple[float, ...]
    log10_p: float
    n: int


@dataclass(frozen=True)
class RawMean:
    """Arithmetic mean of a group, in the unit of the indicator."""

    label: str
    n: int
    mean: float


@dataclass(frozen=True)
class ClassicOneWay:
    """The one-way F test of Jin et al. (2022): raw values, equal variances assumed, no correction for many tests.

    Attributes:
        factor: the one factor of the test; all others count as noise.
        shape: `Shape.LEVELS` where each value is a group, `Shape.BINS` for groups of equal size.
        f: mean square between groups over mean square within.
        df: between and within.
        log10_p: decimal logarithm of the p-value.
        means: of the groups.
        largest_difference: largest mean over the smallest, less 1: .617 is "+61.7 %"; nan where one is not positive.
    """

    factor: str
    shape: Shape
    f: float
    df: tuple[int, int]
    log10_p: float
    means: tuple[RawMean, ...]
    largest_difference: float


def group_means(groups: Grouping, logs: FloatArray, level: float) -> tuple[GroupMean, ...]:
    """Return the mean of each group against all.

    The difference of a group from all is a fixed share of its difference from the rest, so the interval is that of
    Welch (1947), Biometrika 34, for two groups.

    Args:
        groups: of the configurations; those at -1 are left out.
        logs: natural logarithm of the response, shape (n,).
        level: of the intervals.
    """
    inside = groups.index >= 0
    index, logs = groups.index[inside], logs[inside]
    result = []
    for number, label in enumerate(groups.labels):
        own, rest = logs[index == number], logs[index != number]
        centre = own.mean() - logs.mean()
        if min(len(own), len(rest)) < 2:
            result.append(GroupMean(label, len(own), math.exp(centre), None, None))
            continue
        parts = np.array([own.var(ddof=1) / len(own), rest.var(ddof=1) / len(rest)])
        error = math.sqrt(parts.sum())
        df = parts.sum() ** 2 / (parts**2 / [len(own) - 1, len(rest) - 1]).sum() if error > 0 else 1.0
        reach = float(scipy.special.stdtrit(df, (1 + level) / 2)) * error * len(rest) / len(logs)
        ends = math.exp(centre - reach), math.exp(centre + reach)
        result.append(GroupMean(label, len(own), math.exp(centre), *ends))
    return tuple(result)


def welch_test(groups: Grouping, logs: FloatArray) -> OneWay | None:
    """Test equal means without assuming equal variances (Welch 1951, Biometrika 38).

    Groups of fewer than 2 configurations are left out.

    Returns:
        None where fewer than two groups are left, or one does not vary at all.
    """
    from statsmodels.stats.oneway import anova_oneway

    parts = _parts(groups.index, logs, 2)
    if len(parts) < 2 or any(np.ptp(part) == 0 for part in parts):
        return None
    result = anova_oneway(parts, use_var="unequal")
    f, (df1, df2) = float(result.statistic), map(float, result.df)
    return OneWay(f, (df1, df2), log10_f_tail(f, df1, df2), sum(map(len, parts)))


def kruskal_test(groups: Grouping, values: FloatArray) -> OneWay | None:
    """Test whether the groups come from one distribution, on ranks (Kruskal and Wallis 1952, JASA 47).

    Returns:
        None where there are fewer than two groups, or all values are equal.
    """
    parts = _parts(groups.index, values, 1)
    if len(parts) < 2 or np.ptp(np.concatenate(parts)) == 0:
        return None
    statistic, df = float(scipy.stats.kruskal(*parts).statistic), float(len(parts) - 1)
    return OneWay(statistic, (df,), log10_chi2_tail(statistic, df), sum(map(len, parts)))


def classic_one_way(
    factors: Sequence[Factor], columns: Mapping[str, npt.NDArray[Any]], raw: FloatArray
) -> tuple[ClassicOneWay, ...]:
    """Test each factor alone with the equal-variance F test on raw values, as Jin et al. (2022) did.

    Kept to repeat the paper. Do not trust it otherwise: raw times are skewed and vary more where they are long, each
    test counts what all other factors do as noise, repeats count as independent, conditions are not looked at, and of
    30 tests one or two are below .05 by chance.

    Args:
        factors: what varied.
        columns: values of each factor by name, shape (n,).
        raw: the indicator in its unit, shape (n,), nan where a run has none; these runs are left out.

    Returns:
        For each factor with at least two groups, in the order of `factors`.

    Raises:
        StatisticsError: fewer than 3 runs have the indicator, or it is the same in all.
    """
    known = np.isfinite(raw)
    if known.sum() < 3 or np.ptp(raw[known]) == 0:
        raise StatisticsError(
            f"{known.sum()} of {len(raw)} runs have a value, and a one-way test needs 3 that differ; sample more"
        )
    everywhere = np.ones(int(known.sum()), dtype=np.bool_)
    tests = (
        _classic(factor.name, grouping(factor, columns[factor.name][known], everywhere), raw[known])
        for factor in factors
    )
    return tuple(test for test in tests if test is not None)


def raw_groups(factor: Factor, values: npt.NDArray[Any], raw: FloatArray) -> tuple[tuple[str, FloatArray], ...]:
    """Return the groups that `classic_one_way` compares: of each its label, and the indicator of its runs.

    Args:
        factor: what varied.
        values: of the factor, shape (n,).
        raw: the indicator in its unit, shape (n,), nan where a run has none; these runs are left out.
    """
    known = np.isfinite(raw)
    groups = grouping(factor, values[known], np.ones(int(known.sum()), dtype=np.bool_))
    return tuple(zip(groups.labels, _parts(groups.index, raw[known], 1), strict=True))


def _classic(name: str, groups: Grouping, raw: FloatArray) -> ClassicOneWay | None:
    parts = _parts(groups.index, raw, 1)
    df = len(parts) - 1, len(raw) - len(parts)
    if min(df) < 1 or all(np.ptp(part) == 0 for part in parts):
        return None
    f = float(scipy.stats.f_oneway(*parts).statistic)
    means = tuple(
        RawMean(label, len(part), float(part.mean())) for label, part in zip(groups.labels, parts, strict=True)
    )
    low, high = min(mean.mean for mean in means), max(mean.mean for mean in means)
    difference = high / low - 1 if low > 0 else math.nan
    return ClassicOneWay(name, groups.shape, f, df, log10_f_tail(f, *df), means, difference)


def _parts(index: IntArray, values: FloatArray, least: int) -> list[FloatArray]:
    parts = [values[index == number] for number in range(int(index.max(initial=-1)) + 1)]
    return [part for part in parts if len(part) >= least]
