"""Traces of queries as RocksDB records them (``DB::StartTrace``, ``db_bench --trace_file``), read record by record.

A record is a time stamp in us (8 bytes), a type (1), the length of its payload (4) and the payload, little-endian; the
first one is a header with both versions as text, the last one marks the end. Format 0.2 puts a map of the fields that
follow before each payload, and has MultiGet; 0.1 has bare payloads.

Source: ``trace_replay/trace_replay.cc``, ``include/rocksdb/trace_record.h`` and ``db/write_batch.cc`` of 7.8.3 and
11.8.1.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lsmtune.errors import UsageError

_HEAD = struct.Struct("<QBI")
_FIXED32, _FIXED64 = struct.Struct("<I"), struct.Struct("<Q")
_MAGIC = b"feedcafedeadbeef"
_VERSIONS = re.compile(rb"feedcafedeadbeef\tTrace Version: (\d+\.\d+)\tRocksDB Version: (\d+\.\d+)\t")
_BARE = "0.1"
_KNOWN = (_BARE, "0.2")
_LONGEST_HEADER = 4096
_LONGEST = 256 << 20
"""Bytes of a payload, at most: a length above is a damage, and must not be read into memory."""
_BUFFER = 1 << 20
_LONGEST_MICROS = 10 * 365 * 86_400 * 1_000_000
_BATCH_HEADER = 12  # sequence number and count

_BEGIN, _END, _WRITE, _GET, _SEEK, _SEEK_FOR_PREV, _MULTI_GET = 1, 2, 3, 4, 5, 6, 13
_RECORD = "a record stops in the middle"
_HOW = "record one with DB::StartTrace, or with db_bench --trace_file"


class QueryKind(StrEnum):
    """What a query does to one key."""

    GET = "get"
    MULTI_GET = "multiget"
    PUT = "put"
    MERGE = "merge"
    DELETE = "delete"
    DELETE_RANGE = "delete range"
    SEEK = "seek"
    SEEK_FOR_PREV = "seek for prev"


class Query(NamedTuple):
    """One key that was asked for or written; a batch, or a MultiGet, is as many of them.

    Attributes:
        micros: when, in us since 1970.
        kind: what was done.
        family: id of the column family.
        key: the key; of a range, where it begins.
        value: what was written; None where nothing is.
        bounded: whether a seek has an upper bound.
    """

    micros: int
    kind: QueryKind
    family: int
    key: bytes
    value: bytes | None = None
    bounded: bool = False


@dataclass(frozen=True)
class Damage:
    """Where a trace can no longer be read.

    Attributes:
        offset: of the first record that is not used, in bytes.
        reason: what is wrong there, as part of a sentence.
    """

    offset: int
    reason: str


class QueryTrace:
    """A trace that is read once, from its begin to its end or to the first damage.

    Memory does not grow with the file: one record is held at a time.

    Attributes:
        path: of the file.
        trace_version: of the format, ``"0.2"``.
        engine_version: of the RocksDB that recorded it, ``"7.8"``.
        started_micros: when recording began, in us since 1970.
        records: read so far, without header and end.
        damage: what stopped the reading; None while nothing did.
        ended: whether the record that marks the end was read.
    """

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            UsageError: the file cannot be read, or is no trace of queries of a known format.
        """
        self.path = path
        self.records = 0
        self.damage: Damage | None = None
        self.ended = False
        try:
            with path.open("rb") as file:
                self.started_micros, self.trace_version, self.engine_version, self._first = _read_header(path, file)
        except IsADirectoryError:
            raise UsageError(f"{path} is a folder; give the trace in it") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}; give a trace of RocksDB's queries") from None

    def __iter__(self) -> Iterator[Query]:
        """Yield the queries in the order of the file; what stands behind a damage is left out."""
        decode = _decode_bare if self.trace_version == _BARE else _decode_mapped
        with self.path.open("rb", buffering=_BUFFER) as file:
            offset = self._first
            file.seek(offset)
            while head := file.read(_HEAD.size):
                if len(head) < _HEAD.size:
                    self.damage = Damage(offset, _RECORD)
                    return
                micros, kind, length = _HEAD.unpack(head)
                if kind == _END:
                    self.ended = True
                    return
                payload = file.read(length) if length <= _LONGEST else b""
                if abs(micros - self.started_micros) > _LONGEST_MICROS:
                    self.damage = Damage(offset, "a record is stamped more than ten years from the begin")
                    return
                if len(payload) < length:
                    reason = _RECORD if length <= _LONGEST else f"a record claims {length:,} bytes"
                    self.damage = Damage(offset, reason)
                    return
                try:
                    queries = decode(micros, kind, payload)
                except (ValueError, struct.error) as error:
                    self.damage = Damage(offset, str(error) if type(error) is ValueError else _RECORD)
                    return
                self.records += 1
                yield from queries
                offset += _HEAD.size + length


def _read_header(path: Path, file: BinaryIO) -> tuple[int, str, str, int]:
    """Return time, format, version of the engine, and where the first record begins."""
    head = file.read(_HEAD.size)
    if not head:
        raise UsageError(f"{path} is empty; {_HOW}")
    micros, kind, length = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0, 0)
    payload = file.read(min(length, _LONGEST_HEADER)) if kind == _BEGIN else b""
    if kind != _BEGIN or _MAGIC not in payload:
        raise UsageError(f"{path} is no trace of RocksDB's queries: its first record is no header of one; {_HOW}")
    if not payload.startswith(_MAGIC):
        raise UsageError(f"{path} is a trace of the block cache or of input and output, not of queries; {_HOW}")
    versions = _VERSIONS.match(payload)
    if versions is None or length > _LONGEST_HEADER or len(payload) < length:
        raise UsageError(f"{path} has a header that is damaged; {_HOW}")
    trace, engine = versions[1].decode(), versions[2].decode()
    if trace not in _KNOWN:
        raise UsageError(
            f"{path} is a trace of format {trace}, recorded by RocksDB {engine}; lsmtune reads {' and '.join(_KNOWN)}, "
            "as RocksDB 7.8 and 11.8 write it"
        )
    return micros, trace, engine, _HEAD.size + length


def _decode_mapped(micros: int, kind: int, payload: bytes) -> list[Query]:
    """Return the queries of a record of format 0.2, whose payload begins with the map of its fields."""
    (present,) = _FIXED64.unpack_from(payload)
    if kind == _WRITE:
        _expect(present, 1 << 1)
        batch, _ = _slice(payload, 8)
        return _decode_batch(micros, batch)
    if kind == _GET:
        _expect(present, 1 << 2 | 1 << 3)
        (family,) = _FIXED32.unpack_from(payload, 8)
        return [Query(micros, QueryKind.GET, family, _slice(payload, 12)[0])]
    if kind in (_SEEK, _SEEK_FOR_PREV):
        bounds = present & (1 << 6 | 1 << 7)
        _expect(present & ~bounds, 1 << 4 | 1 << 5)
        (family,) = _FIXED32.unpack_from(payload, 8)
        key, _ = _slice(payload, 12)
        return [Query(micros, _seek(kind), family, key, None, bool(present & 1 << 7))]
    if kind == _MULTI_GET:
        _expect(present, 1 << 8 | 1 << 9 | 1 << 10)
        (number,) = _FIXED32.unpack_from(payload, 8)
        families, place = _slice(payload, 12)
        keys, _ = _slice(payload, place)
        if len(families) != 4 * number:
            raise ValueError("a MultiGet has not as many column families as keys")
        queries, place = [], 0
        for (family,) in _FIXED32.iter_unpack(families):
            key, place = _slice(keys, place)
            queries.append(Query(micros, QueryKind.MULTI_GET, family, key))
        return queries
    raise ValueError(f"a record is of type {kind}, which no query has")


def _decode_bare(micros: int, kind: int, payload: bytes) -> list[Query]:
    """Return the queries of a record of format 0.1."""
    if kind == _WRITE:
        return _decode_batch(micros, payload)
    if kind in (_GET, _SEEK, _SEEK_FOR_PREV):
        (family,) = _FIXED32.unpack_from(payload)
        return [Query(micros, QueryKind.GET if kind == _GET else _seek(kind), family, _slice(payload, 4)[0])]
    raise ValueError(f"a record is of type {kind}, which no query has")


def _seek(kind: int) -> QueryKind:
    return QueryKind.SEEK if kind == _SEEK else QueryKind.SEEK_FOR_PREV


def _expect(present: int, fields: int) -> None:
    if present != fields:
        raise ValueError("a record has fields that its type does not have")


class _Entry(NamedTuple):
    """How an entry of a write batch is spelled.

    Attributes:
        kind: what it does; None where it is no query.
        has_family: it begins with the id of a column family.
        slices: strings that follow.
    """

    kind: QueryKind | None
    has_family: bool
    slices: int


_ENTRIES = {
    0x0: _Entry(QueryKind.DELETE, False, 1),
    0x1: _Entry(QueryKind.PUT, False, 2),
    0x2: _Entry(QueryKind.MERGE, False, 2),
    0x3: _Entry(None, False, 1),  # log data
    0x4: _Entry(QueryKind.DELETE, True, 1),
    0x5: _Entry(QueryKind.PUT, True, 2),
    0x6: _Entry(QueryKind.MERGE, True, 2),
    0x7: _Entry(QueryKind.DELETE, False, 1),  # SingleDelete
    0x8: _Entry(QueryKind.DELETE, True, 1),
    0x9: _Entry(None, False, 0),  # begin of a prepared transaction
    0xA: _Entry(None, False, 1),
    0xB: _Entry(None, False, 1),
    0xC: _Entry(None, False, 1),
    0xD: _Entry(None, False, 0),
    0xE: _Entry(QueryKind.DELETE_RANGE, True, 2),
    0xF: _Entry(QueryKind.DELETE_RANGE, False, 2),
    0x10: _Entry(QueryKind.PUT, True, 2),  # index into a blob file
    0x11: _Entry(QueryKind.PUT, False, 2),
    0x12: _Entry(None, False, 0),
    0x13: _Entry(None, False, 0),
    0x15: _Entry(None, False, 2),  # commit with a time stamp
    0x16: _Entry(QueryKind.PUT, False, 2),  # wide columns
    0x17: _Entry(QueryKind.PUT, True, 2),
    0x18: _Entry(QueryKind.PUT, False, 2),  # with a write time
    0x19: _Entry(QueryKind.PUT, True, 2),
}


def _decode_batch(micros: int, batch: bytes) -> list[Query]:
    """Return what a write batch writes."""
    if len(batch) < _BATCH_HEADER:
        raise ValueError("a write batch is too short")
    queries, place = [], _BATCH_HEADER
    while place < len(batch):
        entry = _ENTRIES.get(batch[place])
        if entry is None:
            raise ValueError(f"a write batch has an entry of type {batch[place]}, which is not known")
        place += 1
        family, key, value = 0, b"", None
        if entry.has_family:
            family, place = _varint(batch, place)
        if entry.slices:
            key, place = _slice(batch, place)
        if entry.slices == 2:
            value, place = _slice(batch, place)
        if entry.kind is not None:
            queries.append(
                Query(micros, entry.kind, family, key, None if entry.kind is QueryKind.DELETE_RANGE else value)
            )
    return queries


def _slice(data: bytes, place: int) -> tuple[bytes, int]:
    """Return the string that begins at `place` with its length, and where it ends."""
    length, place = _varint(data, place)
    end = place + length
    if end > len(data):
        raise ValueError("a key or a value is longer than its record")
    return data[place:end], end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of up to 32 bits in groups of 7, and where it ends."""
    if place < len(data) and data[place] < 128:
        return data[place], place + 1
    number = 0
    for shift in range(0, 35, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
    raise ValueError("a length in a record cannot be read")
