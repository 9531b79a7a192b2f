"""How far `lsmtune memory` is from the resident memory of db_bench.

    python benchmarks/memory_model.py [--only NAME] [--folder /tmp] [--csv reproductions/memory/measured.csv]

Each configuration runs in a fresh process over data that was loaded by another one; what counts is its largest
resident memory, the indicator memory_peak_bytes. The configurations were chosen and committed before any of them was
run, and none of them is among the runs from which the constants of the model are (memory.md of docs lists these). They
are the second set: the first one (reproductions/memory/first.csv) showed that constants were wrong, and judges nothing.
"""

import argparse
import csv
import io
import math
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from lsmtune.backends import Process
from lsmtune.executors import run_process
from lsmtune.memory_model import Load, Memory, Options, rocksdb_memory
from lsmtune.model import Value
from lsmtune.units import format_bytes

MIB = 1 << 20
FLUSH_BYTES_S = 200e6
"""Of user data by a flush beside a writer that is held back, on the machine of the table: one of 15 MB/s filled 0.07
memtables meanwhile."""
WRITES = ("--benchmark_write_rate_limit=12000000", "--duration=15")
LARGE = 4
"""Configured memory is large where it is so many times the fixed part of the process."""


@dataclass(frozen=True)
class Case:
    """A configuration and what db_bench does with it.

    Attributes:
        name: in the table.
        benchmark: of db_bench; one that begins with "fill" starts empty, all others read what was loaded.
        keys: of the data, or that each writer of a fill writes.
        value_bytes: of each.
        options: by name, as flags of db_bench.
        threads: of the client, readers or writers; readwhilewriting has one writer beside them.
        operations: of each thread; None: as many as keys.
        flags: that are no options, or that only the tool has.
        lag: memtables that are filled while one is flushed; None: from the size of the pairs, see `usual_lag`.
        families: column families.
        malloc_arenas: MALLOC_ARENA_MAX; None: left as it is.
    """

    name: str
    benchmark: str
    keys: int
    value_bytes: int
    options: dict[str, Value] = field(default_factory=dict)
    threads: int = 1
    operations: int | None = None
    flags: tuple[str, ...] = ()
    lag: float | None = None
    families: int = 1
    malloc_arenas: int | None = None

    @property
    def fills(self) -> bool:
        """Whether it starts with an empty database."""
        return self.benchmark.startswith("fill")

    @property
    def writers(self) -> int:
        """Client threads that write."""
        if self.fills or self.benchmark == "readrandomwriterandom":
            return self.threads
        return int(self.benchmark == "readwhilewriting")


def usual_lag(value_bytes: int) -> float:
    """Return the lag of one writer at full speed: 0.2 memtables at pairs of 116 B, 0.8 at 1016 B."""
    return min(1.0, 0.2 * math.pow((16 + value_bytes) / 116, 0.64))


def reading(name: str, keys: int, value_bytes: int, cache_mib: int, **more: object) -> Case:
    """Return a case that reads at random through a cache."""
    options: dict[str, Value] = {"cache_size": cache_mib * MIB, **more.pop("options", {})}  # type: ignore[dict-item]
    return Case(name, str(more.pop("benchmark", "readrandom")), keys, value_bytes, options, **more)  # type: ignore[arg-type]


def filling(name: str, keys: int, value_bytes: int, memtable_mib: int, **more: object) -> Case:
    """Return a case that fills memtables; its cache is not used."""
    options: dict[str, Value] = {"write_buffer_size": memtable_mib * MIB, **more.pop("options", {})}  # type: ignore[dict-item]
    return Case(name, "fillrandom", keys, value_bytes, options, **more)  # type: ignore[arg-type]


CASES: tuple[Case, ...] = (
    reading("cache 24 MiB", 1_200_000, 80, 24, operations=500_000),
    reading("cache 80 MiB", 2_200_000, 130, 80, operations=800_000),
    reading("cache 144 MiB, 900 B values", 450_000, 900, 144, operations=600_000),
    reading("cache 200 MiB, 32 KiB blocks", 1_000_000, 500, 200, operations=400_000, options={"block_size": 32768}),
    reading("cache 112 MiB, 4 threads", 1_600_000, 180, 112, threads=4, operations=200_000),
    reading(
        "cache 176 MiB, 2 threads, 8 KiB blocks",
        260_000,
        1500,
        176,
        threads=2,
        operations=200_000,
        options={"block_size": 8192},
    ),
    reading("cache 150 MiB, 8 threads", 2_600_000, 90, 150, threads=8, operations=100_000),
    reading("cache 400 MiB, data fits", 700_000, 260, 400, operations=700_000),
    reading(
        "cache 12 MiB, 16-bit filters, 2 KiB blocks",
        3_000_000,
        40,
        12,
        operations=400_000,
        options={"bloom_bits": 16, "block_size": 2048},
    ),
    reading("clock cache 90 MiB", 1_700_000, 170, 90, operations=600_000, flags=("--cache_type=hyper_clock_cache",)),
    reading(
        "scans, cache 120 MiB",
        1_300_000,
        220,
        120,
        benchmark="seekrandom",
        operations=60_000,
        flags=("--seek_nexts=40",),
    ),
    reading("mapped files, cache 24 MiB", 350_000, 600, 24, operations=400_000, options={"mmap_read": True}),
    reading(
        "lz4, cache 72 MiB, 2 threads",
        800_000,
        320,
        72,
        threads=2,
        operations=300_000,
        options={"compression_type": "lz4"},
    ),
    reading(
        "cache 100 MiB, 4 threads, one arena of malloc",
        1_500_000,
        190,
        100,
        threads=4,
        operations=200_000,
        malloc_arenas=1,
    ),
    filling("memtable 12 MiB", 700_000, 100, 12),
    filling("memtable 40 MiB", 2_400_000, 140, 40),
    filling("memtable 64 MiB", 4_000_000, 120, 64),
    filling(
        "memtables 3 x 40 MiB, flushes of 10 MB/s",
        700_000,
        400,
        40,
        lag=1.0,
        options={"max_write_buffer_number": 3},
        flags=("--rate_limiter_bytes_per_sec=10000000",),
    ),
    filling(
        "memtables 6 x 24 MiB, flushes of 10 MB/s",
        360_000,
        800,
        24,
        lag=1.0,
        options={"max_write_buffer_number": 6},
        flags=("--rate_limiter_bytes_per_sec=10000000",),
    ),
    filling(
        "memtables 4 x 32 MiB, 2 merged",
        2_500_000,
        90,
        32,
        options={"max_write_buffer_number": 4, "min_write_buffer_number_to_merge": 2},
    ),
    filling("memtables limited to 72 MiB", 1_200_000, 300, 256, options={"db_write_buffer_size": 72 * MIB}),
    filling(
        "memtable 56 MiB, writes of 10 MB/s",
        150_000,
        1100,
        56,
        lag=10e6 / FLUSH_BYTES_S,
        flags=("--benchmark_write_rate_limit=10000000",),
    ),
    filling("4 families of 28 MiB", 1_600_000, 200, 28, families=4),
    filling(
        "96 MiB of flushed memtables kept", 1_000_000, 220, 12, options={"max_write_buffer_size_to_maintain": 96 * MIB}
    ),
    filling(
        "dictionary, files of 32 MiB",
        450_000,
        450,
        16,
        options={"compression_type": "zstd", "compression_max_dict_bytes": 16384, "target_file_size_base": 32 * MIB},
        flags=("--compression_zstd_max_train_bytes=200000",),
    ),
    reading(
        "2 readers, writes of 12 MB/s, cache 100 MiB",
        1_300_000,
        240,
        100,
        threads=2,
        benchmark="readwhilewriting",
        lag=12e6 / FLUSH_BYTES_S,
        options={"write_buffer_size": 24 * MIB},
        flags=WRITES,
    ),
    reading(
        "1 reader, memtables of 40 MiB charged, cache 120 MiB",
        1_500_000,
        210,
        120,
        benchmark="readwhilewriting",
        lag=12e6 / FLUSH_BYTES_S,
        options={"db_write_buffer_size": 40 * MIB, "cost_write_buffer_to_cache": True},
        flags=WRITES,
    ),
)


@dataclass(frozen=True)
class Seen:
    """A case with what was predicted and what was measured, in B."""

    case: Case
    memory: Memory
    measured_bytes: int

    @property
    def error(self) -> float:
        """How far the prediction is off, as a share of what was measured; above 0 where it is too high."""
        return self.memory.total_bytes / self.measured_bytes - 1

    @property
    def configured_bytes(self) -> int:
        """Cache, as far as data fills it, and memtables."""
        parts = (part for part in self.memory.parts if "memtable" in part.name or part.name == "block cache")
        return sum(part.total_bytes or 0 for part in parts)

    @property
    def fixed_bytes(self) -> int:
        """The part of the process that no option moves."""
        return self.memory.by_name["process"].bytes or 0


def predicted(case: Case, stored_bytes: int | None) -> Memory:
    """Return what the model says, before the run."""
    pair = 16 + case.value_bytes
    operations = (case.operations or case.keys) * case.threads
    written = case.keys * case.threads * pair if case.fills else None
    if case.benchmark == "readrandomwriterandom":  # nine of ten operations read
        written = operations // 10 * pair
    load = Load(
        data_bytes=None if case.fills else case.keys * pair,
        stored_bytes=stored_bytes,
        value_bytes=case.value_bytes,
        threads=case.threads + (case.benchmark == "readwhilewriting"),
        reads=not case.fills,
        writes=case.writers > 0,
        read_operations=operations if case.benchmark == "readrandom" else None,
        written_bytes=written,
        malloc_arenas=case.malloc_arenas,
        flush_lag=usual_lag(case.value_bytes) if case.lag is None else case.lag,
    )
    names = ["default", *(f"family {number}" for number in range(1, case.families))]
    return rocksdb_memory({name: Options(case.options) for name in names}, load)


def command(case: Case, folder: Path, benchmarks: str, *extra: str) -> tuple[str, ...]:
    """Return the call of db_bench."""
    flags = [f"--{name}={str(value).lower()}" for name, value in case.options.items()]
    return (
        "/usr/bin/env",
        *(() if case.malloc_arenas is None else (f"MALLOC_ARENA_MAX={case.malloc_arenas}",)),
        "db_bench",
        f"--db={folder / 'db'}",
        f"--benchmarks={benchmarks}",
        f"--num={case.keys}",
        f"--value_size={case.value_bytes}",
        f"--num_column_families={case.families}",
        *flags,
        *case.flags,
        *extra,
    )


def run(argv: tuple[str, ...], folder: Path) -> int:
    """Run db_bench and return its largest resident memory in B.

    Raises:
        RuntimeError: it failed.
    """
    with (folder / "held").open("w") as held:
        record = run_process(Process("measure", argv), folder, held.fileno(), lambda _: None)
    if record.returncode or record.memory_peak_bytes is None:
        raise RuntimeError(f"{' '.join(argv)} ended with {record.returncode}: {record.stderr[-400:]}")
    return record.memory_peak_bytes


def measured(case: Case, scratch: Path) -> Seen:
    """Load the data where the case reads, predict, and run."""
    folder = Path(tempfile.mkdtemp(prefix="lsmtune-memory-", dir=scratch))
    (folder / "db").mkdir()
    try:
        stored, extra = None, [f"--threads={case.threads}"]
        if not case.fills:
            run(command(case, folder, "fillseq,compact", "--disable_wal=1"), folder)
            stored = sum(path.stat().st_size for path in (folder / "db").glob("*.sst"))
            extra.append("--use_existing_db=1")
        if case.operations is not None:
            extra.append(f"--reads={case.operations}")
        memory = predicted(case, stored)
        return Seen(case, memory, run(command(case, folder, case.benchmark, *extra), folder))
    finally:
        shutil.rmtree(folder)


def table(seen: Sequence[Seen]) -> str:
    """Return the cases as CSV, a part of the prediction in each column."""
    names = list(dict.fromkeys(_column(part.name) for each in seen for part in each.memory.parts))
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["configuration", "measured_bytes", "predicted_bytes", "error", "configured_over_fixed", *names])
    for each in seen:
        parts = dict.fromkeys(names, 0)
        for part in each.memory.parts:
            parts[_column(part.name)] += part.total_bytes or 0
        ratio = each.configured_bytes / each.fixed_bytes
        facts = [each.case.name, each.measured_bytes, each.memory.total_bytes, f"{each.error:.4f}", f"{ratio:.2f}"]
        out.writerow([*facts, *parts.values()])
    return text.getvalue()


def _column(name: str) -> str:
    return f"{name.partition(' of ')[0].replace(' ', '_')}_bytes"


def summary(seen: Sequence[Seen]) -> Iterable[str]:
    """Yield what there is to say of all cases."""
    errors = sorted(abs(each.error) for each in seen)
    large = sum(each.configured_bytes >= LARGE * each.fixed_bytes for each in seen)
    worst = max(seen, key=lambda each: abs(each.error))
    yield f"{len(seen)} configurations, {large} of them with at least {LARGE} times the fixed part configured"
    yield f"median error {median(errors):.1%}, largest {errors[-1]:.1%} ({worst.case.name})"
    yield f"above 10 %: {sum(error > 0.10 for error in errors)}, above 25 %: {sum(error > 0.25 for error in errors)}"


def main() -> None:
    """Run all cases, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", help="cases whose name contains this")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="place for the data")
    parser.add_argument("--csv", type=Path, help="file for the table")
    asked = parser.parse_args()
    seen = []
    for case in CASES:
        if asked.only is None or asked.only in case.name:
            seen.append(measured(case, asked.folder))
            last = seen[-1]
            told = f"{format_bytes(last.memory.total_bytes)} predicted, {format_bytes(last.measured_bytes)} measured"
            print(f"{case.name}: {told}, {last.error:+.1%}", flush=True)
    print("\n".join(summary(seen)))
    if asked.csv is not None:
        asked.csv.parent.mkdir(parents=True, exist_ok=True)
        asked.csv.write_text(table(seen))


if __name__ == "__main__":
    main()
