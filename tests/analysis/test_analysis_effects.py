"""Effect curves of formulas are the formulas."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy

from lsmtune.analysis._effects import CurveMethod, effect_curve
from lsmtune.analysis._sample import Folds, Sample
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

FloatArray = npt.NDArray[np.float64]
N = 400


class Formula:
    """A model that knows the truth."""

    def __init__(self, formula: Callable[..., FloatArray]) -> None:
        self._formula = formula

    def predict(self, columns: Any) -> FloatArray:
        return self._formula(**columns)


def number(name: str, reference: float = 0.5, **fields: Any) -> Factor:
    return Factor(name, Kind.FLOAT, "", reference, Change.ONLINE, **fields)


def folds_of(
    columns: dict[str, npt.NDArray[Any]],
    *formulas: Callable[..., FloatArray],
    factors: tuple[Factor, ...] = (),
    bundles: Any = (),
) -> Folds:
    """Five fold models that follow the formulas in turn."""
    known = {factor.name: factor for factor in factors}
    sample = Sample(
        tuple(known.get(name, number(name)) for name in columns), bundles, columns, np.zeros(N), np.arange(N)
    )
    models = tuple(Formula(formulas[place % len(formulas)]) for place in range(5))
    return Folds(sample, models, tuple(np.array_split(np.arange(N), 5)))


def uniform(seed: int) -> FloatArray:
    return np.random.default_rng(seed).random(N)


def test_the_curve_of_an_additive_factor_is_its_term_relative_to_the_reference() -> None:
    folds = folds_of({"a": uniform(0), "b": uniform(1)}, lambda a, b: a**2 + 5 * b)
    curve = effect_curve(folds, "a", seed=0)
    expected = np.exp(np.square(np.array(curve.values, dtype=float)) - 0.25)
    assert curve.method is CurveMethod.PARTIAL_DEPENDENCE
    assert len(curve.values) == 13
    assert curve.ratio[curve.values.index(0.5)] == pytest.approx(1)
    assert curve.values == tuple(sorted(curve.values))
    for line in (curve.ratio, curve.low, curve.high, curve.band_low, curve.band_high):
        assert line == pytest.approx(expected)
    assert sorted(curve.rug) == sorted(folds.sample.columns["a"])


def test_the_band_is_wide_where_the_effect_depends_on_another_factor() -> None:
    sign = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
    folds = folds_of({"a": uniform(0), "b": sign}, lambda a, b: a * b)
    curve = effect_curve(folds, "a", seed=0, rows=N)
    distance = abs(np.array(curve.values, dtype=float) - 0.5)
    assert curve.ratio == pytest.approx(np.ones(len(distance)))
    assert curve.band_high == pytest.approx(np.exp(distance))
    assert curve.band_low == pytest.approx(np.exp(-distance))


def test_the_interval_is_the_jackknife_over_the_fold_models() -> None:
    slopes = (1.0, 1.1, 0.8, 1.2, 0.9)
    folds = folds_of({"a": uniform(0)}, *(lambda a, slope=slope: slope * a for slope in slopes))
    curve = effect_curve(folds, "a", seed=0)
    distance = np.array(curve.values, dtype=float) - 0.5
    half = scipy.stats.t.ppf(0.975, 4) * math.sqrt(4 / 5 * (0.04 + 0.04 + 0.01 + 0.01)) * abs(distance)
    assert curve.ratio == pytest.approx(np.exp(distance))
    assert curve.high == pytest.approx(np.exp(distance + half))
    assert curve.low == pytest.approx(np.exp(distance - half))


def test_categories_come_in_the_order_of_their_choices() -> None:
    kinds = np.array(["snappy", "zstd"] * (N // 2), dtype=object)
    factor = Factor("kind", Kind.CHOICE, "", "snappy", Change.REBUILD, choices=("none", "zstd", "snappy"))
    folds = folds_of({"kind": kinds, "a": uniform(0)}, lambda kind, a: 2.0 * (kind == "zstd") + a, factors=(factor,))
    curve = effect_curve(folds, "kind", seed=0)
    assert curve.values == ("zstd", "snappy")
    assert curve.ratio == pytest.approx([math.exp(2), 1])


def test_special_values_stand_last_and_are_marked() -> None:
    bits = np.where(np.arange(N) % 4 == 0, -1, np.arange(N) % 3 + 5)
    factor = Factor("bits", Kind.INT, "", 6, Change.REBUILD, specials=(-1,))
    curve = effect_curve(folds_of({"bits": bits}, lambda bits: 0.1 * bits, factors=(factor,)), "bits", seed=0)
    assert curve.values == (5, 6, 7, -1)
    assert curve.special == (False, False, False, True)
    assert curve.ratio == pytest.approx(np.exp([-0.1, 0, 0.1, -0.7]))


def test_a_conditional_factor_is_looked_at_only_where_it_is_active() -> None:
    switch = np.arange(N) % 4 == 0
    factors = (
        Factor("switch", Kind.BOOL, "", False, Change.ONLINE, choices=(False, True)),
        number("depth", conditions={"switch": (True,)}),
    )
    depth = np.where(switch, uniform(0), 100.0)
    folds = folds_of(
        {"switch": switch, "depth": depth}, lambda switch, depth: np.where(switch, depth, 0.0), factors=factors
    )
    curve = effect_curve(folds, "depth", seed=0)
    assert len(curve.rug) == N // 4
    assert max(curve.rug) < 1
    assert curve.band_high == pytest.approx(np.exp(np.array(curve.values, dtype=float) - 0.5))


def test_a_tied_factor_is_never_moved_far_from_where_runs_were_made() -> None:
    low = uniform(0)
    high = low + 0.25
    folds = folds_of(
        {"low": low, "high": high},
        lambda low, high: 3 * low + 100.0 * (low > high),
        factors=(number("low", float(low[7])),),
        bundles=(("low", "high"),),
    )
    curve = effect_curve(folds, "low", seed=0)
    assert curve.tied
    assert curve.method is CurveMethod.ACCUMULATED
    assert curve.relative_to == low[7]
    assert curve.ratio == pytest.approx(np.exp(3 * (np.array(curve.values, dtype=float) - low[7])))
    assert np.isnan(curve.band_low).all()


def test_a_tied_factor_whose_reference_was_never_near_is_shown_relative_to_the_mean() -> None:
    low = uniform(0)
    folds = folds_of(
        {"low": low, "high": low + 0.1},
        lambda low, high: 3 * low,
        factors=(number("low", 7.0),),
        bundles=(("low", "high"),),
    )
    curve = effect_curve(folds, "low", seed=0, rows=N)
    assert curve.relative_to is None
    assert np.log(curve.ratio) == pytest.approx(3 * (np.array(curve.values, dtype=float) - low.mean()))


def test_a_tied_bool_is_moved_between_its_two_values() -> None:
    truths = np.arange(N) % 2 == 0
    factor = Factor("direct", Kind.BOOL, "", False, Change.ONLINE, choices=(False, True))
    folds = folds_of(
        {"direct": truths, "a": uniform(0)},
        lambda direct, a: 2.0 * direct + a,
        factors=(factor,),
        bundles=(("direct", "a"),),
    )
    curve = effect_curve(folds, "direct", seed=0)
    assert curve.tied
    assert curve.method is CurveMethod.PARTIAL_DEPENDENCE
    assert curve.ratio == pytest.approx([1, math.exp(2)])


def test_a_factor_that_never_varied_has_no_curve() -> None:
    with pytest.raises(StatisticsError, match='"a" has fewer than two values'):
        effect_curve(folds_of({"a": np.ones(N), "b": uniform(0)}, lambda a, b: b), "a", seed=0)


def test_a_factor_that_is_not_among_the_factors_is_refused() -> None:
    with pytest.raises(StatisticsError, match='"z" did not vary; take one of a'):
        effect_curve(folds_of({"a": uniform(0)}, lambda a: a), "z", seed=0)
