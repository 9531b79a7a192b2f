"""What the compiled parts of the model of a tree share: the plan of a load, and the tree as it stands.

A file is a row of numbers: the range of keys that it covers, as a share of all keys, and how many keys of each class it
holds, so that files can be merged without any key being named. Keys of a class are asked for equally often: uniform
writes need one class, skewed ones a few.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

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
        ("events", _I),  # after which it is given up
        ("deletes", _F),  # share of them that delete
        ("is_unique", _I),  # no key is written twice
        ("is_in_order", _I),  # the first load, in the order of keys
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
        ("most_merged", _I),  # max_merge_width
        ("keeps", _F),  # max_table_files_size of FIFO compaction
        ("ttl", _F),  # in us; infinite: files have no age
        ("small", _F),  # B a file up to which FIFO compaction merges; 0: it merges none
        ("cores", _F),
        ("crowded", _F),  # speed of a job beside others on all cores, against alone
        ("bandwidth", _F),  # B/us that the device writes, or the rate limiter lets through
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

DONE, STUCK, GIVEN_UP = range(3)
"""Ends of a phase: all is written, or writes stand still while nothing is left to compact, or too much happened."""
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
                "lost",
            )
        ),
        *((name, _I) for name in ("immutable", "queued", "number", "jobs", "was_delayed", "end", "age")),
        *((name, _I) for name in ("count_flushes", "count_compactions", "count_moves", "base_level", "slots")),
        ("is_measured", _I, (MOST_LEVELS,)),  # `bytes` and `total` of a level are those of its files
        ("cursor", _F, (MOST_LEVELS,)),  # the key at which round robin goes on
        ("target", _F, (MOST_LEVELS,)),  # B that a level may hold
        ("score", _F, (MOST_LEVELS,)),
        ("bytes", _F, (MOST_LEVELS,)),  # B of a level that no job holds
        ("total", _F, (MOST_LEVELS,)),  # B of a level
        ("written", _F, (MOST_LEVELS,)),  # B that compactions wrote into a level
    ]
)
"""What happened so far, and the levels as they stand: times in us, `age` in flushes, the rest in B.

`end` is `DONE`, `STUCK` or `GIVEN_UP`; `due` is what compactions have to do, `debt` the same when the delayed rate was
last changed; `blobs` are the bytes of all blob files, `dropped` those of files that FIFO compaction deleted, `lost` the
keys of which no file is left, `slots` how many slots of blob files there are.
"""

Record: TypeAlias = Any
"""A row of one of these types, changed in place; Python's types end where numba's begin."""


MOST_CLASSES = 16
MOST_COLUMNS = FIRST + 2 * MOST_CLASSES + MOST_SLOTS

UPPER, LOWER, MERGED, ROOM = range(MOST_LEVELS, MOST_LEVELS + 4)
"""Behind the files of all levels: room for the inputs of a merge, for what it writes, and for single rows."""
NEWER, OLDER, INTO, WHOLE, LOST = range(5)
"""Rows in `ROOM`; `LOST` is what files held that FIFO compaction deleted."""

TREE = np.dtype(
    [
        ("plan", PLAN, (1,)),
        ("clock", CLOCK, (1,)),
        ("jobs", WORK_DTYPE, (MOST_JOBS,)),  # the first `clock.jobs` are running
        ("counts", _I, (MOST_LEVELS,)),  # files of each level
        ("classes", _I),  # of keys
        ("places", _I),  # for slots of blob files in a row: MOST_SLOTS, or 0 where values lie in tables
        ("width", _I),  # columns of a row
        ("keys", _F, (MOST_CLASSES,)),  # of each class
        ("weights", _F, (MOST_CLASSES,)),  # share of the writes that each takes
        ("slots", _F, (MOST_SLOTS, 3)),  # of blob files, oldest first
        ("joined", _I, (MOST_SLOTS,)),  # which slot each went into when they were last joined
        ("edges", _F, (6 * MOST_FILES,)),  # room for a merge
        ("files", _F, (ROOM + 1, MOST_FILES, MOST_COLUMNS)),  # level 0 and sorted runs newest first, others by key
    ]
)
"""A tree and all that works on it: one record, as each array that a function takes costs time, the compiler's too.

It takes 26 MiB of addresses; memory, as far as rows were written.
"""


@dataclass(frozen=True)
class Tree:
    """A tree as Python sees it.

    Attributes:
        rows: one of type `TREE`, which compiled parts take.
    """

    rows: Record

    @property
    def plan(self) -> Record:
        """The plan of the load, of type `PLAN` and shape (1,)."""
        return self.rows["plan"][0]

    @property
    def clock(self) -> Record:
        """What happened so far, of type `CLOCK` and shape (1,)."""
        return self.rows["clock"][0]

    @property
    def files(self) -> npt.NDArray[np.float64]:
        """Shape (levels and room, MOST_FILES, FIRST + 2 classes + places of slots)."""
        return cast("npt.NDArray[np.float64]", self.rows["files"][0, :, :, : int(self.rows["width"][0])])

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Files of each level."""
        return cast("npt.NDArray[np.int64]", self.rows["counts"][0])

    @property
    def keys(self) -> npt.NDArray[np.float64]:
        """Keys of each class."""
        return cast("npt.NDArray[np.float64]", self.rows["keys"][0, : int(self.rows["classes"][0])])

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """Share of the writes that each class takes."""
        return cast("npt.NDArray[np.float64]", self.rows["weights"][0, : int(self.rows["classes"][0])])

    @property
    def slots(self) -> npt.NDArray[np.float64]:
        """Slots of blob files, oldest first, shape (MOST_SLOTS, 3), or (0, 3) where values lie in tables."""
        return cast("npt.NDArray[np.float64]", self.rows["slots"][0, : int(self.rows["places"][0])])

    @property
    def lost(self) -> npt.NDArray[np.float64]:
        """What files held that FIFO compaction deleted, a row like those of files."""
        return cast("npt.NDArray[np.float64]", self.files[ROOM, LOST])

    def copy(self) -> "Tree":
        """Return the same tree, which then goes its own way."""
        rows = np.zeros(1, TREE)
        for name in TREE.names or ():
            if name != "files":
                rows[name] = self.rows[name]
        for level, count in enumerate(self.counts):
            rows["files"][0, level, :count] = self.rows["files"][0, level, :count]
        return Tree(rows)


def empty_tree(plan: Record, keys: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> Tree:
    """Return a tree without files, with a plan of one row."""
    places = MOST_SLOTS if plan[0]["blob"] > 0 else 0
    rows = np.zeros(1, TREE)
    rows["plan"][0] = plan
    rows["classes"], rows["places"], rows["width"] = len(keys), places, FIRST + 2 * len(keys) + places
    rows["keys"][0, : len(keys)], rows["weights"][0, : len(keys)] = keys, weights
    return Tree(rows)
