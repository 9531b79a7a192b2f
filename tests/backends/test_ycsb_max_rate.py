"""The search for the largest rate: what the driver is told, and what is made of what it printed.

``max_rate.jsonl`` is what the real driver printed for two client threads on 2,000 records, with a limit of 50 ms, holds
of 0.2 s and at most 6 of them, on a machine that others used.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from ycsb_builders import LOADED_A, after, bench, commands, printed, properties, record, run_of

from lsmtune.backends.ycsb import held_rates, timed_series
from lsmtune.backends.ycsb._output import parse_output
from lsmtune.backends.ycsb._phases import PhaseKind, phases_of
from lsmtune.errors import RunError
from lsmtune.model import MaxRate, Measurement, Workload

WANTED = MaxRate(0.05, hold_s=0.2, most=6)
SOUGHT = replace(LOADED_A, max_rate=WANTED, threads=2)
PRINTED = printed("max_rate.jsonl")
LINES = [json.loads(text) for text in PRINTED.splitlines()]
STEPS = [line for line in LINES if line["type"] == "rate_step"]
END = next(line for line in LINES if line["type"] == "phase_end" and "max_rate" in line)


def measured(text: str = PRINTED, workload: Workload = SOUGHT) -> Measurement:
    return bench("rocksdb", workload).parse_results(run_of(), [record(text)])


def without_a_rate() -> str:
    """The output of a run in which no rate was borne."""
    end = {**END, "max_rate": {**END["max_rate"], "rate_ops_s": None}}
    late = {"borne": False, "reasons": ["late"]}
    lines = [end if line is END else {**line, **late} if line in STEPS[1:] else line for line in LINES]
    return "\n".join(map(json.dumps, lines)) + "\n"


def test_only_the_measured_phase_seeks_the_rate() -> None:
    two = replace(SOUGHT, benchmarks=("b", "a"))
    assert [phase.kind for phase in phases_of(two)] == [PhaseKind.RUN, PhaseKind.MAX_RATE]
    assert [phase.kind for phase in phases_of(replace(two, max_rate=None))] == [PhaseKind.RUN, PhaseKind.RUN]


def test_the_driver_is_told_the_limit_in_the_file_of_the_phase(tmp_path: Path) -> None:
    (process,) = bench("rocksdb", SOUGHT).processes(run_of(), tmp_path / "db")
    (phases,) = after("--phases", process.argv)
    search, settle = phases.split(",")
    assert search.startswith("max_rate:a@")
    assert settle == "settle"
    told = dict(line.split("=") for line in Path(search.partition("@")[2]).read_text().splitlines())
    assert told["updateproportion"] == "0.5"
    assert {name: text for name, text in told.items() if name.startswith("lsmtune.max_rate.")} == {
        "lsmtune.max_rate.limit_s": "0.05",
        "lsmtune.max_rate.percentile": "99",
        "lsmtune.max_rate.hold_s": "0.2",
        "lsmtune.max_rate.precision": "0.05",
        "lsmtune.max_rate.steps": "6",
    }
    assert "target" not in properties(process.argv)


def test_a_search_is_expected_to_take_no_less_than_a_few_holds_and_no_number_of_operations(tmp_path: Path) -> None:
    (process,) = bench("rocksdb", SOUGHT).processes(run_of(), tmp_path / "db")
    assert process.operations is None
    assert process.duration_s == pytest.approx(1.5 * 0.2 * 5)
    assert WANTED.longest_s() == pytest.approx(1.5 * 0.2 * 7)
    assert process.duration_s <= WANTED.longest_s()


def test_the_rate_is_the_largest_step_that_was_borne() -> None:
    found = measured().indicators
    borne = [step["rate_ops_s"] for step in STEPS if step["borne"]]
    assert found["max_rate_ops_s"] == max(borne) == END["max_rate"]["rate_ops_s"]
    assert found["throughput_ops_s"] == STEPS[0]["achieved_ops_s"]


def test_borne_steps_kept_the_limit_in_their_own_record() -> None:
    borne = [step for step in parse_output(PRINTED).rate_steps if step.borne]
    assert borne
    for step in borne:
        assert step.latency is not None
        assert step.latency.p99_s <= 0.05
        assert step.late_operations <= 0.01 * step.due_operations
        assert (step.stops, step.reasons) == (0, ())


def test_what_means_nothing_over_many_rates_is_missing() -> None:
    found = measured().indicators
    for name in ("throughput_bytes_s", "stall_time_s", "stall_share", "total_time_s", "throughput_settled_ops_s"):
        assert found[name] is None, name
    assert {name for name in found if "latency" in name and not name.endswith("@load")} == {"max_rate_latency_s"}
    assert found["waf"] == pytest.approx(LINES[-1]["amplification"]["waf"])


def test_the_latency_at_the_largest_rate_is_that_of_its_worst_hold() -> None:
    rate = END["max_rate"]["rate_ops_s"]
    holds = [step["latency"] for step in STEPS if step["rate_ops_s"] == rate and step["borne"]]
    assert measured().indicators["max_rate_latency_s"] == max(hold["p99_s"] for hold in holds)
    stricter = {**END, "max_rate": {**END["max_rate"], "percentile": 99.9}}
    text = "\n".join(json.dumps(stricter if line is END else line) for line in LINES)
    assert measured(text).indicators["max_rate_latency_s"] == max(hold["p999_s"] for hold in holds)


def test_why_the_next_rate_was_not_borne_is_told_with_each_reason_once() -> None:
    bars = {"reasons": ["late", "debt"], "borne": False, "rate_ops_s": 9e9}
    above = {**END, "max_rate": {**END["max_rate"], "not_borne_ops_s": 9e9}}
    step = STEPS[-1]
    lines = [above if line is END else {**line, **bars} if line is step else line for line in LINES]
    lines.insert(lines.index(above), {**step, **bars, "reasons": ["debt"]})
    assert measured("\n".join(map(json.dumps, lines))).facts["rate_bars"] == "late, debt"
    nothing = {**END, "max_rate": {**END["max_rate"], "not_borne_ops_s": None}}
    text = "\n".join(json.dumps(nothing if line is END else line) for line in LINES)
    assert "rate_bars" not in measured(text).facts


def test_a_search_that_used_up_its_rates_and_saw_few_flushes_says_so() -> None:
    codes = [warning.partition(":")[0] for warning in measured().warnings]
    assert {"rate-not-settled", "few-flushes-held"} <= set(codes)
    (flushes,) = [warning for warning in measured().warnings if warning.startswith("few-flushes-held")]
    seen = sum(step["flushes"] for step in STEPS if step["rate_ops_s"] == END["max_rate"]["rate_ops_s"])
    assert f"through {seen} flushes" in flushes


def test_a_run_in_which_no_rate_was_borne_failed_and_says_why() -> None:
    with pytest.raises(RunError, match=r"no rate was sustained, down to 4,427 ops/s \(p99 <= 50 ms for 200 ms; late\)"):
        measured(without_a_rate())


def test_a_search_that_was_stopped_has_no_rate() -> None:
    lines = [{**line, "ending": "interrupted"} if line is END else line for line in LINES]
    assert measured("\n".join(map(json.dumps, lines))).indicators["max_rate_ops_s"] is None


def test_a_driver_that_knows_no_search_is_told_apart() -> None:
    plain = {name: value for name, value in END.items() if name != "max_rate"}
    lines = [plain if line is END else line for line in LINES]
    with pytest.raises(RunError, match="cannot seek the largest rate; run lsmtune build driver"):
        measured("\n".join(map(json.dumps, lines)))


def test_the_staircase_stands_in_the_time_line_from_the_opening_on() -> None:
    hello = LINES[0]
    opened_s = hello["t_s"] - hello["open_s"]
    held = held_rates(PRINTED)
    assert [each.rate_ops_s for each in held] == [step["rate_ops_s"] for step in STEPS]
    assert [each.borne for each in held] == [step["borne"] for step in STEPS]
    assert held[1].begin_s == pytest.approx(STEPS[1]["begin_s"] - opened_s, abs=1e-6)
    assert held[1].latency_p99_s == STEPS[1]["latency"]["p99_s"]
    (stairs,) = [each for each in timed_series(PRINTED) if each.name == "offered rate"]
    assert stairs.values == tuple(step["rate_ops_s"] for step in STEPS[1:] for _ in range(2))
    assert list(stairs.times_s) == sorted(stairs.times_s)


def test_what_held_no_rates_has_no_staircase() -> None:
    assert held_rates(printed("rocksdb.jsonl")) == ()
    assert held_rates("fillrandom : 3.1 micros/op 320000 ops/sec\n") == ()
    assert "offered rate" not in {each.name for each in timed_series(printed("rocksdb.jsonl"))}


def test_the_rates_are_kept_with_the_facts_of_a_run() -> None:
    told = measured().facts["rates"].split("; ")
    assert len(told) == len(STEPS)
    assert told[0].startswith("closed loop ")
    assert all(("not sustained" in words) != step["borne"] for words, step in zip(told[1:], STEPS[1:], strict=True))


def test_a_load_before_the_search_is_timed_by_its_operations() -> None:
    loaded = replace(SOUGHT, benchmarks=("load", "a"), load=())
    plan = commands("rocksdb", loaded).plan
    assert [phase.kind for phase in plan] == [PhaseKind.LOAD, PhaseKind.MAX_RATE, PhaseKind.SETTLE]
    assert commands("rocksdb", loaded).expected(plan[1]) is None
