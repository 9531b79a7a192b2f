"""What is read of recorded processes and of real runs of LevelDB's db_bench."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from db_bench_builders import record as record_of
from db_bench_builders import run_of
from leveldb_bench_builders import FILL, READ, bench, commands, executed, printed, record, recorded_build

from lsmtune.backends import Glance, Halt, HaltKind, Process
from lsmtune.backends.leveldb import read_log
from lsmtune.backends.leveldb_bench._parse_results import parse_results, unsaid_failure
from lsmtune.backends.leveldb_bench._written import distinct_keys
from lsmtune.errors import RunError
from lsmtune.indicators import indicator
from lsmtune.model import Configuration, Measurement, Outcome, Settle, Status, Workload

AS_RECORDED = Workload(
    ("fillrandom", "readrandom", "readwhilewriting"), "readwhilewriting", num=120_000, settle=Settle.NONE
)
SMALL = Configuration.of({"write_buffer_size": 262_144, "max_file_size": 1 << 20})


def measured_of(workload: Workload, name: str, *, log: bool = True) -> Measurement:
    return parse_results(commands(workload), SMALL, [record(name, log=log)])


def measurement(outcome: Outcome) -> Measurement:
    assert outcome.status in (Status.OK, Status.DISTURBED), outcome.reason
    assert outcome.measurement is not None
    return outcome.measurement


def warned(found: Measurement, start: str) -> bool:
    return any(sentence.startswith(start) for sentence in found.warnings)


def test_every_indicator_is_declared_and_steps_stand_behind_an_at() -> None:
    found = measured_of(AS_RECORDED, "fill_and_reads").indicators
    for name in found:
        indicator(name)
    assert found["throughput_ops_s@fillrandom"] == pytest.approx(1e6 / 3.941)
    assert found["throughput_ops_s"] == pytest.approx(1e6 / 12.608)
    assert found["found_ratio@readrandom"] == 1
    assert found["found_ratio"] == pytest.approx(87_293 / 120_000)
    assert found["latency_mean_s"] == pytest.approx(12.609e-6)
    latency = found["latency_p99_s"]
    assert latency is not None
    assert 12e-6 < latency < 25e-6


def test_a_writer_beside_readers_leaves_the_amplification_unknown() -> None:
    found = measured_of(AS_RECORDED, "fill_and_reads").indicators
    assert found["waf"] is None
    assert found["space_amp"] is None
    assert found["flush_bytes"] == sum(read_log(printed("fill_and_reads.LOG.txt").splitlines()).flushed)


def test_debt_is_read_where_the_writing_ends() -> None:
    workload = replace(AS_RECORDED, benchmarks=("fillrandom", "readrandom"), measure="readrandom")
    text = printed("fill_and_reads.stdout.txt")
    without_writer = text[: text.index("readwhilewriting")]
    found = parse_results(commands(workload), SMALL, [record_of(without_writer, "", printed("fill_and_reads.LOG.txt"))])
    assert found.indicators["l0_files_load_end"] == 4
    level0 = 116212 + 116235 + 116328 + 116179
    assert found.indicators["pending_bytes"] == level0
    assert found.indicators["space_load_end_bytes"] == level0 + 5 * 1_058_000 - (1_058_000 - 445_220) + 116_035 + (
        1058002 + 1060157 + 1057948 + 1058291 - 4 * 1_058_000
    )
    assert found.indicators["space_amp"] == pytest.approx((1 << 20) / (120_000 * (1 - 0.36788) * 116), rel=1e-3)
    assert warned(found, "debt-left: ")
    assert warned(found, "seed-reuse: readrandom draws the keys of fillrandom again")
    assert warned(found, "seed-reuse: LevelDB's db_bench has fixed seeds")


def test_a_fork_with_other_levels_has_no_debt_in_bytes() -> None:
    flags = tuple(name for name, _ in recorded_build().flags)
    found = replace(
        commands(AS_RECORDED), build=recorded_build(tuple(name for name in flags if name != "max_file_size"))
    )
    measured = parse_results(found, Configuration(), [record("fill_and_reads")])
    assert measured.indicators["pending_bytes"] is None
    assert measured.indicators["l0_files_load_end"] is not None


def test_without_a_log_its_indicators_are_missing_and_not_zero() -> None:
    found = measured_of(
        replace(AS_RECORDED, benchmarks=("fillrandom",), measure="fillrandom"), "fill_and_reads", log=False
    )
    for name in ("waf", "flush_count", "flush_bytes", "compaction_written_bytes", "compaction_time_s"):
        assert found.indicators[name] is None
    assert found.indicators["throughput_ops_s"] is not None


def test_reads_are_told_what_ran_beside_them() -> None:
    workload = replace(READ, benchmarks=("readseq",), measure="readseq", threads=2)
    found = measured_of(workload, "reads_of_a_load")
    assert warned(found, "not-only-reads: 1 compaction wrote 54.")
    assert not warned(found, "debt-left")
    assert found.indicators["flush_count"] == 0
    assert found.indicators["waf"] is None


def test_a_step_that_the_binary_does_not_know_fails_the_run() -> None:
    unknown = record_of(printed("unknown_benchmark.stdout.txt"), printed("unknown_benchmark.stderr.txt"))
    with pytest.raises(RunError, match="the db_bench of LevelDB at /opt/db_bench knows no benchmark nonsense"):
        parse_results(commands(replace(FILL, benchmarks=("nonsense", "fillrandom"))), Configuration(), [unknown])
    with pytest.raises(RunError, match="db_bench ended well but printed no result of fillrandom"):
        parse_results(commands(FILL), Configuration(), [unknown])


@pytest.mark.parametrize(
    "failed",
    [
        "Compaction error: IO error: db/000007.ldb: No space left on device",
        "MANIFEST write: IO error: db/MANIFEST-000002: No space left on device",
        "Level-0 table #7: 0 bytes IO error: db/000007.ldb: No space left on device",
    ],
)
def test_a_flush_or_a_compaction_that_failed_behind_the_last_write_is_a_failure(failed: str) -> None:
    left = record("fill_and_reads")
    broken = replace(left, log=f"{left.log}2026/01/01-00:00:02.000000 7f {failed}\n")
    assert unsaid_failure(left) == ""
    assert unsaid_failure(broken) == f"db_bench went on behind an error of the engine: {failed}"


def test_a_process_that_was_stopped_gives_what_it_printed() -> None:
    stopped = replace(record_of("", ""), stopped=Halt("it ran 3 s, beyond its cap", HaltKind.HOPELESS))
    found = parse_results(commands(FILL), Configuration(), [stopped]).indicators
    assert found.get("throughput_ops_s") is None
    assert found["space_bytes"] == 1 << 20


def test_an_in_order_fill_makes_all_keys_and_random_writes_over_a_random_fill_are_not_known() -> None:
    in_order = replace(FILL, benchmarks=("fillseq", "overwrite"))
    assert distinct_keys(commands(replace(in_order, measure="overwrite"))) == 40_000
    assert distinct_keys(commands(FILL)) == pytest.approx(40_000 * 0.6321, rel=1e-3)
    twice = replace(FILL, benchmarks=("fillrandom", "overwrite"), measure="overwrite")
    assert distinct_keys(commands(twice)) is None
    assert distinct_keys(commands(replace(in_order, benchmarks=("fillseq", "deleteseq"), measure="fillseq"))) is None


@cache
def real_fill() -> Outcome:
    workload = replace(FILL, benchmarks=("fillrandom", "readseq"), measure="fillrandom", num=60_000)
    return executed(workload, run_of(write_buffer_size=1 << 17, max_file_size=1 << 20))


def test_a_real_fill_has_plausible_indicators() -> None:
    found = measurement(real_fill()).indicators
    assert found["operations"] == 60_000
    flushed, compacted = found["flush_bytes"], found["compaction_written_bytes"]
    assert flushed is not None
    assert compacted is not None
    assert found["waf"] == pytest.approx((flushed + compacted) / (60_000 * 116))
    assert 0.4 < (found["waf"] or 0) < 20
    assert (found["flush_count"] or 0) >= 30
    # What is live was read while compactions went on, the space after them, so either may be the larger.
    assert min(found["space_bytes"] or 0, found["live_bytes"] or 0) > 1 << 20
    assert measurement(real_fill()).effective == {}
    assert measurement(real_fill()).facts.get("unreadable") is None


def test_a_real_random_fill_leaves_the_expected_number_of_keys_and_the_same_ones_each_time() -> None:
    keys = measurement(real_fill()).indicators["operations@readseq"]
    assert keys == pytest.approx(60_000 * (1 - 0.36788), rel=0.01)
    again = executed(
        replace(FILL, benchmarks=("fillrandom", "readseq"), measure="fillrandom", num=60_000),
        replace(run_of(), seed=99),
    )
    assert measurement(again).indicators["operations@readseq"] == keys


def test_real_reads_of_shared_data_find_every_key_of_an_in_order_load() -> None:
    found = measurement(executed(replace(READ, operations=5000, threads=2), run_of(filter_bits=0)))
    assert found.indicators["found_ratio"] == 1
    assert found.indicators["operations"] == 10_000
    assert found.indicators["flush_count"] == 0
    assert not warned(found, "seed-reuse: readrandom draws")


def test_a_flag_of_the_user_that_the_binary_does_not_know_fails_the_run_with_its_words() -> None:
    outcome = executed(replace(FILL, num=1000, flags=(("nonsense", "1"),)), run_of())
    assert (outcome.status, outcome.reason) == (Status.FAILED, "db_bench failed: Invalid flag '--nonsense=1'")


def test_what_runs_is_shown_while_it_runs() -> None:
    log = printed("fill_and_reads.LOG.txt")
    glance = Glance(1.0, 0.0, "x\nfillrandom : 1 micros/op;\n", "... finished 30000 ops   \r", log, 0)
    seen = bench(FILL).progress(Process("measure", (), 40_000, last_result="fillrandom"), glance)
    assert (seen.operations, seen.finished) == (30_000, True)
    assert seen.detail.startswith("files by level ")


@pytest.mark.parametrize("last", ["stats", "sstables"])
def test_the_last_result_is_that_of_a_phase_that_prints_one(last: str) -> None:
    tool = bench(replace(READ, load=("fillseq", last), benchmarks=("readrandom", last)))
    (load,), (measured,) = tool.load_processes(run_of(), Path("db")), tool.processes(run_of(), Path("db"))
    assert (load.last_result, measured.last_result) == ("fillseq", "readrandom")


def test_a_load_is_held_behind_its_last_phase_until_the_log_has_an_end_for_all_that_began() -> None:
    (load,) = bench(READ).load_processes(run_of(), Path("db"))
    (looked,) = bench(replace(READ, load=("fillseq", "stats", "overwrite"))).load_processes(run_of(), Path("db"))
    assert load.hold is not None
    assert looked.hold is not None
    assert (load.hold.times, looked.hold.times) == (1, 2), "a dump that the user asked for comes before the end"
    assert printed("fill_and_reads.stdout.txt").count(load.hold.after) == 1
    log = printed("fill_and_reads.LOG.txt")
    begun, ended = (sum(log.count(mark) for mark in marks) for marks in (load.hold.begun, load.hold.ended))
    read = read_log(log.splitlines())
    assert ended == len(read.flushed) + len(read.compactions)
    assert begun in (ended, ended + 1), "the process ended in the middle of one"


def test_what_a_real_load_owes_is_paid_before_it_is_shared() -> None:
    small = run_of(write_buffer_size=1 << 17, max_file_size=1 << 20)
    workload = replace(READ, load=("fillrandom",), num=60_000, operations=2_000)
    found = measurement(executed(workload, small)).indicators
    assert (found["compaction_count"] or 0) <= 1, "opening it writes the last memtable, which may make one due"
