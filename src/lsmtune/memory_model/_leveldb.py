"""The memory of a process that has LevelDB open, as far as its few options tell."""

from dataclasses import replace

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._malloc import malloc_part
from lsmtune.memory_model._memory import Memory, MemoryPart
from lsmtune.memory_model._options import Options
from lsmtune.memory_model._process import process_part
from lsmtune.memory_model._tables import BLOCK_BYTES, table_parts
from lsmtune.units import format_bytes

_IMPL = "LevelDB, doc/impl.md and db/db_impl.cc"
_READ = "LevelDB, table/format.cc (ReadBlock: cachable)"
_MEMTABLES = 2  # one is flushed while the next fills; a write waits for the flush when that one is full too
_MAPPED_FILES = 1000  # util/env_posix.cc, on 64-bit machines
_WRITE_BUFFER = 64 << 10  # of each file that is written: util/env_posix.cc
_FILES_WRITTEN = 3  # the log, a flush and an output of a compaction


def leveldb_memory(options: Options, load: Load, stores: int = 1) -> Memory:
    """Return what a process needs at its peak with LevelDB.

    Args:
        options: of the database.
        load: what is known of the workload, of one store.
        stores: databases of these options that the process has open.
    """
    memtables, cache = _memtables(options, load), _cache(options, load)
    evicts = bool(load.reads) and (load.data_bytes is None or load.data_bytes > options.whole("cache_size"))
    churn = (memtables.bytes or 0) + ((cache.bytes or 0) if evicts else 0)
    own = (cache, memtables, *_tables(options, load), _mapped(options, load), _buffers(load))
    process = (malloc_part(churn * stores, load), process_part(load))
    parts = (*(replace(part, count=stores) for part in own), *process)
    said: list[str] = []
    if load.process_bytes is None:
        said.append("the fixed part of the process is that of RocksDB's db_bench; LevelDB's library is smaller")
    if load.data_bytes is None:
        said.append("no data size was given: indexes, filters and mapped files are left out")
    elif load.stored_bytes is None and load.reads:
        said.append("table files are as large as the data, and reads reach all of them")
    return Memory(tuple(part for part in parts if part.bytes is None or part.bytes > 0), tuple(said), stores)


def _memtables(options: Options, load: Load) -> MemoryPart:
    size = options.whole("write_buffer_size")
    if not load.writes:
        return MemoryPart("memtables", 0, "nothing is written", _IMPL)
    held = _MEMTABLES if load.flush_lag is None else 1 + min(1.0, load.flush_lag)
    whole = round(held * size)
    formula = f"{held:g} (the one that is written and the one that is flushed) x write_buffer_size {format_bytes(size)}"
    if load.written_bytes is not None and load.written_bytes < whole:
        whole, formula = load.written_bytes, "no more is written"
    return MemoryPart("memtables", whole, formula, _IMPL)


def _cache(options: Options, load: Load) -> MemoryPart:
    size = options.whole("cache_size") if load.reads else 0
    formula = f"cache_size {format_bytes(size)}, full" if load.reads else "nothing is read"
    if options.word("compression") == "no" and load.reads:
        beyond = max(0, (load.data_bytes or 0) - _MAPPED_FILES * options.whole("max_file_size"))
        if beyond < size:
            return MemoryPart(
                "block cache", beyond, "blocks of mapped files that are not compressed never enter it", _READ
            )
    if load.data_bytes is not None:
        data = load.data_bytes + load.data_bytes // max(1, options.whole("block_size")) * BLOCK_BYTES
        if data < size:
            size, formula = data, "all of the data and what each block needs beside it"
    return MemoryPart("block cache", size, formula, _IMPL)


def _tables(options: Options, load: Load) -> tuple[MemoryPart, ...]:
    """Return indexes and filters of the tables that are open."""
    share = 1.0
    if load.data_bytes:
        files = max(1.0, load.data_bytes / max(1, options.whole("max_file_size")))
        share = min(1.0, max(1, options.whole("max_open_files") - 10) / files)
    as_rocksdb = Options({"block_size": options.whole("block_size"), "bloom_bits": options.whole("filter_bits")})
    parts = (part for part in table_parts("", as_rocksdb, load) if part.name in ("indexes", "filters"))
    note = "" if share == 1.0 else f", {share:.0%} of the tables are open"
    return tuple(
        replace(part, bytes=None if part.bytes is None else round(part.bytes * share), formula=part.formula + note)
        for part in parts
    )


def _mapped(options: Options, load: Load) -> MemoryPart:
    formula = f"the first {_MAPPED_FILES} table files are mapped, and mapped pages count as resident"
    stored = load.stored_bytes if load.stored_bytes is not None else load.data_bytes
    if stored is not None:
        stored = min(stored, _MAPPED_FILES * options.whole("max_file_size")) if load.reads else 0
    return MemoryPart("mapped table files", stored, formula, "LevelDB, util/env_posix.cc")


def _buffers(load: Load) -> MemoryPart:
    size = _FILES_WRITTEN * _WRITE_BUFFER if load.writes else 0
    return MemoryPart("write buffers", size, f"{_FILES_WRITTEN} files x {format_bytes(_WRITE_BUFFER)}", _IMPL)
