"""The ablation effects of single changes."""

import math
from dataclasses import replace

import pytest
from result_builders import history, pairs, rules

from lsmtune.model import Configuration, Purpose
from lsmtune.result import Decisions, EliminationTest, Evidence, elimination_gains, evidence, evidence_by_option
from lsmtune.result._ablation import taken_back_since
from lsmtune.stats import many_to_one

WITH: list[float | None] = [110.0, 112.0, 108.0]
WITHOUT: list[float | None] = [100.0, 100.0, 100.0]


def test_arms_are_named_after_their_test() -> None:
    assert EliminationTest(3, ("a",), accepted=False).arms == ("3:with", "3:without")


def test_tests_of_an_ablation_share_the_runs_of_the_first() -> None:
    assert EliminationTest(3, ("a",), accepted=False, control=1).arms == ("1:with", "3:without")


def test_the_arms_of_tests_of_the_final_configuration_are_their_own() -> None:
    assert EliminationTest(3, ("a",), accepted=False, control=1, final=True).arms == ("final-1:with", "final-3:without")


def test_an_ablation_effect_is_the_mean_of_its_own_pairs() -> None:
    rates = {"1:with": WITH, "1:without": WITHOUT, "2:with": WITHOUT, "2:without": WITH}
    made = history(*pairs(rates, purpose=Purpose.PRUNE))
    first_step, second_step = (EliminationTest(number, ("a",), accepted=False) for number in (1, 2))
    assert elimination_gains(made, rules(), first_step) == pytest.approx(
        [math.log(1.1), math.log(1.12), math.log(1.08)]
    )
    assert elimination_gains(made, rules(), second_step) == pytest.approx(
        [-math.log(1.1), -math.log(1.12), -math.log(1.08)]
    )
    steps = (EliminationTest(1, ("a",), accepted=False), EliminationTest(2, ("b", "c"), accepted=True))
    first, second = evidence(made, rules(), Decisions(elimination=steps))
    assert first.about == steps[0]
    assert first.effect is not None
    assert first.effect.ratio == pytest.approx(1.1, rel=1e-3)
    assert first.effect.level == 0.95
    assert second.effect is not None
    assert second.effect.ratio == pytest.approx(1 / 1.1, rel=1e-3)


def test_a_test_below_two_pairs_has_no_estimate() -> None:
    made = history(*pairs({"1:with": WITH, "1:without": [None, None, 100.0]}, purpose=Purpose.PRUNE))
    (found,) = evidence(made, rules(), Decisions(elimination=(EliminationTest(1, ("a",), accepted=False),)))
    assert found.effect is None


def test_a_test_whose_runs_leave_the_others_too_few_blocks_is_left_out_alone() -> None:
    rates: dict[str, list[float | None]] = {
        "1:with": WITH,
        "1:without": [None, 100.0, 101.0],
        "2:without": [100.0, None, 101.0],
        "3:without": [105.0, 106.0, 104.0],
    }
    made = history(*pairs(rates, purpose=Purpose.PRUNE))
    tests = tuple(EliminationTest(number, (name,), accepted=False, control=1) for number, name in enumerate("abc", 1))
    first, second, third = evidence(made, rules(), Decisions(elimination=tests))
    assert first.effect is None
    assert second.effect is not None
    assert third.effect is not None
    assert (second.effect.n, third.effect.n) == (2, 2)
    assert third.effect.ratio == pytest.approx((110 * 108 / (105 * 104)) ** 0.5)


def test_the_last_test_of_the_final_configuration_speaks_for_a_change_else_one_of_a_larger() -> None:
    start, final = Configuration.of({}), Configuration.of({"a": 1, "b": 1, "c": 1})
    larger, other = final.changed({"d": 1}), Configuration.of({"a": 1, "b": 1})
    tests = (
        _tested(final, "a", "b"),
        _tested(final, "a"),
        _tested(larger, "a"),
        _tested(larger, "b"),
        _tested(other, "b"),
        _tested(other, "c"),
        _tested(larger, "d"),
    )
    assert evidence_by_option(tests, start, final) == {"a": tests[1], "b": tests[3]}
    assert [taken_back_since(test, start, final) for test in tests] == [0, 0, 1, 1, None, None, 1]


def test_a_test_without_an_estimate_speaks_only_where_there_is_no_other() -> None:
    final = Configuration.of({"a": 1, "b": 1})
    failed, larger = replace(_tested(final, "a"), effect=None), _tested(final.changed({"d": 1}), "a")
    alone = replace(_tested(final, "b"), effect=None)
    assert evidence_by_option((larger, failed, alone), Configuration(), final) == {"a": larger, "b": alone}


def _tested(configuration: Configuration, *removed: str) -> Evidence:
    (effect,) = many_to_one([0.1, 0.12], [[0.0, 0.0]])
    return Evidence(EliminationTest(1, removed, accepted=False), effect, configuration)


def test_what_is_taken_back_together_is_not_drawn_towards_what_is_taken_back_alone() -> None:
    rates = {f"final-{number}:without": [100.0 - number, 101.0 - number, 99.0 + number] for number in range(1, 6)}
    rates |= {"final-1:with": [110.0, 112.0, 108.0], "final-6:without": [60.0, 61.0, 59.0]}
    made = history(*pairs(rates, purpose=Purpose.PRUNE))
    steps = [EliminationTest(number, (f"o{number}",), accepted=False, control=1, final=True) for number in range(1, 6)]
    together = EliminationTest(6, ("x", "y"), accepted=False, control=1, final=True)
    found = evidence(made, rules(), Decisions(final_tests=(together, *steps)))
    assert found[0].effect is not None
    assert found[0].effect.ratio == pytest.approx((110 * 112 * 108 / (60 * 61 * 59)) ** (1 / 3))
    assert max(each.effect.ratio for each in found[1:] if each.effect) < 1.2
