"""The parser is tested on real outputs of 7.8.3 and 11.8.1, whole, cut short and damaged."""

import time
from pathlib import Path

import pytest

from lsmtune.backends._results import PhaseResult, parse_progress
from lsmtune.backends.db_bench._output import LevelFiles, Output, parse_output

FIXTURES = Path(__file__).parents[1] / "fixtures"
MIB = 2**20
WHOLE = [
    "db_bench-7.8.3/fillrandom",
    "db_bench-7.8.3/fillrandom_stalls",
    "db_bench-7.8.3/readrandom",
    "db_bench-11.8.1/fillrandom",
    "db_bench-11.8.1/fillrandom_stalls",
    "db_bench-11.8.1/readrandom",
    *(f"db_bench-7.8.3/extra/{path.name.partition('.')[0]}" for path in FIXTURES.glob("*/extra/*.stdout.txt")),
]


def text(name: str) -> str:
    """Return a fixture with its carriage returns."""
    return (FIXTURES / name).read_bytes().decode()


def parsed(name: str) -> Output:
    """Return the parsed stdout of a fixture."""
    return parse_output(text(f"{name}.stdout.txt"))


def only_phase(name: str) -> PhaseResult:
    """Return the only phase of an extra output."""
    (phase,) = parsed(f"db_bench-7.8.3/extra/{name}").phases
    return phase


@pytest.mark.parametrize("name", WHOLE)
def test_a_real_output_is_read_without_problems(name: str) -> None:
    output = parsed(name)
    expected = name.endswith("fillsync_nothing_done")
    assert [problem for problem in output.problems if not expected] == []
    assert output.phases
    assert all(phase.histograms or expected for phase in output.phases)


def test_a_fill_of_7_8_3_gives_its_result_line_in_base_units() -> None:
    output = parsed("db_bench-7.8.3/fillrandom_stalls")
    (phase,) = output.phases
    assert (output.version, output.assertions) == ("7.8.3", True)
    assert (phase.name, phase.micros_per_op, phase.ops_s) == ("fillrandom", 20.790, 48097.0)
    assert (phase.seconds, phase.operations) == (3.119, 150000)
    assert phase.bytes_s == pytest.approx(5.3 * MIB)
    assert (phase.found, phase.of) == (None, None)


def test_a_histogram_comes_in_seconds() -> None:
    histogram = parsed("db_bench-7.8.3/fillrandom_stalls").phases[0].histograms["write"]
    assert histogram.count == 150000
    assert histogram.mean_s == pytest.approx(20.79e-6)
    assert histogram.stddev_s == pytest.approx(342.94e-6)
    assert histogram.min_s == pytest.approx(3e-6)
    assert histogram.max_s == pytest.approx(41638e-6)
    assert histogram.median_s == pytest.approx(6.0969e-6)
    assert histogram.percentiles == pytest.approx(
        {50.0: 6.10e-6, 75.0: 8.27e-6, 99.0: 28.98e-6, 99.9: 4185.71e-6, 99.99: 0.014}
    )


def test_the_version_of_11_8_1_is_read_from_stderr() -> None:
    name = "db_bench-11.8.1/fillrandom_stalls"
    output = parse_output(text(f"{name}.stdout.txt"), text(f"{name}.stderr.txt"))
    assert (output.version, output.assertions) == ("11.8.1", False)
    assert parsed(name).version is None


@pytest.mark.parametrize(
    ("name", "found", "of"),
    [
        ("seekrandom", 4074, 5000),
        ("readwhilewriting", 3112, 5000),
        ("mixgraph", 260, 4279),
        ("readrandomwriterandom", 4500, 4500),
        ("updaterandom", 5000, 5000),
        ("deleterandom", None, None),
    ],
)
def test_found_reads_are_read_from_every_wording(name: str, found: int | None, of: int | None) -> None:
    phase = only_phase(name)
    assert (phase.name, phase.found, phase.of) == (name, found, of)


def test_the_planned_updates_of_one_thread_are_not_taken_for_the_reads_done() -> None:
    phase = only_phase("updaterandom_two_threads")
    assert (phase.operations, phase.found, phase.of) == (5000, 2299, None)


def test_a_step_without_bytes_has_none() -> None:
    assert only_phase("deleterandom").bytes_s is None
    assert only_phase("seekrandom").bytes_s is None


def test_a_mixed_step_has_a_histogram_for_each_kind_of_operation() -> None:
    phase = only_phase("mixgraph")
    assert {kind: histogram.count for kind, histogram in phase.histograms.items()} == {
        "read": 4221,
        "write": 721,
        "seek": 58,
    }


def test_repeats_are_steps_and_their_averages_are_not() -> None:
    output = parsed("db_bench-7.8.3/extra/readrandom_repeated")
    assert [(phase.name, phase.found) for phase in output.phases] == [("readrandom", 5000), ("readrandom", 3112)]
    assert output.phase("readrandom") == output.phases[1]
    assert output.phase("fillseq") is None


def test_a_step_that_did_nothing_has_zero_operations_and_is_a_problem() -> None:
    output = parsed("db_bench-7.8.3/extra/fillsync_nothing_done")
    assert output.phases[0].operations == 0
    assert len(output.problems) == 1
    assert "fillsync did no operation" in output.problems[0]


@pytest.mark.parametrize(
    ("line", "seconds", "operations"),
    [
        ("fillseq      :       2.500 micros/op 400000 ops/sec;   44.2 MB/s", None, None),
        ("fillseq      :       2.500 micros/op 400000 ops/sec 0.500 seconds;   44.2 MB/s", 0.5, 200000),
        (
            "fillseq      :       2.500 micros/op 400000 ops/sec 0.500 seconds 200001 operations;   44.2 MB/s",
            0.5,
            200001,
        ),
    ],
)
def test_result_lines_of_older_versions_lack_numbers(line: str, seconds: float | None, operations: int | None) -> None:
    (phase,) = parse_output(line).phases
    assert (phase.ops_s, phase.seconds, phase.operations) == (400000.0, seconds, operations)
    assert phase.bytes_s == pytest.approx(44.2 * MIB)


def test_a_result_behind_progress_on_the_same_line_is_read() -> None:
    line = "... finished 100 ops   \r... finished 200 ops   \rfillseq :  2.5 micros/op 400000 ops/sec; 1.0 MB/s\r"
    assert [phase.name for phase in parse_output(line).phases] == ["fillseq"]


def test_the_compaction_table_of_7_8_3_is_read_by_header_name() -> None:
    table = parsed("db_bench-7.8.3/fillrandom_stalls").compaction_table
    assert list(table) == ["L0", "L1", "L2", "Sum", "Int"]
    level = table["L1"]
    assert (level.level, level.files, level.compacting, level.size_bytes) == ("L1", 3, 0, round(1.51 * MIB))
    assert (level.columns["W-Amp"], level.columns["KeyIn"], level.columns["KeyDrop"]) == (2.2, 335e3, 22e3)
    assert "WPreComp(GB)" not in level.columns
    assert (table["Sum"].columns["Comp(cnt)"], table["Sum"].columns["Wblob(GB)"]) == (58.0, 0.0)


def test_the_added_column_of_11_8_1_moves_no_other() -> None:
    table = parsed("db_bench-11.8.1/fillrandom_stalls").compaction_table
    assert list(table) == ["L0", "L1", "L2", "L3", "Sum", "Int"]
    columns = table["Sum"].columns
    assert (columns["Write(GB)"], columns["WPreComp(GB)"], columns["Wnew(GB)"]) == (5.5, 9.5, 1.9)
    assert (columns["W-Amp"], columns["KeyIn"]) == (9.6, 9943e3)
    assert table["L3"].size_bytes == round(336.87 * MIB)


def test_files_that_are_being_compacted_stand_behind_the_slash() -> None:
    table = parsed("db_bench-7.8.3/extra/overwrite").compaction_table
    assert (table["L0"].files, table["L0"].compacting, table["L0"].size_bytes) == (5, 4, round(580.86 * 1024))


def test_the_last_of_several_tables_counts() -> None:
    output = parsed("db_bench-7.8.3/extra/overwrite")
    assert [phase.name for phase in output.phases] == ["fillrandom", "overwrite"]
    assert output.compaction_table["Sum"].files == 14
    assert output.levels[:3] == (LevelFiles(0, 5, MIB), LevelFiles(1, 4, MIB), LevelFiles(2, 5, MIB))
    assert len(output.levels) == 7


def test_a_table_that_is_cut_short_gives_way_to_the_complete_one_before_it() -> None:
    whole = text("db_bench-7.8.3/extra/overwrite.stdout.txt")
    second = whole.rindex("** Compaction Stats [default] **\nLevel")
    output = parse_output(whole[: whole.index("\n Sum", second)])
    assert output.compaction_table["Sum"].files == 7
    assert output.compaction_table["L0"].files == 3


def test_stalls_of_7_8_3_are_counted_once() -> None:
    output = parsed("db_bench-7.8.3/fillrandom_stalls")
    assert (output.stall_seconds, output.stall_percent) == (0.640, 7.7)
    assert output.stalls["level0_slowdown"] == 16
    assert output.stalls["level0_slowdown_with_compaction"] == 16
    assert output.stalls["memtable_compaction"] == 7
    assert "interval" not in " ".join(output.stalls)
    assert (output.stall_count, output.stop_count) == (23, 7)
    assert output.pending_compaction_bytes is None


def test_stalls_of_11_8_1_are_spelled_otherwise() -> None:
    output = parsed("db_bench-11.8.1/fillrandom_stalls")
    assert output.stall_seconds == pytest.approx(61.948)
    assert output.stall_percent == 84.4
    assert output.stalls["memtable-limit-stops"] == 508
    assert output.stalls["write-buffer-manager-limit-stops"] == 0
    assert (output.stall_count, output.stop_count) == (1605, 508)
    assert output.pending_compaction_bytes == 198758382


def test_stalls_are_missing_where_nothing_was_printed() -> None:
    output = parsed("db_bench-7.8.3/extra/seekrandom")
    assert (output.stall_seconds, output.stall_count, output.stop_count) == (None, None, None)
    assert (output.compaction_table, output.levels) == ({}, ())


def test_statistics_are_read_as_tickers_and_histograms() -> None:
    output = parsed("db_bench-7.8.3/fillrandom_stalls")
    assert len(output.tickers) == 193
    assert output.tickers["rocksdb.bytes.written"] == 19650000
    assert output.tickers["rocksdb.stall.micros"] == 640168
    read = output.ticker_histograms["rocksdb.sst.read.micros"]
    assert (read.p50, read.p95, read.p99, read.p100) == (0.949464, 2.967544, 10.811735, 20485.0)
    assert (read.count, read.sum) == (13809, 56877)


@pytest.mark.parametrize(
    "line",
    [
        "fillrandom   :      nonsense micros/op 48097 ops/sec;    5.3 MB/s",
        "fillrandom   :      inf micros/op 48097 ops/sec;    5.3 MB/s",
        "Microseconds per write:",
        "rocksdb.wal.bytes COUNT : many",
        "Cumulative stall: soon",
        "Estimated pending compaction bytes: 12",
        "Stalls(count):",
        "** Compaction Stats [default] **",
        "Level Files Size(MB)",
    ],
)
def test_an_unreadable_line_is_a_problem_with_its_place(line: str) -> None:
    output = parse_output(f"DB path: [/data/db]\n{line}\n")
    assert len(output.problems) == 1
    assert output.problems[0].startswith("stdout:2 ")
    assert line in output.problems[0]
    assert output.phases == ()


def test_a_damaged_row_costs_only_itself() -> None:
    damaged = text("db_bench-7.8.3/fillrandom_stalls.stdout.txt").replace("1.51 MB   0.8", "1.51 MB")
    output = parse_output(damaged)
    assert list(output.compaction_table) == ["L0", "L2", "Sum", "Int"]
    assert len(output.problems) == 1
    assert "row of the compaction table" in output.problems[0]


def test_the_histogram_of_an_unreadable_result_goes_to_no_other_step() -> None:
    damaged = text("db_bench-7.8.3/extra/overwrite.stdout.txt").replace(
        "overwrite    :       4", "overwrite    :       x"
    )
    output = parse_output(damaged)
    assert [phase.name for phase in output.phases] == ["fillrandom"]
    assert output.phases[0] == parsed("db_bench-7.8.3/extra/overwrite").phases[0]


@pytest.mark.parametrize("name", ["db_bench-7.8.3/fillrandom_stalls", "db_bench-11.8.1/readrandom"])
def test_an_output_cut_at_any_place_is_read_without_failing(name: str) -> None:
    whole = text(f"{name}.stdout.txt")
    for end in range(0, len(whole), 997):
        output = parse_output(whole[:end])
        assert set(output.tickers) <= set(parse_output(whole).tickers)
        assert len(output.problems) <= 2


@pytest.mark.parametrize(
    ("chunk", "operations"),
    [
        ("", None),
        ("RocksDB:    version 7.8.3\n", None),
        ("... finished 100 ops          \r... finished 200 ops          \r", 200),
        ("... finished 120000 ops     \r... finished 13", 120000),
        (
            "2026/11/21-19:58:19  ... thread 0: (169000,408000) ops and (167412.6,201569.5) ops/second in (1.0,2.0)",
            408000,
        ),
    ],
)
def test_progress_is_the_latest_count_in_a_chunk(chunk: str, operations: int | None) -> None:
    assert parse_progress(chunk) == operations


def test_progress_of_interval_statistics_is_the_final_count() -> None:
    assert parse_progress(text("db_bench-11.8.1/fillrandom.stderr.txt")) == 585000


def test_a_quarter_of_a_megabyte_is_read_in_50_ms() -> None:
    large = text("db_bench-11.8.1/fillrandom_stalls.stdout.txt") * 8
    assert len(large) > 250_000
    times = []
    for _ in range(5):
        start = time.process_time()
        parse_output(large)
        times.append(time.process_time() - start)
    assert min(times) < 0.050
