"""What db_bench and the engine leave behind becomes the indicators that lsmtune.indicators declares."""

import gzip
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from db_bench_builders import record

from lsmtune.backends import Halt, HaltKind
from lsmtune.backends.db_bench import CommandBuilder
from lsmtune.backends.db_bench._parse_results import _Left, parse_results, unsaid_failure
from lsmtune.backends.rocksdb import parse_help
from lsmtune.errors import RunError
from lsmtune.indicators import AT_FULL_SIZE, INDICATORS, indicator
from lsmtune.model import Configuration, EngineBuild, Measurement, Settle, Value, Workload
from lsmtune.space import catalogue

FIXTURES = Path(__file__).parents[1] / "fixtures"
FILL = Workload(("fillrandom",), "fillrandom", num=150_000)
READ = Workload(("readrandom",), "readrandom", num=600_000, load=("fillrandom",))
MIB = 1 << 20


def text(version: str, name: str) -> str:
    return (FIXTURES / f"db_bench-{version}" / name).read_bytes().decode()


def log_of(version: str) -> str:
    with gzip.open(FIXTURES / f"db_bench-{version}" / "LOG.txt.gz", "rt") as file:
        return file.read()


def builder(workload: Workload, version: str = "7.8.3") -> CommandBuilder:
    listed = parse_help(text(version, "help.txt")).values()
    flags = tuple((flag.name, flag.default) for flag in listed)
    build = EngineBuild("rocksdb", version, Path("/usr/bin/db_bench"), "0" * 16, False, ("none",), flags)
    return CommandBuilder(build, catalogue().for_version(build.version_tuple), workload)


def measured(version: str, name: str, workload: Workload, log: str = "") -> Measurement:
    """The measurement of a fixture; LOGs are those of 7.8.3's fillrandom_stalls and 11.8.1's fillrandom."""
    left = record(text(version, f"{name}.stdout.txt"), "", log, text(version, "OPTIONS-000007.ini"))
    return parse_results(builder(workload, version), Configuration(), [left])


def printed(name: str, workload: Workload) -> dict[str, float | None]:
    """Indicators of an extra output of 7.8.3."""
    left = record(text("7.8.3", f"extra/{name}.stdout.txt"))
    return dict(parse_results(builder(workload), Configuration(), [left]).indicators)


def some(found: Measurement, *names: str) -> list[float | None]:
    return [found.indicators[name] for name in names]


def test_a_fill_of_7_8_3_gives_its_indicators() -> None:
    found = measured("7.8.3", "fillrandom_stalls", FILL, log_of("7.8.3"))
    expected = {
        "throughput_ops_s": 48097.0,
        "throughput_bytes_s": 5.3 * MIB,
        "operations": 150_000,
        "latency_p99_s": 28.98e-6,
        "latency_max_s": 0.041638,
        "flush_count": 43,
        "flush_bytes": 10_127_874,
        "compaction_count": 15,
        "compaction_written_bytes": 26_908_326,
        "compaction_read_bytes": 29_810_596,
        "trivial_move_count": 5,
        "waf": (10_127_874 + 26_908_326) / (150_000 * 116),
        "waf_wal": (10_127_874 + 26_908_326 + 19_650_000) / (150_000 * 116),
        "waf_table": 3.7,
        "waf_load_end": (9_946_290 + 22_890_001) / (150_000 * 116),
        "space_load_end_bytes": 9_946_290 + 22_890_001 - 25_278_041,
        "wal_bytes": 19_650_000,
        "live_bytes": round(6.89 * MIB),
        "space_bytes": MIB,
        "space_peak_bytes": 2 * MIB,
        "space_amp": MIB / (150_000 * (1 - 0.36788) * 116),
        "levels_populated": 3,
        "load_time_s": 3.119,
        "settle_time_s": 1795288538.795765 - 1795288538.497863,
        "total_time_s": 3.119 + 1795288538.795765 - 1795288538.497863,
        "throughput_settled_ops_s": 150_000 / (3.119 + 1795288538.795765 - 1795288538.497863),
        "debt_bytes": 4_018_325,
        "l0_files_load_end": 5,
        "stall_time_s": 0.640168,
        "stall_share": 0.640168 / 3.119,
        "stall_count": 23,
        "stop_count": 7,
        "memory_peak_bytes": 64 * MIB,
        "cpu_s": 2.5,
        "elapsed_s": 5.0,
    }
    for name, value in expected.items():
        assert found.indicators[name] == pytest.approx(value, rel=1e-4), name
    unknown = ("pending_bytes", "found_ratio", "read_amp", "cache_hit_ratio", "bloom_fpr")
    assert some(found, *unknown) == [None] * len(unknown)
    assert found.effective["level0_stop_writes_trigger"] == 8
    assert found.facts == {"levels": "L0 2 files 408 KiB, L1 3 files 1546 KiB, L2 11 files 5099 KiB"}


def test_a_fill_of_11_8_1_gives_its_indicators() -> None:
    found = measured("11.8.1", "fillrandom", replace(FILL, num=600_000), log_of("11.8.1"))
    names = ("throughput_ops_s", "flush_count", "flush_bytes", "compaction_written_bytes", "pending_bytes")
    assert some(found, *names) == [190660.0, 86, 40_845_080, 117_493_525, 0]
    assert found.indicators["waf"] == pytest.approx((40_845_080 + 117_493_525) / (600_000 * 116))
    assert some(found, "stall_count", "stop_count", "stall_time_s") == [5, 3, 0.101701]
    assert found.indicators["settle_time_s"] == pytest.approx(0.579745, abs=1e-4)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("7.8.3", (0.63315, 0.8786333, 0.2573776, 0.0092451)),
        ("11.8.1", (0.6323333, 0.4346833, 0.6733644, None)),
    ],
)
def test_reads_give_what_they_cost(version: str, expected: tuple[float | None, ...]) -> None:
    found = measured(version, "readrandom", READ)
    values = some(found, "found_ratio", "read_amp", "cache_hit_ratio", "bloom_fpr")
    assert values == [None if value is None else pytest.approx(value, rel=1e-5) for value in expected]
    assert some(found, "waf", "load_time_s", "throughput_settled_ops_s", "stall_share") == [None] * 4


@pytest.mark.parametrize("name", ["fillrandom_stalls", "fillrandom", "readrandom"])
@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_every_indicator_is_declared_and_every_declared_one_is_given(version: str, name: str) -> None:
    found = measured(version, name, READ if name == "readrandom" else FILL)
    assert {indicator(each).name for each in found.indicators} <= set(INDICATORS)
    others = {each for each in INDICATORS if each.startswith(("read_latency", "write_latency", "trial_", "max_rate_"))}
    others |= set(AT_FULL_SIZE.values())
    assert set(INDICATORS) - others <= set(found.indicators)


def test_without_a_log_its_indicators_are_missing_and_not_zero() -> None:
    found = measured("7.8.3", "fillrandom_stalls", FILL, "")
    assert some(found, "waf", "waf_wal", "flush_count", "compaction_written_bytes", "debt_bytes") == [None] * 5
    assert found.indicators["wal_bytes"] == 19_650_000


def test_debt_is_unknown_where_nothing_settles() -> None:
    found = measured("7.8.3", "fillrandom_stalls", replace(FILL, settle=Settle.NONE), log_of("7.8.3"))
    assert some(found, "debt_bytes", "settle_time_s", "total_time_s") == [None] * 3
    assert any(warning.startswith("debt-left: ") for warning in found.warnings)


def test_of_a_mixed_step_each_kind_has_its_latencies_and_none_is_called_the_latency() -> None:
    mixed = Workload(("readrandomwriterandom",), "readrandomwriterandom", num=5000, load=("fillseq",))
    found = printed("readrandomwriterandom", mixed)
    assert found["read_latency_p99_s"] == pytest.approx(2.68e-6)
    assert found["write_latency_p99_s"] == pytest.approx(4.0e-6)
    assert "latency_p99_s" not in found
    found = printed("mixgraph", Workload(("mixgraph",), "mixgraph", num=5000, load=("fillseq",)))
    assert found["read_latency_mean_s"] == pytest.approx(1.8162e-6)
    assert "latency_mean_s" not in found


def test_reads_beside_a_writer_have_one_latency_and_no_read_amplification() -> None:
    workload = Workload(("readwhilewriting",), "readwhilewriting", num=5000, load=("fillseq",), threads=2)
    found = printed("readwhilewriting", workload)
    assert found["latency_p99_s"] == pytest.approx(3.56e-6)
    assert "read_latency_p99_s" not in found
    assert (found["read_amp"], found["cache_hit_ratio"], found["load_time_s"]) == (None, None, None)
    assert found["found_ratio"] == pytest.approx(3112 / 5000)


def test_what_reads_cost_is_not_told_beside_compactions() -> None:
    """They read through the same counters, those that a phase starts by hand too."""
    workload = replace(READ, benchmarks=("compactall", "readrandom"))
    left = record(text("7.8.3", "readrandom.stdout.txt"), log=log_of("7.8.3"))
    found = parse_results(builder(workload), Configuration(), [left]).indicators
    assert (found["read_amp"], found["cache_hit_ratio"]) == (None, None)
    assert found["bloom_fpr"] == pytest.approx(0.0092451, rel=1e-5)


@pytest.mark.parametrize("counter", ["db.seek", "multiget.keys.read"])
def test_look_ups_have_no_read_amplification_beside_other_reads(counter: str) -> None:
    """A warm-up by readtocache reads the tables too."""
    stdout = text("7.8.3", "readrandom.stdout.txt").replace(f"{counter} COUNT : 0", f"{counter} COUNT : 1")
    workload = replace(READ, benchmarks=("readtocache", "readrandom"))
    found = parse_results(builder(workload), Configuration(), [record(stdout)]).indicators
    assert found["read_amp"] is None


def test_other_steps_are_named_behind_an_at_sign() -> None:
    phases = text("7.8.3", "extra/overwrite.stdout.txt") + text("7.8.3", "extra/readrandom_repeated.stdout.txt")
    workload = Workload(("overwrite", "readrandom"), "readrandom", num=5000, load=("fillseq",))
    found = parse_results(builder(workload), Configuration(), [record(phases)]).indicators
    assert found["throughput_ops_s@overwrite"] != found["throughput_ops_s"]
    assert found["latency_p99_s@overwrite"] is not None
    assert found["read_amp"] is None  # the process wrote


RESULT = "{} : 10.000 micros/op 100000 ops/sec 1.000 seconds 100000 operations; 11.1 MB/s\n"
FLUSHED = (
    "2026/01/01-00:00:00.000000 1 [default] Manual flush start.\n"
    '2026/01/01-00:00:01.000000 1 EVENT_LOG_v1 {"time_micros": 1767225601000000, "job": 1, "event": "flush_started"}\n'
    '2026/01/01-00:00:03.000000 1 EVENT_LOG_v1 {"time_micros": 1767225603000000, "job": 1, "event": "flush_finished", '
    '"lsm_state": [1, 0]}\n'
)


DELETED = (
    "2026/01/01-00:00:02.000000 1 (Original Log Time 2026/01/01-00:00:02.000000) "
    "[compaction/compaction_picker_fifo.cc:197] [default] FIFO compaction: picking file 9 with {} for deletion\n"
)


def flagged(fill: str, **flags: str) -> Workload:
    return Workload((fill,), fill, num=100_000, flags=tuple(flags.items()))


def test_the_settled_rate_counts_the_operations_of_the_load_alone() -> None:
    workload = Workload(("fillrandom", "overwrite", "readrandom"), "readrandom", num=100_000)
    output = "".join(RESULT.format(name) for name in workload.benchmarks)
    found = parse_results(builder(workload), Configuration(), [record(output, log=FLUSHED)]).indicators
    assert found["load_time_s"] == 2.0
    assert found["settle_time_s"] == pytest.approx(3.0)
    assert found["throughput_settled_ops_s"] == pytest.approx(200_000 / 5.0)


@pytest.mark.parametrize(
    ("workload", "waf", "space_amp"),
    [
        (Workload(("fillseq",), "fillseq", num=100_000), True, True),
        (Workload(("fillseq", "deleterandom"), "fillseq", num=100_000), False, False),
        (flagged("fillseq", writes_per_range_tombstone="100", max_num_range_tombstones="10"), False, False),
        (flagged("fillseq", writes_per_range_tombstone="0"), True, True),
        (flagged("filluniquerandom", disposable_entries_batch_size="100"), False, False),
        (flagged("filluniquerandom", overwrite_probability="0.5", overwrite_window_size="100"), True, False),
        (Workload(("readwhilewriting",), "readwhilewriting", num=100_000, load=("fillseq",)), True, True),
        (Workload(("readwhilewriting",), "readwhilewriting", num=100_000, load=("fillrandom",)), True, False),
        (Workload(("overwrite",), "overwrite", num=100_000, load=("fillseq",), duration_s=5.0), True, True),
        (Workload(("overwrite",), "overwrite", num=100_000, load=("fillrandom",), duration_s=5.0), True, False),
        (Workload(("fillsync",), "fillsync", num=100_000), True, False),
        (Workload(("mergerandom",), "mergerandom", num=100_000, load=("fillseq",)), True, False),
        (Workload(("randomwithverify",), "randomwithverify", num=100_000, load=("fillseq",)), False, False),
        (Workload(("unheard_of",), "unheard_of", num=100_000, load=("fillseq",)), True, False),
    ],
)
def test_what_was_written_is_said_only_where_it_is_known(workload: Workload, waf: bool, space_amp: bool) -> None:
    output = "".join(RESULT.format(name) for name in workload.benchmarks)
    tickers = "rocksdb.number.keys.written COUNT : 100000\nrocksdb.bytes.written COUNT : 13100000\n"
    found = parse_results(builder(workload), Configuration(), [record(output + tickers, log=FLUSHED)]).indicators
    assert (found["waf"] is not None, found["space_amp"] is not None) == (waf, space_amp)


@pytest.mark.parametrize("why", ["size 1.2MB", "creation time 1767225600", "estimated newest key time 1767225600"])
def test_where_fifo_compaction_deleted_files_what_is_there_is_not_told(why: str) -> None:
    fill = Workload(("fillseq",), "fillseq", num=100_000)
    whole, cut = (
        parse_results(builder(fill), Configuration(), [record(RESULT.format("fillseq"), log=log)])
        for log in (FLUSHED, FLUSHED + DELETED.format(why))
    )
    assert None not in some(whole, "space_amp", "space_load_end_bytes")
    assert some(cut, "space_amp", "space_load_end_bytes") == [None, None]
    assert some(cut, "space_bytes", "waf") == some(whole, "space_bytes", "waf")


@pytest.mark.parametrize("style", ["Level", "FIFO"])
def test_what_fifo_compaction_left_of_loaded_data_is_not_told(style: str) -> None:
    reads = Workload(("readrandom",), "readrandom", num=100_000, load=("fillseq",))
    log = f"2026/01/01-00:00:00.000000 1      Options.compaction_style: kCompactionStyle{style}\n{FLUSHED}"
    found = parse_results(builder(reads), Configuration(), [record(RESULT.format("readrandom"), log=log)])
    assert (found.indicators["space_amp"] is None) == (style == "FIFO")


def test_without_statistics_fills_still_say_what_they_wrote() -> None:
    fill = Workload(("fillrandom",), "fillrandom", num=100_000, statistics=False)
    found = parse_results(builder(fill), Configuration(), [record(RESULT.format("fillrandom"), log=FLUSHED)])
    assert found.indicators["waf"] == 0.0
    mixed = replace(fill, benchmarks=("fillrandom", "readwhilewriting"))
    output = RESULT.format("fillrandom") + RESULT.format("readwhilewriting")
    assert parse_results(builder(mixed), Configuration(), [record(output, log=FLUSHED)]).indicators["waf"] is None


def test_an_output_without_the_measured_step_is_a_run_error() -> None:
    with pytest.raises(RunError, match="printed no result of fillrandom"):
        parse_results(builder(FILL), Configuration(), [record("nothing\n")])


@pytest.mark.parametrize(
    ("stdout", "stderr"),
    [
        ("", "... finished 100 ops\rget error: Corruption: block checksum mismatch\n"),
        ("", "getmany error: IO error: No such file\n"),
        ("", "inconsistent values for key 42: a, b, c\n"),
        ("RandomTransactionVerify FAILED!!\n", ""),
    ],
)
def test_an_error_behind_which_db_bench_goes_on_is_a_failure(stdout: str, stderr: str) -> None:
    found = unsaid_failure(record(RESULT.format("fillrandom") + stdout, stderr))
    said = (stdout or stderr).rpartition("\r")[2].strip()
    assert found == f"db_bench went on behind an error of the engine: {said}"


def test_a_compaction_that_failed_behind_the_last_write_is_a_failure() -> None:
    failed = (
        "2026/01/01-00:00:02.000000 1 [ERROR] [db/db_impl/db_impl_compaction_flush.cc:3100] Waiting after background "
        "compaction error: IO error: No space left on device: x.sst, Accumulated background error counts: 1\n"
    )
    found = unsaid_failure(record(RESULT.format("fillrandom"), log=FLUSHED + failed))
    assert "error of the engine: compaction error: IO error: No space left on device" in found
    assert unsaid_failure(record(RESULT.format("fillrandom"), log=FLUSHED)) == ""


def test_a_stopped_process_gives_what_there_is() -> None:
    stopped = replace(record("", log=log_of("7.8.3"), options="[DBOpt"), stopped=Halt("too slow", HaltKind.HOPELESS))
    found = parse_results(builder(FILL), Configuration(), [stopped])
    assert found.indicators["flush_count"] == 43
    assert found.indicators["waf"] is None
    assert found.effective == {}
    hung = replace(stopped, stopped=Halt("it hung", HaltKind.HUNG))
    assert (
        parse_results(builder(FILL), Configuration(), [hung]).warnings[-1].startswith("hung-engine: measure: it hung; ")
    )


def test_an_options_file_that_cannot_be_read_is_a_run_error() -> None:
    left = record(RESULT.format("fillrandom"), options="[DBOpt")
    with pytest.raises(RunError, match="the options that the engine used cannot be read back"):
        parse_results(builder(FILL), Configuration(), [left])


def test_resources_are_added_up_over_the_processes_of_a_run() -> None:
    settle = replace(record("", seconds=9.0), memory_peak_bytes=None, io_read_bytes=5)
    last = record(text("7.8.3", "readrandom.stdout.txt"), seconds=5.0)
    found = parse_results(builder(READ), Configuration(), [settle, last]).indicators
    assert (found["cpu_s"], found["memory_peak_bytes"]) == (7.0, 64 * MIB)
    assert (found["io_read_bytes"], found["io_written_bytes"]) == (5, 2 * MIB)
    unread = replace(settle, io_read_bytes=None)
    assert parse_results(builder(READ), Configuration(), [unread, last]).indicators["io_read_bytes"] is None


def test_effective_values_are_at_full_size() -> None:
    commands = replace(builder(FILL), scale=Fraction(1, 64))
    left = record(RESULT.format("fillrandom"), options=text("7.8.3", "OPTIONS-000007.ini"))
    assert parse_results(commands, Configuration(), [left]).effective["write_buffer_size"] == 32 * MIB


@pytest.mark.parametrize(
    ("phases", "place"),
    [(("fillrandom",), 0), (("fillrandom", "flush", "readrandom"), 0), (("fillrandom", "flush", "overwrite"), 1)],
)
def test_a_load_ends_at_the_flush_behind_the_last_phase_that_writes(phases: tuple[str, ...], place: int) -> None:
    workload = Workload(phases, phases[0], num=150_000)
    left = _Left.of([record(RESULT.format("fillrandom"), log=log_of("7.8.3"))], workload)
    flushed = replace(left, events=replace(left.events, manual_flushes_s=(10.0, 20.0)))
    assert flushed.load_end_s(builder(workload)) == (10.0, 20.0)[place]


def test_what_no_options_file_holds_is_effective_as_it_was_asked_for() -> None:
    left = record(RESULT.format("fillrandom"), options=text("7.8.3", "OPTIONS-000007.ini"))

    def effective(**values: Value) -> Mapping[str, Value]:
        return parse_results(builder(FILL), Configuration.of(values), [left]).effective

    plain, larger = effective(), effective(cache_size=1 << 30)
    assert larger["cache_size"] == 1 << 30
    assert plain == effective(cache_size=plain["cache_size"]), "the default by name is no other configuration"
    assert {name for name in plain if plain[name] != larger[name]} == {"cache_size"}
    assert effective(rate_limiter_bytes_per_sec=100 * MIB, db_write_buffer_size=64 * MIB) != plain
