"""Measures what the model of a tree needs to know of a host and a build, with db_bench itself."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from lsmtune.backends._device import bandwidth, parts, speed_beside, sync_us, time_of_write
from lsmtune.backends._program import ask
from lsmtune.backends.db_bench._benchmarks import can_flush
from lsmtune.backends.rocksdb import EventLog, read_events
from lsmtune.errors import EngineError, RunError
from lsmtune.lsm_model.tree import Costs, Step
from lsmtune.model import EngineBuild

_KEY = 16
_SMALL, _LARGE = 100, 1000
"""B of values that costs of an entry and of a byte are told apart by."""
_MIB = 1 << 20
_REPEATS = 3
_CODECS = ("snappy", "lz4", "zstd", "zlib", "lz4hc", "bzip2")
_NEVER = 1 << 30
_PER_ENTRY = 31
_TIME_LIMIT_S = 120
_QUIET = (
    "--histogram=0",
    "--statistics=0",
    "--disable_auto_compactions=1",
    f"--level0_slowdown_writes_trigger={_NEVER}",
    f"--level0_stop_writes_trigger={_NEVER}",
)


@dataclass
class Calibrator:
    """Runs db_bench of a build in a folder of its own.

    Attributes:
        build: the engine.
        scratch: where folders are made.
        hear: is told each step.
        memtables: sizes of memtables at which writes are timed, in B, ascending.
        filled: user bytes of each fill that is flushed and merged.
        cores: that the engine may use.
    """

    build: EngineBuild
    scratch: Path
    hear: Callable[[Step], None] = lambda _: None
    memtables: tuple[int, ...] = (1 * _MIB, 8 * _MIB, 64 * _MIB, 192 * _MIB)
    filled: int = 48 * _MIB
    cores: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    _done: int = field(default=0, init=False)

    def costs(self) -> Costs:
        """Measure everything, about a minute of work.

        Raises:
            RunError: db_bench failed, or printed what cannot be read.
            EngineError: it cannot be started, does not come to its end, or is too old to flush what it wrote.
        """
        if not can_flush(self.build):
            raise EngineError(
                f"costs cannot be measured with {self.build.path}, RocksDB {self.build.version}: its db_bench has no "
                "benchmark 'flush' that writes the memtable; calibrate with 7.3 or newer"
            )
        folder = Path(tempfile.mkdtemp(prefix="lsmtune-calibrate-", dir=self.scratch))
        try:
            return self._measured(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _measured(self, folder: Path) -> Costs:
        codecs = [codec for codec in _CODECS if codec in self.build.compressors]
        total = 6 + len(codecs)
        self._say(total, "writes, by size of the memtable")
        small = [self._write_us(folder, size, _SMALL) for size in self.memtables]
        self._say(total, "writes of large values")
        large = self._write_us(folder, self.memtables[1], _LARGE)
        write_ns = max(0.0, (large - small[1]) / (_LARGE - _SMALL) * 1e3)
        self._say(total, "writes without a log")
        unlogged = [self._write_us(folder, self.memtables[1], value, "--disable_wal=1") for value in (_SMALL, _LARGE)]
        wal = [max(0.0, logged - bare) for logged, bare in zip((small[1], large), unlogged, strict=True)]
        wal_ns = max(0.0, (wal[1] - wal[0]) / (_LARGE - _SMALL) * 1e3)
        self._say(total, "flushes and merges")
        light, heavy = (self._merged(folder, value, "none") for value in (_SMALL, _LARGE))
        flush_us, job_us, file_us = self._fixed(folder)
        self._say(total, "the device")
        written, synced = bandwidth(folder), sync_us(folder)
        self._say(total, "merges side by side")
        crowded = self._crowded(folder)
        codec_ns = {"none": 0.0}
        for codec in codecs:
            self._say(total, codec)
            codec_ns[codec] = max(0.0, self._merged(folder, _LARGE, codec).merge_ns - heavy.merge_ns)
        pair = (_KEY + _SMALL, _KEY + _LARGE)
        merged = parts((light.merge_ns, heavy.merge_ns), pair)
        flushed = parts((light.flush_ns, heavy.flush_ns), pair)
        return Costs(
            write_us=tuple(
                (float(size), max(0.0, time_us - write_ns * pair[0] * 1e-3))
                for size, time_us in zip(self.memtables, small, strict=True)
            ),
            write_ns=write_ns,
            wal_us=max(0.0, wal[0] - wal_ns * pair[0] * 1e-3),
            wal_ns=wal_ns,
            merge_entry_ns=merged[0],
            merge_ns=merged[1],
            flush_entry_ns=flushed[0],
            flush_ns=flushed[1],
            flush_us=flush_us,
            job_us=job_us,
            file_us=file_us,
            codec_ns=codec_ns,
            bandwidth=written,
            sync_us=synced,
            crowded=crowded,
            assumed=("delay", *(codec for codec in _CODECS if codec not in codecs)),
            origin=f"measured here with db_bench {self.build.version}",
        )

    def _say(self, total: int, measures: str) -> None:
        self._done += 1
        self.hear(Step(self._done, total, measures))

    def _write_us(self, folder: Path, memtable: int, value: int, *flags: str) -> float:
        """Return the median time of a write while a memtable is filled once, in us."""
        count = max(2000, memtable // (_KEY + value + _PER_ENTRY))
        fills = ",".join(["fillrandom"] * (2 if memtable > 16 * _MIB else 3 * _REPEATS))
        out = self._run(folder, fills, count, value, f"--write_buffer_size={2 * memtable}", *flags)
        return time_of_write(out)

    def _merged(self, folder: Path, value: int, codec: str) -> "_Merge":
        """Fill, flush and merge; return what a byte costs."""
        flushes = self._filled(folder, value, codec)
        merge_ns = self._merge_ns(folder, value, codec)
        flushed = sum(each.entries for each in flushes) * (_KEY + value)
        return _Merge(sum(each.took_us for each in flushes) * 1e3 / flushed, merge_ns)

    def _filled(self, folder: Path, value: int, codec: str) -> "list[Job]":
        """Fill the database of a folder, without any merge; return its flushes."""
        self._run(folder, "fillrandom,flush", self.filled // (_KEY + value), value, *_merging(codec))
        return flushed_jobs(folder)

    def _merge_ns(self, folder: Path, value: int, codec: str) -> float:
        """Merge what `_filled` left; return what a byte of a pair costs."""
        count = self.filled // (_KEY + value)
        self._run(folder, "compact", count, value, *_merging(codec), "--use_existing_db=1")
        merge = largest_merge(folder)
        if merge.entries <= count // 2:
            raise RunError(
                f"db_bench did not flush and merge what it had written: {merge.entries:,} of {count:,} records"
            )
        return merge.took_us * 1e3 / (merge.entries * (_KEY + value))

    def _crowded(self, folder: Path) -> float:
        def together(those: Sequence[Path]) -> float:
            for place in those:
                self._filled(place, _LARGE, "none")
            with ThreadPoolExecutor(len(those)) as pool:
                return median(pool.map(lambda place: self._merge_ns(place, _LARGE, "none"), those))

        return speed_beside(folder, self.cores, together)

    def _fixed(self, folder: Path) -> tuple[float, float, float]:
        """Return the time of a tiny flush, of a tiny merge, and of each further file of one, in us."""
        count = self.filled // 3 // (_KEY + _LARGE)
        tiny = (f"--write_buffer_size={64 << 10}", "--compression_type=none", "--max_write_buffer_number=4")
        self._run(folder, "fillrandom,flush", 600, _LARGE, *tiny)
        flush_us = median(each.took_us for each in flushed_jobs(folder))
        self._run(folder, "compact", 600, _LARGE, *tiny, "--use_existing_db=1")
        job_us = largest_merge(folder).took_us
        merges = []
        for size in (64 * _MIB, 64 << 10):
            flags = (f"--write_buffer_size={4 * _MIB}", "--compression_type=none", f"--target_file_size_base={size}")
            self._run(folder, "fillrandom,flush", count, _LARGE, *flags)
            self._run(folder, "compact", count, _LARGE, *flags, "--use_existing_db=1")
            merges.append(largest_merge(folder))
        few, many = merges
        file_us = max(0.0, (many.took_us - few.took_us) / max(1, many.files - few.files))
        return flush_us, job_us, file_us

    def _run(self, folder: Path, benchmarks: str, count: int, value: int, *flags: str) -> str:
        """Run benchmarks on the database of a folder; return what was printed."""
        database = folder / "db"
        if not any(flag.startswith("--use_existing_db") for flag in flags):
            shutil.rmtree(database, ignore_errors=True)
        sizes = (f"--num={count}", f"--key_size={_KEY}", f"--value_size={value}", f"--db={database}")
        arguments = [f"--benchmarks={benchmarks}", *sizes, *_QUIET, *flags]
        answer = ask(self.build.path, arguments, _TIME_LIMIT_S)
        if answer.code != 0:
            raise RunError(f"db_bench ended with {answer.code} while it was measured: {answer.complaint}")
        return answer.stdout + answer.stderr


@dataclass(frozen=True)
class Job:
    """A flush or a merge: records that it read, us that it took, table files that it wrote."""

    entries: int
    took_us: float
    files: int = 1


def flushed_jobs(folder: Path) -> list[Job]:
    """Return the flushes of the database of a folder.

    Raises:
        RunError: its LOG tells of none.
    """
    found = [
        Job(each.entries, (each.finished_s - each.started_s) * 1e6)
        for each in _log(folder).flushes
        if each.entries and each.finished_s is not None
    ]
    if not found:
        raise RunError("the LOG of db_bench tells of no flush; give a db_bench that writes a LOG")
    return found


def largest_merge(folder: Path) -> Job:
    """Return the merge of most records of the database of a folder, since it was last opened.

    Raises:
        RunError: its LOG tells of none.
    """
    found = [
        Job(each.input_records, each.merge_time_s * 1e6, each.output_files or 1)
        for each in _log(folder).compactions
        if each.input_records and each.merge_time_s is not None
    ]
    if not found:
        raise RunError("the LOG of db_bench tells of no merge; give a db_bench that writes a LOG")
    return max(found, key=lambda each: each.entries)


def _log(folder: Path) -> EventLog:
    with (folder / "db" / "LOG").open(errors="replace") as lines:
        return read_events(lines)


def _merging(codec: str) -> tuple[str, ...]:
    return (
        f"--write_buffer_size={8 * _MIB}",
        f"--compression_type={codec}",
        "--max_write_buffer_number=16",
        "--target_file_size_base=1073741824",
    )


@dataclass(frozen=True)
class _Merge:
    """What a byte of a pair costs in a flush and in a merge, in ns."""

    flush_ns: float
    merge_ns: float
