"""Time lines made small: sums, rates and bars against what can be counted by hand."""

import numpy as np
import pytest

from lsmtune.model import Job, JobKind, Timeline, TreeState
from lsmtune.result import (
    arrival_spans,
    files_by_level,
    job_sums,
    span_rates,
    timeline_bars,
    timeline_lanes,
    written_spans,
)


def flush(started_s: float, ended_s: float | None, size: int = 100, entries: int | None = None) -> Job:
    return Job(JobKind.FLUSH, 0, started_s, ended_s, size, entries=entries)


def compaction(level: int | None, started_s: float, ended_s: float | None, size: int = 100) -> Job:
    return Job(JobKind.COMPACTION, level, started_s, ended_s, size)


def test_what_happened_evenly_is_shared_among_the_parts_that_it_covers() -> None:
    edges_s = np.array([0.0, 1.0, 2.0, 4.0])
    # 10 from 0.5 to 2.5: 2.5, 5 and 2.5 in parts of 1, 1 and 2 s.
    assert span_rates([(0.5, 2.5, 10.0)], edges_s) == pytest.approx([2.5, 5.0, 1.25])
    assert span_rates([], edges_s) == pytest.approx([0.0, 0.0, 0.0])


def test_nothing_is_lost_between_parts_not_even_what_takes_no_time() -> None:
    random = np.random.default_rng(3)
    starts = random.uniform(0, 9, 200)
    spans = [
        (start, min(start + length, 10.0), amount)
        for start, length, amount in zip(starts, random.exponential(1, 200), random.uniform(1, 5, 200), strict=True)
    ]
    spans += [(4.0, 4.0, 7.0), (10.0, 10.0, 9.0)]
    edges_s = np.linspace(0, 10, 33)
    total = float(np.sum(span_rates(spans, edges_s) * np.diff(edges_s)))
    assert total == pytest.approx(sum(amount for _, _, amount in spans))


def test_jobs_are_summed_by_where_their_output_went() -> None:
    line = Timeline(
        "rocksdb",
        10.0,
        (
            flush(0, 1),
            compaction(2, 1, 4, 50),
            compaction(1, 2, 3),
            compaction(2, 5, 6, 7),
            compaction(None, 8, None, 1),
        ),
    )
    sums = {each.lane: (each.jobs, each.written_bytes, each.busy_s, each.longest_s) for each in job_sums(line)}
    assert list(sums) == ["flush", "to L1", "to L2", "not ended"]
    assert sums["to L2"] == (2, 57, 4.0, 3.0)
    assert sums["not ended"] == (1, 1, 2.0, 2.0)
    assert timeline_lanes([line, Timeline("rocksdb", 1.0, (compaction(11, 0, 1),))])[-2:] == ("to L11", "not ended")


def test_few_jobs_are_drawn_one_by_one_and_those_at_the_same_time_in_rows() -> None:
    line = Timeline(
        "rocksdb", 10.0, (compaction(1, 0, 5), compaction(1, 1, 3), compaction(1, 4, 6), compaction(2, 0, 9))
    )
    found, grain_s = timeline_bars(line, 300)
    assert grain_s == 0
    assert {(bar.lane, bar.start_s): (bar.row, bar.rows) for bar in found} == {
        ("to L1", 0): (0, 2),
        ("to L1", 1): (1, 2),
        ("to L1", 4): (1, 2),
        ("to L2", 0): (0, 1),
    }


def test_many_short_jobs_become_few_bars_and_long_ones_stay_themselves() -> None:
    short = tuple(flush(place * 0.001, place * 0.001 + 0.0005, size=3) for place in range(9000))
    long = tuple(compaction(1, place * 1.0, place + 0.9, 1000) for place in range(9))
    found, grain_s = timeline_bars(Timeline("rocksdb", 9.0, (*short, *long)), 60)
    assert len(found) <= 60
    assert 0 < grain_s < 0.9
    flushes = [bar for bar in found if bar.lane == "flush"]
    assert sum(bar.jobs for bar in flushes) == 9000
    assert sum(bar.written_bytes for bar in flushes) == 27000
    assert [(bar.start_s, bar.end_s, bar.jobs) for bar in found if bar.lane == "to L1"] == [
        (job.started_s, job.ended_s, 1) for job in long
    ]


def test_thousands_of_jobs_within_an_instant_are_still_few_bars() -> None:
    found, _ = timeline_bars(Timeline("rocksdb", 0.0, tuple(flush(0.0, 0.0) for _ in range(1000))), 10)
    assert [bar.jobs for bar in found] == [1000]


def test_entries_of_a_flush_came_since_the_one_before() -> None:
    recovered = Job(JobKind.FLUSH, 0, 0.5, 0.6, 900, entries=9, recovered=True)
    line = Timeline("rocksdb", 10.0, (recovered, flush(2.0, 3.0, entries=20), flush(4.0, 5.0, entries=60)))
    assert arrival_spans(line) == (((0.0, 2.0, 20.0), (2.0, 4.0, 60.0)), "entries")


def test_where_entries_are_not_logged_bytes_of_tables_stand_for_them() -> None:
    line = Timeline("leveldb", 10.0, (flush(2.0, 3.0, 500), flush(4.0, 5.0, 700)))
    assert arrival_spans(line) == (((0.0, 2.0, 500.0), (2.0, 4.0, 700.0)), "B")
    assert arrival_spans(Timeline("leveldb", 10.0)) == ((), "B")


def test_files_of_a_level_stay_until_the_log_tells_otherwise_and_peaks_are_kept() -> None:
    states = (
        TreeState(1.2, (4, 0, 0)),
        TreeState(1.4, (9, 0, 0)),
        TreeState(1.6, (1, 2, 0)),
        TreeState(4.0, (0, 3, 0)),
    )
    line = Timeline("rocksdb", 4.0, states=states)
    found = files_by_level(line, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    nan = np.nan
    np.testing.assert_array_equal(found, [[nan, 9, 1, 1], [nan, 2, 2, 3]])
    longer = files_by_level(line, np.array([0.0, 3.0, 6.0, 9.0]))
    np.testing.assert_array_equal(longer, [[9, 1, nan], [2, 3, nan]])


def test_a_job_without_an_end_is_written_until_the_log_ends() -> None:
    line = Timeline("rocksdb", 10.0, (compaction(None, 6.0, None, 40),))
    assert written_spans(line, JobKind.COMPACTION) == ((6.0, 10.0, 40.0),)
