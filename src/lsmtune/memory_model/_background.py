"""What flushes and compactions need while they run."""

from collections.abc import Iterator, Mapping

from lsmtune.memory_model._load import Load
from lsmtune.memory_model._memory import MemoryPart
from lsmtune.memory_model._options import Options
from lsmtune.units import format_bytes

_JOB_BYTES = 1 << 20
"""Of each job beside its output buffer: the block in work, its compressed form, the index of the file, an arena of
malloc. Measured as part of the fixed memory: a fill with memtables of 1 MiB."""
_BUFFERED_TWICE = 2
"""Blocks that wait for a dictionary lie in strings that grew by doubling. Measured: a fill with buffers of 48 MB."""
_COMPRESSED_WITH_DICTIONARY = ("zstd", "lz4", "lz4hc", "zlib")


def background_jobs(options: Options) -> tuple[int, int]:
    """Return how many flushes and compactions may run at a time (DBImpl::GetBGJobLimits)."""
    flushes, compactions = (options.whole(f"max_background_{what}") for what in ("flushes", "compactions"))
    if flushes < 0 and compactions < 0:
        jobs = max(1, options.whole("max_background_jobs"))
        share = max(1, jobs // 4)
        return share, max(1, jobs - share)
    return max(flushes, 1), max(compactions, 1)


def background_parts(families: Mapping[str, Options], load: Load) -> Iterator[MemoryPart]:
    """Yield the buffers of flushes and compactions, all that may run at a time; none where nothing is written."""
    if not load.writes:
        return
    options = next(iter(families.values()))
    flushes, compactions = background_jobs(options)
    at_once = flushes + compactions * max(1, options.whole("subcompactions"))
    buffer = options.whole("writable_file_max_buffer_size")
    formula = (
        f"{flushes} + {at_once - flushes} (flushes and compactions at a time) x "
        f"(writable_file_max_buffer_size {format_bytes(buffer)} + {format_bytes(_JOB_BYTES)})"
    )
    yield MemoryPart(
        "flush and compaction buffers", at_once * (buffer + _JOB_BYTES), formula, "include/rocksdb/options.h"
    )
    ahead = options.whole("compaction_readahead_size")
    if options.flag("use_direct_reads") and ahead > 0:
        inputs = (at_once - flushes) * (options.whole("level0_file_num_compaction_trigger") + 1)
        formula = f"{inputs} input files x compaction_readahead_size {format_bytes(ahead)}, as reads are direct"
        yield MemoryPart("compaction readahead", inputs * ahead, formula, "include/rocksdb/options.h")
    for name, family in families.items():
        part = _dictionary_part(f" of {name}" if len(families) > 1 else "", family)
        if part is not None:
            yield part


def _dictionary_part(label: str, options: Options) -> MemoryPart | None:
    """Return what is buffered until a dictionary has been trained; None where there is no dictionary."""
    if options.whole("compression_max_dict_bytes") <= 0:
        return None
    if options.word("compression_type") not in _COMPRESSED_WITH_DICTIONARY:
        return None
    file = options.whole("target_file_size_base")
    limit = options.whole("compression_max_dict_buffer_bytes")
    limit = limit if limit > 0 else max(file, options.whole("write_buffer_size"))
    flushed = min(limit, options.whole("write_buffer_size"))
    compacted = min(limit, file)
    formula = (
        f"{_BUFFERED_TWICE} x (a flush {format_bytes(flushed)} + an output file {format_bytes(compacted)}), "
        "buffered uncompressed"
    )
    source = "include/rocksdb/advanced_options.h (max_dict_buffer_bytes)"
    return MemoryPart(f"dictionary buffers{label}", _BUFFERED_TWICE * (flushed + compacted), formula, source)
