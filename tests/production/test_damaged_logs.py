"""Damaged LOGs: nothing but a sentence leaves the reader, and figures that stand before the damage are told, equal.

LSMTUNE_FUZZ is the number of damaged LOGs, LSMTUNE_FUZZ_SEED the first of their seeds: one seed is one LOG.
"""

import gzip
import io
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lsmtune.backends.rocksdb import OptionsFile
from lsmtune.errors import LsmtuneError, UsageError
from lsmtune.production import (
    FamilyEvents,
    Moment,
    Opening,
    OverTime,
    ServiceLog,
    StatsDump,
    diagnosis_card,
    diagnosis_json,
    diagnosis_page,
    findings_of,
    read_service,
    read_service_files,
)

COUNT = int(os.environ.get("LSMTUNE_FUZZ", "2000"))
FIRST_SEED = int(os.environ.get("LSMTUNE_FUZZ_SEED", "0"))
DATA = Path(__file__).parent / "data"
PAINS = Path(__file__).parents[1] / "data" / "pains"
FIXTURES = Path(__file__).parents[1] / "fixtures"
TWO_FAMILIES = DATA / "two-families"
MOST_LINES = 120
OF_ALL_FAMILIES = ("compaction_s", "size_bytes", "peak_bytes", "cache_bytes")
PARTS = 20
"""Tests among which the seeds are shared out, for the workers of pytest-xdist."""
Damage = Callable[[random.Random, bytes, bytes], bytes]


def contents() -> Iterator[bytes]:
    """Yield LOGs of all kinds that are read."""
    for path in (*sorted(DATA.glob("*.gz")), *sorted(PAINS.glob("*/LOG*.gz")), TWO_FAMILIES / "LOG.gz"):
        yield gzip.decompress(path.read_bytes())
    dumps = gzip.decompress((TWO_FAMILIES / "LOG.gz").read_bytes()).splitlines(keepends=True)
    yield b"".join(line for line in dumps if not line.startswith(b"20"))  # of the property rocksdb.stats: no times
    yield (FIXTURES / "leveldb_bench" / "reads_of_a_load.LOG.txt").read_bytes()


@pytest.fixture(scope="module")
def logs() -> list[list[bytes]]:
    return [content.splitlines(keepends=True) for content in contents()]


def excerpt(rng: random.Random, lines: list[bytes]) -> bytes:
    """Return some lines in their order: of the head, then of another place, so that all parts come up often."""
    head = rng.randint(0, MOST_LINES)
    begin = rng.randint(head, max(head, len(lines) - 1))
    return b"".join(lines[:head] + lines[begin : begin + MOST_LINES])


def flipped(rng: random.Random, rest: bytes, _other: bytes) -> bytes:
    damaged = bytearray(rest)
    for _ in range(rng.randint(1, 30)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def with_holes(rng: random.Random, rest: bytes, _other: bytes) -> bytes:
    damaged = bytearray(rest)
    for _ in range(rng.randint(1, 10)):
        place = rng.randrange(len(damaged) + 1)
        del damaged[place : place + rng.randint(1, 300)]
    return bytes(damaged)


def with_other_numbers(rng: random.Random, rest: bytes, _other: bytes) -> bytes:
    damaged = bytearray(rest)
    for _ in range(rng.randint(1, 20)):
        place = rng.randrange(len(damaged) + 1)
        number = rng.choice(
            [b"-1", b"nan", b"inf", b"1e999", b"9" * rng.randint(1, 5000), b"0", b"\xd9\xa3", b"1.2.3", b"K"]
        )
        while place < len(damaged) and not 48 <= damaged[place] <= 57:
            place += 1
        damaged[place : place + rng.randint(1, 6)] = number
    return bytes(damaged)


def interleaved(rng: random.Random, rest: bytes, other: bytes) -> bytes:
    """Return lines of two LOGs as two processes write them into one file."""
    mine, theirs = rest.splitlines(keepends=True), other.splitlines(keepends=True)
    mixed = []
    while mine or theirs:
        source = mine if mine and (not theirs or rng.random() < 0.5) else theirs
        mixed.append(source.pop(0))
    return b"".join(mixed)


def joined_or_repeated(rng: random.Random, rest: bytes, _other: bytes) -> bytes:
    lines = rest.splitlines(keepends=True)
    for _ in range(rng.randint(1, 10)):
        place = rng.randrange(len(lines))
        lines[place] = rng.choice(
            [lines[place].rstrip(b"\n"), lines[place] * 2, lines[place].replace(b"\n", b"\r\n"), b"", lines[-1 - place]]
        )
    return b"".join(lines)


def as_blocks_of_nothing(rng: random.Random, rest: bytes, _other: bytes) -> bytes:
    """Return what a file system leaves after a crash: blocks of zeros, or bytes of another file."""
    place = rng.randrange(len(rest))
    block = bytes(rng.randint(1, 4096)) if rng.random() < 0.5 else rng.randbytes(rng.randint(1, 4096))
    return rest[:place] + block + (rest[place:] if rng.random() < 0.5 else b"")


def damaged_options(rng: random.Random) -> bytes:
    whole = (TWO_FAMILIES / "OPTIONS-000009").read_bytes()
    place = rng.randrange(len(whole))
    return whole[:place] + rng.choice(DAMAGES)(rng, whole[place:], whole)


DAMAGES: tuple[Damage, ...] = (
    flipped,
    with_holes,
    with_other_numbers,
    interleaved,
    joined_or_repeated,
    as_blocks_of_nothing,
)


def read_all(path: Path, content: bytes, options: bytes | None = None) -> ServiceLog | None:
    """Read a LOG, with an OPTIONS file, and say all that is said of one; None where a sentence refuses it."""
    path.write_bytes(content)
    files = [path]
    if options is not None:
        files.append(path.with_name("OPTIONS-000009"))
        files[1].write_bytes(options)
    try:
        log = read_service_files(files) if options is not None else read_service(files)
    except UsageError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most damages raise nothing
        return None
    findings_of(log)
    json.dumps(diagnosis_json(log), allow_nan=False)
    return log


def named_last(text: bytes) -> set[str]:
    """Return the column families that the last dump of a LOG has a table of; the others stand as they were before."""
    last = text[max(text.rfind(b"DUMPING STATS"), text.rfind(b"** DB Stats **"), 0) :].decode("utf-8", "replace")
    return set(re.findall(r"^\*\* Compaction Stats \[(.*)\] \*\*", last, re.MULTILINE))


def assert_told(before: ServiceLog, after: ServiceLog, named: set[str]) -> None:
    """Assert that all figures of a LOG, whose last dump names column families, are in one that begins with it."""
    known = [each for each in before.openings if tells(each)]
    assert len(after.openings) >= len(known)
    for whole, now in zip(known[:-1], after.openings, strict=False):
        assert whole == now
    if known:
        assert_goes_on(known[-1], after.openings[len(known) - 1], named)
    assert before.first_s in (None, after.first_s)
    assert after.lines >= before.lines


def tells(opening: Opening) -> bool:
    return bool(opening.version or opening.moments or opening.options or opening.stalls or opening.events.count)


def assert_goes_on(before: Opening, after: Opening, named: set[str]) -> None:
    """Assert that an opening is told as before, with what came later."""
    if before.product:
        assert (before.product, before.version, before.time_s) == (after.product, after.version, after.time_s)
    assert before.took_s in (None, after.took_s)
    assert before.options.items() <= after.options.items()
    for name, options in before.families.items():
        assert options.items() <= after.families[name].items()
    assert len(before.moments) <= len(after.moments)
    idle: Set[str] = set() if before.dump is None else before.dump.families.keys() - named
    for place, (moment, later) in enumerate(zip(before.moments, after.moments, strict=False)):
        is_last = place == len(before.moments) - 1
        assert_same_moment(moment, later, is_last=is_last, has_idle=bool(idle))
    for counts, counted in (
        (before.stalls, after.stalls),
        (before.flushes, after.flushes),
        (before.compactions, after.compactions),
        (before.tables, after.tables),
    ):
        assert_grew(counts, counted)
    for kind, places in before.places.items():
        assert places[0] == after.places[kind][0]
    assert_grew(
        {name: most(sizes) for name, sizes in before.sizes.items()}, {n: most(s) for n, s in after.sizes.items()}
    )
    assert (after.wal.flushes, after.wal.largest_bytes or 0) >= (before.wal.flushes, before.wal.largest_bytes or 0)
    assert before.wal.files in (None, after.wal.files)
    for name, events in before.events.families.items():
        assert_events_grew(events, after.events.families[name])
    if before.events.recovered_logs is not None and before.product != "LevelDB":
        assert before.events.recovered_logs == after.events.recovered_logs
    is_same = len(before.moments) == len(after.moments) and (
        len(before.moments) == 1 or bool(before.dump and before.dump.time_s)
    )
    if is_same and before.dump is not None and after.dump is not None and before.dump.time_s == after.dump.time_s:
        assert_same_dump(before.dump, after.dump, idle)


def assert_same_dump(before: StatsDump, after: StatsDump, idle: Set[str]) -> None:
    """Assert that what a dump said stays, of column families that are not idle too; one not ended may say more."""
    for each in fields(before):
        value = getattr(before, each.name)
        assert value in (None, getattr(after, each.name)) or each.name in ("families", "tickers", "caches"), each.name
    assert before.tickers.items() <= after.tickers.items()
    assert {(name, each.capacity_bytes) for name, each in before.caches.items()} <= {
        (name, each.capacity_bytes) for name, each in after.caches.items()
    }
    for name, stats in before.families.items():
        if name in idle:
            continue
        later = after.families[name]
        assert later.levels[: len(stats.levels)] == stats.levels
        assert stats.flushed_gb in (None, later.flushed_gb)
        assert stats.stalls.items() <= later.stalls.items()


def assert_same_moment(before: Moment, after: Moment, *, is_last: bool, has_idle: bool) -> None:
    """Assert that what a dump said stays; one that had not ended may say more."""
    for each in fields(before):
        value, later = getattr(before, each.name), getattr(after, each.name)
        if is_last and each.name in OF_ALL_FAMILIES and value is not None:
            # More column families or jobs followed, also of those that were taken for idle, or one was cut.
            assert later is None or later >= value or has_idle, each.name
        else:
            assert value == later or (is_last and value is None), each.name


def assert_grew(before: Mapping[Any, int], after: Mapping[Any, int]) -> None:
    assert all(after.get(key, 0) >= count for key, count in before.items())


def assert_events_grew(before: FamilyEvents, after: FamilyEvents) -> None:
    assert_grew(before.flushes, after.flushes)
    assert_grew(before.compactions, after.compactions)
    for level, written in before.levels.items():
        later = after.levels[level]
        for each in fields(written):
            if isinstance(value := getattr(written, each.name), int):
                assert getattr(later, each.name) >= value, each.name
        assert_grew(written.codecs, later.codecs)
    assert most(after.memtables) >= most(before.memtables)
    assert sum(part for part, _ in after.deletions.sums) >= sum(part for part, _ in before.deletions.sums)
    assert after.records_in >= before.records_in
    assert after.records_out >= before.records_out


def most(line: OverTime) -> int:
    return max((value for value in line.most if value is not None), default=0)


@pytest.mark.parametrize("part", range(PARTS))
def test_figures_before_a_damage_are_told_equal(tmp_path: Path, logs: list[list[bytes]], part: int) -> None:
    refused = 0
    for seed in range(FIRST_SEED + part, FIRST_SEED + COUNT, PARTS):
        rng = random.Random(seed)
        text = excerpt(rng, rng.choice(logs))
        ends = [place for place, byte in enumerate(text) if byte == 10]
        whole, rest = text[: rng.choice([0, *(end + 1 for end in ends)])], b""
        rest = text[len(whole) :] or b"\n"
        damaged = rng.choice(DAMAGES)(rng, rest, excerpt(rng, rng.choice(logs))[:4000])
        path = tmp_path / "LOG"
        beside = damaged_options(rng) if rng.random() < 0.25 else None
        before, after = read_all(path, whole), read_all(path, whole + damaged, beside)
        try:
            if before is not None:
                assert after is not None
                assert_told(before, after, named_last(whole))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        refused += before is None
    assert refused < COUNT / PARTS / 2


def test_a_log_that_ends_in_a_line_says_what_the_lines_before_say(tmp_path: Path, logs: list[list[bytes]]) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT // 20):
        rng = random.Random(seed)
        text = excerpt(rng, rng.choice(logs))
        cut = rng.randrange(1, len(text))
        whole = text[: text.rfind(b"\n", 0, cut) + 1]
        before, after = read_all(tmp_path / "LOG", whole), read_all(tmp_path / "LOG", text[:cut])
        assert (before is None) == (after is None), seed
        if before is not None and after is not None:
            assert diagnosis_json(after)["openings"] == diagnosis_json(before)["openings"], seed
            assert (len(whole) < cut) == (after.unread_count > before.unread_count), seed


def test_the_card_of_a_damaged_log_can_be_drawn(tmp_path: Path, logs: list[list[bytes]]) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT // 20):
        rng = random.Random(seed)
        damaged = rng.choice(DAMAGES)(rng, excerpt(rng, rng.choice(logs)) or b"\n", b"x\n")
        log = read_all(tmp_path / "LOG", damaged, damaged_options(rng))
        if log is not None:
            Console(file=io.StringIO()).print(diagnosis_card(log))
            if seed % 10 == 0:  # a page takes as long as ten cards
                diagnosis_page(log)


def test_a_packed_log_that_is_damaged_raises_a_sentence(tmp_path: Path, logs: list[list[bytes]]) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT // 10):
        rng = random.Random(seed)
        packed = gzip.compress(excerpt(rng, rng.choice(logs)), 1)
        read_all(tmp_path / "LOG.gz", packed[:20] + flipped(rng, packed[20:], b"")[: rng.randint(1, len(packed))])


def test_a_damaged_options_file_raises_a_sentence() -> None:
    whole = (FIXTURES / "db_bench-7.8.3" / "OPTIONS-000007.ini").read_bytes()
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT // 10):
        rng = random.Random(seed)
        place = rng.randrange(len(whole))
        damaged = whole[:place] + rng.choice(DAMAGES)(rng, whole[place:], whole)
        try:
            file = OptionsFile.parse(damaged.decode("utf-8", "replace"), "OPTIONS")
        except LsmtuneError as error:
            assert "\n" not in str(error)  # noqa: PT017 - most damages raise nothing
            continue
        assert file.get("CF", "write_buffer_size") is None or isinstance(file.get("CF", "write_buffer_size"), str)
