"""What may be said of a front: claims on each indicator in one family, and of finalists among each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from result_builders import RATE, Made, baseline, history, pairs, rules, store, trial
from statsmodels.stats.multitest import multipletests

from lsmtune.indicators import Objective
from lsmtune.model import Purpose
from lsmtune.result import (
    Comparison,
    Contest,
    Front,
    Relation,
    Rules,
    Standing,
    checkpoints,
    compare,
    find_front,
    summarise,
)
from lsmtune.stats import LOOKS, POCOCK_ALPHA, Decision, GuardVerdict, compare_log_ratios
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

SPACE = "space_bytes"
WIGGLES = (0.01, -0.01, 0.006, -0.006, 0.002, -0.003)


def front_rules(worse: float | None = None) -> Rules:
    """Rules of a front between rate and space; space may grow by `worse`."""
    objective = Objective({RATE: 1.0, SPACE: 1.0})
    return replace(
        rules(worse=worse or 1.0), objective=objective, pareto=True, guards=rules(worse=worse).guards if worse else ()
    )


def level(factor: float, turn: int) -> list[float]:
    """Values of an arm that is larger by a factor, with a little noise of its own."""
    return [100.0 * factor * (1 + WIGGLES[(place + turn) % 6]) for place in range(6)]


def verified(
    factors: Mapping[str, tuple[float, float]], judged: Rules | None = None
) -> tuple[tuple[Comparison, ...], Front]:
    """Verify arms whose rate and space are these factors times the reference's."""
    judged = judged or front_rules()
    rates = {"stock": level(1.0, 0)} | {
        arm: level(rate, turn) for turn, (arm, (rate, _)) in enumerate(factors.items(), 1)
    }
    spaces = {"stock": level(1.0, 3)} | {
        arm: level(space, turn + 4) for turn, (arm, (_, space)) in enumerate(factors.items())
    }
    made = history(*pairs(rates, spaces), judged=judged)
    contest = Contest(Purpose.VERIFY, "stock", tuple(factors))
    comparisons = compare(made, judged, contest, 1)
    return comparisons, find_front(made, judged, contest, comparisons)


def test_members_are_better_in_something_and_dominated_by_none() -> None:
    comparisons, front = verified(
        {"fast": (1.3, 1.2), "both": (1.1, 0.9), "beaten": (1.05, 1.1), "slow": (0.8, 0.7), "bad": (0.9, 1.1)}
    )
    assert [each.accepted for each in comparisons] == [True, True, True, True, False]
    assert front.members == ("both", "slow", "fast")
    assert front.dominated == {"beaten": "both"}
    assert front.chosen == "both"


def test_the_claims_are_one_family_over_finalists_and_indicators() -> None:
    comparisons, _ = verified({"a": (1.02, 1.0), "b": (1.0, 0.99), "c": (1.004, 1.003)})
    parts = [part for each in comparisons for part in each.parts.values()]
    assert [part.name for part in parts] == [f"{arm}/{name}" for arm in "abc" for name in (RATE, SPACE)]
    _, corrected, _, _ = multipletests([part.p for part in parts], method="bonferroni")
    assert [part.p_adjusted for part in parts] == pytest.approx(corrected.tolist())


def test_a_claim_is_shown_exactly_where_the_interval_of_its_indicator_leaves_out_one() -> None:
    comparisons, _ = verified({"a": (1.02, 1.0), "b": (1.009, 0.99), "c": (1.011, 1.003)})
    for each in comparisons:
        for name, part in each.parts.items():
            pairs = each.indicators[name]
            assert pairs.level == 1 - POCOCK_ALPHA / 6
            assert (part.decision in (Decision.IMPROVED, Decision.WORSE)) == (not pairs.low <= 1 <= pairs.high)


def test_the_weighted_gain_is_an_estimate_without_a_test() -> None:
    (each,), _ = verified({"trade": (1.2, 1.2)})
    assert each.claim.gain == pytest.approx(1.0, abs=0.01)
    assert (each.claim.p, each.claim.p_adjusted, each.claim.n) == (None, None, 6)
    assert each.parts[RATE].decision is Decision.IMPROVED
    assert each.parts[SPACE].decision is Decision.WORSE
    assert each.accepted


def over_hosts(rates: Sequence[float], spaces: Sequence[float], hosts: Sequence[int]) -> Comparison:
    """Compare an arm with a reference of 100 and 101 in turn, as factors of it; the block of each is on a host."""
    stock = [100.0 + place % 2 for place in range(6)]
    values = [[base * factor for base, factor in zip(stock, factors, strict=True)] for factors in (rates, spaces)]
    made = history(*pairs({"stock": stock, "a": values[0]}, {"stock": stock, "a": values[1]}), judged=front_rules())
    runs = (replace(each, run=replace(each.run, host=f"bench-{hosts[each.run.block or 0]}")) for each in made.runs)
    contest = Contest(Purpose.VERIFY, "stock", ("a",))
    (found,) = compare(replace(made, runs=tuple(runs)), front_rules(), contest, 1)
    return found


def test_a_trade_is_shown_though_the_sign_of_its_weighted_gain_differs_between_hosts() -> None:
    found = over_hosts((1.2, 1.21, 1.2, 1.2, 1.19, 1.2), (1.1, 1.1, 1.3, 1.29, 1.2, 1.2), (1, 1, 2, 2, 3, 3))
    assert found.hosts is not None
    assert found.hosts.opposite
    assert found.contradicted == {}, "the weighted gain is no claim"
    assert {name: part.decision for name, part in found.parts.items()} == {
        RATE: Decision.IMPROVED,
        SPACE: Decision.WORSE,
    }
    assert found.accepted


def test_an_indicator_in_which_hosts_contradict_each_other_is_not_claimed() -> None:
    found = over_hosts((1.22, 1.23, 1.21, 1.22, 1.22, 0.98), (1.3, 1.31, 1.29, 1.3, 1.3, 1.3), (1, 1, 1, 1, 1, 2))
    assert found.hosts is not None
    assert not found.hosts.opposite
    part = found.parts[RATE]
    assert part.low is not None
    assert part.low > 1, "over all pairs it would be shown"
    assert (part.decision, part.settled) == (Decision.INCONCLUSIVE, False)
    assert {name: each.opposite for name, each in found.contradicted.items()} == {RATE: ("bench-2",)}
    assert found.parts[SPACE].decision is Decision.WORSE
    assert not found.accepted


def test_the_interval_of_a_weighted_gain_has_the_level_of_the_claims() -> None:
    comparisons, _ = verified({"a": (1.02, 1.0), "b": (1.0, 0.99), "c": (1.004, 1.003)})
    for each in comparisons:
        expected = compare_log_ratios(each.gains, POCOCK_ALPHA / 6)
        assert (each.claim.low, each.claim.high, each.claim.family) == (expected.low, expected.high, 6)


def test_what_is_shown_worse_and_nowhere_better_is_worse_and_what_is_equal_is_no_difference() -> None:
    (worse, same), front = verified({"worse": (1.0, 1.2), "same": (1.0, 1.0)})
    assert worse.claim.decision is Decision.WORSE
    assert same.claim.decision is Decision.NO_DIFFERENCE
    assert same.claim.equivalence == max(part.equivalence or 0.0 for part in same.parts.values())
    assert front.members == ()
    assert front.chosen == ""


def test_a_broken_guard_keeps_a_finalist_off_the_front_and_from_dominating() -> None:
    (large, small), front = verified({"large": (1.5, 1.3), "small": (1.2, 1.0)}, front_rules(1.1))
    assert large.guards[SPACE].verdict is GuardVerdict.BROKEN
    assert large.parts[RATE].decision is Decision.IMPROVED
    assert small.accepted
    assert front.members == ("small",)


def test_what_older_studies_left_out_as_its_guard_is_open_is_their_winner_today(tmp_path: Path) -> None:
    rates = {"stock": level(1.0, 0), "finalist-1": level(1.3, 1)}
    spaces = {"finalist-1": [90.0, 130.0, 95.0, 125.0, 100.0, 110.0]}
    with create_study(tmp_path / "s", fake_description(front_rules(1.1), fake_space())) as study:
        store(study, *(baseline(block, 100.0) for block in range(3)), trial(1, 130.0), *pairs(rates, spaces))
        study.save(checkpoints.FINALISTS, ("trial-1",))
        study.save(checkpoints.VERIFY_LOOKS, 1)
        study.save(checkpoints.WINNER, "")
        result = summarise(study)
    assert result.decisions.winner == "finalist-1"
    assert result.standing is Standing.UNDECIDED


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ((1.3, 0.9), (1.2, 1.0), Relation.DOMINATES),
        ((1.3, 0.8), (1.1, 0.8), Relation.DOMINATES),  # equal in one, as far as the minimum effect of interest
        ((1.3, 1.1), (1.1, 0.98), Relation.TRADE),
        ((1.2, 0.9), (1.201, 0.9), Relation.OPEN),
    ],
)
def test_two_finalists_are_told_apart_by_their_own_pairs(
    first: tuple[float, float], second: tuple[float, float], relation: Relation
) -> None:
    _, front = verified({"first": first, "second": second})
    (pairing,) = front.pairings
    assert pairing.relation is relation
    turned = pairing.arm == "second"
    ratio = first[0] / second[0]
    assert pairing.indicators[RATE].ratio == pytest.approx(1 / ratio if turned else ratio, rel=0.01)


def test_a_front_is_that_of_the_last_look_while_the_next_one_goes_on(tmp_path: Path) -> None:
    arms = {"stock": 1.0, "finalist-1": 1.3, "finalist-2": 1.2}
    rates = {arm: (level(factor, turn) * 2)[:8] for turn, (arm, factor) in enumerate(arms.items())}
    with create_study(tmp_path / "s", fake_description(front_rules(), fake_space())) as study:
        store(study, *(baseline(block, 100.0) for block in range(3)), trial(1, 130.0), trial(2, 120.0), *pairs(rates))
        study.save(checkpoints.FINALISTS, ("trial-1", "trial-2"))
        front = summarise(study).front
    assert front is not None
    (pairing,) = front.pairings
    assert pairing.indicators[RATE].n == LOOKS[0]


def test_the_choice_is_told_against_every_other_member() -> None:
    _, front = verified({"fast": (1.3, 1.2), "both": (1.1, 0.9), "beaten": (1.05, 1.1), "slow": (0.8, 0.7)})
    assert [(each.arm, each.against) for each in front.choice()] == [("both", "slow"), ("both", "fast")]


def test_intervals_between_finalists_have_the_level_at_which_they_are_told_apart() -> None:
    _, front = verified({"fast": (1.3, 1.2), "both": (1.1, 0.9), "slow": (0.8, 0.7)})
    assert len(front.pairings) == 3
    assert {pairs.level for each in front.pairings for pairs in each.indicators.values()} == {1 - POCOCK_ALPHA / 6}


def test_finalists_without_common_blocks_are_not_told_apart() -> None:
    judged = front_rules()
    runs = pairs({"stock": level(1.0, 0) * 2}, {"stock": level(1.0, 3) * 2})
    for arm, first in (("early", 0), ("late", 6)):
        for block in range(6):
            runs.append(Made(Purpose.VERIFY, arm, first + block, 130.0 + block / 4, 80.0 - block / 4))
    made, contest = history(*runs, judged=judged), Contest(Purpose.VERIFY, "stock", ("early", "late"))
    front = find_front(made, judged, contest, compare(made, judged, contest, 2))
    (pairing,) = front.pairings
    assert (pairing.relation, pairing.indicators) == (Relation.OPEN, {})
    assert len(front.members) == 2


def test_other_contests_of_a_study_with_a_front_are_judged_by_the_weighted_gain() -> None:
    judged = front_rules()
    made = history(*pairs({"stock": level(1.0, 0), "pruned": level(1.2, 1)}, purpose=Purpose.CONFIRM), judged=judged)
    (each,) = compare(made, judged, Contest(Purpose.CONFIRM, "stock", ("pruned",)), 1)
    assert each.parts == {}
    assert each.claim.p is not None
    assert each.claim.gain == pytest.approx(1.2**0.5, rel=0.01)


def simulated(seed: int, rates: Sequence[float]) -> tuple[Decision, ...]:
    """Judge 20 pairs of arms with these true rates and equal space, under noise, after all looks."""
    rng, blocks = np.random.default_rng(seed), LOOKS[-1]
    arms = ["stock", *(f"finalist-{place}" for place in range(1, len(rates) + 1))]
    truth = dict(zip(arms, [1.0, *rates], strict=True))
    noisy = {arm: (100 * truth[arm] * np.exp(rng.normal(0, 0.08, blocks))).tolist() for arm in arms}
    spaces = {arm: (100 * np.exp(rng.normal(0, 0.01, blocks))).tolist() for arm in arms}
    made = history(*pairs(noisy, spaces), judged=front_rules())
    compared = compare(made, front_rules(), Contest(Purpose.VERIFY, "stock", tuple(arms[1:])), len(LOOKS))
    return tuple(each.claim.decision for each in compared)


def test_at_most_one_study_in_twenty_puts_something_on_a_front_where_nothing_differs() -> None:
    studies = [simulated(seed, (1.0, 1.0, 1.0, 1.0)) for seed in range(400)]
    false = sum(Decision.IMPROVED in decisions for decisions in studies)
    assert 0 < false <= 0.05 * len(studies)


def test_a_true_gain_in_one_indicator_is_shown_in_most_studies() -> None:
    studies = [simulated(seed, (1.0, 1.15, 1.0, 1.0)) for seed in range(20)]
    assert sum(decisions[1] is Decision.IMPROVED for decisions in studies) >= 17
