"""What single changes have earned."""

import math

import pytest
from result_builders import history, pairs, rules

from lsmtune.model import Purpose
from lsmtune.result import Decisions, PruneStep, evidence, prune_gains
from lsmtune.result._pruning import evidence_by_option

WITH: list[float | None] = [110.0, 112.0, 108.0]
WITHOUT: list[float | None] = [100.0, 100.0, 100.0]


def test_arms_are_named_after_their_test() -> None:
    assert PruneStep(3, ("a",), accepted=False).arms == ("3:with", "3:without")


def test_tests_of_an_ablation_share_the_runs_of_the_first() -> None:
    assert PruneStep(3, ("a",), accepted=False, control=1).arms == ("1:with", "3:without")


def test_a_test_earns_the_mean_of_its_own_pairs() -> None:
    rates = {"1:with": WITH, "1:without": WITHOUT, "2:with": WITHOUT, "2:without": WITH}
    made = history(*pairs(rates, purpose=Purpose.PRUNE))
    first_step, second_step = (PruneStep(number, ("a",), accepted=False) for number in (1, 2))
    assert prune_gains(made, rules(), first_step) == pytest.approx([math.log(1.1), math.log(1.12), math.log(1.08)])
    assert prune_gains(made, rules(), second_step) == pytest.approx([-math.log(1.1), -math.log(1.12), -math.log(1.08)])
    steps = (PruneStep(1, ("a",), accepted=False), PruneStep(2, ("b", "c"), accepted=True))
    first, second = evidence(made, rules(), Decisions(prune=steps))
    assert first.step == steps[0]
    assert first.earned is not None
    assert first.earned.ratio == pytest.approx(1.1, rel=1e-3)
    assert first.earned.level == 0.95
    assert second.earned is not None
    assert second.earned.ratio == pytest.approx(1 / 1.1, rel=1e-3)


def test_a_test_below_two_pairs_has_no_estimate() -> None:
    made = history(*pairs({"1:with": WITH, "1:without": [None, None, 100.0]}, purpose=Purpose.PRUNE))
    (found,) = evidence(made, rules(), Decisions(prune=(PruneStep(1, ("a",), accepted=False),)))
    assert found.earned is None


def test_only_a_test_of_one_change_that_stayed_speaks_for_it() -> None:
    steps = (
        PruneStep(1, ("a", "b"), accepted=False),
        PruneStep(2, ("a",), accepted=False),
        PruneStep(3, ("b",), accepted=True),
        PruneStep(4, ("c", "d"), accepted=False),
    )
    alone = evidence_by_option(evidence(history(), rules(), Decisions(prune=steps)))
    assert {option: found.step.number for option, found in alone.items()} == {"a": 2}
