"""What the compiled parts of the model of a tree share: the plan of a load, and the tree as it stands.

A file is a row of numbers: the range of keys that it covers, as a share of all keys, and how many keys of each class it
holds, so that files can be merged without any key being named. Keys of a class are asked for equally often: uniform
writes need one class, skewed ones a few.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

MOST_LEVELS = 12
"""Level 0 and those below it; RocksDB is tuned with 4 to 8."""
MOST_FILES = 2048
"""Of a level. Where there would be more, `plan.file` is larger: a tree of many files keeps its shape then."""
MOST_JOBS = 64

LOW, HIGH, JOB, OLDEST, NEWEST, BYTES, LEVEL, TIME, FIRST = range(9)
"""Columns of a file: its range, the number of the job that holds it or 0, the flushes (a counter) that wrote its
oldest and its newest entries, stored bytes, the level of a sorted run of universal compaction or the files that a row
of FIFO compaction stands for, the time of its flush in us, then the keys set and the keys deleted of each class, and at
last how many of the keys set have their value in each slot of blob files."""
MOST_SLOTS = 64
"""Groups of blob files that are neighbours in age; few enough that a row stays short."""
FILES, BLOBS, USED = range(3)
"""Columns of a slot: blob files, values in them, and values that some table refers to."""

_F = np.float64
_I = np.int64

PLAN = np.dtype(
    [
        ("operations", _F),  # writes of all threads
        ("deletes", _F),  # share of them that delete
        ("is_unique", _I),  # no key is written twice
        ("pair", _F),  # B of a key and its value
        ("rate", _F),  # offered, in operations/us; infinite: as fast as it goes
        ("writers", _F),
        ("write_us", _F),  # processor time of a write
        ("sync_us", _F),  # that a write waits for the device
        ("memtable", _F),  # operations that fill a memtable
        ("memtables", _F),  # max_write_buffer_number
        ("merged", _F),  # min_write_buffer_number_to_merge, as the engine clips it
        ("style", _I),  # LEVELED, UNIVERSAL, FIFO or LEVELDB
        ("is_single", _I),  # one thread flushes and merges in turns
        ("is_dynamic", _I),  # level_compaction_dynamic_level_bytes
        ("levels", _I),  # num_levels
        ("base", _F),  # max_bytes_for_level_base
        ("multiplier", _F),
        ("most", _F),  # max_compaction_bytes, or LevelDB's limit of expanded inputs
        ("grandparents", _F),  # B two levels down that a file of LevelDB may meet
        ("priority", _I),  # compaction_pri
        ("trigger", _F),  # level 0: files, or sorted runs of all levels, that start a compaction
        ("slowdown", _F),  # that hold writes back
        ("stop", _F),  # that stop writes
        ("soft", _F),  # soft_pending_compaction_bytes_limit
        ("hard", _F),
        ("flushes", _F),  # most at a time
        ("compactions", _F),
        ("subcompactions", _F),
        ("delayed", _F),  # operations/us while writes are held back
        ("size_ratio", _F),  # of universal compaction, 1.01 for 1 %
        ("amplification", _F),  # max_size_amplification_percent, as a ratio
        ("least_merged", _I),  # min_merge_width
        ("keeps", _F),  # max_table_files_size of FIFO compaction
        ("ttl", _F),  # in us; infinite: files have no age
        ("small", _F),  # B a file up to which FIFO compaction merges; 0: it merges none
        ("cores", _F),
        ("crowded", _F),  # speed of a job beside others on all cores, against alone
        ("bandwidth", _F),  # B/us that the device writes
        ("flush_ns", _F),  # processor time of a byte that a flush writes, without compression
        ("flush_us", _F),  # of each flush
        ("merge_ns", _F),  # processor time of a byte of a compaction's input, uncompressed
        ("job_us", _F),  # of each compaction
        ("file_us", _F),  # of each file that is written
        ("blob", _F),  # B of a pair that are not in its table but in a blob file
        ("blob_record", _F),  # B that such a value takes there
        ("blob_file", _F),  # blob_file_size
        ("is_collecting", _I),  # enable_blob_garbage_collection
        ("age_cutoff", _F),  # blob_garbage_collection_age_cutoff
        ("forced", _F),  # blob_garbage_collection_force_threshold
        ("file", _F, (MOST_LEVELS,)),  # B of a file by level
        ("entry", _F, (MOST_LEVELS,)),  # stored B of a pair by level
        ("tombstone", _F, (MOST_LEVELS,)),  # stored B of a deletion by level
        ("cost", _F, (MOST_LEVELS,)),  # processor time to compress a byte, in ns, by level
    ]
)
"""Of a load; sizes and times as they are at the scale of the runs."""

LEVELED, UNIVERSAL, FIFO, LEVELDB = range(4)
BY_SIZE, OLDEST_LARGEST, OLDEST_SMALLEST, LEAST_OVERLAP, ROUND_ROBIN = range(5)
"""Values of `compaction_pri`, as `CompactionPri` in include/rocksdb/advanced_options.h numbers them."""

WORK_DTYPE = np.dtype(
    [
        *((name, _I) for name in ("is_flush", "is_move", "number", "memtables", "source", "target")),
        *((name, _F) for name in ("left", "demand", "operations", "written", "level")),
    ]
)
"""A flush or compaction, or files that are only relinked: `left` us of processor time, which write `demand` B/us."""

CLOCK = np.dtype(
    [
        *((name, _F) for name in ("time", "left", "memtable", "waiting", "debt", "load_end", "delayed_rate")),
        *(
            (name, _F)
            for name in (
                "flushed",
                "stopped",
                "delayed",
                "run_time",
                "peak",
                "blobs_written",
                "blobs",
                "due",
                "dropped",
            )
        ),
        *((name, _I) for name in ("immutable", "queued", "number", "jobs", "was_delayed", "is_stuck", "age")),
        *((name, _I) for name in ("count_flushes", "count_compactions", "count_moves", "base_level", "slots")),
        ("cursor", _F, (MOST_LEVELS,)),  # the key at which round robin goes on
        ("target", _F, (MOST_LEVELS,)),  # B that a level may hold
        ("score", _F, (MOST_LEVELS,)),
        ("bytes", _F, (MOST_LEVELS,)),  # B of a level that no job holds
        ("total", _F, (MOST_LEVELS,)),  # B of a level
        ("written", _F, (MOST_LEVELS,)),  # B that compactions wrote into a level
    ]
)
"""What happened so far, and the levels as they stand: times in us, `age` in flushes, the rest in B.

`due` is what compactions have to do, `debt` the same when the delayed rate was last changed; `blobs` are the bytes of
all blob files, `dropped` those of files that FIFO compaction deleted, `slots` how many slots of blob files there are.
"""

Record: TypeAlias = Any
"""A row of one of these types, changed in place; Python's types end where numba's begin."""


class Tree(NamedTuple):
    """A tree and all that works on it.

    Attributes:
        plan, clock: one row each, of types `PLAN` and `CLOCK`.
        jobs: of type `WORK_DTYPE`; the first `clock.jobs` are running.
        files: shape (levels, MOST_FILES, FIRST + 2 classes + slots); level 0 and sorted runs newest first, others by
            key.
        counts: files of each level.
        keys, weights: of each class: how many there are, and which share of the writes they take.
        slots: of blob files, oldest first, shape (MOST_SLOTS, 3), or (0, 3) where values lie in tables.
        lost: what files held that FIFO compaction deleted, a row like those of files.
        merged: room for what a merge writes, as `files` of a level.
        upper, lower, edges: room for its inputs.
    """

    plan: Record
    clock: Record
    jobs: Record
    files: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    keys: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    slots: npt.NDArray[np.float64]
    lost: npt.NDArray[np.float64]
    merged: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]
    lower: npt.NDArray[np.float64]
    edges: npt.NDArray[np.float64]


def empty_tree(plan: Record, keys: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> Tree:
    """Return a tree without files, with a plan of one row."""
    slots = MOST_SLOTS if plan[0]["blob"] > 0 else 0
    width = FIRST + 2 * len(keys) + slots
    return Tree(
        plan,
        np.zeros(1, CLOCK),
        np.zeros(MOST_JOBS, WORK_DTYPE),
        np.zeros((MOST_LEVELS, MOST_FILES, width)),
        np.zeros(MOST_LEVELS, np.int64),
        np.asarray(keys, dtype=np.float64),
        np.asarray(weights, dtype=np.float64),
        np.zeros((slots, 3)),
        np.zeros(width),
        np.zeros((MOST_FILES, width)),
        np.zeros((MOST_FILES, width)),
        np.zeros((MOST_FILES, width)),
        np.zeros(6 * MOST_FILES),
    )
