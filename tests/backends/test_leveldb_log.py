"""Reading LOGs of a real LevelDB 1.22, and the debt of a tree."""

import gzip
import re
from pathlib import Path

import pytest

from lsmtune.backends.leveldb import Level, pending_bytes, read_log

MIB = 1 << 20
EMPTY = Level(0, 0)
STAMP = "2026/11/22-06:05:15.{:06d} 140231530559296 "


def printed(name: str) -> str:
    """A recorded output; the ending .gz is undone."""
    data = (Path(__file__).parents[1] / "fixtures" / "leveldb_bench" / name).read_bytes()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


def lines(*texts: str) -> list[str]:
    """Lines 1 ms apart."""
    return [STAMP.format(number * 1000) + text for number, text in enumerate(texts)]


def test_bytes_agree_with_the_table_that_leveldb_keeps_of_them() -> None:
    log = read_log(printed("fill_and_reads.LOG.txt.gz").splitlines())
    table = re.findall(r"^ +\d+ +\d+ +\d+ +\d+ +\d+ +(\d+)$", printed("fill_and_reads.stdout.txt"), re.MULTILINE)
    assert len(table) >= 2
    written = sum(log.flushed) + log.compacted_bytes
    assert written / MIB == pytest.approx(sum(map(int, table)), abs=len(table))  # printed in whole MiB
    assert len(log.flushed) > 100
    assert log.recovered == ()
    assert log.memtable_waits > 0
    assert log.problems == ()
    assert all(each.elapsed_s is not None and 0 < each.elapsed_s < 1 for each in log.compactions)


def test_flushes_of_what_an_earlier_process_left_are_told_apart() -> None:
    log = read_log(printed("reads_of_a_load.LOG.txt").splitlines())
    assert len(log.recovered) > 40
    assert log.flushed == ()
    files = re.findall(r"^ \d+:(\d+)\[", printed("reads_of_a_load.stdout.txt"), re.MULTILINE)
    (compaction,) = log.compactions
    # In-order data is moved down as it is; the files that came to lie in one place alone were merged.
    assert log.moves == len(files) - 1
    assert sum(log.recovered) == pytest.approx(sum(map(int, files)), rel=0.001)
    assert compaction.output_bytes in map(int, files)


def test_a_flush_of_nothing_and_one_that_failed_write_nothing() -> None:
    log = read_log(
        lines(
            "Level-0 table #5: started",
            "Level-0 table #5: 0 bytes OK",
            "Level-0 table #7: started",
            "Level-0 table #7: 12 bytes IO error: No space left on device",
            "Compaction error: IO error: No space left on device",
            "Level-0 table #9: 100 bytes OK",
        )
    )
    assert log.flushed == (100,)
    assert log.errors == (
        "Level-0 table #7: 12 bytes IO error: No space left on device",
        "Compaction error: IO error: No space left on device",
    )
    assert log.problems == (
        "LOG:4 Level-0 table #7: 12 bytes IO error: No space left on device",
        "LOG:5 Compaction error: IO error: No space left on device",
    )


def test_compactions_moves_and_waits_are_counted() -> None:
    log = read_log(
        lines(
            "Compacting 4@0 + 1@1 files",
            "Compacted 4@0 + 1@1 files => 1000 bytes",
            "Moved #9 to level-2 77 bytes OK: files[ 0 0 1 0 0 0 0 ]",
            "Compacted 1@1 + 0@2 files => 5 bytes",
            "Too many L0 files; waiting...",
            "Current memtable full; waiting...",
            "Current memtable full; waiting...",
            "Compacted what => nobody knows",
        )
    )
    assert [(each.level, each.output_bytes, each.elapsed_s) for each in log.compactions] == [
        (0, 1000, pytest.approx(0.001)),
        (1, 5, None),
    ]
    assert (log.moves, log.level0_waits, log.memtable_waits) == (1, 1, 2)
    assert log.problems == ("LOG:8 Compacted what => nobody knows",)


def test_a_clock_that_is_set_back_gives_no_time() -> None:
    later, earlier = lines("Compacted 1@0 + 0@1 files => 5 bytes", "Compacting 1@0 + 0@1 files")[::-1]
    assert [each.elapsed_s for each in read_log([later, earlier]).compactions] == [None]


def test_debt_is_what_stands_above_the_limits_of_the_levels() -> None:
    assert pending_bytes([Level(3, 9 * MIB), Level(5, 10 * MIB), *[EMPTY] * 5]) == 0
    assert pending_bytes([Level(4, 9 * MIB), Level(6, 12 * MIB), *[EMPTY] * 5]) == 11 * MIB
    assert pending_bytes([EMPTY, EMPTY, Level(60, 130 * MIB), *[EMPTY] * 4]) == 30 * MIB
    assert pending_bytes([*[EMPTY] * 6, Level(1, 1 << 50)]) == 0  # the last level has no limit
