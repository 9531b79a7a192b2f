"""Which of the best are verified where a bound is near."""

from collections.abc import Sequence

from lsmtune.stats import first_with_margin

NOISE = {"space_bytes": 0.04}


def _first(*slacks: float, most: int = 3) -> Sequence[int]:
    return first_with_margin([{"space_bytes": slack} for slack in slacks], NOISE, most)


def test_the_last_gives_way_to_one_that_is_farther_from_its_bound_than_the_noise() -> None:
    assert _first(0.001, 0.002, 0.003, 0.004, 0.1, 0.2) == [0, 1, 4]


def test_the_first_stay_where_one_of_them_is_farther_from_its_bound_than_the_noise() -> None:
    assert _first(0.001, 0.1, 0.003, 0.004, 0.2) == [0, 1, 2]


def test_the_first_stay_where_none_is_farther_from_its_bound_than_the_noise() -> None:
    assert _first(0.001, 0.002, 0.003, 0.004) == [0, 1, 2]


def test_the_first_stay_without_a_bound() -> None:
    assert first_with_margin([{}] * 5, NOISE, 3) == [0, 1, 2]
    assert first_with_margin([{"waf": 0.0}] * 5, NOISE, 3) == [0, 1, 2]


def test_a_margin_is_needed_in_all_bounds() -> None:
    slacks = [{"space_bytes": 0.0, "waf": 1.0}] * 3 + [
        {"space_bytes": 1.0, "waf": 0.0},
        {"space_bytes": 1.0, "waf": 1.0},
    ]
    assert first_with_margin(slacks, {**NOISE, "waf": 0.1}, 3) == [0, 1, 4]


def test_a_single_one_is_the_best_and_few_are_all_taken() -> None:
    assert _first(0.001, 0.2, most=1) == [0]
    assert _first(0.001, 0.002) == [0, 1]
    assert _first() == []
