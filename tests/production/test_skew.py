"""How unevenly keys are chosen, from how many different ones a number of draws holds."""

import math

import pytest

from lsmtune.production._skew import MOST, expected_distinct, exponent_of


@pytest.mark.parametrize("exponent", [0.8, 0.9, 0.99])
def test_the_exponent_that_was_drawn_by_comes_back(exponent: float) -> None:
    distinct = expected_distinct(20_000, 400_000, exponent)
    assert exponent_of(20_000, distinct, 400_000) == pytest.approx(exponent, abs=0.002)


def test_uniform_draws_are_told_as_such() -> None:
    distinct = 400_000 * (1 - math.exp(-20_000 / 400_000))
    assert expected_distinct(20_000, 400_000, 0.0) == pytest.approx(distinct)
    assert exponent_of(20_000, distinct, 400_000) == 0.0
    assert exponent_of(20_000, 20_000, 400_000) == 0.0  # new keys alone


def test_a_skew_beyond_the_driver_s_is_its_largest() -> None:
    assert exponent_of(20_000, 30, 400_000) == MOST
