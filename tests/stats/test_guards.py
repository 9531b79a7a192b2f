"""Guards: non-inferiority within a margin."""

import math

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import GuardVerdict, left_open, limit_left_open, non_inferior, within


def test_a_guard_that_hardly_moves_is_held() -> None:
    result = non_inferior([0.01, -0.01, 0.0, 0.01, -0.02], 1.10, 0.05)
    assert result.verdict is GuardVerdict.HELD
    assert result.low is not None
    assert result.worsening is not None
    assert result.high is not None
    assert result.low < result.worsening < result.high < 1.10


def test_a_guard_that_became_much_worse_is_broken() -> None:
    result = non_inferior([-0.30, -0.28, -0.33, -0.31], 1.10, 0.05)
    assert result.verdict is GuardVerdict.BROKEN
    assert result.worsening == pytest.approx(math.exp(0.305))


def test_a_noisy_guard_is_inconclusive_though_nothing_is_significant() -> None:
    assert non_inferior([-0.5, 0.4, -0.1, 0.3], 1.10, 0.05).verdict is GuardVerdict.INCONCLUSIVE


def test_worsening_inside_the_margin_is_held_even_when_it_is_certain() -> None:
    assert non_inferior([-0.05] * 4, 1.10, 0.05).verdict is GuardVerdict.HELD
    assert non_inferior([-0.05] * 4, 1.03, 0.05).verdict is GuardVerdict.BROKEN


def test_two_pairs_are_too_few_for_a_guard() -> None:
    result = non_inferior([0.0, 0.0], 1.10, 0.05)
    assert result.verdict is GuardVerdict.INCONCLUSIVE
    assert (result.worsening, result.low, result.high, result.n) == (None, None, None, 2)


def test_a_guard_at_its_margin_is_held_or_broken_by_mistake_in_5_percent_of_cases_each() -> None:
    logs = np.random.default_rng(8).normal(-math.log(1.10), 0.05, (3000, 6))
    verdicts = [non_inferior(row.tolist(), 1.10, 0.05).verdict for row in logs]
    for verdict in (GuardVerdict.HELD, GuardVerdict.BROKEN):
        assert verdicts.count(verdict) / len(verdicts) == pytest.approx(0.05, abs=0.012)


@pytest.mark.parametrize("margin", [0.9, math.inf, math.nan])
def test_a_margin_that_allows_no_worsening_is_refused(margin: float) -> None:
    with pytest.raises(StatisticsError, match="margin of a guard"):
        non_inferior([0.0, 0.0, 0.0], margin, 0.05)


def test_a_further_factor_leaves_a_guard_open_only_where_its_own_interval_holds_the_margin() -> None:
    near, few = non_inferior([-0.08, -0.09, -0.10, -0.09], 1.10, 0.05), non_inferior([-0.09, -0.09], 1.10, 0.05)
    assert left_open(near, 0.06)
    assert not left_open(near, 0.001)
    assert not left_open(non_inferior([-0.5, 0.4, -0.1, 0.3], 1.10, 0.05), 0.0)  # more pairs decide it
    assert not left_open(few, 0.06)


def test_a_further_factor_leaves_a_limit_open_only_where_its_own_interval_holds_the_bound() -> None:
    near, few = within([95.0, 97.0, 96.0], "<=", 100.0), within([96.0, 96.0], "<=", 100.0)
    assert limit_left_open(near, "<=", 100.0, 0.06)
    assert not limit_left_open(near, "<=", 100.0, 0.001)
    assert not limit_left_open(within([80.0, 120.0, 95.0], "<=", 100.0), "<=", 100.0, 0.0)
    assert not limit_left_open(few, "<=", 100.0, 0.06)
