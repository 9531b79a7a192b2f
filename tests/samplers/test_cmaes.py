"""Covariance matrix adaptation: generations, their mean, and spaces that are small."""

import numpy as np
import pytest

from lsmtune.samplers import CmaesSampler, Trial
from lsmtune.space import Dimension, Kind, Space


def _space(options: int) -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.999, low=0.0, high=1.0) for number in range(options))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _told(startup: int, points: list[list[float]], responses: list[float]) -> CmaesSampler:
    sampler = CmaesSampler(_space(len(points[0])), 1, startup)
    for point, response in zip(points, responses, strict=True):
        sampler.tell(Trial({f"x{number}": place for number, place in enumerate(point)}, response))
    return sampler


def _centre(sampler: CmaesSampler) -> list[float]:
    """Return the mean of many draws of the next proposal."""
    index = len(sampler.trials)
    draws = []
    for seed in range(400):
        again = CmaesSampler(sampler.space, seed, sampler.startup)
        for trial in sampler.trials:
            again.tell(trial)
        draws.append([float(value) for value in again.propose(index, 0).values()])
    return [float(place) for place in np.mean(draws, axis=0)]


def test_the_search_begins_at_the_best_of_the_first_trials() -> None:
    sampler = _told(3, [[0.2, 0.2], [0.6, 0.5], [0.9, 0.1]], [1.0, 0.0, 2.0])
    assert _centre(sampler) == pytest.approx([0.6, 0.5], abs=0.05)


def test_the_mean_moves_once_a_generation_is_complete_and_towards_its_better_half() -> None:
    start = [[0.5, 0.5]]
    generation = [[0.4, 0.5], [0.45, 0.6], [0.5, 0.4], [0.6, 0.5], [0.65, 0.5], [0.7, 0.5]]  # 4 + floor(3 ln 2) = 6
    responses = [0.0, *(point[0] for point in generation)]
    assert _centre(_told(1, start + generation[:5], responses[:6])) == pytest.approx([0.5, 0.5], abs=0.05)
    weights = np.log(4) - np.log([1, 2, 3])  # Hansen, 2016, eq. 49
    expected = weights @ np.array(generation[:3]) / weights.sum()
    assert _centre(_told(1, start + generation, responses)) == pytest.approx(expected.tolist(), abs=0.05)


def test_the_strategy_closes_in_on_the_best_point_of_a_bowl() -> None:
    space = _space(4)
    sampler = CmaesSampler(space, 2, 8)
    for _ in range(160):
        values = sampler.ask()
        point = space.to_unit(values)
        sampler.tell(Trial(values, float(((point - [0.3, 0.7, 0.2, 0.6]) ** 2).sum())))
    responses = [trial.response or 0.0 for trial in sampler.trials]
    assert np.median(responses[-30:]) < 0.1 * np.median(responses[:8])


def test_a_space_of_one_option_is_searched() -> None:
    sampler = CmaesSampler(_space(1), 3, 4)
    for _ in range(30):
        values = sampler.ask()
        sampler.tell(Trial(values, abs(float(values.get("x0", 0.999)) - 0.3)))
    assert min(trial.response or 0.0 for trial in sampler.trials) < 0.02
