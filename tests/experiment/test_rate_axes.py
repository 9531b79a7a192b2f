"""Rates, limits and percentiles as axes of sweeps and samples."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError, UsageError
from lsmtune.experiment import Experiment, axis_dimensions, parse_experiment
from lsmtune.model import MaxRate, Workload
from lsmtune.space import Kind

W = '[workload]\ntool = "ycsb"\nbenchmarks = ["a"]\nload = "load"\nnum = "20k"\n'
RATE = '[workload.max_rate]\nlimit = "5ms"\n'
DUE = "[workload.properties]\ntarget = 20000\n"
S = '[space]\npreset = "balanced"\n'
SAMPLE, SWEEP = "[sample.axes]\n", "[sweep.axes]\n"


def parsed(*parts: str) -> Experiment:
    return parse_experiment("".join((W, S, *parts)), Path("x.toml"))


def test_the_limit_varies_in_times_and_the_percentile_between_two() -> None:
    limit, percentile = axis_dimensions(
        parsed(
            RATE, SAMPLE, 'limit = { low = "1ms", high = "50ms", log = true }\npercentile = { values = [99, 99.9] }\n'
        )
    )
    assert (limit.name, limit.kind, limit.unit, limit.default) == ("workload.limit_s", Kind.FLOAT, "s", 0.005)
    assert (limit.low, limit.high, limit.log) == (0.001, 0.05, True)
    assert (percentile.name, percentile.default, percentile.choices) == ("workload.percentile", 99.0, (99.0, 99.9))


def test_the_offered_rate_varies_around_that_of_the_reference() -> None:
    (target,) = axis_dimensions(parsed(DUE, SAMPLE, 'target = { values = ["10k", 40000.5] }\n'))
    assert (target.name, target.unit, target.default) == ("workload.target_ops_s", "ops/s", 20_000.0)
    assert target.choices == (10_000.0, 40_000.5)


def test_the_rate_of_the_reference_is_found_wherever_it_stands() -> None:
    common = '[workload.properties]\n"limit.ops" = 20000\n'
    assert parsed(common).workload().target_ops_s == 20_000.0
    own = W.replace('["a"]', '["mine"]') + S + "[workload.phases.mine]\ntarget = 30000\n"
    assert parse_experiment(own + common, Path("x.toml")).workload().target_ops_s == 30_000.0
    assert parsed().workload().target_ops_s is None


def test_a_run_keeps_its_own_limit_and_a_search_is_needed_for_that() -> None:
    sought = Workload(("a",), "a", 1000, tool="ycsb", max_rate=MaxRate(0.005, hold_s=2.0))
    under = sought.under((("limit_s", 0.01), ("percentile", 99.9), ("threads", 2)))
    assert (under.max_rate, under.threads) == (MaxRate(0.01, 99.9, hold_s=2.0), 2)
    with pytest.raises(UsageError, match='"limit_s" is of a search for the largest rate, and the workload has none'):
        Workload(("a",), "a", 1000).under((("limit_s", 0.01),))


WRONG = {
    "a limit without a search": (
        SWEEP + 'limit = ["1ms", "5ms"]\n',
        'sweep.axes.limit is of a search for the largest rate; write [workload.max_rate] with limit = "5ms"',
    ),
    "a limit that is no time": (RATE + SWEEP + 'limit = ["fast", "5ms"]\n', 'limit: "fast" is not a time'),
    "limits that are long against the hold": (
        RATE + SWEEP + 'limit = ["5ms", "300ms"]\n',
        'goes up to 300 ms, for which a hold of 10 s is too short: write workload.max_rate.hold = "30s" at least',
    ),
    "another percentile": (RATE + SWEEP + "percentile = [95, 99]\n", 'cannot be 95; write "99" or "99.9"'),
    "percentiles between": (
        RATE + SAMPLE + "percentile = { low = 99, high = 99.9 }\n",
        "sample.axes.percentile has no range; list values",
    ),
    "a rate where one is sought": (
        RATE + SWEEP + "target = [1000, 2000]\n",
        "sweep.axes.target is a rate, and workload.max_rate seeks one; take one of them out",
    ),
    "a rate that the reference has not": (
        SWEEP + "target = [1000, 2000]\n",
        (
            "sweep.axes.target is the rate of one measured phase, which the reference needs too; write target = 20000 "
            "under [workload.properties]"
        ),
    ),
    "no rate at all": (DUE + SWEEP + "target = [0, 2000]\n", "cannot be 0; write a number of at least 1"),
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_what_does_not_fit_together_is_said(text: str, sentence: str) -> None:
    with pytest.raises(ExperimentError) as refused:
        parsed(text)
    assert sentence in str(refused.value)


def test_the_limits_of_another_tool_are_refused_and_so_are_rates_where_nothing_paces_them() -> None:
    text = '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n' + S + SWEEP
    with pytest.raises(ExperimentError, match=r"sweep\.axes\.limit is for the tool ycsb"):
        parse_experiment(text + 'limit = ["1ms", "5ms"]\n', Path("x.toml"))
    of_leveldb = '[engine]\nname = "leveldb"\n' + text.replace("[workload]", '[workload]\ntool = "db_bench"')
    with pytest.raises(ExperimentError, match="this tool cannot pace its operations; take it out"):
        parse_experiment(of_leveldb.replace("write-heavy", "balanced") + "target = [1000, 2000]\n", Path("x.toml"))
