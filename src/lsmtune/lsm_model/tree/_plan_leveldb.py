"""LevelDB's part of the plan of a load; its limits are compiled in."""

from typing import Any

import numpy as np

from lsmtune.lsm_model.tree._costs import Costs
from lsmtune.lsm_model.tree._option_values import OptionValues
from lsmtune.lsm_model.tree._state import LEVELDB, MOST_LEVELS
from lsmtune.lsm_model.tree._writes import Writes

_LEVELS, _MULTIPLIER, _BASE = 7, 10, 10 << 20
"""kNumLevels of db/dbformat.h; MaxBytesForLevel of db/version_set.cc."""
_COMPACT, _SLOW, _STOP = 4, 8, 12
"""Files of level 0: kL0_CompactionTrigger, kL0_SlowdownWritesTrigger, kL0_StopWritesTrigger of db/dbformat.h."""
_EXPANDED, _GRANDPARENTS = 25, 10
"""Files: ExpandedCompactionByteSizeLimit and MaxGrandParentOverlapBytes of db/version_set.cc."""
_SLEEP_US = 1060.0
"""Of a write that is held back: 1 ms by DBImpl::MakeRoomForWrite, and what Linux sleeps longer."""
_LEAST_BUFFER, _LEAST_FILE, _MOST = 64 << 10, 1 << 20, 1 << 30
"""SanitizeOptions of db/db_impl.cc, in B."""
_NODE, _BLOCK, _ALONE = 30, 4096, 1024
"""B of an entry of the memtable beside its pair (db/memtable.cc, db/skiplist.h); of a block of its arena, whose rest is
lost where the next entry does not fit, and above which an entry has a block of its own (util/arena.cc)."""
_REMAINS, _COMPRESSED, _PLAIN, _INDEX = 1.11, 12, 14, 1.004
"""Of values against their `compression_ratio`; B of an entry beside that, and beside a value that is not compressed,
with keys of 16 B; what index and block trailers add. Tables of db_bench 1.22 at values of 100, 400 and 1000 B."""
_KEY = 16
_TOMBSTONE = 12
_NOT_WORTH = 0.875
"""A block stays uncompressed unless it saves an eighth (table/table_builder.cc, WriteBlock)."""
_MOST_FILES = 1200
"""Files of the whole tree above which a file of the model stands for several."""


def leveldb_fields(known: OptionValues, writes: Writes, costs: Costs) -> dict[str, Any]:
    """Return the fields of a plan that LevelDB decides, by name."""
    buffer = float(np.clip(known.number("write_buffer_size", 4 << 20), _LEAST_BUFFER, _MOST))
    codec = "snappy" if known.word("compression", "snappy") == "snappy" else "none"
    entry = _entry_bytes(writes, codec)
    file = float(np.clip(known.number("max_file_size", 2 << 20), _LEAST_FILE, _MOST))
    file = max(file, writes.keys * entry / _MOST_FILES)
    write_us = costs.write_time_us(buffer, writes.pair_bytes, has_log=True)
    return {
        "style": LEVELDB,
        "is_single": 1,
        "write_us": write_us,
        "memtable": max(buffer / _in_memory(writes.pair_bytes), 1.0),
        "memtables": 2.0,
        "merged": 1.0,
        "levels": _LEVELS,
        "base": float(_BASE),
        "multiplier": float(_MULTIPLIER),
        "trigger": float(_COMPACT),
        "slowdown": float(_SLOW),
        "stop": float(_STOP),
        "soft": np.inf,
        "hard": np.inf,
        "most": _EXPANDED * file,
        "grandparents": _GRANDPARENTS * file,
        # One writer sleeps and then writes for all that wait behind it (DBImpl::BuildBatchGroup).
        "delayed": writes.threads / (_SLEEP_US + write_us * writes.threads),
        "flushes": 1.0,
        "compactions": 1.0,
        "subcompactions": 1.0,
        "merge_ns": costs.merge_ns + costs.merge_entry_ns / writes.pair_bytes,
        "file": np.full(MOST_LEVELS, file),
        "entry": np.full(MOST_LEVELS, entry),
        "tombstone": np.full(MOST_LEVELS, float(_TOMBSTONE)),
        "cost": np.full(MOST_LEVELS, costs.codec_ns.get(codec, 1.0) if codec != "none" else 0.0),
    }


def _entry_bytes(writes: Writes, codec: str) -> float:
    """Return the stored bytes of a pair."""
    further = writes.key_bytes - _KEY
    plain = (writes.value_bytes + _PLAIN + further) * _INDEX
    packed = _REMAINS * writes.compression_ratio * writes.value_bytes + _COMPRESSED + further
    return float(plain if codec == "none" or packed > _NOT_WORTH * plain else packed)


def _in_memory(pair_bytes: int) -> float:
    """Return the bytes of the memtable that a pair takes."""
    entry = pair_bytes + _NODE
    return float(entry if entry > _ALONE else entry * _BLOCK / (_BLOCK - entry / 2))
