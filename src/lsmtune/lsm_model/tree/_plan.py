"""The plan of a load: values of options, and what is written, as numbers that the compiled parts read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model.tree._costs import Costs
from lsmtune.lsm_model.tree._option_values import OptionValues
from lsmtune.lsm_model.tree._plan_leveldb import leveldb_fields
from lsmtune.lsm_model.tree._state import FIFO, LEVELED, MOST_LEVELS, PLAN, UNIVERSAL, Record
from lsmtune.lsm_model.tree._writes import Rules, Writes
from lsmtune.model import Value

_LEAST_BUFFER = 65_536
"""RocksDB makes smaller memtables as large as this, in B (db/column_family.cc, SanitizeOptions)."""
_MEMTABLE_SHARE, _PER_ENTRY = 0.969, 31
"""Of write_buffer_size when a memtable is full: 7 3/4 of 8 arena blocks; B of an entry beside its key and value.
Measured with db_bench 7.8.3 at four sizes of memtables and two of values, 2026-11-24."""
_MUTABLE_SHARE = 7 / 8
"""Of db_write_buffer_size at which the memtable is closed (include/rocksdb/write_buffer_manager.h, ShouldFlush)."""
_BLOB_REFERENCE = 10
"""B of a value in a table that says where its blob lies: type, file, offset, size, codec (db/blob/blob_index.h)."""
_BLOB_HEADER = 32
"""B of a blob file beside a key and a value: BlobLogRecord::kHeaderSize in db/blob/blob_log_format.h."""
_SMALL_FILE = 1.1
"""Of a memtable: files up to this, for each that goes, are merged by FIFO compaction."""
_TOMBSTONE = 10
"""B of a deletion beside its key."""
_LARGEST_FILES, _LARGEST_FILES_OF_MANY = 1200, 300
"""Files of the whole tree above which a file of the model stands for several; the second where the data is that of many
memtables, each of which takes time. Write amplification of 8 random configurations from 64 GiB to 4 TiB moved by 6 % at
most between the two."""
_MANY_MEMTABLES = 4000
_NO_WIDTH = 1 << 30
"""Sorted runs that a merge takes at most where universal_max_merge_width is 0, which is no limit."""
MOST_EVENTS = 2_000_000
"""After which a phase is given up; a memtable takes two at least, and a million of them about a minute."""
_COMPACTION_FILES = 25
"""max_compaction_bytes where it is 0, in files (db/column_family.cc, SanitizeOptions)."""
_PRIORITIES = {
    "by_compensated_size": 0,
    "oldest_largest_seq_first": 1,
    "oldest_smallest_seq_first": 2,
    "min_overlapping_ratio": 3,
    "round_robin": 4,
}
_STYLES = {"level": LEVELED, "universal": UNIVERSAL, "fifo": FIFO}


@dataclass(frozen=True)
class Machine:
    """What runs the engine: `cores` that it may use."""

    cores: float


def plan_of(options: Mapping[str, Value], writes: Writes, costs: Costs, machine: Machine) -> Record:
    """Return the plan of a load, an array of type `PLAN` and shape (1,).

    Args:
        options: values by name, in base units, at the scale of the load.
        writes: what is written, at that scale.
        costs: of the host and build.
        machine: that runs it.
    """
    known = OptionValues(options)
    plan = np.zeros(1, PLAN)
    fields = leveldb_fields if writes.rules is Rules.LEVELDB else _rocksdb_fields
    found = {
        "operations": writes.operations,
        "events": MOST_EVENTS,
        "deletes": writes.deletes,
        "is_unique": writes.is_unique,
        "pair": writes.pair_bytes,
        "rate": np.inf if writes.rate is None else writes.rate * 1e-6,
        "writers": writes.threads,
        "sync_us": costs.sync_us / writes.threads if writes.is_synced and writes.has_log else 0.0,
        "cores": machine.cores,
        "crowded": costs.crowded,
        "bandwidth": costs.bandwidth * 1e-6,
        "flush_ns": costs.flush_ns + costs.flush_entry_ns / writes.pair_bytes,
        "flush_us": costs.flush_us,
        "job_us": costs.job_us,
        "file_us": costs.file_us,
        **fields(known, writes, costs),
    }
    for name, value in found.items():
        plan[name] = value
    return plan


def models(options: Mapping[str, Value]) -> bool:
    """Return whether the compaction style is one that is modelled; LevelDB has one alone."""
    return OptionValues(options).word("compaction_style", "level") in _STYLES


def _rocksdb_fields(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, Any]:
    return {
        **_memtables(known, writes, costs),
        **_shape(known),
        **_limits(known, writes, costs),
        **_jobs(known, writes, costs),
        **_levels(known, writes, costs),
        **_fifo(known, writes),
        **_blobs(known, writes),
    }


def _memtables(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, float]:
    buffer = _buffer_bytes(known)
    memtables = max(2.0, known.number("max_write_buffer_number", 2))
    return {
        "write_us": costs.write_time_us(buffer, writes.pair_bytes, writes.has_log),
        "memtable": max(_MEMTABLE_SHARE * buffer / (writes.pair_bytes + _PER_ENTRY), 1.0),
        "memtables": memtables,
        "merged": max(1.0, min(known.number("min_write_buffer_number_to_merge", 1), memtables - 1)),
    }


def _buffer_bytes(known: OptionValues) -> float:
    """Return the write_buffer_size with which memtables would be as large as they become, in B."""
    buffer = max(known.number("write_buffer_size", 64 << 20), _LEAST_BUFFER)
    limit = known.number("db_write_buffer_size", 0)
    return min(buffer, _MUTABLE_SHARE * limit / _MEMTABLE_SHARE) if limit > 0 else buffer


def _shape(known: OptionValues) -> dict[str, float]:
    file = known.number("target_file_size_base", 64 << 20)
    most = known.number("max_compaction_bytes", 0)
    return {
        "style": _STYLES[known.word("compaction_style", "level")],
        "is_dynamic": known.number("level_compaction_dynamic_level_bytes", 0) != 0,
        "levels": int(np.clip(known.number("num_levels", 7), 2, MOST_LEVELS)),
        "base": max(known.number("max_bytes_for_level_base", 256 << 20), 1.0),
        "multiplier": max(1.0, known.number("max_bytes_for_level_multiplier", 10)),
        "most": most if most > 0 else _COMPACTION_FILES * file,
        "priority": _PRIORITIES.get(known.word("compaction_pri", "min_overlapping_ratio"), 3),
        "size_ratio": 1 + (known.number("universal_size_ratio", 0) or 1.0) / 100,
        "amplification": max(known.number("universal_max_size_amplification_percent", 0) or 200.0, 1.0) / 100,
        "least_merged": max(2, int(known.number("universal_min_merge_width", 0) or 2)),
        "most_merged": max(2, int(known.number("universal_max_merge_width", 0) or _NO_WIDTH)),
    }


def _limits(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, float]:
    trigger = max(1.0, known.number("level0_file_num_compaction_trigger", 4))
    slowdown = max(known.number("level0_slowdown_writes_trigger", 20), trigger)
    soft = known.number("soft_pending_compaction_bytes_limit", 64 << 30)
    hard = known.number("hard_pending_compaction_bytes_limit", 256 << 30)
    limit = known.number("rate_limiter_bytes_per_sec", 0)
    delayed = known.number("delayed_write_rate", 8 << 20) or limit or 16 << 20
    return {
        "trigger": trigger,
        "slowdown": slowdown,
        "stop": max(known.number("level0_stop_writes_trigger", 36), slowdown),
        "soft": soft if soft > 0 else np.inf,
        "hard": hard if hard > 0 else np.inf,
        "delayed": delayed * costs.delay / writes.pair_bytes * 1e-6,
    }


def _jobs(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, float]:
    """Return how many flushes and compactions may run at a time (DBImpl::GetBGJobLimits), and what they cost."""
    jobs = max(1.0, known.number("max_background_jobs", 2))
    limit = known.number("rate_limiter_bytes_per_sec", 0)
    flushes, compactions = (known.number(f"max_background_{what}", -1) for what in ("flushes", "compactions"))
    if flushes < 0 and compactions < 0:
        flushes = max(1.0, jobs // 4)
        compactions = max(1.0, jobs - flushes)
    return {
        "flushes": max(1.0, flushes),
        "compactions": max(1.0, compactions),
        "subcompactions": max(1.0, known.number("subcompactions", 1)),
        "bandwidth": min(costs.bandwidth, limit if limit > 0 else np.inf) * 1e-6,
        "merge_ns": costs.merge_ns + costs.merge_entry_ns / (writes.pair_bytes - blob_bytes(known, writes)),
    }


def _fifo(known: OptionValues, writes: Writes) -> dict[str, float]:
    """Return what FIFO compaction keeps; SanitizeOptions of db/column_family.cc lets its files hold no writes back."""
    if known.word("compaction_style", "level") != "fifo":
        return {}
    kept = writes.fifo
    return {
        "keeps": kept.most_bytes,
        "ttl": kept.ttl_s * 1e6 if kept.ttl_s else np.inf,
        "small": _SMALL_FILE * known.number("write_buffer_size", 64 << 20) if kept.merges else 0.0,
        "slowdown": np.inf,
        "stop": np.inf,
    }


def _blobs(known: OptionValues, writes: Writes) -> dict[str, float]:
    """Return how values lie in blob files and when these are collected."""
    if blob_bytes(known, writes) <= 0:
        return {}
    remains = 1.0 if known.word("blob_compression_type", "none") == "none" else min(1.0, writes.compression_ratio)
    cutoff = known.number("blob_garbage_collection_age_cutoff", 0.25)
    return {
        "blob_record": _BLOB_HEADER + writes.key_bytes + remains * writes.value_bytes,
        "blob_file": max(known.number("blob_file_size", 256 << 20), 1.0),
        "is_collecting": known.number("enable_blob_garbage_collection", 0) != 0 and cutoff > 0,
        "age_cutoff": cutoff,
        "forced": known.number("blob_garbage_collection_force_threshold", 1.0),
    }


def blob_bytes(known: OptionValues, writes: Writes) -> float:
    """Return the bytes of a pair that go into a blob file."""
    if known.number("enable_blob_files", 0) and writes.value_bytes >= known.number("min_blob_size", 0):
        return float(max(0, writes.value_bytes - _BLOB_REFERENCE))
    return 0.0


def _levels(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, float | npt.NDArray[np.float64]]:
    """Return what differs from level to level."""
    levels = np.arange(MOST_LEVELS)
    blob = blob_bytes(known, writes)
    codec = known.word("compression_type", "snappy")
    is_compressed = levels >= known.number("min_level_to_compress", -1)
    sizes = writes.pair_bytes, writes.value_bytes, writes.compression_ratio
    share = np.where(is_compressed, costs.stored_share(codec, *sizes), costs.stored_share("none", *sizes))
    entry = writes.pair_bytes * share
    if blob > 0:  # a key and where its value lies, which no codec makes much smaller
        left = round(writes.pair_bytes - blob)
        entry = np.full(MOST_LEVELS, left * costs.stored_share("none", left, 0, 1.0))
    growth = max(1.0, known.number("target_file_size_multiplier", 1)) ** np.maximum(levels - 1, 0)
    file = max(known.number("target_file_size_base", 64 << 20), 1.0) * growth
    memtables = writes.keys * writes.pair_bytes / _buffer_bytes(known)
    files = _LARGEST_FILES if memtables <= _MANY_MEMTABLES else _LARGEST_FILES_OF_MANY
    least = writes.keys * float(entry[-1]) / files
    return {
        "blob": blob,
        "entry": entry,
        "tombstone": np.full(MOST_LEVELS, float(writes.key_bytes + _TOMBSTONE)),
        "file": np.maximum(file, least),
        "cost": np.where(is_compressed, costs.codec_ns.get(codec, 1.0), 0.0),
    }
