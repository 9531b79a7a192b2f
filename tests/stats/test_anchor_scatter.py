"""The scatter of anchors against the noise floor, on noise that is known."""

import math

import numpy as np
import pytest

from lsmtune.stats import fit_anchors, noise_floor, scatter_of


def _share_below(level: float, ratio: float, trend: float = 0.0, studies: int = 4000) -> float:
    """Share of studies with p below `level`: 5 first runs of noise 0.05, 8 anchors of `ratio` times that."""
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(studies):
        floor = noise_floor(np.exp(rng.normal(0.0, 0.05, 5)).tolist())
        logs = rng.normal(0.0, 0.05 * ratio, 8) + np.linspace(0.0, trend, 8)
        scatter = scatter_of(fit_anchors(range(8), np.exp(logs).tolist()), floor)
        hits += scatter is not None and scatter.p < level
    return hits / studies


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_unchanged_noise_is_called_larger_as_rarely_as_promised(level: float) -> None:
    assert _share_below(level, 1.0) == pytest.approx(level, abs=3 * math.sqrt(level * (1 - level) / 4000) + 0.1 * level)


def test_ten_times_the_noise_is_seen() -> None:
    assert _share_below(0.01, 10.0, studies=1000) > 0.95


def test_a_slow_drift_hardly_counts_as_scatter() -> None:
    assert _share_below(0.01, 1.0, trend=0.2, studies=1000) < 0.03


def test_the_variance_is_half_the_mean_squared_difference_of_neighbours() -> None:
    logs = [0.0, 0.1, 0.3, 0.2]  # differences 0.1, 0.2, -0.1
    scatter = scatter_of(fit_anchors(range(4), [math.exp(log) for log in logs]), noise_floor([1.0, 1.1, 0.9]))
    assert scatter is not None
    assert scatter.sd_log == pytest.approx(math.sqrt((0.01 + 0.04 + 0.01) / 3 / 2))
    assert scatter.base == pytest.approx(np.std(np.log([1.0, 1.1, 0.9]), ddof=1))


def test_two_anchors_do_not_tell_and_equal_ones_do_not_scatter() -> None:
    floor = noise_floor([1.0, 1.1])
    assert scatter_of(fit_anchors([1, 2], [1.0, 2.0]), floor) is None
    equal = scatter_of(fit_anchors([1, 2, 3], [2.0, 2.0, 2.0]), floor)
    assert equal is not None
    assert (equal.sd_log, equal.p) == (0.0, 1.0)


def test_any_scatter_is_beyond_a_floor_without_noise() -> None:
    scatter = scatter_of(fit_anchors([1, 2, 3], [1.0, 1.1, 1.0]), noise_floor([1.0, 1.0, 1.0]))
    assert scatter is not None
    assert scatter.p < 1e-6
