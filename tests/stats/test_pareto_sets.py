"""Non-dominated sets, hypervolumes and representatives, against what geometry and other formulas say."""

from itertools import combinations

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import hypervolume, non_dominated, representatives

STAIRS = [(1.0, 5.0), (2.0, 3.0), (4.0, 2.0), (4.0, 4.0), (5.0, 1.0), (5.0, 5.0)]


def test_a_row_is_dominated_by_one_that_is_nowhere_larger_and_somewhere_smaller() -> None:
    assert non_dominated(STAIRS) == (0, 1, 2, 4)
    assert non_dominated([(1.0, 2.0), (1.0, 3.0)]) == (0,)


def test_equal_rows_do_not_dominate_each_other() -> None:
    assert non_dominated([(2.0, 2.0), (1.0, 3.0), (2.0, 2.0), (3.0, 3.0)]) == (0, 1, 2)


def test_nothing_has_no_front_and_no_volume() -> None:
    assert non_dominated([]) == ()
    assert representatives([], 3) == ()
    assert hypervolume([], (1.0, 1.0)) == 0.0


def test_the_area_of_stairs_is_that_of_their_steps() -> None:
    assert hypervolume(STAIRS, (6.0, 6.0)) == pytest.approx(1 * 1 + 2 * 3 + 1 * 4 + 1 * 5)


def test_a_row_beyond_the_corner_adds_nothing() -> None:
    assert hypervolume([(0.0, 0.0), (-1.0, 2.0)], (1.0, 1.0)) == pytest.approx(1.0)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_a_volume_is_the_sum_over_intersections_of_boxes(columns: int) -> None:
    losses = np.random.default_rng(columns).random((7, columns))
    whole = 0.0  # inclusion and exclusion over all sets of boxes
    for size in range(1, 8):
        for rows in combinations(range(7), size):
            whole -= (-1) ** size * float(np.prod(1 - losses[list(rows)].max(axis=0)))
    assert hypervolume(losses.tolist(), [1.0] * columns) == pytest.approx(whole)


def test_the_best_of_each_column_come_first_and_then_what_adds_most() -> None:
    front = [(0.0, 10.0), (1.0, 9.0), (2.0, 3.0), (6.0, 2.5), (10.0, 0.0), (9.0, 9.5)]
    assert representatives(front, 3) == (0, 4, 2)  # 8 x 7 against 9 x 1 and 4 x 7.5
    assert representatives(front, 4) == (0, 4, 2, 3)  # beside 8 x 7 are 2 of the 4 x 7.5, and 1 of the 9 x 1
    assert representatives(front, 9) == (0, 4, 2, 3, 1)
    assert representatives(front, 1) == (2,)


def test_a_row_that_is_best_in_all_columns_stands_alone() -> None:
    assert representatives([(1.0, 1.0), (0.0, 0.0), (0.0, 1.0)], 3) == (1,)


def test_scaling_a_column_changes_no_choice() -> None:
    losses = np.random.default_rng(5).normal(size=(40, 3))
    assert representatives(losses.tolist(), 6) == representatives((losses * [1.0, 20.0, 0.1]).tolist(), 6)


@pytest.mark.parametrize("losses", [[(1.0, 2.0), (1.0,)], [()], [(1.0, float("nan"))]])
def test_what_cannot_be_compared_is_refused(losses: list[tuple[float, ...]]) -> None:
    with pytest.raises(StatisticsError):
        non_dominated(losses)


def test_no_representatives_are_refused() -> None:
    with pytest.raises(StatisticsError, match="choose at least 1"):
        representatives(STAIRS, 0)
