"""Rate and mean latency over time, from what db_bench prints of each second."""

import gzip
from pathlib import Path

import pytest

from lsmtune.backends.db_bench import interval_series

FIXTURES = Path(__file__).parents[1] / "fixtures"
STDERR = (FIXTURES / "db_bench-7.8.3" / "two_phases.stderr.txt").read_text()
LOG = (FIXTURES / "db_bench-7.8.3" / "two_phases.LOG.txt").read_text().splitlines()
OPENED = ["2026/11/24-02:06:06.500000 1 RocksDB version: 7.8.3"]


def line(stamp: str, thread: int, operations: int, total: int, lasted_s: float, elapsed_s: float) -> str:
    return (
        f"2026/11/24-{stamp}  ... thread {thread}: ({operations},{total}) ops and (1.0,1.0) ops/second in "
        f"({lasted_s:.6f},{elapsed_s:.6f}) seconds\n"
    )


def test_the_seconds_of_both_phases_and_threads_are_on_one_axis() -> None:
    rate, latency = interval_series(STDERR, LOG)
    assert (rate.name, rate.unit, latency.name, latency.unit) == ("throughput", "ops/s", "mean latency", "s")
    assert len(rate.times_s) == 8 + 9, "a fill of 8.8 s and reads of 9.1 s, as far as both threads have reported"
    assert 1 < rate.times_s[0] < 2.5
    assert rate.times_s[8] - rate.times_s[0] == pytest.approx(10, abs=1), "the reads began when the fill had ended"
    assert list(rate.times_s) == sorted(rate.times_s)
    assert rate.values[0] == pytest.approx(51000 / 1.012 + 47000 / 1.108, rel=0.01)


def test_the_rates_add_up_to_the_operations_of_the_lines() -> None:
    rate, _ = interval_series(STDERR, LOG)
    until_8 = 184_000 + 24_000 * (8 - 7.465) / 1.0096 + 216_000 + 15_000 * (8 - 7.771) / 1.0101
    assert sum(rate.values[:8]) == pytest.approx(until_8, rel=0.001)


def test_mean_latency_is_threads_over_rate() -> None:
    rate, latency = interval_series(STDERR, LOG)
    assert latency.values == pytest.approx([2 / each for each in rate.values])
    reads = [2 / each for each in rate.values[8:]]
    assert sum(reads) / len(reads) == pytest.approx(38e-6, rel=0.1), "the histogram of the whole phase says 38.08 us"


def test_the_output_of_a_newer_version_is_read_between_its_statistics() -> None:
    folder = FIXTURES / "db_bench-11.8.1"
    log = gzip.decompress((folder / "LOG.txt.gz").read_bytes()).decode().splitlines()
    rate, latency = interval_series((folder / "fillrandom.stderr.txt").read_text(), log)
    assert rate.times_s == latency.times_s
    assert rate.values == pytest.approx([235_553, 168_000, 175_700], rel=0.02)


def test_a_second_without_an_operation_has_a_rate_of_zero_and_no_latency() -> None:
    text = line("02:06:07", 0, 1000, 1000, 1.0, 1.0) + line("02:06:10", 0, 0, 1000, 3.0, 4.0)
    rate, latency = interval_series(text, OPENED)
    assert rate.values == pytest.approx((1000, 0, 0, 0))
    assert len(latency.values) == 1


def test_a_stall_is_spread_over_the_time_that_its_line_names() -> None:
    text = line("02:06:07", 0, 1000, 1000, 1.0, 1.0) + line("02:06:12", 0, 2000, 3000, 4.0, 5.0)
    rate, _ = interval_series(text, OPENED)
    assert rate.values == pytest.approx((1000, 500, 500, 500, 500))


def test_damaged_lines_are_left_out_and_other_tools_have_no_series() -> None:
    text = line("02:06:07", 0, 1000, 1000, 1.0, 1.0)
    assert interval_series(f"lorem\x00 (1,2) ops\n{text[:40]}\n{text}", OPENED)[0].values == pytest.approx((1000,))
    assert interval_series(text.replace("2026/11/24", "2026/99/99"), OPENED) == ()
    assert interval_series("... finished 1000 ops\r... finished 2000 ops\r", OPENED) == ()
    assert interval_series(text, ["no time"]) == ()
    assert interval_series("", OPENED) == ()


def test_a_phase_before_the_database_was_opened_anew_is_not_placed_on_its_axis() -> None:
    fill = line("02:06:07", 0, 1000, 1000, 1.0, 1.0)
    again = line("02:07:01", 0, 500, 500, 1.0, 1.0)
    rate, _ = interval_series(fill + again, ["2026/11/24-02:07:00.100000 1 RocksDB version: 7.8.3"])
    assert rate.values == pytest.approx((500,))
    assert 0.9 < rate.times_s[0] < 2
