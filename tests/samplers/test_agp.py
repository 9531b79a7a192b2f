"""The additive process and the sampler that uses it: what they learn that others do not."""

from collections.abc import Mapping
from statistics import median

import numpy as np
import pytest

from lsmtune.errors import SamplerError
from lsmtune.model import Value
from lsmtune.samplers import SobolSampler, Trial, make_sampler
from lsmtune.samplers._additive import fit_additive
from lsmtune.samplers._agp import _used
from lsmtune.space import Dimension, Kind, Space

OPTIONS = 20


def test_a_process_knows_a_point_that_it_saw_and_doubts_one_far_away() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((40, 2))
    process = fit_additive(points, np.sin(3 * points[:, 0]) + points[:, 1] ** 2)
    means, deviations = process.predict(np.array([points[0], [4.0, -3.0]]))
    assert means[0] == pytest.approx(np.sin(3 * points[0, 0]) + points[0, 1] ** 2, abs=0.05)
    assert deviations[0] < 0.2 * deviations[1]


def test_the_mean_is_that_of_the_textbook() -> None:
    """Rasmussen and Williams, 2006, equations 2.23 and 2.24, with the kernel written out."""
    rng = np.random.default_rng(4)
    points, asked = rng.random((12, 3)), rng.random((5, 3))
    values = points @ np.array([1.0, -2.0, 0.5]) + rng.normal(0, 0.1, 12)
    process = fit_additive(points, values)

    def kernel(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        squares = (left[:, None, :] - right[None, :, :]) ** 2
        sums = np.exp(-0.5 * squares / process.length**2).mean(axis=2)
        joint = np.exp(-0.5 * squares.mean(axis=2) / 0.4**2)
        return np.asarray(process.shares[0] * sums + process.shares[1] * joint)

    noise = (process.noise / process.scale) ** 2 + 1e-8
    inverse = np.linalg.inv(kernel(points, points) + noise * np.eye(12))
    standard = (values - values.mean()) / values.std()
    means = values.mean() + values.std() * kernel(asked, points) @ inverse @ standard
    prior = np.diag(kernel(asked, asked))
    spread = prior - np.einsum("ij,jk,ik->i", kernel(asked, points), inverse, kernel(asked, points))
    assert process.predict(asked)[0] == pytest.approx(means)
    assert process.predict(asked)[1] == pytest.approx(values.std() * np.sqrt(spread))


def test_a_sum_over_many_columns_is_learnt_from_few_points() -> None:
    rng = np.random.default_rng(5)
    slopes = np.linspace(-1, 1, OPTIONS)
    points, asked = rng.random((50, OPTIONS)), rng.random((200, OPTIONS))
    process = fit_additive(points, points @ slopes + rng.normal(0, 0.05, 50))
    assert np.corrcoef(process.predict(asked)[0], asked @ slopes)[0, 1] > 0.9


def test_noise_is_told_from_the_function() -> None:
    rng = np.random.default_rng(6)
    points = rng.random((150, 2))
    process = fit_additive(points, 3 * points[:, 0] + rng.normal(0, 0.3, 150))
    assert 0.2 < process.noise < 0.5


def test_values_that_do_not_fit_the_points_are_refused() -> None:
    with pytest.raises(SamplerError, match="give one value for each point"):
        fit_additive(np.zeros((3, 2)), np.zeros(2))
    with pytest.raises(SamplerError, match="0 points"):
        fit_additive(np.zeros((0, 2)), np.zeros(0))


def test_equal_values_are_no_obstacle() -> None:
    means, deviations = fit_additive(np.random.default_rng(7).random((5, 2)), np.ones(5)).predict(np.zeros((1, 2)))
    assert means == pytest.approx([1.0])
    assert np.isfinite(deviations).all()


def _space() -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(OPTIONS))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _truth(values: Mapping[str, Value]) -> tuple[float, float]:
    """Return response and slack: what is best of the first option breaks the guard, where the second does not help."""
    known = {f"x{number}": 0.5 for number in range(OPTIONS)} | {name: float(value) for name, value in values.items()}
    response = -known["x0"] + 0.3 * known["x1"] + 0.05 * sum((known[f"x{n}"] - 0.3) ** 2 for n in range(2, OPTIONS))
    return response, 0.3 - 0.8 * known["x0"] + 0.8 * known["x1"]


def _found(name: str, seed: int, rounds: int = 40) -> float:
    """Return the lowest true response of a trial whose guard truly holds, with noise in all that is told."""
    space = _space()
    rng = np.random.default_rng(seed)
    sampler = make_sampler(name, space, seed)
    best = 0.0
    for _ in range(rounds):
        values = sampler.ask()
        response, slack = _truth(values)
        seen, told = response + rng.normal(0, 0.03), slack + rng.normal(0, 0.03)
        sampler.tell(Trial(values, seen, max(0.0, -told), slacks={"space_bytes": told}))
        best = min(best, response if slack >= 0 else 0.0)
    return best


def test_an_optimum_at_the_edge_of_a_guard_is_found_where_a_forest_stays_away() -> None:
    ours, forests, chance = ([_found(name, seed) for seed in range(3)] for name in ("agp", "smac", "random"))
    assert median(ours) < min(median(forests), median(chance)) - 0.05


def test_at_most_ten_proposals_are_spread_evenly() -> None:
    space = _space()
    agp, sobol = make_sampler("agp", space, 2, 20), SobolSampler(space, 2)
    same = []
    for _ in range(12):
        ours = agp.ask()
        same.append(ours == sobol.ask())
        for sampler in (agp, sobol):
            sampler.tell(Trial(ours, _truth(ours)[0]))
    assert same == [True] * 10 + [False] * 2


def test_of_many_trials_the_best_and_the_last_are_used() -> None:
    trials = [Trial({"x0": number / 1000}, -1.0 if number == 7 else 0.001 * number) for number in range(450)]
    used = _used(trials)
    assert len(used) == 400
    assert trials[7] in used
    assert trials[149] not in used
    assert list(used[-300:]) == trials[-300:]
    assert list(_used(trials[:400])) == trials[:400]
