"""Whether one arm is less stable, and what stalls its runs leave open."""

import math

import numpy as np
import pytest

from lsmtune.stats import stability

STEADY = [0.0, 0.02, -0.02, 0.01, -0.01, 0.0]


def test_equal_arms_are_seldom_called_less_stable() -> None:
    rng = np.random.default_rng(1)
    found = [stability(*rng.normal(0, 0.05, (2, 6)).tolist()) for _ in range(400)]
    share = sum(each is not None and each.less_stable for each in found) / 400
    assert 0.02 <= share <= 0.09


def test_a_spread_that_nobody_notices_is_not_unstable() -> None:
    found = stability([0.0, 0.03, -0.03, 0.02, -0.02, 0.0], [0.0, 0.001, -0.001, 0.0, 0.001, 0.0])
    assert found is not None
    assert found.variance_low is not None
    assert found.variance_low > 1
    assert not found.less_stable


def test_a_stall_makes_an_arm_less_stable_and_is_counted() -> None:
    found = stability([0.0, 0.01, -0.01, 0.0, math.log(3.0), 0.0], STEADY)
    assert found is not None
    assert found.less_stable
    assert found.stalled == 1
    assert found.worst == pytest.approx(3.0)
    assert found.reference_worst == pytest.approx(1.02, abs=0.001)


def test_a_wide_range_of_the_candidate_alone_counts_as_unstable() -> None:
    wide, wider = [0.0, 0.16, -0.16, 0.1, -0.1, 0.0], [0.0, 0.2, -0.2, 0.1, -0.1, 0.0]
    narrow = [0.0, 0.14, -0.14, 0.1, -0.1, 0.0]
    found = [stability(wide, other) for other in (narrow, wider)]
    assert [each is not None and each.less_stable for each in found] == [True, False]


def test_two_runs_say_nothing_and_arms_without_spread_have_no_ratio() -> None:
    assert stability([0.0, 1.0], STEADY) is None
    same = stability([0.0] * 6, [0.0] * 6)
    assert same is not None
    assert (same.variance_ratio, same.less_stable) == (None, False)
