"""The sequential rule: verdicts, settling and the correction for many claims."""

import math

import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import LOOKS, POCOCK_ALPHA, Claim, ClaimResult, Decision, decide

SPREAD = (0.01, -0.01, 0.012, -0.012, 0.004, -0.004)
LAST = len(LOOKS) - 1


def claim(mean: float, name: str = "waf", scale: float = 1.0, repeats: int = 1) -> Claim:
    return Claim(name, tuple(mean + scale * step for step in SPREAD * repeats))


def judge(one: Claim, look: int = 0, minimum_effect: float = 0.03) -> ClaimResult:
    (result,) = decide([one], look, minimum_effect)
    return result


def test_a_clear_gain_is_improved_at_the_first_look() -> None:
    result = judge(claim(0.10))
    assert result.decision is Decision.IMPROVED
    assert result.settled
    assert result.n == 6
    assert result.low is not None
    assert result.gain == pytest.approx(math.exp(0.10))
    assert result.low > 1.08


def test_a_clear_loss_is_worse() -> None:
    result = judge(claim(-0.10))
    assert result.decision is Decision.WORSE
    assert result.settled


def test_the_interval_leaves_out_1_exactly_when_a_single_claim_is_significant() -> None:
    for mean in (0.005, 0.010, 0.013, 0.02):
        result = judge(claim(mean))
        assert result.low is not None
        assert (result.low > 1) == (result.decision is Decision.IMPROVED)


def test_a_small_difference_is_reported_with_the_bound_that_was_reached() -> None:
    result = judge(claim(0.002), LAST)
    assert result.decision is Decision.NO_DIFFERENCE
    assert result.high is not None
    assert result.low is not None
    assert result.equivalence is not None
    assert result.equivalence == pytest.approx(max(result.high, 1 / result.low) - 1)
    assert 0 < result.equivalence < 0.03


def test_the_bound_counts_losses_as_much_as_gains() -> None:
    assert judge(claim(-0.002)).equivalence == pytest.approx(judge(claim(0.002)).equivalence)


def test_what_is_no_difference_for_a_large_minimum_effect_is_inconclusive_for_a_small_one() -> None:
    assert judge(claim(0.002), LAST, minimum_effect=0.05).decision is Decision.NO_DIFFERENCE
    assert judge(claim(0.002), LAST, minimum_effect=0.005).decision is Decision.INCONCLUSIVE


def test_an_unclear_gain_goes_on_until_the_last_look() -> None:
    early, late = judge(claim(0.05, scale=6)), judge(claim(0.01, scale=10, repeats=3), LAST)
    assert (early.decision, early.settled) == (Decision.INCONCLUSIVE, False)
    assert (late.decision, late.settled) == (Decision.INCONCLUSIVE, True)


def test_a_claim_that_cannot_have_the_minimum_effect_is_settled_early() -> None:
    result = judge(claim(0.011))  # more runs would soon show it, but as a gain of about 1 %
    assert result.high is not None
    assert result.high < 1.03
    assert (result.decision, result.settled) == (Decision.NO_DIFFERENCE, True)


def test_a_noisy_claim_without_a_trend_is_settled_early_as_hopeless() -> None:
    result = judge(claim(0.0, scale=10))
    assert result.high is not None
    assert result.high > 1.03
    assert (result.decision, result.settled) == (Decision.INCONCLUSIVE, True)


def test_the_same_trend_is_less_hopeless_at_the_first_look_than_at_the_second() -> None:
    assert not judge(claim(0.04, scale=10), 0).settled
    assert judge(claim(0.02, scale=10, repeats=2), 1).settled


def test_two_pairs_are_inconclusive_and_claim_nothing() -> None:
    few = Claim("waf", (0.5, 0.5))
    result = judge(few)
    assert (result.decision, result.n, result.settled) == (Decision.INCONCLUSIVE, 2, False)
    assert (result.gain, result.low, result.high, result.p, result.p_adjusted) == (None,) * 5
    assert (result.wilcoxon_p, result.smallest_detectable, result.equivalence) == (None,) * 3
    assert judge(few, LAST).settled


def test_failed_runs_leave_the_other_pairs_in_use() -> None:
    result = judge(Claim("waf", (0.10, 0.11, 0.09, 0.10)), look=1)
    assert (result.n, result.decision) == (4, Decision.IMPROVED)


def test_identical_runs_are_judged_without_an_error() -> None:
    same, better, worse = (judge(Claim("waf", (value,) * 6)) for value in (0.0, 0.05, -0.05))
    assert (same.decision, same.p, same.equivalence, same.settled) == (Decision.NO_DIFFERENCE, 1, 0, True)
    assert (better.decision, better.p, better.smallest_detectable) == (Decision.IMPROVED, 0, 0)
    assert (worse.decision, worse.p) == (Decision.WORSE, 0)


def test_every_p_is_multiplied_by_the_number_of_claims_and_the_order_is_kept() -> None:
    results = decide([claim(0.006, "c"), claim(0.02, "a"), claim(0.012, "b")], 0)
    assert [result.name for result in results] == ["c", "a", "b"]
    assert [result.p_adjusted for result in results] == [min(1.0, 3 * (result.p or 0.0)) for result in results]


def test_with_several_claims_an_interval_leaves_out_1_exactly_where_its_claim_is_shown() -> None:
    alone, among = judge(claim(0.0150)), decide([claim(0.0150), claim(0.0, "sa"), claim(0.02, "b")], 0)
    assert alone.low is not None
    assert among[0].low is not None
    assert among[0].low < alone.low
    for result in among:
        assert result.low is not None
        assert result.high is not None
        outside = result.low > 1 or result.high < 1
        assert outside == (result.decision in (Decision.IMPROVED, Decision.WORSE))


def test_a_claim_that_stands_alone_can_fail_among_others() -> None:
    alone = judge(claim(0.0150))
    among = decide([claim(0.0150), *(claim(0.0, f"null-{i}") for i in range(5))], 0)[0]
    assert alone.p == among.p
    assert alone.decision is Decision.IMPROVED
    assert among.decision is not Decision.IMPROVED


def test_a_claim_without_enough_pairs_still_counts_in_the_correction() -> None:
    with_unknown = decide([claim(0.02), Claim("sa", ())], 0)[0]
    assert with_unknown.p is not None
    assert with_unknown.p_adjusted == pytest.approx(2 * with_unknown.p)


def test_a_settled_claim_keeps_its_verdict_at_later_looks() -> None:
    first = decide([claim(0.10), claim(0.05, "sa", 6)], 0)
    waf, sa = decide([claim(-0.10, repeats=2), claim(0.05, "sa", 6, repeats=2)], 1, earlier=first)
    assert waf is first[0]
    assert not first[1].settled
    assert sa.n == 12


def test_a_settled_claim_leaves_its_level_to_nobody() -> None:
    open_now, later = claim(0.05, "sa", 6), claim(0.05, "sa", 6, repeats=2)
    shown = decide([claim(0.10), open_now], 0)
    hopeless = decide([claim(0.0, scale=10), open_now], 0)
    assert shown[0].settled
    assert hopeless[0].settled
    after_shown = decide([claim(0.10), later], 1, earlier=shown)[1]
    after_hopeless = decide([claim(0.0, scale=10), later], 1, earlier=hopeless)[1]
    assert after_shown.p is not None
    assert after_shown.p_adjusted == pytest.approx(2 * after_shown.p)
    assert after_hopeless.p_adjusted == pytest.approx(2 * after_shown.p)


def test_wrong_use_of_the_rule_is_refused() -> None:
    with pytest.raises(StatisticsError, match="same name"):
        decide([claim(0.0), claim(0.1)], 0)
    with pytest.raises(StatisticsError, match="look 3 does not exist"):
        decide([claim(0.0)], 3)
    with pytest.raises(StatisticsError, match="minimum effect of interest"):
        decide([claim(0.0)], 0, minimum_effect=0.0)
    with pytest.raises(StatisticsError, match='judged "waf", which is not among'):
        decide([claim(0.0, "sa")], 1, earlier=decide([claim(0.0)], 0))
    with pytest.raises(StatisticsError, match='claim "waf": logarithm 2 of 2 is nan'):
        Claim("waf", (0.0, math.nan))


def test_a_claim_is_shown_exactly_when_its_corrected_p_is_within_the_level() -> None:
    results = [judge(claim(mean)) for mean in (0.0, 0.004, 0.008, 0.012, 0.016)]
    shown = [result.decision is Decision.IMPROVED for result in results]
    assert shown == [result.p_adjusted is not None and result.p_adjusted <= POCOCK_ALPHA for result in results]
    assert True in shown
    assert False in shown
