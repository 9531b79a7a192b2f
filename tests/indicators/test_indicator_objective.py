"""Objectives, guards and limits over indicator values."""

import math

import pytest

from lsmtune.errors import UsageError
from lsmtune.indicators import Guard, Limit, Objective, oriented_log_ratio

STOCK: dict[str, float | None] = {"throughput_ops_s": 100.0, "waf": 4.0, "latency_p99_s@readrandom": 0.002}


def test_more_throughput_and_less_amplification_are_both_above_zero() -> None:
    assert oriented_log_ratio("throughput_ops_s", 200.0, 100.0) == pytest.approx(math.log(2))
    assert oriented_log_ratio("waf", 2.0, 4.0) == pytest.approx(math.log(2))
    assert oriented_log_ratio("waf", 4.0, 2.0) == pytest.approx(-math.log(2))


@pytest.mark.parametrize("bad", [None, 0.0, -1.0, math.nan, math.inf])
def test_a_ratio_with_an_unusable_side_is_missing(bad: float | None) -> None:
    assert oriented_log_ratio("waf", bad, 4.0) is None
    assert oriented_log_ratio("waf", 4.0, bad) is None


def test_a_fact_has_no_better_side() -> None:
    with pytest.raises(UsageError, match='"operations" is a fact'):
        oriented_log_ratio("operations", 2.0, 1.0)


def test_a_gain_is_the_weighted_geometric_mean_of_the_improvements() -> None:
    objective = Objective({"throughput_ops_s": 3.0, "waf": 1.0})
    gain = objective.log_gain({"throughput_ops_s": 200.0, "waf": 8.0}, STOCK)
    assert gain is not None
    assert math.exp(gain) == pytest.approx(2 ** (3 / 4) * 0.5 ** (1 / 4))


def test_the_reference_gains_nothing_on_itself() -> None:
    assert Objective({"throughput_ops_s": 1.0, "latency_p99_s@readrandom": 2.0}).log_gain(STOCK, STOCK) == 0.0


def test_a_gain_with_a_missing_indicator_is_missing() -> None:
    objective = Objective({"throughput_ops_s": 1.0, "waf": 1.0})
    assert objective.log_gain({"throughput_ops_s": 200.0}, STOCK) is None
    assert objective.log_gain({"throughput_ops_s": 200.0, "waf": None}, STOCK) is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({}, "has no indicators"),
        ({"wav": 1.0}, "did you mean waf"),
        ({"waf": 0.0}, "weights are above 0"),
        ({"waf": -1.0}, "that lower is better is known"),
        ({"waf": math.nan}, "weights are above 0"),
        ({"flush_count": 1.0}, "is a fact"),
    ],
)
def test_an_objective_that_cannot_be_meant_is_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Objective(weights)


def test_a_guard_holds_up_to_its_ratio() -> None:
    guard = Guard("waf", 1.05)
    assert guard.excess({"waf": 3.0}, STOCK) == 0.0
    assert guard.excess({"waf": 4.19}, STOCK) == 0.0
    assert guard.excess({"waf": 8.4}, STOCK) == pytest.approx(math.log(2))
    assert guard.slack({"waf": 8.4}, STOCK) == pytest.approx(-math.log(2))
    assert guard.slack({"waf": 2.1}, STOCK) == pytest.approx(math.log(2))


def test_a_guard_on_a_rate_looks_downwards() -> None:
    guard = Guard("throughput_ops_s", 1.25)
    assert guard.excess({"throughput_ops_s": 81.0}, STOCK) == 0.0
    assert guard.excess({"throughput_ops_s": 40.0}, STOCK) == pytest.approx(math.log(2))
    assert guard.slack({"throughput_ops_s": 160.0}, STOCK) == pytest.approx(math.log(2))


def test_a_guard_takes_zeros_as_they_are() -> None:
    guard = Guard("stall_time_s", 1.1)
    assert guard.excess({"stall_time_s": 0.0}, {"stall_time_s": 0.0}) == 0.0
    assert guard.excess({"stall_time_s": 0.0}, {"stall_time_s": 2.0}) == 0.0
    assert guard.excess({"stall_time_s": 0.1}, {"stall_time_s": 0.0}) == math.inf
    assert guard.slack({"stall_time_s": 0.1}, {"stall_time_s": 0.0}) == -math.inf
    assert guard.slack({"stall_time_s": 0.0}, {"stall_time_s": 2.0}) == math.inf
    assert guard.slack({"stall_time_s": 0.0}, {"stall_time_s": 0.0}) == pytest.approx(math.log(1.1))


@pytest.mark.parametrize("bad", [None, -1.0, math.nan])
def test_a_guard_over_a_missing_value_is_unknown(bad: float | None) -> None:
    assert Guard("waf", 1.0).excess({"waf": bad}, STOCK) is None
    assert Guard("waf", 1.0).excess(STOCK, {}) is None


@pytest.mark.parametrize("ratio", [0.9, 0.0, math.nan, math.inf])
def test_a_guard_below_one_is_refused(ratio: float) -> None:
    with pytest.raises(UsageError, match=r"write 1\.0 or more"):
        Guard("waf", ratio)


def test_a_guard_on_a_fact_is_refused() -> None:
    with pytest.raises(UsageError, match="is a fact"):
        Guard("operations", 1.1)


@pytest.mark.parametrize(
    ("limit", "value", "excess"),
    [
        (Limit("space_amp", "<=", 1.5), 1.5, 0.0),
        (Limit("space_amp", "<=", 1.5), 3.0, 1.0),
        (Limit("throughput_ops_s", ">=", 100.0), 250.0, 0.0),
        (Limit("throughput_ops_s", ">=", 100.0), 25.0, 0.75),
        (Limit("stop_count", "<=", 0.0), 3.0, 3.0),
        (Limit("levels_populated", ">=", 3.0), 4.0, 0.0),
    ],
)
def test_a_limit_tells_how_far_beyond_a_value_is(limit: Limit, value: float, excess: float) -> None:
    assert limit.excess({limit.indicator: value}) == pytest.approx(excess)


def test_a_limit_tells_how_much_room_is_left() -> None:
    assert Limit("space_amp", "<=", 1.5).slack({"space_amp": 1.2}) == pytest.approx(0.2)
    assert Limit("throughput_ops_s", ">=", 100.0).slack({"throughput_ops_s": 250.0}) == pytest.approx(1.5)


def test_a_limit_over_a_missing_value_is_unknown() -> None:
    assert Limit("space_amp", "<=", 1.5).excess({"space_amp": None}) is None
    assert Limit("space_amp", "<=", 1.5).excess({}) is None


def test_a_limit_that_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UsageError, match="write <= or >="):
        Limit("waf", "<", 1.0)  # type: ignore[arg-type]  # what an experiment file could hold
    with pytest.raises(UsageError, match="finite"):
        Limit("waf", "<=", math.inf)
    with pytest.raises(UsageError, match="not an indicator"):
        Limit("amplification", "<=", 1.0)
