"""The memory of a process that has RocksDB open: its options, what is known of the workload, and the parts of it.

The parts are those of RocksDB's own page (https://github.com/facebook/rocksdb/wiki/Memory-usage-in-RocksDB): block
cache, indexes and filters, memtables, blocks pinned by iterators; and what users find beyond these.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lsmtune.memory_model._background import background_parts
from lsmtune.memory_model._load import Load
from lsmtune.memory_model._malloc import malloc_part
from lsmtune.memory_model._memory import Memory, MemoryPart
from lsmtune.memory_model._memtables import memtable_bytes, memtable_parts
from lsmtune.memory_model._options import Options
from lsmtune.memory_model._process import process_part
from lsmtune.memory_model._tables import BLOCK_BYTES, cached_bytes, table_bytes, table_parts
from lsmtune.units import format_bytes

_WIKI = "RocksDB wiki, Memory usage in RocksDB"


def rocksdb_memory(
    families: Mapping[str, Options],
    load: Load,
    stores: int = 1,
    *,
    shares_cache: bool = False,
) -> Memory:
    """Return what a process needs at its peak with RocksDB.

    Args:
        families: the options of each column family by its name; the first one's stand for the database, and its block
            cache is that of all.
        load: what is known of the workload, of one store; data is split evenly between the column families.
        stores: databases of these options that the process has open.
        shares_cache: they have one block cache.

    Raises:
        OptionError: an option that is a number has a text.
    """
    first = next(iter(families.values()))
    part_of = load if load.data_bytes is None else replace(load, data_bytes=load.data_bytes // len(families))
    memtables = list(memtable_parts(families, load))
    cache = _cache_part(first, load, memtables, cached_bytes(families.values(), part_of))
    own = [
        *memtables,
        *(
            part
            for name, options in families.items()
            for part in table_parts(f" of {name}" if len(families) > 1 else "", options, part_of)
        ),
        *background_parts(families, load),
        *_row_cache(first, load),
        *_mapped(first, load),
    ]
    # What is freed and allocated all the time: the cache where it evicts, and what is flushed and filled again.
    churn = (cache.bytes or 0) if _evicts(first, load) else 0
    flushed = sum(part.bytes or 0 for part in memtables)
    churn += min(2 * memtable_bytes(families), flushed)
    parts = (
        replace(cache, count=1 if shares_cache else stores),
        *(replace(part, count=stores) for part in own),
        malloc_part(churn * stores, load),
        process_part(load),
    )
    kept = tuple(part for part in parts if part.bytes is None or part.bytes > 0)
    return Memory(kept, _assumptions(families, load), stores)


def _cache_part(options: Options, load: Load, memtables: list[MemoryPart], metadata: int | None) -> MemoryPart:
    """Return the block cache of a store: full, unless data, indexes and filters (`metadata`, in B) need less."""
    capacity = 0 if options.flag("no_block_cache") else max(0, options.whole("cache_size"))
    size, formula = capacity, f"cache_size {format_bytes(capacity)}, full"
    if not load.reads and metadata is not None:
        formula = "indexes and filters of all that is written" if metadata else "nothing is read"
        size = min(capacity, metadata)
    elif (data := table_bytes(options, load)) is not None:
        blocks = data / max(1, options.whole("block_size"))
        touched = round(load.read_share(blocks) * (data + blocks * BLOCK_BYTES)) + (metadata or 0)
        if touched < capacity:
            size = touched
            formula = f"all that is read: {format_bytes(data)} of data and {BLOCK_BYTES} B for each block"
            formula += f", and {format_bytes(metadata)} of indexes and filters" if metadata else ""
    charged = sum(part.bytes or 0 for part in memtables)
    if options.flag("cost_write_buffer_to_cache") and size and charged and size + charged > capacity:
        size = max(0, capacity - charged)
        formula = f"cache_size {format_bytes(capacity)} less the memtables, which are charged to it"
    return MemoryPart("block cache", size, formula, _WIKI)


def _evicts(options: Options, load: Load) -> bool:
    """Return whether the cache throws blocks away; where the data is not known it is taken to be larger."""
    size = table_bytes(options, load)
    return bool(load.reads) and (size is None or size > options.whole("cache_size"))


def _row_cache(options: Options, load: Load) -> Iterator[MemoryPart]:
    size = options.whole("row_cache_size")
    if size > 0 and load.reads:
        yield MemoryPart("row cache", size, f"row_cache_size {format_bytes(size)}, full", "include/rocksdb/options.h")


def _mapped(options: Options, load: Load) -> Iterator[MemoryPart]:
    """Yield the pages of table files, which count as resident where they are mapped."""
    if not options.flag("mmap_read"):
        return
    formula = "all table files are mapped, and mapped pages count as resident"
    size = load.data_bytes if load.stored_bytes is None else load.stored_bytes
    yield MemoryPart("mapped table files", size, formula, "include/rocksdb/options.h (allow_mmap_reads)")


def _assumptions(families: Mapping[str, Options], load: Load) -> tuple[str, ...]:
    """Return what was taken for granted, in sentences."""
    options = next(iter(families.values()))
    said: list[str] = []
    if load.data_bytes is None:
        said.append("no data size was given: the cache is full, and indexes and filters are left out")
    elif load.read_operations is None and load.reads:
        said.append("readers reach all of the data, so that the cache holds as much of it as it can")
    if load.writes and load.flush_lag is None:
        said.append("flushes may fall behind, so that every memtable that the options allow is full")
    if load.malloc_arenas is None and load.threads > 1:
        said.append("malloc is glibc's, with an arena for each client thread")
    if len(families) > 1 and load.data_bytes is not None:
        said.append("the data is spread evenly over the column families")
    if options.flag("mmap_read") and load.stored_bytes is None and load.data_bytes is not None:
        said.append("table files are as large as the data: nothing is compressed")
    return tuple(said)
