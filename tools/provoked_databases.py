"""The databases of `provoke_pains.py`: some with one pain each, others healthy; flags are those of db_bench."""

from dataclasses import dataclass

COMMON = (
    "--seed=1",
    "--stats_dump_period_sec=1",
    "--value_size=400",
    "--compression_type=none",
    "--bloom_bits=10",
    "--max_write_buffer_number=6",
)
"""What every database is made with; what a database says itself stands behind it and wins."""
_KIB, _MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Database:
    """A database, what it is for, and how it is made.

    Attributes:
        name: of it and of its folder.
        pain: code of the finding that it is made for; empty where it is healthy.
        words: what was done, for the table.
        runs: what db_bench is told beside what it is told for all; each run opens the database once more.
        also: codes that its making brings along, so that finding them is not false.
    """

    name: str
    pain: str
    words: str
    runs: tuple[tuple[str, ...], ...]
    also: frozenset[str] = frozenset()

    @property
    def there(self) -> tuple[str, ...]:
        """What is there."""
        return (*([self.pain] if self.pain else []), *sorted(self.also))


def _run(benchmarks: str, number: int, **flags: int | float | str) -> tuple[str, ...]:
    return (f"--benchmarks={benchmarks}", f"--num={number}", *(f"--{name}={value}" for name, value in flags.items()))


_PAINS = (
    Database(
        "l0-stop-early",
        "stalls-l0",
        "random fill as fast as it goes, writes slow down at 4 files of level 0",
        (
            _run(
                "fillrandom",
                300_000,
                write_buffer_size=4 * _MIB,
                level0_slowdown_writes_trigger=4,
                level0_stop_writes_trigger=6,
            ),
        ),
    ),
    Database(
        "slow-flush",
        "stalls-memtables",
        "sequential fill into two memtables, flushes limited to 16 MiB/s; level 0 is moved down for nothing",
        (
            _run(
                "fillseq",
                250_000,
                write_buffer_size=8 * _MIB,
                max_write_buffer_number=2,
                rate_limiter_bytes_per_sec=16 * _MIB,
            ),
        ),
    ),
    Database(
        "low-soft-limit",
        "stalls-pending-bytes",
        "random fill at 12 MB/s, background work limited to 30 MiB/s, soft limit of pending bytes 24 MiB",
        (
            _run(
                "fillrandom",
                200_000,
                write_buffer_size=4 * _MIB,
                target_file_size_base=4 * _MIB,
                max_bytes_for_level_base=8 * _MIB,
                benchmark_write_rate_limit=12_000_000,
                rate_limiter_bytes_per_sec=30 * _MIB,
                level0_slowdown_writes_trigger=100,
                level0_stop_writes_trigger=150,
                soft_pending_compaction_bytes_limit=24 * _MIB,
                hard_pending_compaction_bytes_limit=512 * _MIB,
            ),
        ),
        frozenset({"compaction-behind"}),
    ),
    Database(
        "starved-compaction",
        "compaction-behind",
        "random fill at 8 MB/s, compactions alone compress, with Zstandard's level 19, nothing slows writes down",
        (
            _run(
                "fillrandom",
                200_000,
                write_buffer_size=4 * _MIB,
                compression_type="zstd",
                compression_level=19,
                min_level_to_compress=1,
                benchmark_write_rate_limit=8_000_000,
                level0_slowdown_writes_trigger=200,
                level0_stop_writes_trigger=300,
            ),
        ),
    ),
    Database(
        "queue",
        "tombstones",
        "sequential fill, as many deletions at random, scans of 10 records",
        (
            _run(
                "fillseq,deleterandom,flush,seekrandom",
                200_000,
                value_size=100,
                write_buffer_size=2 * _MIB,
                seek_nexts=10,
                reads=150_000,
                statistics=1,
                cache_size=64 * _MIB,
            ),
        ),
    ),
    Database(
        "tiny-files",
        "many-small-files",
        "random fill with table files of 512 KiB",
        (
            _run(
                "fillrandom,waitforcompaction,readrandom",
                160_000,
                write_buffer_size=4 * _MIB,
                target_file_size_base=512 * _KIB,
                max_bytes_for_level_base=64 * _MIB,
                benchmark_write_rate_limit=12_000_000,
            ),
        ),
    ),
    Database(
        "random-values",
        "compression-saves-nothing",
        "random fill with values that do not compress, LZ4",
        (
            _run(
                "fillrandom",
                200_000,
                compression_type="lz4",
                compression_ratio=1.0,
                write_buffer_size=16 * _MIB,
                benchmark_write_rate_limit=20_000_000,
            ),
        ),
    ),
    Database(
        "cold-reads",
        "cache-too-small",
        "uniform reads of 80 MB through a block cache of 1 MiB",
        (
            _run(
                "fillrandom,waitforcompaction,readrandom",
                200_000,
                write_buffer_size=16 * _MIB,
                cache_size=_MIB,
                reads=400_000,
                statistics=1,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
    ),
    Database(
        "indexes-in-small-cache",
        "filters-thrashing",
        "the same with indexes and filters in a cache of 512 KiB",
        (
            _run(
                "fillrandom,waitforcompaction,readrandom",
                200_000,
                write_buffer_size=16 * _MIB,
                target_file_size_base=4 * _MIB,
                cache_size=512 * _KIB,
                cache_index_and_filter_blocks=1,
                reads=200_000,
                statistics=1,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
        frozenset({"cache-too-small"}),
    ),
    Database(
        "absent-keys",
        "no-filter",
        "reads of keys that are not there, without a filter, everything cached",
        (
            _run(
                "fillrandom,waitforcompaction,readmissing",
                200_000,
                write_buffer_size=16 * _MIB,
                cache_size=256 * _MIB,
                bloom_bits=-1,
                reads=400_000,
                statistics=1,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
    ),
    Database(
        "waiting-memtables",
        "slow-reopen",
        "memtables that are flushed by tens only; closed and opened again",
        (
            _run(
                "fillrandom",
                60_000,
                write_buffer_size=4 * _MIB,
                max_write_buffer_number=12,
                min_write_buffer_number_to_merge=10,
            ),
            _run("readrandom", 60_000, use_existing_db=1, reads=500_000, write_buffer_size=4 * _MIB),
        ),
    ),
    Database(
        "old-versions",
        "space-peak",
        "64 MB overwritten at random four times, a first level of 48 MiB, levels sized from the first one",
        (
            _run(
                "fillrandom,overwrite,overwrite,overwrite,overwrite,waitforcompaction,readrandom",
                160_000,
                write_buffer_size=8 * _MIB,
                target_file_size_base=8 * _MIB,
                max_bytes_for_level_base=48 * _MIB,
                benchmark_write_rate_limit=30_000_000,
                reads=300_000,
            ),
        ),
    ),
    Database(
        "busy-level-0",
        "intra-l0-loop",
        "random fill at 4 MB/s into memtables of 512 KiB, background work limited to 8 MiB/s, four jobs",
        (
            _run(
                "fillrandom,waitforcompaction,readrandom",
                80_000,
                write_buffer_size=512 * _KIB,
                max_background_jobs=4,
                benchmark_write_rate_limit=4_000_000,
                rate_limiter_bytes_per_sec=8 * _MIB,
                level0_slowdown_writes_trigger=200,
                level0_stop_writes_trigger=300,
                reads=300_000,
            ),
        ),
    ),
    Database(
        "large-filters",
        "memory-above-configured",
        "8 million records of 24 B, blocks of 256 B and filters of 60 bits beside the block cache",
        (
            _run(
                "fillseq,waitforcompaction,readrandom",
                8_000_000,
                value_size=8,
                block_size=256,
                bloom_bits=60,
                write_buffer_size=32 * _MIB,
                max_write_buffer_number=2,
                reads=300_000,
            ),
        ),
    ),
)

_HEALTHY = (
    Database(
        "sequential-fill",
        "",
        "sequential fill at 30 MB/s",
        (_run("fillseq", 300_000, write_buffer_size=16 * _MIB, benchmark_write_rate_limit=30_000_000),),
    ),
    Database(
        "random-fill",
        "",
        "random fill at 15 MB/s, values that halve, Snappy",
        (
            _run(
                "fillrandom",
                200_000,
                compression_type="snappy",
                write_buffer_size=16 * _MIB,
                benchmark_write_rate_limit=15_000_000,
            ),
        ),
    ),
    Database(
        "overwrites",
        "",
        "80 MB filled and overwritten once at 20 MB/s, levels sized from the last one",
        (
            _run(
                "fillrandom,overwrite",
                200_000,
                write_buffer_size=16 * _MIB,
                benchmark_write_rate_limit=20_000_000,
                level_compaction_dynamic_level_bytes=1,
            ),
        ),
    ),
    Database(
        "cached-reads",
        "",
        "uniform reads of 80 MB, a cache of 256 MiB, filters of 10 bits",
        (
            _run(
                "fillrandom,waitforcompaction,readrandom",
                200_000,
                write_buffer_size=16 * _MIB,
                cache_size=256 * _MIB,
                reads=800_000,
                statistics=1,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
    ),
    Database(
        "reads-beside-writes",
        "",
        "skewed reads beside writes at 3 MB/s, a cache of 32 MiB that holds what is asked for",
        (
            _run(
                "fillrandom,waitforcompaction,readwhilewriting",
                200_000,
                write_buffer_size=16 * _MIB,
                cache_size=32 * _MIB,
                read_random_exp_range=20,
                duration=6,
                statistics=1,
                benchmark_write_rate_limit=3_000_000,
            ),
        ),
    ),
    Database(
        "few-deletions",
        "",
        "sequential fill, 5 % as many deletions, scans of 10 records",
        (
            _run(
                "fillseq,deleterandom,flush,seekrandom",
                200_000,
                write_buffer_size=16 * _MIB,
                deletes=10_000,
                seek_nexts=10,
                reads=150_000,
                statistics=1,
                cache_size=256 * _MIB,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
    ),
    Database(
        "universal",
        "",
        "random fill at 15 MB/s, universal compaction",
        (
            _run(
                "fillrandom",
                200_000,
                compaction_style=1,
                write_buffer_size=8 * _MIB,
                benchmark_write_rate_limit=15_000_000,
            ),
        ),
    ),
    Database(
        "blobs",
        "",
        "random fill of values of 4 KB that halve into blob files, Snappy for tables, LZ4 for blobs",
        (
            _run(
                "fillrandom",
                30_000,
                value_size=4_000,
                enable_blob_files=1,
                min_blob_size=1_000,
                compression_type="snappy",
                blob_compression_type="lz4",
                write_buffer_size=16 * _MIB,
                benchmark_write_rate_limit=30_000_000,
            ),
        ),
    ),
    Database(
        "families-reopened",
        "",
        "random fill of four column families at 10 MB/s, opened again",
        (
            _run(
                "fillrandom",
                150_000,
                num_column_families=4,
                write_buffer_size=4 * _MIB,
                benchmark_write_rate_limit=10_000_000,
            ),
            _run("readrandom", 150_000, num_column_families=4, use_existing_db=1, reads=500_000),
        ),
    ),
    Database(
        "short-burst",
        "",
        "a burst of 12 MB into three small memtables that writes wait for, then reads for long",
        (
            _run(
                "fillrandom,readrandom",
                30_000,
                write_buffer_size=2 * _MIB,
                max_write_buffer_number=3,
                rate_limiter_bytes_per_sec=100 * _MIB,
                reads=6_000_000,
            ),
        ),
    ),
)
DATABASES = _PAINS + _HEALTHY
