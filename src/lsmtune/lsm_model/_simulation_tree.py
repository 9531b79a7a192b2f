"""What the compiled parts of the simulation share: the layout of a plan, of a tree, and of the work in hand."""

from typing import Any, TypeAlias

import numpy as np

MOST_LEVELS = 12
"""Level 0 and those below it; RocksDB is tuned with 4 to 8."""
MOST_RUNS = 700
MOST_JOBS = 64

_F = np.float64
_I = np.int64

PLAN = np.dtype(
    [
        ("keys", _F),  # distinct keys that writes are drawn from
        ("operations", _F),  # writes of all threads
        ("pair", _F),  # B of a key and its value
        ("writers", _F),
        ("write_us", _F),  # processor time of a write
        ("memtable", _F),  # operations that fill a memtable
        ("memtables", _F),  # max_write_buffer_number
        ("merged", _F),  # min_write_buffer_number_to_merge, as the engine clips it
        ("trigger", _F),  # level 0: files, or sorted runs of all levels, that start a compaction
        ("slowdown", _F),  # that hold writes back
        ("stop", _F),  # that stop writes
        ("flushes", _F),  # most at a time
        ("compactions", _F),
        ("cores", _F),
        ("delayed_rate", _F),  # operations/us while writes are held back
        ("is_tiered", _I),  # universal compaction
        ("levels", _F),  # num_levels
        ("flush_ns", _F),  # processor time of a byte of a flush, without compression
        ("flush_us", _F),  # of each flush
        ("merge_ns", _F),  # processor time of a byte of a compaction's input
        ("job_us", _F),  # of each compaction
        ("file_us", _F),  # of each file that a compaction writes
        ("overlap", _F),  # bytes of the next level that a file meets, against an average file
        ("file", _F, (MOST_LEVELS,)),  # B of a file by level
        ("target", _F, (MOST_LEVELS,)),  # B that a level may hold
        ("share", _F, (MOST_LEVELS,)),  # stored bytes of a byte, by level
        ("cost", _F, (MOST_LEVELS,)),  # processor time to compress a byte, in ns, by level
    ]
)
"""Of a run; sizes and times as they are at the scale of the run."""

RUN = np.dtype([("keys", _F), ("level", _I), ("job", _I)])
"""A file of level 0 or, in a tiered tree, a sorted run; newest first. `job` is the number of what merges it, or 0."""

LEVEL = np.dtype([("keys", _F), ("busy", _F)])
"""Keys of a level below level 0, and those of them that a compaction holds."""

JOB = np.dtype(
    [
        *((name, _I) for name in ("is_flush", "is_move", "number", "memtables", "source", "target")),
        *((name, _F) for name in ("left", "keys", "taken", "met")),
    ]
)
"""A flush or compaction, or a file that is only relinked.

`left` us of work; `keys` come out, `taken` from the upper level, `met` in the lower one."""

TREE = np.dtype(
    [
        *((name, _F) for name in ("time", "left", "memtable", "waiting_ops", "written", "stalled", "run_time")),
        *((name, _F) for name in ("load_end", "rate", "debt")),
        *(
            (name, _I)
            for name in ("immutable", "waiting", "last_job", "was_delayed", "stuck", "run_count", "job_count")
        ),
        ("runs", RUN, (MOST_RUNS,)),
        ("jobs", JOB, (MOST_JOBS,)),
        ("levels", LEVEL, (MOST_LEVELS,)),
    ]
)
"""The state of a tree; one record, as numba counts references to each array that a function takes."""

Record: TypeAlias = Any
"""A row of one of these types, changed in place; Python's types end where numba's begin."""
Records: TypeAlias = Any
"""Rows of one of these types."""
