"""Arms in rows of a table: ratios to the first, who leads, and how often that is wrong."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from lsmtune.stats import ArmRatio, RowComparison, compare_row, mean_row, without_trouble


def row(*levels: Sequence[float | None]) -> list[Mapping[int, float]]:
    """Arms with a level in each block; None where a block lacks it."""
    return [{b: math.log(level) for b, level in enumerate(arm) if level is not None} for arm in levels]


CLEAR = row((100, 110, 105), (201, 219, 211), (99, 111, 104))


@pytest.mark.parametrize("one_spread", [True, False])
def test_ratios_are_to_the_first_arm_and_the_leader_is_compared_with_the_next(*, one_spread: bool) -> None:
    found = compare_row(CLEAR, 0.05, one_spread=one_spread)
    twice, same = found.ratios
    assert twice is not None
    assert same is not None
    assert twice.ratio == pytest.approx(2.004, abs=0.001)
    assert twice.low < 2.004 < twice.high
    assert same.low < 1 < same.high
    assert (found.leader, found.second, found.shown) == (1, 0, True)
    assert found.lead is not None
    assert (found.lead.ratio, found.lead.low) == pytest.approx((twice.ratio, twice.low))


def test_the_first_arm_may_lead() -> None:
    found = compare_row([CLEAR[1], CLEAR[0], CLEAR[2]], 0.05, one_spread=True)
    assert (found.leader, found.shown) == (0, True)
    assert found.lead is not None
    assert found.lead.low > 1


def test_who_is_ahead_of_the_first_but_not_of_the_next_is_not_shown() -> None:
    near = row((100, 110, 105), (201, 219, 211), (203, 217, 212))
    found = compare_row(near, 0.05, one_spread=True)
    assert not found.shown
    assert {found.leader, found.second} == {1, 2}
    assert all(ratio is not None and ratio.low > 1 for ratio in found.ratios)


def test_one_spread_takes_the_blocks_of_all_arms_and_pairs_those_of_two() -> None:
    arms = row((100, 102, 101, 103), (200, 207, None, 204), (100, 103, 104, 101))
    shared, paired = (compare_row(arms, 0.05, one_spread=one) for one in (True, False))
    assert [each.n for each in shared.ratios if each is not None] == [3, 3]
    assert [each.n for each in paired.ratios if each is not None] == [3, 4]


def test_an_arm_without_runs_has_no_ratio_and_the_others_have() -> None:
    found = compare_row(row((100, 101, 102), (None, None, None), (200, 202, 203)), 0.05, one_spread=True)
    assert found.ratios[0] is None
    assert found.ratios[1] is not None
    assert (found.leader, found.shown) == (2, True)
    alone = compare_row(row((100, 101), (None, None)), 0.05, one_spread=True)
    assert alone == RowComparison((None,))


def test_without_the_first_arm_the_others_are_still_compared() -> None:
    found = compare_row(row((None, None, None), (100, 101, 102), (200, 202, 203)), 0.05, one_spread=True)
    assert found.ratios == (None, None)
    assert (found.leader, found.second, found.shown) == (2, 1, True)


def test_one_block_says_nothing() -> None:
    found = compare_row(row((100,), (200,)), 0.05, one_spread=True)
    assert found.ratios == (None,)
    assert found.lead is None
    assert not found.shown


def test_an_arm_with_a_single_block_keeps_the_leader_from_being_shown() -> None:
    arms = row((100, 101, 102, 100), (200, 202, 203, 201), (300, None, None, None))
    assert not compare_row(arms, 0.05, one_spread=False).shown, "the third may be better than both"


def test_failed_runs_of_the_leader_take_its_lead_away_and_those_of_others_do_not() -> None:
    found = compare_row(CLEAR, 0.05, one_spread=True)
    assert not without_trouble(found, {1: 1}).shown
    assert without_trouble(found, {0: 1, 2: 3}).shown


def test_the_mean_over_rows_is_that_of_the_logarithms_of_each_block() -> None:
    rows = [row((100, 100), (400, None)), row((900, 100), (100, 100))]
    base, other = mean_row(rows)
    assert {block: math.exp(level) for block, level in base.items()} == pytest.approx({0: 300, 1: 100})
    assert other.keys() == {0}, "a block counts where every row has it"


def test_an_inverse_swaps_the_two() -> None:
    assert ArmRatio(3, 2.0, 1.6, 2.5).inverse == ArmRatio(3, 0.5, 0.4, 0.625)


@pytest.mark.parametrize("one_spread", [True, False])
def test_two_blocks_that_contradict_each_other_exclude_nothing_and_are_no_error(*, one_spread: bool) -> None:
    found = compare_row(row((100, 100), (100, 2_000)), 0.05 / 500, one_spread=one_spread)
    (ratio,), lead = found.ratios, found.lead
    assert ratio is not None
    assert (ratio.low, ratio.high) == (0, math.inf)
    assert lead is not None
    assert (lead.low, lead.high) == (0, math.inf)
    assert not found.shown


@pytest.mark.parametrize("one_spread", [True, False])
def test_whole_tables_of_equal_arms_are_wrong_as_often_as_they_say(*, one_spread: bool) -> None:
    rng = np.random.default_rng(7)
    missed = claimed = 0
    for _ in range(400):
        phases = [
            [dict(enumerate(arm)) for arm in (rng.normal(0, 0.2, 4) + rng.normal(0, 0.05, (3, 4))).tolist()]
            for _ in range(3)
        ]
        table = [compare_row(arms, 0.05 / 4, one_spread=one_spread) for arms in (*phases, mean_row(phases))]
        claimed += any(found.shown for found in table)
        missed += any(ratio is None or not ratio.low <= 1 <= ratio.high for found in table for ratio in found.ratios)
    assert missed <= 34, "5 % of 400 are 20; more than 34 come in 1 of 1000 such tests"
    assert claimed <= missed
