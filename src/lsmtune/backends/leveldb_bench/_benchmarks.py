"""The benchmarks of LevelDB's db_bench: what kind each is, and what it needs.

Source: the dispatch in ``db_bench.cc`` of LevelDB 1.22 and 1.23; ``scanrandom`` and ``seekwhilewriting`` come from
PebblesDB.
"""

from lsmtune.backends._benchmark import BenchmarkKind, described

LEVELDB_BENCHMARKS = described(
    {
        BenchmarkKind.FILL: "fillseq fillbatch fillrandom fillsync fill100K",
        BenchmarkKind.WRITE: "overwrite deleteseq deleterandom",
        BenchmarkKind.READ: """
            readseq readreverse readrandom readrandomsmall readmissing readhot seekrandom seekordered scanrandom
        """,
        BenchmarkKind.MIXED: "readwhilewriting seekwhilewriting",
        BenchmarkKind.UTILITY: "compact stats sstables heapprofile open",
        BenchmarkKind.PROCESSOR: "crc32c snappycomp snappyuncomp zstdcomp zstduncomp acquireload",
    },
    untimed=None,
)
"""Every benchmark by its name."""

DELETES = frozenset({"deleteseq", "deleterandom"})
"""Those that delete."""

THOUSANDTHS = frozenset({"fillsync", "fill100K"})
"""Those that write a thousandth of the pairs."""

LARGE_VALUE_BYTES = 100_000
"""Value size of ``fill100K``."""


def writes(phase: str) -> bool:
    """Whether a benchmark changes the database; unknown ones may."""
    return phase not in LEVELDB_BENCHMARKS or LEVELDB_BENCHMARKS[phase].writes
