"""Claims from pairs of fresh runs."""

import math
from dataclasses import replace

import pytest
from result_builders import Made, baseline, history, pairs, rules, trial

from lsmtune.indicators import Limit
from lsmtune.model import Purpose, Status
from lsmtune.result import BoundsAtFullSize, Contest, Disturbed, History, Rules, choose_winner, compare
from lsmtune.stats import ClaimResult, Decision, GuardVerdict

STOCK: list[float | None] = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0]


def verified(*arms: str) -> Contest:
    """The verification of these arms."""
    return Contest(Purpose.VERIFY, "stock", arms)


def judge(made: History, judged: Rules, contest: Contest, looks: int) -> tuple[ClaimResult, ...]:
    return tuple(each.claim for each in compare(made, judged, contest, looks))


def _times(factor: float) -> list[float | None]:
    """Rates of an arm that is better by a factor, with a little noise."""
    return [100.0 * factor * (1 + wiggle) for wiggle in (0.01, -0.01, 0.005, -0.005, 0.0, 0.01)]


def test_a_clear_gain_is_shown_with_its_ratio_and_interval() -> None:
    made = history(*pairs({"stock": STOCK, "finalist-1": _times(1.2)}))
    (comparison,) = compare(made, rules(), verified("finalist-1"), 1)
    claim = comparison.claim
    assert comparison.accepted
    assert (claim.decision, claim.n) == (Decision.IMPROVED, 6)
    assert claim.gain == pytest.approx(1.2, rel=0.01)
    assert claim.low is not None
    assert claim.high is not None
    assert 1.15 < claim.low < 1.2 < claim.high < 1.25
    assert comparison.levels["space_bytes"] == (100.0, 100.0)
    assert len(comparison.gains) == 6


def test_pairs_are_made_within_blocks_and_only_of_good_runs() -> None:
    stock, better = [100.0, 200.0, None, 400.0], [110.0, 220.0, 330.0, 440.0]
    made = history(*pairs({"stock": stock, "finalist-1": better}), Made(Purpose.VERIFY, "finalist-1", 4, 900.0))
    (comparison,) = compare(made, rules(), verified("finalist-1"), 1)
    assert comparison.gains == pytest.approx([math.log(1.1)] * 3)
    assert comparison.claim.n == 3


def test_runs_of_other_purposes_are_no_evidence() -> None:
    rates = {"stock": STOCK, "finalist-1": _times(1.5)}
    others = [baseline(block, 100.0) for block in range(6)] + [trial(number, 150.0) for number in range(6)]
    made = history(*others, *pairs(rates, purpose=Purpose.CONFIRM))
    (comparison,) = compare(made, rules(), verified("finalist-1"), 1)
    assert (comparison.claim.n, comparison.accepted, comparison.gains) == (0, False, ())


def test_the_verdict_of_a_look_does_not_depend_on_later_runs() -> None:
    early = {"stock": STOCK, "finalist-1": _times(1.2)}
    late = {"stock": STOCK * 2, "finalist-1": [*_times(1.2), *_times(0.5)]}
    first = judge(history(*pairs(early)), rules(), verified("finalist-1"), 1)
    assert judge(history(*pairs(late)), rules(), verified("finalist-1"), 1) == first
    assert judge(history(*pairs(late)), rules(), verified("finalist-1"), 2) == first  # settled stays settled


def test_what_is_half_way_through_a_look_counts_in_nothing() -> None:
    spaces = {"finalist-1": [100.0, 119.0, 98.0, 121.0, 99.0, 118.0]}  # more, or not
    early = pairs({"stock": STOCK, "finalist-1": _times(1.2)}, spaces)
    late = [
        replace(each, block=each.block + 6, space=80.0) for each in early if each.block is not None and each.block < 3
    ]
    (first,) = compare(history(*early), rules(), verified("finalist-1"), 1)
    assert first.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE
    assert compare(history(*early, *late), rules(), verified("finalist-1"), 1) == (first,)
    (both,) = compare(history(*early, *late), rules(), verified("finalist-1"), 2)
    assert both.guards != first.guards


def test_an_open_claim_uses_all_pairs_at_the_second_look() -> None:
    wide: list[float | None] = [130.0, 92.0, 128.0, 90.0, 127.0, 95.0]
    made = history(*pairs({"stock": STOCK * 2, "finalist-1": wide * 2}))
    (first,) = judge(made, rules(), verified("finalist-1"), 1)
    (second,) = judge(made, rules(), verified("finalist-1"), 2)
    assert (first.settled, first.decision, first.n) == (False, Decision.INCONCLUSIVE, 6)
    assert second.n == 12


def test_a_gain_that_a_host_contradicts_to_the_end_is_inconclusive_with_all_of_its_pairs() -> None:
    rates: list[float | None] = [
        100.0 * (1.3 if (block // 2) % 6 else 0.95) * (1.005 if block % 2 else 0.995) for block in range(20)
    ]
    made = history(*pairs({"stock": [100.0] * 20, "finalist-1": rates}))
    runs = (
        replace(stored, run=replace(stored.run, host=f"bench-{(stored.run.block or 0) // 2 % 6}"))
        for stored in made.runs
    )
    spread = replace(made, runs=tuple(runs))
    (second,) = judge(spread, rules(), verified("finalist-1"), 2)
    assert (second.decision, second.n, second.settled) == (Decision.INCONCLUSIVE, 12, False)
    assert second.low is not None
    assert second.low > 1
    (last,) = judge(spread, rules(), verified("finalist-1"), 3)
    assert (last.decision, last.n, last.settled, last.looks) == (Decision.INCONCLUSIVE, 20, True, 3)


def test_a_broken_guard_keeps_a_gain_from_being_accepted() -> None:
    spaces = {"finalist-1": [130.0, 131.0, 129.0, 130.0, 130.0, 130.0]}
    made = history(*pairs({"stock": STOCK, "finalist-1": _times(1.2)}, spaces))
    (comparison,) = compare(made, rules(), verified("finalist-1"), 1)
    assert comparison.claim.decision is Decision.IMPROVED
    assert comparison.guards["space_bytes"].verdict is GuardVerdict.BROKEN
    assert not comparison.accepted


def test_a_passed_limit_keeps_a_gain_from_being_accepted_and_says_why() -> None:
    limited = rules((Limit("space_bytes", "<=", 90.0),))
    made = history(*pairs({"stock": STOCK, "finalist-1": _times(1.2)}), judged=limited)
    (comparison,) = compare(made, limited, verified("finalist-1"), 1)
    assert [(each.limit.value, each.seen.verdict, each.seen.mean) for each in comparison.limits] == [
        (90.0, GuardVerdict.BROKEN, 100.0)
    ]
    assert not comparison.accepted


def test_space_carried_over_in_proportion_is_open_by_its_runs_alone_so_that_more_of_them_are_made() -> None:
    untold = BoundsAtFullSize(64.0, "level", "runs end before what is due has run")
    judged = replace(rules((Limit("space_bytes", "<=", 7040.0),)), full_size=untold)
    spaces = {"finalist-1": [90.0, 130.0, 95.0, 125.0, 100.0, 110.0]}
    made = history(*pairs({"stock": STOCK, "finalist-1": _times(1.2)}, spaces), judged=judged)
    whole = {run: 64 * value for run, value in made.measured["space_bytes"].items()}
    scaled = History(made.runs, {**made.measured, "space_full_size_bytes": whole})
    (comparison,) = compare(scaled, judged, verified("finalist-1"), 1)
    assert comparison.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE
    assert comparison.limits[0].seen.verdict is GuardVerdict.INCONCLUSIVE
    assert set(comparison.scaled) == {"space_bytes"}
    assert comparison.beyond_runs == ()
    assert comparison.is_open


def test_an_arm_without_pairs_claims_nothing() -> None:
    made = history(*pairs({"stock": STOCK, "finalist-1": [None] * 6}))
    (comparison,) = compare(made, rules(), verified("finalist-1"), 3)
    assert comparison.claim.gain is None
    assert comparison.indicators == {}
    assert comparison.guards["space_bytes"].verdict is GuardVerdict.INCONCLUSIVE
    assert not comparison.accepted


@pytest.mark.parametrize(
    ("wanted", "pairs_of_rates", "pairs_of_spaces"),
    [(Disturbed.WAIT, 6, 6), (Disturbed.USE, 6, 6), (Disturbed.REFUSE, 0, 6), (None, 0, 0)],
)
def test_what_counts_of_disturbed_runs_is_what_was_asked_for(
    wanted: Disturbed | None, pairs_of_rates: int, pairs_of_spaces: int
) -> None:
    disturbed = [
        Made(Purpose.VERIFY, arm, block, rate, status=Status.DISTURBED)
        for block in range(6)
        for arm, rate in (("stock", 100.0), ("finalist-1", 200.0))
    ]
    judged = replace(rules(), disturbed=wanted)
    (comparison,) = compare(history(*disturbed, judged=judged), judged, verified("finalist-1"), 1)
    assert comparison.claim.n == pairs_of_rates
    found = comparison.indicators.get("space_bytes")
    assert (found.n if found is not None else 0) == pairs_of_spaces


def test_a_disturbed_run_that_was_made_again_gives_way_to_the_new_one() -> None:
    runs = pairs({"stock": STOCK, "finalist-1": _times(1.2)})
    slow = Made(Purpose.VERIFY, "finalist-1", 0, 1.0, status=Status.DISTURBED)
    (expected,) = compare(history(*runs), rules(), verified("finalist-1"), 1)
    assert compare(history(slow, *runs), rules(), verified("finalist-1"), 1) == (expected,)
    gone = [replace(each, status=Status.LOST) if (each.arm, each.block) == ("finalist-1", 0) else each for each in runs]
    (without,) = compare(history(slow, *gone), rules(), verified("finalist-1"), 1)
    assert without.claim.n == 6, "nothing took its place yet"


def test_the_winner_is_the_accepted_arm_with_the_largest_gain() -> None:
    rates = {"stock": STOCK, "a": _times(1.2), "b": _times(1.4), "c": _times(1.6), "d": _times(0.8)}
    made = history(*pairs(rates, {"c": [150.0] * 6}))
    comparisons = compare(made, rules(), verified("a", "b", "c", "d"), 1)
    assert [each.accepted for each in comparisons] == [True, True, False, False]
    assert choose_winner(comparisons) == "b"
    assert choose_winner(comparisons[2:]) == ""
    assert comparisons[3].claim.decision is Decision.WORSE
