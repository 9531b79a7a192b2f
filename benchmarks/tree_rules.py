"""How far the model of a tree is off for rules that no recorded runs have: LevelDB, FIFO, collection of blob files.

Usage: python benchmarks/tree_rules.py [leveldb | fifo | blobs]...

Runs the engines itself, with data of 20 to 240 MB: the db_bench of RocksDB that lsmtune finds, LevelDB's as
`lsmtune build leveldb` builds it. Prints for each configuration the logarithm of measured over modelled: write
amplification, space once nothing is due, and of FIFO compaction the share of the keys that are still found; then what
was measured. Nothing is fitted. No time of RocksDB is compared, so that other work on the machine matters only as far
as its compactions fall behind. Of LevelDB, columns with a star are modelled with what `lsmtune calibrate --engine
leveldb` measured just before; the rate of its writes, which has one too, needs a machine that does nothing else.
"""

import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import lsmtune
from lsmtune.backends.leveldb import find_leveldb_bench, read_log
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.lsm_model.tree import Fifo, Order, Outcome, Rules, Writes, run_phases
from lsmtune.model import Value

MIB = 1 << 20
MOST_SESSIONS = 40
FLAG_VALUES: Mapping[Value, int] = {"fifo": 2}
USUAL = frozenset({"compaction_style", "enable_blob_files", "target_file_size_base", "max_bytes_for_level_base"})
RATE = 50_000
"""Writes/s at which compactions that collect blob files keep up, so that how many there are is no matter of time."""
WAIT = ",".join(["crc32c"] * 6)
"""Benchmarks that leave the database alone while its compactions run."""


@dataclass(frozen=True)
class Case:
    """Options, and what is written: `num` keys are drawn, each once before where `is_loaded`."""

    options: Mapping[str, Value]
    num: int
    value: int
    is_loaded: bool = False
    operations: int | None = None
    rate: int | None = None
    fifo: Fifo | None = None
    rules: Rules = Rules.ROCKSDB

    def phases(self) -> tuple[Writes, ...]:
        """Return what is written, at last what is measured."""
        load = Writes(self.num, self.num, 16, self.value, Order.SEQUENTIAL, rules=self.rules)
        drawn = Writes(
            self.num,
            self.operations or self.num,
            16,
            self.value,
            rules=self.rules,
            rate=self.rate,
            fifo=self.fifo or Fifo(),
        )
        return (load, drawn) if self.is_loaded else (drawn,)

    def __str__(self) -> str:
        kept = (
            []
            if self.fifo is None
            else [f"{name}={value}" for name, value in asdict(self.fifo).items() if value != getattr(Fifo(), name)]
        )
        rate = [f"at {self.rate}/s"] if self.rate else []
        words = [*kept, *rate, *(f"{name}={value}" for name, value in self.options.items() if name not in USUAL)]
        how = f"{self.operations or self.num} of {self.num} x {self.value} B" + (", loaded" if self.is_loaded else "")
        return f"{how}; {' '.join(words) or 'defaults'}"


@dataclass
class Measured:
    """Bytes that tables and blob files took when they were written and take now, the share of keys found, writes/s."""

    written: float = 0.0
    space: float = 0.0
    found: float | None = None
    rate: float | None = None


def level(**options: Value) -> dict[str, Value]:
    base = {"write_buffer_size": MIB, "target_file_size_base": MIB, "max_bytes_for_level_base": 4 * MIB}
    return {**base, "compression_type": "none", **options}


def fifo(**options: Value) -> dict[str, Value]:
    return {"compaction_style": "fifo", "compression_type": "none", "write_buffer_size": 2 * MIB, **options}


def blobs(cutoff: float, forced: float = 1.0, **options: Value) -> dict[str, Value]:
    collection = {
        "enable_blob_garbage_collection": True,
        "blob_garbage_collection_age_cutoff": cutoff,
        "blob_garbage_collection_force_threshold": forced,
    }
    sizes = {
        "enable_blob_files": True,
        "blob_file_size": 8 * MIB,
        "max_bytes_for_level_base": MIB,
        "target_file_size_base": MIB // 4,
    }
    return level(**{**sizes, **collection, **options})


def leveldb_case(options: Mapping[str, Value], num: int, value: int, is_loaded: bool = False) -> Case:
    return Case(options, num, value, is_loaded, rules=Rules.LEVELDB)


CASES: dict[str, list[Case]] = {
    "leveldb": [
        leveldb_case({}, 600_000, 100),
        leveldb_case({}, 200_000, 400),
        leveldb_case({}, 600_000, 400),
        leveldb_case({}, 100_000, 1000),
        leveldb_case({"write_buffer_size": MIB}, 200_000, 400),
        leveldb_case({"write_buffer_size": 16 * MIB}, 300_000, 400),
        leveldb_case({"max_file_size": 8 * MIB}, 300_000, 400),
        leveldb_case({"write_buffer_size": 2 * MIB, "max_file_size": MIB}, 300_000, 400),
        leveldb_case({}, 250_000, 400, is_loaded=True),
        leveldb_case({"write_buffer_size": 8 * MIB, "max_file_size": 4 * MIB}, 200_000, 1000, is_loaded=True),
    ],
    "fifo": [
        Case(fifo(), 200_000, 400, fifo=Fifo(16 * MIB)),
        Case(fifo(), 200_000, 400, fifo=Fifo(32 * MIB)),
        Case(fifo(), 200_000, 400, fifo=Fifo(64 * MIB)),
        Case(fifo(write_buffer_size=8 * MIB), 200_000, 400, fifo=Fifo(32 * MIB)),
        Case(fifo(), 40_000, 400, operations=200_000, fifo=Fifo(32 * MIB)),
        Case(fifo(compression_type="snappy"), 300_000, 400, fifo=Fifo(32 * MIB)),
        Case(fifo(compression_type="snappy"), 300_000, 400, fifo=Fifo(32 * MIB, merges=True)),
        Case(fifo(compression_type="snappy"), 100_000, 1000, operations=200_000, fifo=Fifo(64 * MIB, merges=True)),
        Case(fifo(open_files=-1), 200_000, 400, rate=20_000, fifo=Fifo(512 * MIB, ttl_s=4)),
    ],
    "blobs": [
        Case(blobs(0.25, enable_blob_garbage_collection=False), 200_000, 300, operations=600_000, rate=RATE),
        Case(blobs(0.1), 200_000, 300, operations=600_000, rate=RATE),
        Case(blobs(0.25), 200_000, 300, operations=600_000, rate=RATE),
        Case(blobs(0.5), 100_000, 300, operations=200_000, rate=RATE // 5),
        Case(blobs(1.0), 100_000, 300, operations=200_000, rate=RATE // 5),
        Case(blobs(0.25, 0.5), 100_000, 300, operations=200_000, rate=RATE // 5),
        Case(blobs(0.5, 0.3), 100_000, 300, operations=200_000, rate=RATE // 5),
        Case(blobs(0.25, write_buffer_size=4 * MIB), 200_000, 300, operations=600_000, rate=RATE),
        Case(blobs(0.25), 100_000, 800, is_loaded=True, operations=300_000, rate=RATE // 2),
    ],
}


def rocksdb(case: Case, folder: Path) -> Measured:
    """Run RocksDB's db_bench until nothing is due; return what its last phase wrote."""
    flags = [f"--{name}={FLAG_VALUES.get(value, value)}" for name, value in case.options.items()]
    if case.fifo is not None:
        flags.append(f"--fifo_compaction_max_table_files_size_mb={int(case.fifo.most_bytes) // MIB}")
        flags.append(f"--fifo_compaction_allow_compaction={case.fifo.merges}")
        flags.append(f"--ttl_seconds={int(case.fifo.ttl_s)}")
    if case.rate:
        flags.append(f"--benchmark_write_rate_limit={case.rate * (16 + case.value)}")
    sizes = ["--key_size=16", f"--value_size={case.value}", f"--num={case.num}", f"--db={folder}", "--reads=20000"]
    # Reads take time, in which files grow too old.
    ends = ("flush" if case.rate else "flush,readrandom") if case.fifo else "flush,waitforcompaction"
    if case.is_loaded:
        run([find_db_bench(), f"--benchmarks=fillseq,{ends}", *sizes, *flags])
    flags += [f"--writes={case.operations or case.num}", f"--use_existing_db={int(case.is_loaded)}"]
    out = run([find_db_bench(), f"--benchmarks=overwrite,{ends}", *sizes, *flags])
    lines = (folder / "LOG").read_text().splitlines()
    events = [json.loads(line.partition("EVENT_LOG_v1 ")[2]) for line in lines if "EVENT_LOG_v1" in line]
    tables = sum(each["file_size"] for each in events if each["event"] == "table_file_creation")
    values = sum(each["total_blob_bytes"] for each in events if each["event"] == "blob_file_creation")
    space = sum(path.stat().st_size for kind in ("sst", "blob") for path in folder.glob(f"*.{kind}"))
    found = re.search(r"\((\d+) of (\d+) found\)", out)
    return Measured(tables + values, space, int(found[1]) / int(found[2]) if found else None)


def leveldb(case: Case, folder: Path) -> Measured:
    """Run LevelDB's db_bench, again and again until it has nothing to do; return what its last phase wrote."""
    program = find_leveldb_bench(None, "")
    sizes = [f"--num={case.num}", f"--value_size={case.value}", f"--db={folder}"]
    flags = [f"--{name}={value}" for name, value in case.options.items()]
    found = Measured()
    if case.is_loaded:
        run([program, f"--benchmarks=fillseq,{WAIT}", *sizes, *flags])
        idle(program, [*sizes, *flags], folder)
    out = run([program, f"--benchmarks=overwrite,{WAIT}", f"--use_existing_db={int(case.is_loaded)}", *sizes, *flags])
    found.rate = 1e6 / float(re.findall(r"overwrite\s*:\s*([\d.]+) micros/op", out)[-1])
    found.written = written(folder) + idle(program, [*sizes, *flags], folder)
    found.space = sum(path.stat().st_size for path in folder.glob("*.ldb"))
    return found


def idle(program: Path, flags: list[str], folder: Path) -> float:
    """Open the database until it merges nothing any more; return what was written meanwhile."""
    total = 0.0
    for session in range(MOST_SESSIONS):
        run([program, f"--benchmarks={WAIT}", "--use_existing_db=1", *flags])
        total += written(folder)
        if session and not read_log((folder / "LOG").read_text().splitlines()).compactions:
            return total
    raise SystemExit(f"{folder} still merges after {MOST_SESSIONS} sessions")


def written(folder: Path) -> float:
    log = read_log((folder / "LOG").read_text().splitlines())
    return float(sum(each.bytes for each in log.flushes) + sum(each.output_bytes for each in log.compactions))


def run(argv: list[object]) -> str:
    done = subprocess.run([str(each) for each in argv], check=True, capture_output=True, text=True, timeout=600)
    return done.stdout


def compared(case: Case, measured: Measured, said: Outcome, calibrated: Outcome | None) -> dict[str, float]:
    last = case.phases()[-1]
    user = last.operations * last.pair_bytes
    errors = {
        "waf": math.log(measured.written / user / said.waf),
        "space": math.log(measured.space / said.space_bytes),
    }
    if measured.found is not None:
        touched = last.keys * (1 - math.exp(-last.operations / last.keys))
        errors["found"] = math.log(measured.found / ((touched - said.lost_keys) / last.keys))
    if calibrated is not None and measured.rate is not None:
        errors["waf*"] = math.log(measured.written / user / calibrated.waf)
        errors["space*"] = math.log(measured.space / calibrated.space_bytes)
        errors["rate*"] = math.log(measured.rate / (last.operations / calibrated.load_s))
    return errors


def main(words: list[str]) -> None:
    engines: dict[str, Callable[[Case, Path], Measured]] = {"leveldb": leveldb, "fifo": rocksdb, "blobs": rocksdb}
    for name in words or list(CASES):
        print(f"# {name}: logarithms of measured over modelled")
        rows = []
        costs = lsmtune.calibrate(engine="leveldb", quiet=True).costs if name == "leveldb" else None
        for case in CASES[name]:
            with tempfile.TemporaryDirectory() as folder:
                measured = engines[name](case, Path(folder) / "db")
            said = run_phases(case.options, case.phases())
            calibrated = run_phases(case.options, case.phases(), costs) if costs is not None else None
            rows.append(compared(case, measured, said, calibrated))
            user = case.phases()[-1].operations * (16 + case.value)
            figures = "  ".join(f"{key} {error:+.3f}" for key, error in rows[-1].items())
            print(f"{figures}  {measured.written / user:6.2f} {measured.space / 1e6:7.1f} MB  {case}", flush=True)
        for key in rows[0]:
            errors = sorted(abs(row[key]) for row in rows if key in row)
            print(f"  {key}: median {statistics.median(errors):.3f}, largest {errors[-1]:.3f} of {len(errors)}")


if __name__ == "__main__":
    main(sys.argv[1:])
