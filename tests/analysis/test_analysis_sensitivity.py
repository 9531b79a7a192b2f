"""Sobol indices of functions whose indices are known by theory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lsmtune.analysis._sample import Sample
from lsmtune.analysis._scores import Estimate
from lsmtune.analysis._sensitivity import share_of_data, sobol_indices
from lsmtune.analysis._shadow_features import SHADOW_NUMBER
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

FloatArray = npt.NDArray[np.float64]


class Formula:
    """A model that knows the truth."""

    def __init__(self, formula: Callable[..., FloatArray]) -> None:
        self._formula = formula

    def predict(self, columns: Any) -> FloatArray:
        return self._formula(**columns)


def even(low: float, high: float, seed: int, n: int = 4096) -> FloatArray:
    """Values spread evenly, in random order: their distribution is nearly that of a uniform variable."""
    return np.random.default_rng(seed).permutation(low + (high - low) * (np.arange(n) + 0.5) / n)


def sample_of(columns: dict[str, npt.NDArray[Any]], *factors: Factor, bundles: Any = ()) -> Sample:
    known = {factor.name: factor for factor in factors}
    n = len(next(iter(columns.values())))
    numbers = (known.get(name, Factor(name, Kind.FLOAT, "", 0.0, Change.ONLINE)) for name in columns)
    return Sample(tuple(numbers), bundles, columns, np.zeros(n), np.arange(n))


def test_indices_of_the_ishigami_function_are_found() -> None:
    sample = sample_of({name: even(-np.pi, np.pi, place) for place, name in enumerate("abc")})
    model = Formula(lambda a, b, c: 50 + np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a))
    found = sobol_indices(model, sample, seed=1, points=4096)
    variance = 7**2 / 8 + 0.1 * np.pi**4 / 5 + 0.1**2 * np.pi**8 / 18 + 0.5
    alone = [(0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2) / variance, 7**2 / 8 / variance, 0.0]
    together = 0.1**2 * np.pi**8 * (1 / 18 - 1 / 50) / variance
    assert found.variance == pytest.approx(variance, rel=0.03)
    assert [index.first.value for index in found.indices] == pytest.approx(alone, abs=0.03)
    assert [index.total.value for index in found.indices] == pytest.approx(
        [alone[0] + together, alone[1], together], abs=0.03
    )
    assert found["c"].interaction.value == pytest.approx(together, abs=0.05)
    assert found.pairs[0].players == ("a", "c")
    assert found.pairs[0].share.value == pytest.approx(together, abs=0.05)
    assert [pair.share.value for pair in found.pairs[1:]] == pytest.approx([0, 0], abs=0.05)


def test_indices_of_the_g_function_of_sobol_are_found_and_lie_in_their_intervals() -> None:
    weights = {"a": 0.0, "b": 1.0, "c": 4.5, "d": 9.0}
    sample = sample_of({name: even(0, 1, place) for place, name in enumerate(weights)})

    def formula(**columns: FloatArray) -> FloatArray:
        parts = [(abs(4 * columns[name] - 2) + weight) / (1 + weight) for name, weight in weights.items()]
        return np.asarray(np.prod(parts, axis=0))

    found = sobol_indices(Formula(formula), sample, seed=3, points=2048)
    single = {name: 1 / (3 * (1 + weight) ** 2) for name, weight in weights.items()}
    product = np.prod([1 + part for part in single.values()])
    for name, part in single.items():
        index = found[name]
        assert index.first.low <= part / (product - 1) <= index.first.high
        assert index.total.low <= part * product / (1 + part) / (product - 1) <= index.total.high
        assert index.first.high - index.first.low < 0.2


def test_an_additive_function_has_no_interactions() -> None:
    sample = sample_of({name: even(0, 1, place) for place, name in enumerate("ab")})
    found = sobol_indices(Formula(lambda a, b: 3 * a + 4 * b), sample, seed=0)
    assert found["a"].total.value == pytest.approx(9 / 25, abs=0.03)
    assert [index.interaction.value for index in found.indices] == pytest.approx([0, 0], abs=0.03)
    assert found.pairs[0].share.value == pytest.approx(0, abs=0.03)


def test_a_bundle_is_drawn_as_whole_runs() -> None:
    values = even(0, 1, 0)
    sample = sample_of({"a": values, "b": values.copy(), "c": even(0, 1, 2)}, bundles=(("a", "b"),))
    found = sobol_indices(Formula(lambda a, b, c: a - b + c), sample, seed=0)
    assert [index.player.name for index in found.indices] == ["a + b", "c"]
    assert found["a + b"].total.value == 0
    assert found["c"].first.value == pytest.approx(1, abs=0.02)


def test_a_conditional_factor_takes_only_values_from_runs_in_which_it_is_active() -> None:
    switch = np.arange(4096) % 2 == 0
    values = np.where(switch, even(0, 1, 0), 1e9)
    factors = (
        Factor("switch", Kind.BOOL, "", False, Change.ONLINE, choices=(False, True)),
        Factor("depth", Kind.FLOAT, "", 0.0, Change.ONLINE, conditions={"switch": (True,)}),
    )
    sample = sample_of({"switch": switch, "depth": values}, *factors)
    found = sobol_indices(Formula(lambda switch, depth: np.where(switch, depth, 0.5)), sample, seed=0)
    # Half of the draws have it active, there its variance is 1/12; the mean is 1/2 with the switch and without.
    assert found.variance == pytest.approx(1 / 24, rel=0.02)
    assert found["switch"].first.value == pytest.approx(0, abs=0.03)
    assert found["switch"].total.value == pytest.approx(0.5, abs=0.03)
    assert found["depth"].first.value == pytest.approx(0.5, abs=0.03)
    assert found["depth"].total.value == pytest.approx(1, abs=0.03)


def test_categories_are_drawn_as_often_as_they_were_observed() -> None:
    kinds = np.array(["x", "y", "y", "y"] * 1024, dtype=object)
    factor = Factor("kind", Kind.CHOICE, "", "x", Change.ONLINE, choices=("x", "y"))
    sample = sample_of({"kind": kinds, "a": even(0, 1, 1)}, factor)
    found = sobol_indices(Formula(lambda kind, a: np.where(kind == "x", 1.0, 0.0) + 0 * a), sample, seed=0)
    assert found.variance == pytest.approx(3 / 16, abs=0.002)
    assert found["kind"].total.value == pytest.approx(1, abs=0.01)


def test_the_shadow_features_draw_the_null_and_take_no_part_in_pairs() -> None:
    sample = sample_of({"a": even(0, 1, 0), SHADOW_NUMBER: even(0, 1, 1)})
    model = Formula(lambda **columns: columns["a"] + 0.1 * columns[SHADOW_NUMBER])
    found = sobol_indices(model, sample, seed=0)
    assert found.null == found[SHADOW_NUMBER].total.high
    assert 0.005 < found.null < 0.02
    assert found.pairs == ()


def test_a_share_of_the_data_is_smaller_by_the_accuracy_of_the_model() -> None:
    assert share_of_data(Estimate(0.5, 0.4, 0.6), 0.5) == Estimate(0.25, 0.2, 0.3)
    assert share_of_data(Estimate(0.5, 0.4, 0.6), -0.3) == Estimate(0.0, 0.0, 0.0)


def test_a_model_without_variance_is_refused() -> None:
    with pytest.raises(StatisticsError, match="predicts the same"):
        sobol_indices(Formula(lambda a: 0 * a + 0.1), sample_of({"a": even(0, 1, 0)}), seed=0)


def test_a_number_of_points_that_is_no_power_of_two_is_refused() -> None:
    with pytest.raises(StatisticsError, match="1000 base points are not a power of two"):
        sobol_indices(Formula(lambda a: a), sample_of({"a": even(0, 1, 0)}), seed=0, points=1000)
