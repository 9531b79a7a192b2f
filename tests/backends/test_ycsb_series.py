"""What lsmtune-ycsb printed over time."""

import json
from pathlib import Path

import pytest

from lsmtune.backends.ycsb import timed_series

PRINTED = (Path(__file__).parents[1] / "fixtures" / "ycsb" / "rocksdb.jsonl").read_text()


def test_throughput_and_latency_of_each_interval_are_as_printed_from_the_opening_on() -> None:
    lines = [json.loads(text) for text in PRINTED.splitlines() if text.startswith("{")]
    progress = [line for line in lines if line["type"] == "progress"]
    hello = lines[0]
    opened_s = hello["t_s"] - hello["open_s"]
    series = {each.name: each for each in timed_series(PRINTED)}
    assert series["throughput"].unit == "ops/s"
    assert series["throughput"].times_s == pytest.approx([line["t_s"] - opened_s for line in progress], abs=1e-6)
    assert series["throughput"].values == tuple(line["throughput_ops_s"] for line in progress)
    reads = [line["latency"]["read"]["p99_s"] for line in progress if "read" in line["latency"]]
    assert series["p99 latency of read"].values == tuple(reads)
    assert len(reads) > 1


def test_times_count_from_the_last_reopening_and_what_was_before_is_left_out() -> None:
    """A LOG begins anew with each opening of the database, and these times stand beside its own."""
    lines = [json.loads(text) for text in PRINTED.splitlines() if text.startswith("{")]
    ended = [line for line in lines if line["type"] == "phase_end"]
    assert [line["phase"]["label"] for line in ended] == ["load", "settle", "A", "B", "D"]
    for line in ended[2:4]:
        line["reopen_s"] = 0.001
    printed = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    later = [line for line in lines if line["type"] == "progress" and line["phase"]["index"] >= 3]
    series = {each.name: each for each in timed_series(printed)}
    assert series["throughput"].times_s == pytest.approx([line["t_s"] - ended[2]["t_s"] for line in later], abs=1e-6)
    assert series["throughput"].values == tuple(line["throughput_ops_s"] for line in later)


def test_what_another_tool_printed_has_no_series() -> None:
    assert timed_series("fillrandom : 3.1 micros/op 320000 ops/sec\n") == ()
    assert timed_series("") == ()
