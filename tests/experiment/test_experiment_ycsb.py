"""Experiments of the tool ycsb: what they mean, and what does not fit together."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import axis_dimensions, parse_experiment
from lsmtune.indicators import Limit
from lsmtune.model import MaxRate

E = '[engine]\nname = "leveldb"\n'
W = '[workload]\ntool = "ycsb"\nbenchmarks = ["load", "a", "b"]\nnum = "20k"\n'
S = '[space]\npreset = "balanced"\n'


def test_phases_count_the_same_and_the_last_one_is_the_measured_one() -> None:
    experiment = parse_experiment(E + W + S, Path("x.toml"))
    workload = experiment.workload()
    assert (workload.tool, workload.measure, workload.compression_ratio) == ("ycsb", "b", 1.0)
    assert experiment.reference == "leveldb"
    assert experiment.objective().weights == {
        "throughput_ops_s": 1.0,
        "throughput_ops_s@load": 1.0,
        "throughput_ops_s@a": 1.0,
    }


def test_own_phases_and_properties_reach_the_workload() -> None:
    text = (
        W.replace('["load", "a", "b"]', '["load", "mine", "settle"]')
        + "compression_ratio = 0.5\n"
        + S
        + "[workload.properties]\nfieldlength = 50\n[workload.phases.mine]\nreadproportion = 0.8\n"
    )
    workload = parse_experiment(text, Path("x.toml")).workload()
    assert workload.measure == "mine"
    assert workload.flags == (("fieldlength", "50"),)
    assert workload.phases == (("mine", (("readproportion", "0.8"),)),)
    assert workload.compression_ratio == 0.5
    assert workload.value_size_bytes == 10 * (8 + 6 + 50)


def test_rocksdb_under_the_driver_starts_from_its_own_defaults() -> None:
    assert parse_experiment(W + S, Path("x.toml")).reference == "rocksdb"


def test_sizes_of_rows_vary_by_whole_fields() -> None:
    text = W + S + '[sample.axes]\nvalue_size = { values = [250, "1140", "4100"] }\n'
    (axis,) = axis_dimensions(parse_experiment(text, Path("x.toml")))
    assert (axis.default, axis.choices) == (1140, (250, 1140, 4100))


WRONG = {
    "rows that no fields make": (
        W + S + "[sweep.axes]\nvalue_size = [256, 1140]\n",
        (
            "sweep.axes.value_size cannot be 256: rows have 140 B for the names of 10 fields, and all fields are "
            "equally long; the nearest is 260"
        ),
    ),
    "rows that are shorter than their names": (
        W + S + "[sweep.axes]\nvalue_size = [100, 1140]\n",
        "the nearest is 150",
    ),
    "a range of sizes of rows": (
        W + S + "[sample.axes]\nvalue_size = { low = 250, high = 4100 }\n",
        "sample.axes.value_size has no range with YCSB",
    ),
    "sizes of rows where fields vary": (
        W + S + '[sweep.axes]\nvalue_size = [250, 1140]\n[workload.properties]\nfieldlengthdistribution = "uniform"\n',
        "sweep.axes.value_size cannot be 250: the lengths of fields vary here",
    ),
    "sizes of rows where a phase has its own": (
        W.replace('"a"', '"mine"') + S + "[sweep.axes]\nvalue_size = [250, 1140]\n"
        "[workload.phases.mine]\nreadproportion = 0.5\nfieldlength = 50\n",
        "value_size is of all phases, and workload.phases.mine has rows of its own; take its fieldlength out",
    ),
    "sizes of keys": (
        W + S + "[sweep.axes]\nkey_size = [16, 32]\n",
        'sweep.axes.key_size is for db_bench; with tool = "ycsb" write it as a property of YCSB',
    ),
    "a log that is always written": (
        E + W + S + "[sweep.axes]\ndisable_wal = [false, true]\n",
        "sweep.axes.disable_wal is not possible with LevelDB",
    ),
    "a phase that there is not": (
        E + W.replace('"b"', '"workloadb"') + S,
        '5: workload.benchmarks: "workloadb" is not a phase; did you mean "load"?',
    ),
    "a phase twice": (
        E + W.replace('"b"', '"a"') + S,
        '5: workload.benchmarks: "a" stands there twice; lsmtune repeats runs itself',
    ),
    "runs without records": (
        E + W.replace('"load", ', "") + S,
        '3: workload.load is missing; "a" needs records: write load = "load"',
    ),
    "data that is built twice": (
        E + W + 'load = "load"\n' + S,
        "7: workload.load builds the data that benchmarks load as well; take one of them out",
    ),
    "data of db_bench": (
        E + W.replace('"load", ', "") + 'load = "fillseq"\n' + S,
        '7: workload.load: "fillseq" does not build the data of ycsb; write load = "load"',
    ),
    "only settling": (
        E + W.replace('["load", "a", "b"]', '["settle"]') + 'load = "load"\n' + S,
        'workload.benchmarks has no phase that measures anything; add "load" or a workload',
    ),
    "a measured phase that is none": (
        E + W + 'measure = "c"\n' + S,
        '7: workload.measure: "c" is not a measured phase; write "load", "a" or "b"',
    ),
    "a size of db_bench": (
        E + W + 'value_size = "1KiB"\n' + S,
        '7: workload.value_size is for db_bench; with tool = "ycsb" write it as a property of YCSB',
    ),
    "properties for db_bench": (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n' + S + "[workload.properties]\nfieldcount = 1\n",
        '6: workload.properties is for the tool ycsb; write tool = "ycsb", or take it out',
    ),
    "a smaller LevelDB": (
        'scale = "1/4"\n' + E + W + S,
        "1: scale is 1/4, but the sizes of LevelDB's levels are compiled in",
    ),
    "rungs of a LevelDB": (
        E + W + S + '[search]\nrungs = ["1/4"]\n',
        "10: search.rungs: need a tree that shrinks with its data, which LevelDB's does not; take rungs out",
    ),
    "LevelDB without its log": (
        E + W + "disable_wal = true\n" + S,
        "7: workload.disable_wal is not possible with LevelDB, which always writes its log",
    ),
    "a baseline of another tool": (
        E + 'reference = "db_bench"\n' + W + S,
        '3: engine.reference: "db_bench" is no starting point here; write "leveldb" or "options_file"',
    ),
    "what lsmtune sets itself": (
        E + W + S + "[workload.properties]\nrecordcount = 5\n",
        "10: workload.properties.recordcount is set by lsmtune itself; write workload.num",
    ),
    "an option among the properties": (
        E + W + S + '[workload.phases.x]\n"leveldb.block_size" = 5\n',
        "10: workload.phases.x.leveldb.block_size is an option of the engine; write block_size under [space.fixed]",
    ),
    "a phase with the name of a workload": (
        E + W + S + "[workload.phases.a]\nreadproportion = 1\n",
        "workload.phases.a has the name of a phase of YCSB; give it another",
    ),
    "a driver for db_bench": (
        '[engine]\ndriver = "x"\n[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n' + S,
        '2: engine.driver is not used by db_bench; write tool = "ycsb" under [workload]',
    ),
    "an option of another engine": (
        E + W + '[space]\noptions = ["level0_stop_writes_trigger"]\n',
        '"level0_stop_writes_trigger" is not an option of leveldb',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told_with_its_line(name: str) -> None:
    text, sentence = WRONG[name]
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(text, Path("x.toml"))
    assert sentence in str(caught.value)


def test_the_database_can_be_opened_anew_between_phases() -> None:
    assert parse_experiment(W + "reopen = true\n" + S, Path("x.toml")).workload().reopen
    assert not parse_experiment(W + S, Path("x.toml")).workload().reopen
    with pytest.raises(ExperimentError, match=r'workload\.reopen is for the tool ycsb; write tool = "ycsb"'):
        parse_experiment('[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\nreopen = true\n' + S, Path("x.toml"))
    with pytest.raises(ExperimentError, match=r"lsmtune\.reopen is set by lsmtune itself; write workload\.reopen"):
        parse_experiment(W + S + '[workload.properties]\n"lsmtune.reopen" = true\n', Path("x.toml"))


RATE = '[workload.max_rate]\nlimit = "5ms"\n'


def test_a_rate_that_is_sought_is_what_is_made_better_and_its_table_reaches_the_workload() -> None:
    experiment = parse_experiment(W + S + RATE, Path("x.toml"))
    assert experiment.workload().max_rate == MaxRate(0.005, 99.0, 10.0, 0.05, 16)
    assert experiment.objective().weights == {"max_rate_ops_s": 1.0}
    told = "percentile = 99.9\nhold = 2\nprecision = 0.02\nmost = 30\n"
    assert parse_experiment(W + S + RATE + told, Path("x.toml")).workload().max_rate == MaxRate(
        0.005, 99.9, 2.0, 0.02, 30
    )


def test_a_rate_is_held_as_long_as_timed_phases_run_where_the_file_does_not_say() -> None:
    experiment = parse_experiment(W + 'duration = "20s"\n' + S + RATE, Path("x.toml"))
    assert experiment.workload().max_rate == MaxRate(0.005, hold_s=20.0)


def test_a_limit_may_be_a_small_number_of_seconds() -> None:
    small = parse_experiment(W + S + RATE.replace('"5ms"', "0.00005"), Path("x.toml")).workload().max_rate
    assert small == MaxRate(0.00005, 99.0, 10.0, 0.05, 16)


def test_a_rate_can_be_weighed_with_other_indicators_and_guarded() -> None:
    weighed = parse_experiment(W + S + RATE + "[objective]\nmax_rate_ops_s = 2\nwaf = 1\n", Path("x.toml"))
    assert weighed.objective().weights == {"max_rate_ops_s": 2.0, "waf": 1.0}
    guarded = parse_experiment(
        W + S + RATE + '[objective]\nwaf = 1\n[guards]\nmax_rate_ops_s = ">= 50k"\n', Path("x.toml")
    )
    assert guarded.limits() == (Limit("max_rate_ops_s", ">=", 50_000.0),)


WRONG_RATE = {
    "no limit": (W + S + "[workload.max_rate]\nhold = 5\n", "workload.max_rate.limit is missing"),
    "an unknown key": (W + S + RATE + "steps = 5\n", "workload.max_rate.steps"),
    "another percentile": (
        W + S + RATE + "percentile = 95\n",
        "workload.max_rate.percentile: 95 is no percentile that is judged; write 99 or 99.9",
    ),
    "a limit that is no time": (
        W + S + RATE.replace('"5ms"', '"fast"'),
        'workload.max_rate.limit: "fast" is not a time; write it like "20m", "90s" or "1h 30m"',
    ),
    "a hold that is too short for the limit": (
        W + S + RATE.replace("5ms", "300ms"),
        (
            "workload.max_rate.hold: 10 s is too short for a limit of 300 ms: a queue as long as the limit has to be a "
            'small part of it; write at least "30s"'
        ),
    ),
    "a precision that no run reaches": (W + S + RATE + "precision = 0.001\n", "workload.max_rate.precision"),
    "too few rates": (W + S + RATE + "most = 2\n", "workload.max_rate.most"),
    "a load that is measured": (
        W.replace('["load", "a", "b"]', '["load"]') + S + RATE,
        'workload.max_rate is of a phase that runs a mix, and "load" is measured; add "a" to benchmarks',
    ),
    "a rate that is given": (
        W + S + RATE + "[workload.properties]\ntarget = 5000\n",
        "workload.properties.target is a rate, and workload.max_rate seeks one; take one of them out",
    ),
    "a rate of the phase": (
        W.replace('"b"]', '"mine"]') + S + RATE + "[workload.phases.mine]\ntarget = 5000\n",
        "workload.phases.mine.target is a rate, and workload.max_rate seeks one; take one of them out",
    ),
    "what lsmtune passes itself": (
        W + S + '[workload.properties]\n"lsmtune.max_rate.limit_s" = 5\n',
        "lsmtune.max_rate.limit_s is set by lsmtune itself; write workload.max_rate.limit",
    ),
    "rungs": (
        W + S + RATE + '[search]\nrungs = ["1/4"]\n',
        "search.rungs: save no time where workload.max_rate holds rates for a time; take one of them out",
    ),
    "a rate of db_bench": (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n' + S + RATE,
        (
            "workload.max_rate is for the tool ycsb, as db_bench does not tell how late operations are at a rate; "
            'write tool = "ycsb", or take it out and sweep over the rates that are offered (docs/how-to/max-rate.md)'
        ),
    ),
    "a rate that nothing seeks": (
        W + S + "[objective]\nmax_rate_ops_s = 1\n",
        (
            "objective.max_rate_ops_s is sought only where [workload.max_rate] says what it keeps; write there "
            'limit = "5ms"'
        ),
    ),
    "a guarded rate that nothing seeks": (
        W + S + '[guards]\nmax_rate_ops_s = "1.1x"\n',
        "guards.max_rate_ops_s is sought only where [workload.max_rate] says what it keeps",
    ),
    "a rate of another phase": (
        W + S + RATE + '[objective]\n"max_rate_ops_s@a" = 1\n',
        "is sought for the measured phase alone; write max_rate_ops_s",
    ),
}


@pytest.mark.parametrize("name", WRONG_RATE)
def test_what_keeps_a_rate_from_being_sought_is_told_in_a_sentence(name: str) -> None:
    text, sentence = WRONG_RATE[name]
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(text, Path("x.toml"))
    assert sentence in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
