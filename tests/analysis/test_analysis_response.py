"""The response of runs: ratios to the reference, what is not known, and runs that were stopped."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from analysis_builders import ARM, synthetic_runs
from scipy.stats import truncnorm

from lsmtune.analysis import Response, Runs
from lsmtune.analysis._encoding import columns_of
from lsmtune.analysis._response import _mean_above, complete, log_ratios, response
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.model import Purpose
from lsmtune.space import Change, Factor, Kind


def slope(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """10 per cent for each step of the trigger, four at the reference."""
    return np.asarray(1.0 + 0.1 * columns["trigger"] + 0.2 * (columns["compression"] == "zstd"))


def seconds(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """A time that depends on three factors, from about 1 s to 30 s."""
    buffer = np.log2(columns["write_buffer_size"].astype(float)) - 20
    return np.asarray(0.12 * columns["trigger"] + 0.15 * buffer - 0.5 * columns["direct_io"])


def with_column(runs: Runs, name: str, values: Any) -> Runs:
    return replace(runs, frame=runs.frame.assign(**{name: values}))


def asked_for(runs: Runs, workload: str) -> Runs:
    """The runs as those of another workload."""
    text = f'[workload]\nnum = 1000000\n{workload}\n[space]\npreset = "write-heavy"\n'
    return replace(runs, facts=replace(runs.facts, experiment=text))


def test_without_drift_the_response_is_the_log_ratio_to_the_reference() -> None:
    runs = synthetic_runs(slope, 60, 1, anchors=5)
    answer = response(runs, "waf")
    expected = 0.1 * (runs.values("trigger") - 4) + 0.2 * (runs.values("compression") == "zstd")
    assert answer.log_ratio == pytest.approx(expected)
    assert answer.warnings == ()


def test_a_machine_that_slows_down_is_taken_out() -> None:
    runs = synthetic_runs(slope, 200, 2, anchors=20, drift=0.5)
    answer = response(runs, "waf")
    expected = 0.1 * (runs.values("trigger") - 4) + 0.2 * (runs.values("compression") == "zstd")
    assert np.std(answer.log_ratio - expected) < 0.1 * np.std(np.linspace(0, 0.5, 220))


def test_without_a_reference_absolute_values_are_explained_and_said_so() -> None:
    runs = synthetic_runs(slope, 30, 3)
    answer = response(runs, "waf")
    assert answer.log_ratio == pytest.approx(slope(columns_of(runs)))
    assert any("no finished run of the reference" in warning for warning in answer.warnings)


def test_without_anchors_the_baseline_of_the_reference_is_what_all_is_held_against() -> None:
    runs = synthetic_runs(slope, 30, 4, anchors=3)
    arms, anchors = runs.frame["arm"], (runs.frame["purpose"] == "anchor").to_numpy()
    for part in (runs.where(~anchors & (arms != "preset").to_numpy()), runs.where(~anchors)):
        found = response(part, "waf")
        assert found.log_ratio[0] == pytest.approx(0)
        assert found.warnings == ()
    other = response(runs.where((arms != runs.facts.reference).to_numpy()), "waf")
    assert other.warnings


@pytest.mark.parametrize("samples", [1, 2, 30])
def test_ratios_to_the_reference_are_those_of_the_response_however_few_the_runs(samples: int) -> None:
    runs = synthetic_runs(slope, 30, 4, anchors=3)
    sampled = (runs.frame["purpose"] == str(Purpose.SAMPLE)).to_numpy()
    part = ~sampled | (sampled.cumsum() <= samples)
    assert log_ratios(runs.where(part), "waf") == pytest.approx(response(runs, "waf").log_ratio[part])


def test_ratios_of_what_never_varies_are_1_and_without_a_reference_there_are_none() -> None:
    runs = synthetic_runs(slope, 30, 4, anchors=3)
    assert not log_ratios(with_column(runs, "indicator.levels", 4.0), "levels").any()
    assert np.isnan(log_ratios(with_column(runs, "indicator.levels", 0.0), "levels")).all()
    assert np.isnan(log_ratios(runs.of(Purpose.SAMPLE), "waf")).all()


@pytest.mark.parametrize(
    ("status", "counts", "known"),
    [
        ("failed", "nothing", []),
        ("disturbed", "nothing", []),
        ("disturbed", "steady", ["waf"]),
        ("disturbed", "all", ["waf", "load_time_s"]),
    ],
)
@pytest.mark.parametrize("indicator", ["waf", "load_time_s"])
def test_runs_that_failed_or_were_disturbed_are_known_as_far_as_they_count(
    status: str, counts: str, known: list[str], indicator: str
) -> None:
    runs = with_column(synthetic_runs(slope, 40, 5, indicator=indicator), "status", [status, *["ok"] * 39])
    answer = response(with_column(runs, "counts", [counts, *["all"] * 39]), indicator)
    assert answer.known[0] == (indicator in known)
    assert answer.known[1:].all()
    assert not answer.bounded.any()


def test_a_stopped_run_bounds_its_time_from_below() -> None:
    runs = synthetic_runs(seconds, 80, 6, anchors=4, cap_s=6.0, indicator="load_time_s")
    answer = response(runs, "load_time_s")
    stopped = (runs.frame["status"] == "censored").to_numpy()
    reference = 0.12 * 4 + 0.15 * 6
    assert answer.sign == 1
    assert np.array_equal(answer.bounded, stopped)
    assert answer.log_bound[stopped] == pytest.approx(np.log(6.0) - reference)
    assert np.isnan(answer.log_bound[~stopped]).all()
    assert any("is at least a bound there" in warning for warning in answer.warnings)


def test_a_stopped_run_bounds_its_rate_from_above_by_the_work_of_its_threads() -> None:
    runs = synthetic_runs(seconds, 80, 7, anchors=4, cap_s=6.0, indicator="load_time_s")
    threads = np.where(runs.frame["arm"] == ARM, 1, 1 + np.arange(len(runs)) % 3)
    factor = Factor("workload.threads", Kind.INT, "", 1, Change.WORKLOAD)
    rate = 1000 * threads / runs.frame["indicator.load_time_s"]
    runs = with_column(with_column(runs, "workload.threads", threads), "indicator.throughput_ops_s", rate)
    runs = replace(runs, factors=(*runs.factors, factor))
    answer = response(runs, "throughput_ops_s")
    stopped = answer.bounded
    reference = np.log(1000) - (0.12 * 4 + 0.15 * 6)
    assert answer.sign == -1
    assert np.array_equal(stopped, (runs.frame["status"] == "censored").to_numpy())
    assert answer.log_bound[stopped] == pytest.approx(np.log(1000 * threads[stopped] / 6.0) - reference)


@pytest.mark.parametrize(
    ("workload", "bounded"),
    [
        ('load = "fillrandom"\nbenchmarks = "readrandom"', True),
        ('benchmarks = ["fillrandom", "readrandom"]', False),  # the time may be that of the fill
        ('benchmarks = "fillrandom"\nduration = "10s"', False),
        ('tool = "ycsb"\nbenchmarks = ["load", "a"]', False),
    ],
)
def test_a_rate_is_bounded_where_its_phase_comes_first_and_has_a_number_of_operations(
    workload: str, *, bounded: bool
) -> None:
    runs = synthetic_runs(seconds, 80, 7, anchors=4, cap_s=6.0, indicator="load_time_s")
    runs = with_column(runs, "indicator.throughput_ops_s", 1000 / runs.frame["indicator.load_time_s"])
    answer = response(asked_for(runs, workload), "throughput_ops_s")
    stopped = (runs.frame["status"] == "censored").to_numpy()
    assert np.array_equal(answer.bounded, stopped if bounded else np.zeros_like(stopped))
    assert any("is not known there and left out" in warning for warning in answer.warnings) is not bounded


def test_the_rate_that_a_run_gave_is_its_bound_whatever_ran_before() -> None:
    runs = synthetic_runs(seconds, 80, 7, cap_s=6.0, indicator="load_time_s")
    stopped = (runs.frame["status"] == "censored").to_numpy()
    rate = (1000 / runs.frame["indicator.load_time_s"]).fillna(200.0)
    runs = asked_for(with_column(runs, "indicator.throughput_ops_s", rate), 'benchmarks = ["fillrandom", "readrandom"]')
    assert response(runs, "throughput_ops_s").log_bound[stopped] == pytest.approx(np.log(200.0))


def test_the_rate_of_a_phase_that_was_cut_short_may_still_rise_to_that_of_all_its_operations_in_this_time() -> None:
    runs = synthetic_runs(seconds, 80, 7, cap_s=6.0, indicator="load_time_s")
    stopped = (runs.frame["status"] == "censored").to_numpy()
    rate = (1000 / runs.frame["indicator.load_time_s"]).fillna(200.0)
    done = np.where(stopped & (np.arange(len(runs)) % 2 == 0), 250, 1000)  # of 1000; the others ended, and then settled
    runs = with_column(with_column(runs, "indicator.throughput_ops_s", rate), "indicator.operations", done)
    runs = asked_for(runs, 'tool = "ycsb"\nbenchmarks = ["load", "a"]\nreopen = true')
    bounds = response(runs, "throughput_ops_s").log_bound[stopped]
    assert set(done[stopped]) == {250, 1000}
    assert bounds == pytest.approx(np.log(200.0 * 1000 / done[stopped]))


@pytest.mark.parametrize(("second", "bounded"), [("overwrite", True), ("readrandom", False)])
def test_the_time_of_all_work_is_bounded_where_all_phases_count_in_it(second: str, *, bounded: bool) -> None:
    runs = synthetic_runs(seconds, 80, 6, anchors=4, cap_s=6.0, indicator="total_time_s")
    answer = response(asked_for(runs, f'benchmarks = ["fillrandom", "{second}"]'), "total_time_s")
    assert answer.bounded.any() == bounded


def test_the_threads_of_ycsb_share_the_operations_of_a_phase() -> None:
    runs = synthetic_runs(seconds, 80, 7, anchors=4, cap_s=6.0, indicator="load_time_s")
    threads = np.where(runs.frame["arm"] == ARM, 1, 1 + np.arange(len(runs)) % 3)
    factor = Factor("workload.threads", Kind.INT, "", 1, Change.WORKLOAD)
    rate = 1000 / runs.frame["indicator.load_time_s"]
    runs = with_column(with_column(runs, "workload.threads", threads), "indicator.throughput_ops_s", rate)
    runs = asked_for(replace(runs, factors=(*runs.factors, factor)), 'tool = "ycsb"\nbenchmarks = "load"')
    answer = response(runs, "throughput_ops_s")
    reference = np.log(1000) - (0.12 * 4 + 0.15 * 6)
    assert answer.log_bound[answer.bounded] == pytest.approx(np.log(1000 / 6.0) - reference)


def test_the_bytes_that_a_run_has_to_write_follow_the_size_of_its_pairs() -> None:
    runs = synthetic_runs(seconds, 80, 7, anchors=4, cap_s=6.0, indicator="load_time_s")
    sizes = np.where(runs.frame["arm"] == ARM, 100, 100 * (1 + np.arange(len(runs)) % 3))
    factor = Factor("workload.value_size_bytes", Kind.INT, "B", 100, Change.WORKLOAD)
    rate = 1000 * (16 + sizes) / runs.frame["indicator.load_time_s"]
    runs = with_column(with_column(runs, factor.name, sizes), "indicator.throughput_bytes_s", rate)
    answer = response(replace(runs, factors=(*runs.factors, factor)), "throughput_bytes_s")
    stopped, reference = answer.bounded, np.log(116_000) - (0.12 * 4 + 0.15 * 6)
    assert stopped.any()
    assert answer.log_bound[stopped] == pytest.approx(np.log(1000 * (16 + sizes[stopped]) / 6.0) - reference)


def test_the_rate_that_a_run_gave_before_it_was_stopped_while_settling_is_its_bound() -> None:
    runs = synthetic_runs(seconds, 80, 8, cap_s=6.0, indicator="load_time_s")
    stopped = (runs.frame["status"] == "censored").to_numpy()
    given = with_column(runs, "indicator.load_time_s", runs.frame["indicator.load_time_s"].fillna(2.0))
    assert response(given, "load_time_s").log_bound[stopped] == pytest.approx(np.log(2.0))


def test_a_stopped_run_says_nothing_of_other_indicators() -> None:
    runs = synthetic_runs(seconds, 80, 9, cap_s=6.0, indicator="load_time_s")
    answer = response(with_column(runs, "indicator.waf", 2.0 + np.arange(80)), "waf")
    assert answer.sign == 0
    assert not answer.bounded.any()
    assert np.array_equal(answer.known, (runs.frame["status"] == "ok").to_numpy())


def test_an_indicator_that_can_be_0_gets_its_smallest_value_added_and_a_warning() -> None:
    runs = synthetic_runs(slope, 30, 10)
    answer = response(with_column(runs, "indicator.stall_time_s", [0.0, 0.5, *range(2, 30)]), "stall_time_s")
    assert answer.log_ratio == pytest.approx(np.log(np.array([0.5, 1.0, *np.arange(2.5, 30)])))
    assert any("0.5, is added" in warning for warning in answer.warnings)


def test_values_below_0_are_not_known_and_counted() -> None:
    runs = synthetic_runs(slope, 30, 11)
    answer = response(with_column(runs, "indicator.odd", [-1.0, -2.0, *range(1, 29)]), "odd")
    assert answer.known.tolist() == [False] * 2 + [True] * 28
    assert any("below 0 in 2 of 30 runs" in warning for warning in answer.warnings)


def test_options_that_never_varied_are_named() -> None:
    runs = synthetic_runs(slope, 30, 12)
    answer = response(with_column(runs, "option.multiplier", 10.0), "waf")
    assert [warning for warning in answer.warnings if "never varied" in warning] == [
        "never varied where it has an effect, so no effect can be computed: multiplier"
    ]


def test_runs_of_one_effective_configuration_share_a_group() -> None:
    runs = synthetic_runs(slope, 30, 13, repeats=4)
    same_arm = runs.frame.groupby("arm", sort=False).ngroup().to_numpy()
    for effective in (runs.frame["effective"], None):  # the values asked for tell the configurations apart too
        assert np.array_equal(response(with_column(runs, "effective", effective), "waf").groups, same_arm)


@pytest.mark.parametrize("name", ["cache_size", "workload.threads"])
def test_what_no_engine_tells_tells_configurations_apart(name: str) -> None:
    runs = synthetic_runs(slope, 30, 13, repeats=4)
    change = Change.WORKLOAD if "." in name else runs.factors[0].change
    factor = replace(runs.factors[0], name=name, kind=Kind.INT, change=change, choices=(), conditions={})
    half = np.arange(len(runs)) % 2 + 1
    wider = with_column(replace(runs, factors=(*runs.factors, factor)), factor.column, half)
    before, after = response(runs, "waf").groups, response(with_column(wider, "effective", "same"), "waf").groups
    assert len(np.unique(before)) > 2
    assert np.array_equal(after, half - 1 if half[0] == 1 else 2 - half)


def test_stopped_runs_that_tell_no_effective_configuration_are_not_one_group() -> None:
    runs = synthetic_runs(slope, 30, 13, repeats=4)
    same_arm = runs.frame.groupby("arm", sort=False).ngroup().to_numpy()
    told = runs.frame["effective"].where(runs.frame["block"] == 1, "")  # of each repeated one, a run tells it
    assert np.array_equal(response(with_column(runs, "effective", told), "waf").groups, same_arm)
    untold = runs.frame["effective"].where(runs.frame["run"] % 3 > 0, "")
    assert np.array_equal(response(with_column(runs, "effective", untold), "waf").groups, same_arm)


def test_an_unknown_indicator_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match='no run of this study has the indicator "saf"; take one of waf'):
        response(synthetic_runs(slope, 30, 14), "saf")


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(StatisticsError, match="at least 20 finished runs, but there are 19"):
        response(synthetic_runs(slope, 19, 15, anchors=5).where(np.arange(25) != 1), "waf")


@pytest.mark.parametrize(("value", "message"), [(7.0, "is 7 in all 30 runs"), (0.0, "never above 0 in 30 runs")])
def test_an_indicator_without_differences_is_refused(value: float, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        response(with_column(synthetic_runs(slope, 30, 16), "indicator.levels", value), "levels")


def test_a_study_whose_runs_were_all_stopped_is_refused() -> None:
    runs = synthetic_runs(seconds, 30, 17, cap_s=0.01, indicator="load_time_s")
    with pytest.raises(StatisticsError, match='all 30 runs were censored, so "load_time_s" is known of none'):
        response(runs, "load_time_s")


def test_the_truncated_mean_is_that_of_the_truncated_normal_distribution() -> None:
    bound, mean, spread = (
        np.array([0.0, 1.0, 5.0, -3.0]),
        np.array([0.0, 2.0, 1.0, 4.0]),
        np.array([1.0, 0.5, 1.5, 2.0]),
    )
    expected = truncnorm.mean((bound - mean) / spread, np.inf, loc=mean, scale=spread)
    assert _mean_above(bound, mean, spread) == pytest.approx(expected)
    assert _mean_above(np.array([9.0, 0.0]), np.array([0.0, 9.0]), np.array([1e-6, 1e-6])) == pytest.approx([9, 9])


@pytest.mark.parametrize("sign", [1, -1])
def test_completed_runs_are_nearer_to_the_truth_than_their_bounds(sign: int) -> None:
    runs = synthetic_runs(seconds, 250, 18, noise=0.05, cap_s=8.0, indicator="load_time_s")
    answer = response(runs, "load_time_s")
    answer = replace(answer, sign=sign, log_ratio=sign * answer.log_ratio, log_bound=sign * answer.log_bound)
    late, truth = answer.bounded, seconds(columns_of(runs))
    completed = sign * complete(answer, runs.factors, columns_of(runs), seed=0)
    assert 20 < late.sum() < 100
    assert np.array_equal(completed[~late], sign * answer.log_ratio[~late])
    assert (completed[late] >= np.log(8.0)).all()
    error, of_bound = completed[late] - truth[late], np.log(8.0) - truth[late]
    assert np.mean(error**2) < 0.75 * np.mean(of_bound**2)
    assert abs(error.mean()) < 0.75 * abs(of_bound.mean())


def test_what_is_neither_known_nor_bounded_stays_unknown() -> None:
    runs = synthetic_runs(seconds, 60, 19, cap_s=6.0, indicator="load_time_s")
    answer = response(with_column(runs, "status", ["failed", *runs.frame["status"][1:]]), "load_time_s")
    completed = complete(answer, runs.factors, columns_of(runs), seed=0)
    assert np.isnan(completed[0])
    assert np.isfinite(completed[1:]).all()


def test_too_few_known_runs_complete_nothing() -> None:
    runs = synthetic_runs(seconds, 60, 20, cap_s=6.0, indicator="load_time_s")
    answer = response(runs, "load_time_s")
    few = answer.bounded | (np.cumsum(answer.known) <= 9)
    with pytest.raises(StatisticsError, match="is known of 9 runs and bounded for"):
        complete(answer.where(few), runs.factors, columns_of(runs.where(few)), seed=0)


def test_the_noise_is_that_of_runs_around_their_own_configuration_and_none_where_few_were_repeated() -> None:
    logs = np.array([0.0, 0.2, 5.0, 5.4, 1.0, 1.0, 2.0, 2.2, 3.0, 3.2, np.nan, 9.0])
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5])
    answer = Response("waf", logs, np.full(12, np.nan), 0, groups)
    variances = [np.var(logs[place : place + 2], ddof=1) for place in range(0, 10, 2)]
    assert answer.noise() == pytest.approx(np.sqrt(np.mean(variances)))
    assert answer.where(groups < 4).noise() is None
