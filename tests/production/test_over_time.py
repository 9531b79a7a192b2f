"""What changes over time, and what OPTIONS files and dumps without times tell."""

import gzip
import io
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from test_canary import dump, head

from lsmtune.production import (
    ServiceLog,
    changes_of,
    diagnosis_card,
    diagnosis_json,
    diagnosis_page,
    differences_of,
    read_service,
    read_service_files,
    trends_of,
)
from lsmtune.production._events import _time
from lsmtune.production._page import _line, _stalled

FOLDER = Path(__file__).parent / "data" / "two-families"
OPTIONS = FOLDER / "OPTIONS-000009"
OTHER = "column_family_name_000001"


def shown(log: ServiceLog) -> str:
    file = io.StringIO()
    Console(file=file, width=140).print(diagnosis_card(log))
    return file.getvalue()


def test_the_card_tells_by_column_family_what_changed_over_time() -> None:
    log = read_service([FOLDER / "LOG.gz"])
    trends = {(each.name, each.family): each for each in trends_of(log.last)}
    assert max(trends["deletions", "default"].known) == 100
    assert ("deletions", OTHER) not in trends  # never any
    assert {family for name, family in trends if name == "sizes"} == {"default", OTHER}
    assert all(0 <= share <= 100 for share in trends["cache-hits", ""].known + trends["filters", ""].known)
    growths = [
        each.peak_bytes - each.size_bytes
        for each in log.last.moments
        if each.peak_bytes is not None and each.size_bytes is not None
    ]
    assert min(growths) >= 0
    assert max(growths) > 0
    assert "cache hits" in shown(log)


def test_what_a_cache_held_is_told_unless_it_was_counted_long_ago(tmp_path: Path) -> None:
    text = gzip.decompress((FOLDER / "LOG.gz").read_bytes()).decode()
    uptime = read_service([FOLDER / "LOG.gz"]).last.dump
    assert uptime is not None
    for age, is_told in ((0, True), (round(uptime.uptime_s) + 1, False)):
        (tmp_path / "LOG").write_text(re.sub(r"secs_since: \d+", f"secs_since: {age}", text))
        assert ("A block cache held" in shown(read_service([tmp_path]))) is is_told


def test_options_that_were_changed_since_the_opening_are_named(tmp_path: Path) -> None:
    (tmp_path / "LOG").write_bytes(gzip.decompress((FOLDER / "LOG.gz").read_bytes()))
    (tmp_path / OPTIONS.name).write_text(OPTIONS.read_text())
    same = read_service_files([tmp_path])
    assert changes_of(same.last, same.options_file) == ()
    changed = OPTIONS.read_text().replace("write_buffer_size=4000000", "write_buffer_size=8000000", 1)
    (tmp_path / "OPTIONS-000100").write_text(changed)
    log = read_service_files([tmp_path])
    (change,) = changes_of(log.last, log.options_file)
    assert (change.of, change.option, change.default, change.here) == (
        "[default]",
        "write_buffer_size",
        "4000000",
        "8000000",
    )
    assert "changed since it was opened" in shown(log)


def test_what_is_not_told_goes_by_what_runs_now(tmp_path: Path) -> None:
    """Indexes and filters lie outside of the cache as it was opened; where the LOG lost that, OPTIONS files tell it."""
    text, options = gzip.decompress((FOLDER / "LOG.gz").read_bytes()).decode(), OPTIONS.read_text()
    headless = text[text.rindex("\n", 0, text.index("DUMPING STATS")) + 1 :]
    inside = options.replace("cache_index_and_filter_blocks=false", "cache_index_and_filter_blocks=true")
    for log, file, is_outside in ((text, options, True), (text, inside, False), (headless, options, True)):
        (tmp_path / "LOG").write_text(log)
        (tmp_path / OPTIONS.name).write_text(file)
        told = diagnosis_json(read_service_files([tmp_path]))["not_told"]
        assert any(each.startswith("Memory of indexes and filters outside") for each in told) is is_outside


def test_an_options_file_alone_gives_a_card_that_says_what_is_missing() -> None:
    log = read_service_files([OPTIONS])
    differences = differences_of(log.last, log.options_file)
    assert differences is not None
    assert {"write_buffer_size", "filter_policy"} <= {each.option for each in differences.options}
    card = shown(log)
    assert "RocksDB 7.8.3: 2 column families" in card
    assert "What happened: no LOG was given" in card


def test_a_dump_without_times_is_read(tmp_path: Path) -> None:
    lines = gzip.decompress((FOLDER / "LOG.gz").read_bytes()).decode().splitlines(keepends=True)
    begin = [place for place, line in enumerate(lines) if line.startswith("** DB Stats **")][-1]
    (tmp_path / "stats.txt").write_text("".join(line for line in lines[begin:] if not line.startswith("20")))
    dump = read_service([tmp_path / "stats.txt"]).last.dump
    whole = read_service([FOLDER / "LOG.gz"]).last.dump
    assert dump is not None
    assert whole is not None
    assert (dump.uptime_s, dump.families) == (whole.uptime_s, whole.families)


def test_a_dump_without_a_time_has_no_place_over_time(tmp_path: Path) -> None:
    (tmp_path / "LOG").write_text(head(0, 64, "A") + dump(1000, 1000, 6, 0.01) + dump(2000, 2000, 6, 0.1))
    later = dump(3000, 3000, 6, 0.5).splitlines(keepends=True)
    (tmp_path / "stats.txt").write_text("".join(line for line in later if not line.startswith("20")))
    log = read_service([tmp_path / "LOG", tmp_path / "stats.txt"])
    assert [bool(each.time_s) for each in log.last.moments] == [True, True, False]
    assert "Worst between two dumps: 19.0 % of 2026-11-01 00:16:40 to 2026-11-01 00:33:20." in shown(log)
    hours, _ = _line(log, _stalled)
    assert min(hours) > 0


def test_the_page_draws_what_the_card_tells_over_time() -> None:
    log = read_service([FOLDER / "LOG.gz"])
    assert diagnosis_page(log).count("<figure") == 4 + len({each.name for each in trends_of(log.last)})
    assert diagnosis_json(log)["over_time"][0]["name"] == "l0-files"


@pytest.mark.parametrize(("hours", "off_s"), [(0, 0.0), (8, 0.0), (-3.5, 0.0), (8, 2.5)])
def test_events_stand_at_the_time_of_their_lines_whatever_the_clock_of_the_service(hours: float, off_s: float) -> None:
    """A LOG's lines have local time, its events UTC; between both an event may wait for a while."""
    stamp = datetime(2026, 11, 1, 12, tzinfo=UTC)
    event_s = stamp.timestamp() - hours * 3600 - off_s
    line = f'{stamp:%Y/%m/%d-%H:%M:%S}.000000 9 EVENT_LOG_v1 {{"time_micros": {round(event_s * 1e6)}, "job": 1}}'
    assert _time(line) == pytest.approx(stamp.timestamp() - off_s)


@pytest.mark.parametrize("back_s", [1800, 3600])
def test_an_hour_that_comes_twice_is_told_as_one_part_of_the_time(tmp_path: Path, back_s: int) -> None:
    """Where daylight saving ends the clock is set back; how long the database is open goes on."""
    text = head(0, 64, "A")
    for up in range(700, 12_000, 700):
        wal = f"Cumulative WAL: 1K writes, 0 syncs, 1.00 writes per sync, written: {up / 1000:.2f} GB, 1 MB/s\n"
        told = dump(up if up < 4800 else up - back_s, up, 6.0, 0)
        text += told.replace("Cumulative stall", f"{wal}Cumulative stall")
    (tmp_path / "LOG").write_text(text)
    log = read_service([tmp_path])
    (wal_rates,) = (each for each in trends_of(log.last) if each.name == "wal")
    assert wal_rates.values == pytest.approx([2**30 / 1000] * len(wal_rates.values))
    assert wal_rates.times_s == tuple(sorted(set(wal_rates.times_s)))
    (said,) = (each for each in diagnosis_json(log)["not_told"] if "came twice" in each)
    assert "set back at 2026-11-01 01:10:00" in said
    assert "<figure" in diagnosis_page(log)
