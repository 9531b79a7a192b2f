"""P-values over many tests and far out in the tails."""

import math

import numpy as np
import pytest
import scipy
from statsmodels.stats.multitest import multipletests

from lsmtune.analysis._multiplicity import PValue, adjusted, log10_chi2_tail, log10_f_tail, p_words
from lsmtune.errors import StatisticsError


def test_four_p_values_are_adjusted_as_by_hand() -> None:
    # Holm: .005 x 4, .01 x 3, .03 x 2, then .04 held at .06. BH: .005 x 4/1, .01 x 4/2, .03 x 4/3, .04 x 4/4.
    values = adjusted([math.log10(p) for p in (0.01, 0.04, 0.03, 0.005)])
    assert [value.holm for value in values] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [value.bh for value in values] == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert [value.significant for value in values] == [True, False, False, True]


def test_many_p_values_are_adjusted_as_by_statsmodels() -> None:
    p = np.random.default_rng(2).uniform(size=120) ** 3
    values = adjusted(np.log10(p).tolist())
    assert [value.holm for value in values] == pytest.approx(multipletests(p, method="holm")[1])
    assert [value.bh for value in values] == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_a_hypothesis_given_up_after_a_look_still_counts() -> None:
    with_it, alone = adjusted([math.log10(p) for p in (0.01, 0.02, 1.0)]), adjusted([-2.0, math.log10(0.02)], 1)
    assert [value.holm for value in alone] == pytest.approx([value.holm for value in with_it[:2]])
    assert [value.bh for value in alone] == pytest.approx([value.bh for value in with_it[:2]])


def test_p_values_below_the_range_of_floats_keep_their_order() -> None:
    values = adjusted([-400.0, -500.0, -1.0])
    assert values[1].log10_holm == pytest.approx(-500 + math.log10(3))
    assert values[0].log10_holm == pytest.approx(-400 + math.log10(2))


def test_no_tests_are_no_family() -> None:
    assert adjusted([]) == ()


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(StatisticsError, match="at most 0"):
        adjusted([-1.0, math.nan])
    with pytest.raises(StatisticsError, match="ascend"):
        PValue(-1.0, -2.0, -1.0)


@pytest.mark.parametrize("f", [0.5, 30.0, 700.0, 5000.0, 1e6])
@pytest.mark.parametrize("df", [12, 400, 1900])
def test_the_tail_of_f_with_two_degrees_of_freedom_has_its_closed_form(f: float, df: int) -> None:
    assert log10_f_tail(f, 2, df) == pytest.approx(-df / 2 * math.log10(1 + 2 * f / df), rel=1e-9)


@pytest.mark.parametrize("f", [0.5, 30.0, 300.0, 700.0, 5000.0])
@pytest.mark.parametrize("df", [12, 400, 1900])
def test_the_tail_of_f_with_four_degrees_of_freedom_has_its_closed_form(f: float, df: int) -> None:
    # I_x(a, 2) = x^a (1 + a (1 - x))
    a, x = df / 2, df / (df + 4 * f)
    assert log10_f_tail(f, 4, df) == pytest.approx(a * math.log10(x) + math.log10(1 + a * (1 - x)), rel=1e-9)


@pytest.mark.parametrize("x", [3.0, 1000.0, 1500.0, 4000.0])
def test_the_tail_of_chi_square_with_even_degrees_of_freedom_has_its_closed_form(x: float) -> None:
    assert log10_chi2_tail(x, 2) == pytest.approx(-x / 2 / math.log(10), rel=1e-9)
    four = (math.log1p(x / 2) - x / 2) / math.log(10)
    assert log10_chi2_tail(x, 4) == pytest.approx(four, rel=1e-9)


def test_the_tail_of_chi_square_with_odd_degrees_of_freedom_is_that_of_the_normal_distribution() -> None:
    assert log10_chi2_tail(50.0**2, 1) == pytest.approx(
        (math.log(2) + float(scipy.special.log_ndtr(-50.0))) / math.log(10), rel=1e-9
    )


def test_a_p_value_is_never_printed_as_zero() -> None:
    assert p_words(-412.3) == "< 1e-300"
    assert p_words(math.log10(4.84e-31)) == "4.8e-31"
    assert p_words(math.log10(0.741)) == "0.74"
    assert p_words(None) == "?"
