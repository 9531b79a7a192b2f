"""The benchmarks of db_bench: what kind each is, and what it needs.

Source: ``db_bench --help`` of 7.8.3 and 11.8.1, and the dispatch in RocksDB's ``tools/db_bench_tool.cc``.
"""

from dataclasses import dataclass
from enum import StrEnum


class BenchmarkKind(StrEnum):
    """What a benchmark does to a database."""

    FILL = "fill"
    """Starts with an empty database and writes it."""
    WRITE = "write"
    """Writes or deletes in a database that is there."""
    READ = "read"
    """Reads only."""
    MIXED = "mixed"
    """Reads and writes."""
    UTILITY = "utility"
    """Prints, flushes, compacts, copies: measures nothing by itself."""
    PROCESSOR = "processor"
    """Never touches a database: checksums and compressors."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of db_bench.

    Attributes:
        name: as written after ``--benchmarks``.
        kind: see `BenchmarkKind`.
        timed: whether it honours ``--duration``; others always run their operation count.
        needs_data: whether it means something only on a database that was filled before.
    """

    name: str
    kind: BenchmarkKind
    timed: bool
    needs_data: bool

    @property
    def measures(self) -> bool:
        """Whether its result line says something about the engine."""
        return self.kind not in (BenchmarkKind.UTILITY, BenchmarkKind.PROCESSOR)


_NAMES = {
    BenchmarkKind.FILL: """
        fillseq fillseqdeterministic fillbatch fillrandom filluniquerandom filluniquerandomdeterministic
        fillanddeleteuniquerandom fillsync fill100K
    """,
    BenchmarkKind.WRITE: """
        overwrite deleteseq deleterandom updaterandom xorupdaterandom appendrandom mergerandom randomreplacekeys
        fillembeddedentity fillembeddedblob ingestexternalfile
    """,
    BenchmarkKind.READ: """
        readseq readtocache readtorowcache readreverse readrandom readrandomfast readrandomsmall
        readrandomcoroutine multireadrandom multiscan multiscanrandom readmissing newiterator seekrandom
        approximatesizerandom approximatememtablestats readrandomoperands readrandomentity multireadentity
    """,
    BenchmarkKind.MIXED: """
        readwhilewriting readwhilemerging readwhilescanning readrandomwriterandom readrandommergerandom
        seekrandomwhilewriting seekrandomwhilemerging newiteratorwhilewriting randomwithverify mixgraph
        fillseekseq randomtransaction timeseries getmergeoperands replay
    """,
    BenchmarkKind.UTILITY: """
        compact compactall compact0 compact1 waitforcompaction flush stats resetstats levelstats memstats
        sstables stats_history heapprofile block_cache_entry_stats cache_report_problems verify verifychecksum
        verifyfilechecksums backup restore openandcompact
    """,
    BenchmarkKind.PROCESSOR: "crc32c xxhash xxhash64 xxh3 compress compressreject uncompress acquireload",
}
_UNTIMED = """fillseq fillbatch fillseqdeterministic filluniquerandom filluniquerandomdeterministic
    fillanddeleteuniquerandom deleteseq readseq readtocache readreverse fillseekseq"""
_SELF_FILLING = """fillseekseq randomtransaction randomreplacekeys timeseries getmergeoperands replay
    fillembeddedentity fillembeddedblob ingestexternalfile"""


def _described(name: str, kind: BenchmarkKind) -> Benchmark:
    needs_data = (
        kind in (BenchmarkKind.WRITE, BenchmarkKind.READ, BenchmarkKind.MIXED) and name not in _SELF_FILLING.split()
    )
    return Benchmark(name, kind, timed=name not in _UNTIMED.split(), needs_data=needs_data)


BENCHMARKS = {name: _described(name, kind) for kind, names in _NAMES.items() for name in names.split()}
"""Every benchmark of db_bench 7.8.3 and 11.8.1 by its name."""
