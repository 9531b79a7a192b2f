"""Builders of traces of queries, byte by byte as RocksDB writes them."""

import struct

GET_FIELDS, SEEK_FIELDS, MULTI_FIELDS = 1 << 2 | 1 << 3, 1 << 4 | 1 << 5, 1 << 8 | 1 << 9 | 1 << 10
UPPER = 1 << 7


def record(kind: int, payload: bytes, micros: int = 0) -> bytes:
    """A record."""
    return struct.pack("<QBI", micros, kind, len(payload)) + payload


def header(version: str = "0.2", engine: str = "7.8") -> bytes:
    """The first record."""
    text = f"feedcafedeadbeef\tTrace Version: {version}\tRocksDB Version: {engine}\tFormat: Timestamp OpType Payload\n"
    return record(1, text.encode())


END = record(2, b"")


def text(data: bytes) -> bytes:
    """A string with its length in front."""
    length, spelled = len(data), b""
    while length > 127:
        spelled += bytes([length & 127 | 128])
        length >>= 7
    return spelled + bytes([length]) + data


def get(key: bytes, micros: int = 0, family: int = 0) -> bytes:
    """A look-up."""
    return record(4, struct.pack("<QI", GET_FIELDS, family) + text(key), micros)


def seek(key: bytes, micros: int = 0, upper: bytes = b"", kind: int = 5) -> bytes:
    """An iterator that is placed."""
    fields = SEEK_FIELDS | (UPPER if upper else 0)
    return record(kind, struct.pack("<QI", fields, 0) + text(key) + (text(upper) if upper else b""), micros)


def multi_get(keys: list[bytes], micros: int = 0) -> bytes:
    """Look-ups of several keys."""
    families = text(bytes(4 * len(keys)))
    listed = text(b"".join(map(text, keys)))
    return record(13, struct.pack("<QI", MULTI_FIELDS, len(keys)) + families + listed, micros)


def batch(*entries: bytes) -> bytes:
    """A write batch."""
    return struct.pack("<QI", 1, len(entries)) + b"".join(entries)


def put(key: bytes, value: bytes, family: int = 0) -> bytes:
    """An entry of a batch."""
    return (bytes([1]) if not family else bytes([5, family])) + text(key) + text(value)


def write(*entries: bytes, micros: int = 0) -> bytes:
    """A batch that is written."""
    return record(3, struct.pack("<Q", 1 << 1) + text(batch(*entries)), micros)
