"""Anchors: correction of drift without adding the noise of the anchors."""

import math

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import fit_anchors

POSITIONS = np.arange(0, 101, 5.0)
TRIALS = np.array([i for i in range(100) if i % 5], dtype=float)


def errors_of(drift: np.ndarray, noise: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """Mean squared error of the reference level at the trials: shrunk, plainly interpolated, constant."""
    anchors = np.interp(POSITIONS, np.arange(101), drift) + rng.normal(0, noise, POSITIONS.size)
    fitted = fit_anchors(POSITIONS.tolist(), np.exp(anchors).tolist())
    truth = np.interp(TRIALS, np.arange(101), drift)
    shrunk = np.array([fitted.log_reference_at(order) for order in TRIALS])
    plain = np.interp(TRIALS, POSITIONS, anchors)
    return (
        float(np.mean((shrunk - truth) ** 2)),
        float(np.mean((plain - truth) ** 2)),
        float(np.mean((anchors.mean() - truth) ** 2)),
    )


def test_without_drift_the_correction_adds_far_less_noise_than_plain_interpolation() -> None:
    rng = np.random.default_rng(1)
    shrunk, plain, _ = np.mean([errors_of(np.zeros(101), 0.05, rng) for _ in range(200)], axis=0)
    assert shrunk < 0.4 * plain


@pytest.mark.parametrize("shape", ["ramp", "wave", "step"])
def test_strong_drift_loses_at_least_80_percent_of_its_variance(shape: str) -> None:
    place = np.linspace(0, 1, 101)
    drift = {"ramp": 0.3 * place, "wave": 0.15 * np.sin(2 * np.pi * place), "step": 0.3 * (place > 0.52)}[shape]
    rng = np.random.default_rng(2)
    shrunk, _, constant = np.mean([errors_of(drift, 0.02, rng) for _ in range(50)], axis=0)
    assert shrunk < 0.2 * constant


def test_a_pure_ramp_is_nearly_all_drift_and_its_size_is_reported() -> None:
    anchors = fit_anchors(POSITIONS.tolist(), np.exp(0.01 * POSITIONS).tolist())
    assert anchors.drift_share is not None
    assert anchors.drift_share > 0.97
    assert anchors.drift_total == pytest.approx(math.exp(0.7 * anchors.drift_share))  # thirds of 7, 14 places apart


def test_alternating_anchors_are_all_noise() -> None:
    anchors = fit_anchors(range(6), [1.0, 2.0] * 3)
    assert anchors.drift_share == 0
    assert anchors.drift_total == 1
    assert anchors.log_reference_at(2.5) == pytest.approx(math.log(2) / 2)


def test_one_or_two_anchors_give_a_constant_level_and_tell_nothing_about_drift() -> None:
    one, two = fit_anchors([3], [2.0]), fit_anchors([0, 9], [1.0, 4.0])
    assert [one.log_reference_at(order) for order in (0, 3, 99)] == [pytest.approx(math.log(2))] * 3
    assert [two.log_reference_at(order) for order in (0, 9)] == [pytest.approx(math.log(2))] * 2
    assert (one.n, two.n) == (1, 2)
    assert one.drift_share is two.drift_share is None
    assert one.drift_total is two.drift_total is None


def test_equal_anchors_show_no_drift() -> None:
    anchors = fit_anchors([0, 5, 10], [0.3, 0.3, 0.3])
    assert (anchors.drift_share, anchors.drift_total) == (0, 1)


def test_anchors_may_come_in_any_order_and_hold_their_level_outside() -> None:
    rising = fit_anchors([0, 5, 10, 15], [1.0, 1.1, 1.3, 1.4])
    assert fit_anchors([10, 0, 15, 5], [1.3, 1.0, 1.4, 1.1]) == rising
    assert rising.log_reference_at(-7) == rising.log_reference_at(0)
    assert rising.log_reference_at(99) == rising.log_reference_at(15) > rising.log_reference_at(12)


def test_unusable_anchors_are_refused() -> None:
    with pytest.raises(StatisticsError, match="at least 1"):
        fit_anchors([], [])
    with pytest.raises(StatisticsError, match="2 anchor positions do not fit 1"):
        fit_anchors([1, 2], [1.0])
    with pytest.raises(StatisticsError, match="two anchors stand at position 1"):
        fit_anchors([1, 1], [1.0, 2.0])
    with pytest.raises(StatisticsError, match="value 1 of 1 is 0"):
        fit_anchors([1], [0.0])
    with pytest.raises(StatisticsError, match="position nan"):
        fit_anchors([1], [1.0]).log_reference_at(math.nan)
