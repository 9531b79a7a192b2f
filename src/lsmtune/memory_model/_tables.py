"""What readers of table files hold outside of the block cache, and how many blocks the data has."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.memory_model._options import Options
from lsmtune.units import format_bytes, format_count

_WIKI = "RocksDB wiki, Memory usage in RocksDB"
BLOCK_BYTES = 200
"""Of the cache for each block beside its contents: the block, its handle and malloc's header. Measured: 62,000 blocks
of 4 KiB, all in the cache, took 12 MiB more than their contents."""
_PARTITION_BYTES = 4096  # metadata_block_size
_ENTRY_BYTES = 13
"""Of an index for each block beside a key: lengths, offset and size of the block, and a restart point."""
_BLOB_REFERENCE = 10
"""Of a pair in a table whose value is in a blob file: where that lies (db/blob/blob_index.h)."""


def table_bytes(options: Options, load: Load) -> int | None:
    """Return the user bytes in tables, without values in blob files, in B; None where the data is not known."""
    if load.data_bytes is None or not options.flag("enable_blob_files"):
        return load.data_bytes
    apart = max(0, load.value_bytes - _BLOB_REFERENCE) if load.value_bytes >= options.number("min_blob_size") else 0
    return load.data_bytes - round(load.data_bytes * apart / load.pair_bytes)


def block_count(options: Options, load: Load) -> float | None:
    """Return how many data blocks the store has; None where its data is not known."""
    size = table_bytes(options, load)
    return None if size is None else size / max(1, options.whole("block_size"))


def table_parts(label: str, options: Options, load: Load) -> Iterator[MemoryPart]:
    """Yield the indexes and filters of a column family, where they lie outside of the cache, and pinned blocks.

    Args:
        label: what is appended to the names of the parts.
        options: of the column family.
        load: its part of the workload.
    """
    if not options.flag("cache_index_and_filter_blocks"):
        own = (_indexes(label, options, load), _filters(label, options, load))
        yield from (_top_level(part, load) for part in own) if options.flag("partition_index_and_filters") else own
    levels = options.whole("num_levels") - 1 + options.whole("level0_file_num_compaction_trigger")
    pinned = load.iterators * levels * options.whole("block_size")
    formula = (
        f"{format_count(load.iterators)} open iterators x {levels} files (level-0 trigger and levels) x "
        f"block_size {format_bytes(options.whole('block_size'))}"
    )
    yield MemoryPart(f"blocks pinned by iterators{label}", pinned, formula, _WIKI)


def cached_bytes(families: Iterable[Options], load: Load) -> int | None:
    """Return what indexes and filters of column families take in the cache, in B; None where their data is not known.

    Parts of them are there whatever cache_index_and_filter_blocks says. `load` is each family's part of the workload.
    """
    sizes = [
        part.bytes
        for options in families
        if options.flag("cache_index_and_filter_blocks") or options.flag("partition_index_and_filters")
        for part in (_indexes("", options, load), _filters("", options, load))
    ]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _indexes(label: str, options: Options, load: Load) -> MemoryPart:
    blocks = block_count(options, load)
    entry = load.key_bytes + _ENTRY_BYTES
    if blocks is None:
        return MemoryPart(f"indexes{label}", None, "unknown: no data size was given", _WIKI)
    data = "data" if table_bytes(options, load) == load.data_bytes else "data outside of blob files"
    formula = (
        f"{format_count(round(blocks))} blocks ({data} / block_size {format_bytes(options.whole('block_size'))}) x "
        f"({load.key_bytes} B key + {_ENTRY_BYTES} B)"
    )
    return MemoryPart(f"indexes{label}", round(blocks * entry), formula, _WIKI)


def _filters(label: str, options: Options, load: Load) -> MemoryPart:
    bits = options.number("bloom_bits")
    if bits <= 0:
        return MemoryPart(f"filters{label}", 0, "no filter policy", _WIKI)
    if load.data_bytes is None:
        return MemoryPart(f"filters{label}", None, "unknown: no data size was given", _WIKI)
    keys = load.data_bytes / load.pair_bytes
    last = ""
    if options.flag("optimize_filters_for_hits"):
        keys /= max(options.number("max_bytes_for_level_multiplier"), 1.0)
        last = ", none on the last level"
    formula = f"{format_count(round(keys))} keys x {bits:g} bits{last}"
    return MemoryPart(f"filters{label}", round(keys * bits / 8), formula, _WIKI)


def _top_level(part: MemoryPart, load: Load) -> MemoryPart:
    """Return what remains outside of the cache where indexes and filters are partitioned: an entry a partition."""
    formula = f"partitions of {format_bytes(_PARTITION_BYTES)} are in the cache, their top level is not: {part.formula}"
    entries = None if part.bytes is None else part.bytes / _PARTITION_BYTES
    size = None if entries is None else round(entries * (load.key_bytes + _ENTRY_BYTES))
    return replace(part, bytes=size, formula=formula)
