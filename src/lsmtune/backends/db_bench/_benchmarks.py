"""The benchmarks of db_bench: what kind each is, and what it needs.

Source: ``db_bench --help`` of 7.8.3 and 11.8.1, and the dispatch in RocksDB's ``tools/db_bench_tool.cc``.
"""

from lsmtune.backends._benchmark import BenchmarkKind, described
from lsmtune.model import EngineBuild

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
        readwhilescanning
    """,
    BenchmarkKind.MIXED: """
        readwhilewriting readwhilemerging readrandomwriterandom readrandommergerandom seekrandomwhilewriting
        seekrandomwhilemerging newiteratorwhilewriting randomwithverify mixgraph fillseekseq randomtransaction
        timeseries getmergeoperands replay
    """,
    BenchmarkKind.UTILITY: """
        compact compactall compact0 compact1 waitforcompaction flush stats resetstats levelstats memstats
        sstables stats_history heapprofile block_cache_entry_stats cache_report_problems verify verifychecksum
        verifyfilechecksums backup restore openandcompact
    """,
    BenchmarkKind.PROCESSOR: "crc32c xxhash xxhash64 xxh3 compress compressreject uncompress acquireload",
}
_UNTIMED = """fillseq fillbatch fillseqdeterministic filluniquerandom filluniquerandomdeterministic
    fillanddeleteuniquerandom deleteseq readseq readtocache readtorowcache readreverse fillseekseq randomwithverify
    getmergeoperands fillembeddedentity fillembeddedblob ingestexternalfile replay"""
_SELF_FILLING = "fillseekseq randomtransaction getmergeoperands replay ingestexternalfile"
_EMPTYING = "randomreplacekeys timeseries fillembeddedentity fillembeddedblob"
"""Those of other kinds that the dispatch gives a new database; with --use_existing_db it passes over them."""
_MODIFYING = "updaterandom xorupdaterandom appendrandom"

BENCHMARKS = described(_NAMES, _UNTIMED.split(), _SELF_FILLING.split(), _MODIFYING.split(), _EMPTYING.split())
"""Every benchmark of db_bench 7.8.3 and 11.8.1 by its name."""

_FLUSHES_SINCE = (7, 3)  # facebook/rocksdb pull request 9887


def can_flush(build: EngineBuild) -> bool:
    """Whether ``flush`` of a db_bench writes the memtable.

    It came with 6.19, together with ``waitforcompaction``, and up to 7.2 did nothing in a database with one column
    family.
    """
    return build.version_tuple >= _FLUSHES_SINCE
