"""Real runs of the installed db_bench: what is read agrees with the engine's own counts."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from db_bench_builders import FILL, READ, SIXTY_FOURTH, bench, build, executed, run_of, started

from lsmtune.backends.db_bench import _command
from lsmtune.backends.db_bench._output import parse_output
from lsmtune.executors import Limits, LocalExecutor
from lsmtune.model import FULL_SIZE_OPTIONS, Measurement, Outcome, Settle, Status, Workload

KEYS = 60_000


@cache
def settled_fill() -> Outcome:
    return executed(replace(FILL, num=KEYS * 64), SIXTY_FOURTH, run_of(write_buffer_size=16 << 20))


@cache
def settled_read() -> Outcome:
    return executed(replace(READ, num=KEYS * 64, operations=20_000 * 64), SIXTY_FOURTH, run_of(cache_size=16 << 20))


def measurement(outcome: Outcome) -> Measurement:
    assert outcome.status in (Status.OK, Status.DISTURBED), outcome.reason
    assert outcome.measurement is not None
    return outcome.measurement


def value(outcome: Outcome, name: str) -> float:
    found = measurement(outcome).indicators[name]
    assert found is not None, name
    return found


def test_a_quarter_of_the_data_is_a_quarter_of_the_operations_and_of_the_bytes() -> None:
    unsettled = replace(FILL, num=KEYS * 64, settle=Settle.NONE)
    whole, quarter = (
        executed(unsettled, SIXTY_FOURTH, replace(run_of(write_buffer_size=16 << 20), rung=rung))
        for rung in (Fraction(1), Fraction(1, 4))
    )
    assert value(quarter, "operations") == KEYS / 4
    assert measurement(quarter).effective["write_buffer_size"] == 16 << 20  # told at full size
    assert value(quarter, "flush_bytes") == pytest.approx(value(whole, "flush_bytes") / 4, rel=0.25)


def test_more_data_under_the_options_of_production_flushes_in_their_full_size() -> None:
    unsettled = replace(FILL, num=KEYS * 64, settle=Settle.NONE)
    asked = replace(run_of(write_buffer_size=8 << 20), rung=Fraction(4), scenario=((FULL_SIZE_OPTIONS, True),))
    outcome = executed(unsettled, SIXTY_FOURTH, asked)
    assert value(outcome, "operations") == KEYS * 4
    assert measurement(outcome).effective["write_buffer_size"] == 8 << 20
    assert measurement(outcome).overridden == ()
    assert 2 <= value(outcome, "flush_count") <= 8  # of about 28 MB: in proportion there would be 8 times as many


def test_bytes_of_the_log_agree_with_the_tickers() -> None:
    outcome = settled_fill()
    tickers = parse_output(outcome.artefacts["measure.stdout"]).tickers
    for name, ticker in (("flush_bytes", "flush"), ("compaction_written_bytes", "compact")):
        assert value(outcome, name) == pytest.approx(tickers[f"rocksdb.{ticker}.write.bytes"], rel=5e-3)


def test_a_settled_fill_has_plausible_indicators() -> None:
    outcome = settled_fill()
    assert value(outcome, "operations") == KEYS
    assert 1 < value(outcome, "waf") < 20
    assert value(outcome, "waf_wal") == pytest.approx(value(outcome, "waf") + 131 / 116, rel=0.01)
    assert value(outcome, "flush_count") >= 20
    assert 0 <= value(outcome, "settle_time_s") < value(outcome, "elapsed_s")
    assert 0 <= value(outcome, "debt_bytes") <= value(outcome, "compaction_written_bytes")
    assert value(outcome, "throughput_settled_ops_s") <= value(outcome, "throughput_ops_s") * 1.01
    assert value(outcome, "elapsed_s") > value(outcome, "total_time_s")
    assert 0.3 < value(outcome, "space_amp") < 3
    assert value(outcome, "space_peak_bytes") >= value(outcome, "space_bytes") >= value(outcome, "live_bytes") * 0.99
    assert value(outcome, "memory_peak_bytes") > 1 << 20
    assert value(outcome, "cpu_s") > 0
    assert value(outcome, "io_written_bytes") >= 0
    assert measurement(outcome).facts.get("unreadable") is None


def test_nothing_is_left_for_db_benchs_own_wait_once_it_was_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two dumps the engine waits for 5 s until it knows of no compaction itself."""
    late = ("stats", "waitforcompaction", "stats")
    tool = bench(replace(FILL, num=KEYS), Fraction(1))
    monkeypatch.setattr(_command, "_SETTLED_WHILE_HELD", (*_command._SETTLED_WHILE_HELD, "levelstats", *late))
    slow = run_of(write_buffer_size=1 << 18, max_bytes_for_level_base=1 << 19, compression_type="zlib")
    outcome = LocalExecutor(tool, tmp_path / "scratch").run(slow, Limits(), lambda _: None)
    assert value(outcome, "debt_bytes") > 1 << 20
    dumps = [line.split() for line in outcome.artefacts["measure.stdout"].splitlines() if line.startswith(" Sum")]
    assert len(dumps) >= 2
    assert all(dump == dumps[0] for dump in dumps)
    assert "active(" not in outcome.artefacts["measure.stdout"]


def test_a_fill_used_what_was_asked_for() -> None:
    found = measurement(settled_fill())
    assert found.overridden == ()
    assert found.effective["write_buffer_size"] == 16 << 20
    assert found.effective["max_bytes_for_level_base"] == 256 << 20


def test_reads_find_the_share_of_keys_that_a_random_fill_leaves() -> None:
    """With the seed of the load every key would be found: the reads would repeat the writes."""
    outcome = settled_read()
    assert value(outcome, "operations") == 20_000
    assert value(outcome, "found_ratio") == pytest.approx(1 - 0.3679, abs=0.02)


def test_reads_of_loaded_data_cost_reads_and_write_nothing() -> None:
    outcome = settled_read()
    assert value(outcome, "read_amp") > 0
    assert 0 <= value(outcome, "cache_hit_ratio") <= 1
    assert value(outcome, "flush_bytes") == 0
    assert measurement(outcome).indicators["waf"] is None
    assert value(outcome, "latency_p99_s") > 0
    assert value(outcome, "space_amp") > 0.3


def test_reads_beside_a_writer_run_for_their_time() -> None:
    workload = Workload(
        ("fillrandom", "readwhilewriting"), "readwhilewriting", num=64 * 20_000, duration_s=1.0, settle=Settle.NONE
    )
    outcome = executed(workload, SIXTY_FOURTH, run_of())
    assert value(outcome, "operations") > 0
    assert 0 < value(outcome, "found_ratio") <= 1
    assert value(outcome, "throughput_ops_s@fillrandom") > 0
    assert value(outcome, "waf") > 0
    assert measurement(outcome).indicators["read_amp"] is None


def test_values_that_the_engine_rewrites_are_reported() -> None:
    run = run_of(
        memtable_bloom_size_ratio=0.5,
        level0_file_num_compaction_trigger=30,
        level0_slowdown_writes_trigger=10,
        level0_stop_writes_trigger=5,
    )
    found = measurement(executed(replace(FILL, num=5000, settle=Settle.NONE), Fraction(1), run))
    changed = {each.option: (each.asked, each.effective) for each in found.overridden}
    assert changed == {
        "memtable_bloom_size_ratio": (0.5, 0.25),
        "level0_slowdown_writes_trigger": (10, 30),
        "level0_stop_writes_trigger": (5, 30),
    }
    assert all(each.reason for each in found.overridden)


def test_options_that_the_engine_refuses_fail_the_run_with_its_words() -> None:
    workload = replace(FILL, num=100, settle=Settle.NONE)
    outcome = executed(workload, Fraction(1), run_of(mmap_read=True, use_direct_reads=True))
    assert outcome.status is Status.FAILED
    assert "direct" in outcome.reason.lower()
    assert "mmap" in outcome.reason.lower()


def test_an_option_without_a_flag_is_effective_in_a_run() -> None:
    run = run_of(bottommost_compression="zstd")
    found = measurement(executed(replace(FILL, num=64 * 2000, settle=Settle.NONE), SIXTY_FOURTH, run))
    assert found.effective["bottommost_compression"] == "zstd"
    assert found.overridden == ()


def recorded(folder: Path) -> Path:
    """A trace of 6,000 look-ups and writes."""
    trace = folder / "trace"
    argv = (str(build().path), f"--db={folder / 'db'}", "--benchmarks=readrandomwriterandom", "--num=6000")
    assert started((*argv, "--readwritepercent=50", f"--trace_file={trace}")).returncode == 0
    return trace


def replaying(trace: Path, families: int) -> Workload:
    flags = {"trace_file": trace, "num_column_families": families, "trace_replay_fast_forward": 1_000_000}
    spelled = tuple((name, str(value)) for name, value in flags.items())
    return Workload(("replay",), "replay", num=6000, operations=6000, flags=spelled)


@pytest.mark.parametrize("counted", [True, False])
def test_a_replay_is_measured_by_the_operations_of_its_trace_and_leaves_it_alone(tmp_path: Path, counted: bool) -> None:
    trace = recorded(tmp_path)
    before = trace.read_bytes()
    outcome = executed(replace(replaying(trace, 2), statistics=counted), Fraction(1), run_of())
    assert value(outcome, "operations") == 6000
    tool = next(each for each in parse_output(outcome.artefacts["measure.stdout"]).phases if each.name == "replay")
    assert value(outcome, "throughput_ops_s") == pytest.approx(6000 / (tool.micros_per_op / 1e6))
    assert trace.read_bytes() == before


def test_a_replay_that_stops_in_its_trace_is_no_measurement(tmp_path: Path) -> None:
    trace = recorded(tmp_path)
    trace.write_bytes(trace.read_bytes()[:-1000])
    outcome = executed(replaying(trace, 2), Fraction(1), run_of())
    assert outcome.status is Status.FAILED
    assert "db_bench did not get through the trace: Corruption: Corrupted trace file" in outcome.reason
