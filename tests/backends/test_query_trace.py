"""Traces of queries are read as RocksDB writes them, up to the first damage."""

import random
import struct
from pathlib import Path

import pytest
from trace_builders import END, batch, get, header, multi_get, put, record, seek, text, write

from lsmtune.backends.rocksdb import Query, QueryKind, QueryTrace
from lsmtune.errors import UsageError


def trace(folder: Path, *records: bytes) -> QueryTrace:
    """A trace in a file."""
    path = folder / "trace"
    path.write_bytes(b"".join(records))
    return QueryTrace(path)


def read(folder: Path, *records: bytes) -> list[Query]:
    return list(trace(folder, header(), *records, END))


def test_a_lookup_has_its_time_column_family_and_key(tmp_path: Path) -> None:
    assert read(tmp_path, get(b"key", 17, family=3)) == [Query(17, QueryKind.GET, 3, b"key")]


def test_each_entry_of_a_batch_is_a_query(tmp_path: Path) -> None:
    entries = (
        put(b"a", b"x" * 300),
        put(b"b", b"y", family=2),
        bytes([0]) + text(b"c"),
        bytes([8, 9]) + text(b"d"),
        bytes([2]) + text(b"e") + text(b"+1"),
        bytes([15]) + text(b"f") + text(b"g"),
        bytes([3]) + text(b"said in the log"),
        bytes([13]),
        bytes([22]) + text(b"h") + text(b"columns"),
    )
    assert read(tmp_path, write(*entries, micros=5)) == [
        Query(5, QueryKind.PUT, 0, b"a", b"x" * 300),
        Query(5, QueryKind.PUT, 2, b"b", b"y"),
        Query(5, QueryKind.DELETE, 0, b"c"),
        Query(5, QueryKind.DELETE, 9, b"d"),
        Query(5, QueryKind.MERGE, 0, b"e", b"+1"),
        Query(5, QueryKind.DELETE_RANGE, 0, b"f"),
        Query(5, QueryKind.PUT, 0, b"h", b"columns"),
    ]


def test_seeks_know_whether_they_have_an_upper_bound(tmp_path: Path) -> None:
    assert read(tmp_path, seek(b"a"), seek(b"b", upper=b"c"), seek(b"d", kind=6)) == [
        Query(0, QueryKind.SEEK, 0, b"a"),
        Query(0, QueryKind.SEEK, 0, b"b", None, True),
        Query(0, QueryKind.SEEK_FOR_PREV, 0, b"d"),
    ]


def test_each_key_of_a_multiget_is_a_query(tmp_path: Path) -> None:
    assert [each.key for each in read(tmp_path, multi_get([b"a", b"bb", b"c"]))] == [b"a", b"bb", b"c"]


def test_the_older_format_has_bare_payloads(tmp_path: Path) -> None:
    old = [record(4, struct.pack("<I", 2) + text(b"k")), record(3, batch(put(b"a", b"v")))]
    opened = trace(tmp_path, header("0.1", "6.4"), *old, END)
    assert list(opened) == [Query(0, QueryKind.GET, 2, b"k"), Query(0, QueryKind.PUT, 0, b"a", b"v")]
    assert (opened.trace_version, opened.engine_version) == ("0.1", "6.4")


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is empty"),
        (b"\x80\x0b", "is no trace of RocksDB's queries"),
        (bytes(200), "is no trace of RocksDB's queries"),
        (random.Random(1).randbytes(200), "is no trace of RocksDB's queries"),
        (header()[:60], "has a header that is damaged"),
        (header("0.9", "99.1"), "is a trace of format 0.9, recorded by RocksDB 99.1; lsmtune reads 0.1 and 0.2"),
        (record(1, text(b"feedcafedeadbeef") + bytes(8)), "is a trace of the block cache or of input and output"),
    ],
)
def test_another_file_is_refused_with_one_sentence(tmp_path: Path, data: bytes, part: str) -> None:
    with pytest.raises(UsageError, match="trace") as refused:
        trace(tmp_path, data)
    assert part in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; give the trace in it"):
        QueryTrace(tmp_path)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        QueryTrace(tmp_path / "gone")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (record(9, b"a block of the cache"), "a record is of type 9, which no query has"),
        (struct.pack("<QBI", 0, 4, 0xFFFFFFF0), "a record claims 4,294,967,280 bytes"),
        (record(4, struct.pack("<QI", 12, 0) + b"\x30short"), "a key or a value is longer than its record"),
        (record(4, b"\x0c"), "a record stops in the middle"),
        (get(b"late", 1 << 60), "a record is stamped more than ten years from the begin"),
        (record(4, struct.pack("<QI", 1 << 9, 0)), "a record has fields that its type does not have"),
        (write(bytes([99])), "a write batch has an entry of type 99, which is not known"),
        (write(bytes([1]) + b"\xff\xff\xff\xff\xff"), "a length in a record cannot be read"),
    ],
)
def test_what_stands_before_a_damage_is_used_and_the_damage_told(tmp_path: Path, damage: bytes, reason: str) -> None:
    good = [header(), get(b"one"), get(b"two")]
    opened = trace(tmp_path, *good, damage, get(b"three"))
    assert [each.key for each in opened] == [b"one", b"two"]
    assert opened.damage is not None
    assert (opened.damage.offset, opened.damage.reason) == (len(b"".join(good)), reason)
    assert not opened.ended


@pytest.mark.parametrize("left", [1, 9, 20])
def test_a_trace_that_is_cut_in_a_record_is_used_up_to_it(tmp_path: Path, left: int) -> None:
    opened = trace(tmp_path, header(), get(b"one"), get(b"lost")[:left])
    assert [each.key for each in opened] == [b"one"]
    assert opened.damage is not None
    assert opened.damage.reason == "a record stops in the middle"


def test_a_trace_without_its_end_says_so(tmp_path: Path) -> None:
    opened = trace(tmp_path, header(), get(b"one"))
    assert len(list(opened)) == 1
    assert (opened.ended, opened.damage) == (False, None)


def test_whatever_happens_to_its_bytes_a_trace_never_raises_and_its_begin_stays(tmp_path: Path) -> None:
    good = [header(), *(get(b"key%d" % number, number) for number in range(40)), write(put(b"k", b"v" * 200))]
    whole = b"".join([*good, seek(b"s", upper=b"t"), multi_get([b"a", b"b"]), END])
    expected = list(trace(tmp_path, whole))
    draw = random.Random(3)
    for _ in range(400):
        place = draw.randrange(len(header()), len(whole))
        data = bytearray(whole)
        if draw.random() < 0.3:
            del data[place:]
        else:
            data[place] = draw.randrange(256)
        found = list(trace(tmp_path, bytes(data)))
        before = 0
        size = len(header())
        for one in good[1:]:
            size += len(one)
            before += size <= place
        assert found[:before] == expected[:before]
