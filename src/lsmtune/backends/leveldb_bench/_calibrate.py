"""Measures what the model of LevelDB's tree needs to know of a host and a build, with LevelDB's own db_bench.

It cannot keep LevelDB from merging, and its LOG does not tell what a merge reads. So two tables of known size are made:
what one process has written and not flushed, the next one finds in the log and makes a table of (`DBImpl::Recover`); it
overwrites the same keys, and `compact` flushes these and merges both tables, before there are enough of them for
LevelDB to begin by itself.
"""

import math
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
from lsmtune.backends.leveldb import read_log
from lsmtune.errors import RunError
from lsmtune.lsm_model.tree import Costs, Rules, Step
from lsmtune.model import EngineBuild

_MIB = 1 << 20
_KEY, _SMALL, _LARGE = 16, 100, 1000
"""B of a key, and of values that costs of an entry and of a byte are told apart by."""
_PER_ENTRY = 30
"""B of an entry of the memtable beside its pair."""
_NEVER_FULL, _ONE_FILE, _LEAST_FILE = 1 << 30, 1 << 30, 1 << 20
"""B of memtables and of files: the most, and the least, that LevelDB takes."""
_TINY = 60
"""Entries of a flush and a merge that take the time of their fixed parts."""
_REPEATS = 3
_STEPS = 5
_TIME_LIMIT_S = 120


@dataclass(frozen=True)
class Merge:
    """What a flush and a merge of one size of pairs came to.

    Attributes:
        flush_us, merge_us: what they took.
        flushed, merged: entries that they read.
        written: B that the merge wrote.
    """

    flush_us: float
    merge_us: float
    flushed: float
    merged: float
    written: int

    def flush_ns(self, pair_bytes: int) -> float:
        """Return what each byte of a pair that was flushed cost, in ns."""
        return self.flush_us * 1e3 / (self.flushed * pair_bytes)

    def merge_ns(self, pair_bytes: int) -> float:
        """Return what each byte of a pair that the merge read cost, in ns."""
        return self.merge_us * 1e3 / (self.merged * pair_bytes)


@dataclass
class LevelDbCalibrator:
    """Runs LevelDB's db_bench of a build in a folder of its own.

    Attributes:
        build: the engine.
        scratch: where folders are made.
        hear: is told each step.
        memtables: sizes of memtables at which writes are timed, in B, ascending.
        filled: user bytes of each of the two tables that are merged.
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
            EngineError: it cannot be started, or does not come to its end.
        """
        folder = Path(tempfile.mkdtemp(prefix="lsmtune-calibrate-", dir=self.scratch))
        try:
            return self._measured(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _measured(self, folder: Path) -> Costs:
        self._say("writes, by size of the memtable")
        small = [self._write_us(folder, size, _SMALL) for size in self.memtables]
        self._say("writes of large values")
        large = self._write_us(folder, self.memtables[1], _LARGE)
        write_ns = max(0.0, (large - small[1]) / (_LARGE - _SMALL) * 1e3)
        self._say("flushes and merges")
        light, heavy = (self._merge(folder, value, self.filled // (_KEY + value)) for value in (_SMALL, _LARGE))
        tiny = self._merge(folder, _LARGE, _TINY)
        many = self._merge(folder, _LARGE, self.filled // (_KEY + _LARGE), _LEAST_FILE)
        files = math.ceil(many.written / _LEAST_FILE) - 1
        self._say("the device")
        written, synced = bandwidth(folder), sync_us(folder)
        self._say("merges side by side")
        crowded = self._crowded(folder)
        pairs = (_KEY + _SMALL, _KEY + _LARGE)
        merged = parts((light.merge_ns(pairs[0]), heavy.merge_ns(pairs[1])), pairs)
        flushed = parts((light.flush_ns(pairs[0]), heavy.flush_ns(pairs[1])), pairs)
        return Costs(
            write_us=tuple(
                (float(size), max(0.0, time_us - write_ns * pairs[0] * 1e-3))
                for size, time_us in zip(self.memtables, small, strict=True)
            ),
            write_ns=write_ns,
            merge_entry_ns=merged[0],
            merge_ns=merged[1],
            flush_entry_ns=flushed[0],
            flush_ns=flushed[1],
            flush_us=tiny.flush_us,
            job_us=tiny.merge_us,
            file_us=max(0.0, (many.merge_us - heavy.merge_us) / max(1, files)),
            codec_ns={"none": 0.0, "snappy": 0.0},  # no flag of 1.22 turns it off: merges and flushes were with it
            bandwidth=written,
            sync_us=synced,
            crowded=crowded,
            assumed=(),
            origin=f"measured here with db_bench {self.build.version} of LevelDB",
            rules=Rules.LEVELDB,
        )

    def _say(self, measures: str) -> None:
        self._done += 1
        self.hear(Step(self._done, _STEPS, measures))

    def _write_us(self, folder: Path, memtable: int, value: int) -> float:
        """Return the median time of a write while a memtable is filled once, in us."""
        count = max(2000, memtable // (_KEY + value + _PER_ENTRY))
        fills = ",".join(["fillrandom"] * (2 if memtable > 16 * _MIB else 3 * _REPEATS))
        out = self._run(folder / "db", fills, count, value, f"--write_buffer_size={min(2 * memtable, _NEVER_FULL)}")
        return time_of_write(out)

    def _merge(self, folder: Path, value: int, count: int, file: int = _ONE_FILE) -> Merge:
        """Make two tables of the same keys and merge them into files of a size."""
        database, flags = folder / "db", (f"--write_buffer_size={_NEVER_FULL}", f"--max_file_size={file}")
        shutil.rmtree(database, ignore_errors=True)
        self._run(database, "fillseq", count, value, *flags)
        self._run(database, "overwrite,compact", count, value, *flags, "--use_existing_db=1")
        return merge_of(database, count)

    def _crowded(self, folder: Path) -> float:
        def together(those: Sequence[Path]) -> float:
            count = self.filled // (_KEY + _LARGE)
            with ThreadPoolExecutor(len(those)) as pool:
                return median(pool.map(lambda place: self._merge(place, _LARGE, count).merge_us, those))

        return speed_beside(folder, self.cores, together)

    def _run(self, database: Path, benchmarks: str, count: int, value: int, *flags: str) -> str:
        """Run benchmarks on a database; return what was printed."""
        sizes = (f"--num={count}", f"--value_size={value}", f"--db={database}")
        answer = ask(self.build.path, [f"--benchmarks={benchmarks}", *sizes, *flags], _TIME_LIMIT_S)
        if answer.code != 0:
            raise RunError(f"db_bench ended with {answer.code} while it was measured: {answer.complaint}")
        return answer.stdout + answer.stderr


def merge_of(database: Path, count: int) -> Merge:
    """Return what the LOG of a database tells of the flush and the merge of two tables, the first of `count` entries.

    Raises:
        RunError: it tells of something else.
    """
    with (database / "LOG").open(errors="replace") as lines:
        log = read_log(lines)
    recovered = sum(log.recovered)
    own = [each for each in log.flushes if not each.recovered and each.started_s is not None]
    merges = [each for each in log.compactions if each.elapsed_s is not None]
    if not recovered or len(own) != 1 or len(merges) != 1:
        raise RunError(
            f"the LOG of db_bench tells of {len(log.recovered)} tables of an earlier process, {len(own)} flushes and "
            f"{len(merges)} merges where one of each was asked for; give the db_bench of LevelDB 1.22"
        )
    flushed = count * own[0].bytes / recovered
    return Merge(
        flush_us=(own[0].finished_s - (own[0].started_s or 0.0)) * 1e6,
        merge_us=(merges[0].elapsed_s or 0.0) * 1e6,
        flushed=flushed,
        merged=count + flushed,
        written=merges[0].output_bytes,
    )
