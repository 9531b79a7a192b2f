"""Error rates of the whole three-look rule, by simulation with fixed seeds."""

import math

import numpy as np
import pytest
import scipy

from lsmtune.stats import LOOKS, POCOCK_ALPHA, Claim, ClaimResult, Decision, decide

SHOWN = (Decision.IMPROVED, Decision.WORSE)


def verify(pairs: np.ndarray, minimum_effect: float = 0.03) -> tuple[ClaimResult, ...]:
    """Run the rule over the log gains of claims (rows) x pairs (columns) until all are settled."""
    results: tuple[ClaimResult, ...] = ()
    for look, n in enumerate(LOOKS):
        claims = [Claim(f"claim-{i}", tuple(row[:n].tolist())) for i, row in enumerate(pairs)]
        results = decide(claims, look, minimum_effect, results)
        if all(result.settled for result in results):
            break
    return results


def test_an_a_a_comparison_claims_a_difference_in_about_5_percent_and_a_win_in_less() -> None:
    rng = np.random.default_rng(20)
    decisions = [verify(rng.normal(0, 0.05, (1, 20)))[0].decision for _ in range(2500)]
    assert sum(decision in SHOWN for decision in decisions) / 2500 <= 0.065
    assert decisions.count(Decision.IMPROVED) / 2500 <= 0.05


def test_the_level_of_the_looks_gives_about_5_percent_even_if_nothing_is_stopped_as_hopeless() -> None:
    logs = np.random.default_rng(21).normal(0, 0.05, (40_000, LOOKS[-1]))
    p = np.stack([np.asarray(scipy.stats.ttest_1samp(logs[:, :n], 0.0, axis=1).pvalue) for n in LOOKS])
    assert 0.05 <= np.mean(p.min(axis=0) <= POCOCK_ALPHA) <= 0.06


def test_three_a_a_claims_together_err_in_about_5_percent() -> None:
    rng = np.random.default_rng(22)
    false = sum(any(result.decision in SHOWN for result in verify(rng.normal(0, 0.05, (3, 20)))) for _ in range(700))
    assert false / 700 <= 0.065


def test_a_gain_of_10_percent_is_found_under_5_percent_noise() -> None:
    rng = np.random.default_rng(23)
    decisions = [verify(rng.normal(math.log(1.10), 0.05, (1, 20)))[0].decision for _ in range(400)]
    assert decisions.count(Decision.IMPROVED) / 400 >= 0.95


def test_the_interval_at_a_fixed_look_covers_the_truth_at_its_level() -> None:
    rng = np.random.default_rng(24)
    results = [decide([Claim("a", tuple(rng.normal(0.02, 0.05, 12).tolist()))], 1)[0] for _ in range(1500)]
    covered = [result.low <= math.exp(0.02) <= result.high for result in results if result.low and result.high]
    assert len(covered) == 1500
    assert np.mean(covered) == pytest.approx(1 - POCOCK_ALPHA, abs=0.01)


def test_no_difference_is_claimed_by_mistake_in_at_most_5_percent_at_the_edge_of_the_band() -> None:
    rng = np.random.default_rng(25)
    decisions = [verify(rng.normal(math.log(1.03), 0.01, (1, 20)))[0].decision for _ in range(500)]
    assert decisions.count(Decision.NO_DIFFERENCE) / 500 <= 0.05


def test_an_a_a_comparison_ends_long_before_the_last_look_on_average() -> None:
    rng = np.random.default_rng(26)
    pairs = [verify(rng.normal(0, 0.05, (1, 20)))[0].n for _ in range(300)]
    assert np.mean(pairs) < 10


def climb(pairs: np.ndarray, family: int) -> list[Decision]:
    """Run the rule over scales (rows) x pairs (columns), going on to the next where a gain is shown."""
    decisions: list[Decision] = []
    for row in pairs:
        results: tuple[ClaimResult, ...] = ()
        for look, n in enumerate(LOOKS):
            results = decide([Claim("finalist", tuple(row[:n].tolist()))], look, 0.03, results, family)
            if results[0].settled:
                break
        decisions.append(results[0].decision)
        if decisions[-1] is not Decision.IMPROVED:
            break
    return decisions


def test_three_finalists_that_gain_nothing_at_two_larger_scales_are_called_better_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(27)
    false = sum(
        any(Decision.IMPROVED in climb(rng.normal(0, 0.05, (2, 20)), family=3) for _ in range(3)) for _ in range(700)
    )
    assert false / 700 <= 0.05


def test_a_finalist_that_gains_at_the_first_larger_scale_alone_is_called_better_above_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(28)
    gains = np.array([[0.2], [0.0], [0.0]])
    climbed = [climb(rng.normal(gains, 0.05, (3, 20)), family=1) for _ in range(700)]
    assert all(each[0] is Decision.IMPROVED for each in climbed)
    assert sum(each.count(Decision.IMPROVED) > 1 for each in climbed) / 700 <= 0.05


def test_claims_share_the_level_with_those_that_are_tested_elsewhere() -> None:
    gains = tuple(np.random.default_rng(29).normal(0.04, 0.05, 12).tolist())
    (alone,) = decide([Claim("a", gains)], 1)
    (shared,) = decide([Claim("a", gains)], 1, family=3)
    beside = decide([Claim("a", gains), Claim("b", gains), Claim("c", gains)], 1)
    assert shared == beside[0]
    assert alone.p_adjusted is not None
    assert shared.p_adjusted == min(1.0, 3 * alone.p_adjusted)
