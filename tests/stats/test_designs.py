"""Designs: how their points lie, against what their authors promise."""

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import POINT_DESIGNS, latin_hypercube, plackett_burman, random_design, sobol_design


@pytest.mark.parametrize("name", POINT_DESIGNS)
def test_a_design_has_the_points_that_were_asked_for_and_follows_its_seed(name: str) -> None:
    design = POINT_DESIGNS[name]
    points = design(37, 5, 1)
    assert points.shape == (37, 5)
    assert ((points >= 0) & (points < 1)).all()
    assert (points == design(37, 5, 1)).all()
    assert not (points == design(37, 5, 2)).all()


def test_each_slice_of_each_axis_of_a_latin_hypercube_has_one_point() -> None:
    slices = np.sort((latin_hypercube(20, 4, 3) * 20).astype(int), axis=0)
    assert (slices == np.arange(20)[:, None]).all()


def test_a_sobol_sequence_fills_each_half_and_quarter_evenly() -> None:
    points = sobol_design(64, 6, 5)
    for axis in points.T:
        assert np.bincount((axis * 4).astype(int)).tolist() == [16] * 4


def test_a_sobol_design_integrates_better_than_a_random_one() -> None:
    def error(points: np.ndarray) -> float:
        return abs(float(np.prod(1 + 0.5 * (points - 0.5), axis=1).mean()) - 1)

    seeds = range(20)
    assert np.mean([error(sobol_design(128, 6, seed)) for seed in seeds]) < 0.5 * np.mean(
        [error(random_design(128, 6, seed)) for seed in seeds]
    )


@pytest.mark.parametrize("factors", [1, 3, 7, 11, 12, 19, 23, 28, 30, 35, 43, 63])
def test_main_effects_of_a_screening_are_clear_of_each_other(factors: int) -> None:
    signs = np.where(plackett_burman(factors, foldover=False), 1, -1)
    assert len(signs) > factors
    assert (signs.T @ signs == len(signs) * np.eye(factors)).all()


def test_with_the_foldover_main_effects_are_clear_of_interactions_of_two() -> None:
    signs = np.where(plackett_burman(11), 1, -1)
    assert len(signs) == 24
    for first in range(11):
        for second in range(first):
            assert (signs.T @ (signs[:, first] * signs[:, second]) == 0).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: random_design(0, 3, 1), "a design of 0 points in 3 dimensions is none"),
        (lambda: sobol_design(4, 0, 1), "a design of 4 points in 0 dimensions is none"),
        (lambda: plackett_burman(64), "at most 63 factors, not 64; take lhs"),
    ],
)
def test_a_design_that_cannot_be_is_refused(make: object, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        make()  # type: ignore[operator]  # a lambda of the list above
