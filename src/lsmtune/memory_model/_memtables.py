"""Memtables of RocksDB: those being filled, those that wait for their flush, and those that are kept after it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.memory_model._options import Options
from lsmtune.units import format_bytes

_WIKI = "RocksDB wiki, Memory usage in RocksDB"
_LIMIT = "RocksDB wiki, Write Buffer Manager; include/rocksdb/write_buffer_manager.h (ShouldFlush)"
_ARENA = "db/memtable.cc (ShouldFlushNow)"
_LARGEST_ARENA_BLOCK = 1 << 20
_OVER_ALLOCATION = (
    0.6  # of an arena block: RocksDB would rather pass write_buffer_size by less than that than stay below
)
_ENTRY_BYTES = 30
"""Of a memtable for each entry beside key and value: sequence number, lengths and the node of the skip list."""
_MUTABLE_SHARE = 7 / 8
"""Of db_write_buffer_size: memtables that are not being flushed reach it, and one of them is."""
_DELAYED_ABOVE = 3
"""With more memtables than that, writes are slowed down before the last one is filled."""


@dataclass(frozen=True)
class Memtable:
    """One memtable of a column family when it is closed.

    Attributes:
        blocks: arena blocks that it has.
        block_bytes: size of one, in B.
    """

    blocks: int
    block_bytes: int

    @classmethod
    def of(cls, options: Options) -> "Memtable":
        """Return the memtable of a column family; its arena is allocated in whole blocks."""
        size = max(options.whole("write_buffer_size"), 1)
        asked = options.whole("arena_block_size")
        block = asked if asked > 0 else min(_LARGEST_ARENA_BLOCK, max(size // 8, 1))
        return cls(max(1, ceil(size / block - (1 - _OVER_ALLOCATION))), block)

    @property
    def bytes(self) -> int:
        """Bytes of the memtable, in B."""
        return self.blocks * self.block_bytes


def memtable_parts(families: Mapping[str, Options], load: Load) -> Iterator[MemoryPart]:
    """Yield what the memtables of all column families of a store need."""
    if not load.writes:
        return
    live = list(_live_parts(families, load))
    limit = next(iter(families.values())).whole("db_write_buffer_size")
    whole = sum(part.bytes or 0 for part in live)
    limited = _limited_bytes(limit, families, load) if limit > 0 else whole
    written = _written_bytes(load)
    if written is not None and written < min(whole, limited):
        formula = f"no more is written: {format_bytes(load.written_bytes)} and {_ENTRY_BYTES} B for each entry"
        live = [MemoryPart("memtables", written, formula, _ARENA)]
    elif limited < whole:
        lag = "all that the limit lets wait" if load.flush_lag is None else f"x (1 + {load.flush_lag:g})"
        formula = f"db_write_buffer_size {format_bytes(limit)}: one is flushed at 7/8 of it, {lag}"
        live = [MemoryPart("memtables", limited, formula, _LIMIT)]
    yield from live
    for name, options in families.items():
        yield from _further_parts(f" of {name}" if len(families) > 1 else "", options, load)


def memtable_bytes(families: Mapping[str, Options]) -> int:
    """Return the bytes of one memtable of each column family, in B."""
    return sum(Memtable.of(options).bytes for options in families.values())


def _live_parts(families: Mapping[str, Options], load: Load) -> Iterator[MemoryPart]:
    lag = load.flush_lag
    for name, options in families.items():
        one = Memtable.of(options)
        held = _held(options, lag)
        why = (
            f"max_write_buffer_number {held:g}"
            if lag is None
            else "flushes fall behind: max_write_buffer_number, the last slowed down"
            if lag >= 1
            else "min_write_buffer_number_to_merge"
        )
        formula = f"{held:g} ({why}) x {one.blocks} arena blocks of {format_bytes(one.block_bytes)}"
        label = f"memtables of {name}" if len(families) > 1 else "memtables"
        yield MemoryPart(label, round(held * one.bytes), formula, f"{_WIKI}; {_ARENA}")
    if lag is None or lag >= 1:
        return
    # One flush ends after the other: what is written during the first is there on top, each further one frees more.
    rooms = [(_merged(options), _full(options), Memtable.of(options).bytes) for options in families.values()]
    most = max(min(lag * merged, full - merged) * size for merged, full, size in rooms)
    formula = f"{lag:g} x the memtables that are flushed, where max_write_buffer_number leaves room"
    yield MemoryPart("memtables filled during a flush", round(most), formula, f"{_WIKI}; the lag is the workload's")


def _held(options: Options, lag: float | None) -> float:
    """Return how many full memtables of a column family there are when its flush begins."""
    if lag is None:
        return _number(options)
    return _merged(options) if lag < 1 else _full(options)


def _number(options: Options) -> int:
    return max(2, options.whole("max_write_buffer_number"))


def _merged(options: Options) -> int:
    return min(max(1, options.whole("min_write_buffer_number_to_merge")), _number(options) - 1)


def _full(options: Options) -> float:
    number = _number(options)
    return number if number <= _DELAYED_ABOVE else number - 0.5


def _limited_bytes(limit: int, families: Mapping[str, Options], load: Load) -> int:
    """Return what db_write_buffer_size leaves of all memtables of a store, in B.

    It stops no writes: beyond it, a further memtable is flushed as soon as it has half of the limit.
    """
    number = max(_number(options) for options in families.values())
    waiting = (number - 1) / 2
    if load.flush_lag is None or load.flush_lag >= 1:
        return round(limit * (_MUTABLE_SHARE + waiting))
    return round(limit * _MUTABLE_SHARE * (1 + load.flush_lag))


def _written_bytes(load: Load) -> int | None:
    """Return what memtables would need for all that is ever written, in B."""
    if load.written_bytes is None:
        return None
    return round(load.written_bytes * (1 + _ENTRY_BYTES / load.pair_bytes))


def _further_parts(label: str, options: Options, load: Load) -> Iterator[MemoryPart]:
    one = Memtable.of(options).bytes
    ratio = min(0.25, options.number("memtable_bloom_size_ratio"))
    held = _held(options, load.flush_lag)
    if ratio > 0:
        formula = f"{held:g} memtables x memtable_bloom_size_ratio {ratio:g} x write_buffer_size"
        yield MemoryPart(
            f"memtable filters{label}", round(held * ratio * one), formula, "memtable_prefix_bloom_size_ratio"
        )
    kept = options.whole("max_write_buffer_size_to_maintain")
    if kept < 0:
        kept = _number(options) * one
    kept = max(kept, options.whole("max_write_buffer_number_to_maintain") * one)
    beyond = kept + one - round(held * one)
    if kept > 0 and beyond > 0:
        formula = f"up to max_write_buffer_size_to_maintain {format_bytes(kept)} and one memtable, less those above"
        yield MemoryPart(f"flushed memtables kept{label}", beyond, formula, "include/rocksdb/advanced_options.h")
