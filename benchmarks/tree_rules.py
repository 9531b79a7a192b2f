"""How far the model of a tree is off for rules that no recorded runs have: LevelDB, FIFO, collection of blob files.

Usage: python benchmarks/tree_rules.py [leveldb | fifo | blobs]...

Runs the engines itself, with data of 40 to 300 MB: RocksDB's db_bench in PATH, LevelDB's as `lsmtune build leveldb`
builds it. Prints for each configuration the logarithm of measured over modelled: write amplification, space once nothing
is due, and of FIFO compaction the share of the keys that are still found. Nothing is fitted, and no time is compared, so
that other work on the machine matters only as far as compactions come later.
"""

import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsmtune.backends.leveldb import find_leveldb_bench, read_log
from lsmtune.backends.rocksdb import find_db_bench
from lsmtune.lsm_model.tree import Order, Outcome, Rules, Writes, run_phases

MIB = 1 << 20
MOST_SESSIONS = 40
WAIT = ",".join(["crc32c"] * 6)
"""Benchmarks that leave the database alone while its compactions run."""


@dataclass(frozen=True)
class Case:
    """Options, and what is written: `num` keys are drawn, each once before where `is_loaded`."""

    options: Mapping[str, object]
    num: int
    value: int
    is_loaded: bool = False
    operations: int | None = None
    rate: int | None = None

    def phases(self, rules: Rules) -> tuple[Writes, ...]:
        drawn = Writes(self.num, self.operations or self.num, 16, self.value, rules=rules, rate=self.rate)
        load = Writes(self.num, self.num, 16, self.value, order=Order.SEQUENTIAL, rules=rules)
        return (load, drawn) if self.is_loaded else (drawn,)

    def __str__(self) -> str:
        words = [f"{name}={value}" for name, value in self.options.items()]
        how = f"{self.num} x {self.value} B" + (", overwritten" if self.is_loaded else "")
        return f"{how}; {' '.join(words) or 'defaults'}"


@dataclass
class Measured:
    """Bytes that tables and blob files took when they were written and take now, and the share of keys found."""

    written: float = 0.0
    space: float = 0.0
    found: float | None = None
    sizes: dict[str, float] = field(default_factory=dict)


def level(**options: object) -> dict[str, object]:
    base = {"write_buffer_size": MIB, "target_file_size_base": MIB, "max_bytes_for_level_base": 4 * MIB}
    return {**base, "compression_type": "none", **options}


def fifo(keeps: int, **options: object) -> dict[str, object]:
    sizes = {"write_buffer_size": 2 * MIB, "fifo_max_table_files_size": keeps * MIB}
    return {"compaction_style": "fifo", "compression_type": "none", **sizes, **options}


def blobs(cutoff: float, forced: float = 1.0, **options: object) -> dict[str, object]:
    collection = {
        "enable_blob_garbage_collection": True,
        "blob_garbage_collection_age_cutoff": cutoff,
        "blob_garbage_collection_force_threshold": forced,
    }
    sizes = {"enable_blob_files": True, "blob_file_size": 8 * MIB, "max_bytes_for_level_base": MIB}
    return level(**{**sizes, **collection, **options})


CASES: dict[str, list[Case]] = {
    "leveldb": [
        Case({}, 600_000, 100),
        Case({}, 200_000, 400),
        Case({}, 600_000, 400),
        Case({}, 100_000, 1000),
        Case({"write_buffer_size": MIB}, 200_000, 400),
        Case({"write_buffer_size": 16 * MIB}, 300_000, 400),
        Case({"max_file_size": 8 * MIB}, 300_000, 400),
        Case({"write_buffer_size": 2 * MIB, "max_file_size": MIB}, 300_000, 400),
        Case({}, 250_000, 400, is_loaded=True),
        Case({"write_buffer_size": 8 * MIB, "max_file_size": 4 * MIB}, 200_000, 1000, is_loaded=True),
    ],
    "fifo": [
        Case(fifo(16), 200_000, 400),
        Case(fifo(32), 200_000, 400),
        Case(fifo(64), 200_000, 400),
        Case(fifo(32, write_buffer_size=8 * MIB), 200_000, 400),
        Case(fifo(32), 40_000, 400, operations=200_000),
        Case(fifo(32, compression_type="snappy"), 300_000, 400),
        Case(fifo(32, fifo_allow_compaction=True, compression_type="snappy"), 300_000, 400),
        Case(fifo(64, fifo_allow_compaction=True, compression_type="snappy"), 100_000, 1000, operations=200_000),
        Case(fifo(512, ttl=4, open_files=-1), 200_000, 400, rate=20_000),
    ],
    "blobs": [
        Case(blobs(0.25, enable_blob_garbage_collection=False), 60_000, 1000, operations=180_000),
        Case(blobs(0.25), 60_000, 1000, operations=180_000),
        Case(blobs(0.5), 60_000, 1000, operations=180_000),
        Case(blobs(1.0), 60_000, 1000, operations=120_000),
        Case(blobs(0.25, 0.5), 60_000, 1000, operations=180_000),
        Case(blobs(0.5, 0.2), 60_000, 1000, operations=180_000),
        Case(blobs(0.25), 20_000, 4000, is_loaded=True, operations=60_000),
        Case(blobs(0.5, write_buffer_size=4 * MIB), 20_000, 4000, is_loaded=True, operations=60_000),
        Case(blobs(0.25, blob_file_size=MIB, write_buffer_size=4 * MIB), 60_000, 1000, operations=180_000),
    ],
}


def rocksdb(case: Case, folder: Path) -> Measured:
    """Run RocksDB's db_bench until nothing is due; return what its last phase wrote."""
    names = {"fifo_max_table_files_size": "fifo_compaction_max_table_files_size_mb", "ttl": "fifo_compaction_ttl"}
    values = {**({"fifo_allow_compaction": False} if is_fifo(case) else {}), **case.options}
    flags = []
    for name, value in values.items():
        if name == "fifo_max_table_files_size":
            value = int(value) // MIB  # type: ignore[call-overload]
        flag = names.get(name, name.replace("fifo_allow", "fifo_compaction_allow"))
        text = {"fifo": 2, "universal": 1}.get(str(value), int(value) if isinstance(value, bool) else value)
        flags.append(f"--{flag}={text}")
    if case.rate:
        flags.append(f"--benchmark_write_rate_limit={case.rate * (16 + case.value)}")
    sizes = ["--key_size=16", f"--value_size={case.value}", f"--num={case.num}", f"--db={folder}", "--reads=20000"]
    settle = "flush" if is_fifo(case) else "flush,waitforcompaction"
    if case.is_loaded:
        run([find_db_bench(), f"--benchmarks=fillseq,{settle}", *sizes, *flags])
    after = ",readrandom" if is_fifo(case) else ""
    flags += [f"--writes={case.operations or case.num}", f"--use_existing_db={int(case.is_loaded)}"]
    out = run([find_db_bench(), f"--benchmarks=overwrite,{settle}{after}", *sizes, *flags])
    events = [
        json.loads(line.partition("EVENT_LOG_v1 ")[2])
        for line in (folder / "LOG").read_text().splitlines()
        if "EVENT_LOG_v1" in line
    ]
    tables = sum(each["file_size"] for each in events if each["event"] == "table_file_creation")
    values_written = sum(each["total_blob_bytes"] for each in events if each["event"] == "blob_file_creation")
    found = re.search(r"\((\d+) of (\d+) found\)", out)
    sizes_now = {kind: sum(path.stat().st_size for path in folder.glob(f"*.{kind}")) for kind in ("sst", "blob")}
    share = int(found[1]) / int(found[2]) if found else None
    return Measured(tables + values_written, sum(sizes_now.values()), share, {"tables": tables, **sizes_now})


def is_fifo(case: Case) -> bool:
    return case.options.get("compaction_style") == "fifo"


def leveldb(case: Case, folder: Path) -> Measured:
    """Run LevelDB's db_bench, again and again until it has nothing to do; return what its last phase wrote."""
    program = find_leveldb_bench(None, "")
    sizes = [f"--num={case.num}", f"--value_size={case.value}", f"--db={folder}"]
    flags = [f"--{name}={value}" for name, value in case.options.items()]
    found = Measured()
    if case.is_loaded:
        run([program, f"--benchmarks=fillseq,{WAIT}", *sizes, *flags])
        idle(program, [*sizes, *flags], folder)
    run([program, f"--benchmarks=overwrite,{WAIT}", f"--use_existing_db={int(case.is_loaded)}", *sizes, *flags])
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


def compared(case: Case, measured: Measured, said: Outcome, last: Writes) -> dict[str, float]:
    user = last.operations * last.pair_bytes
    errors = {
        "waf": math.log(measured.written / user / said.waf),
        "space": math.log(measured.space / said.space_bytes),
    }
    if measured.found is not None:
        touched = last.keys * (1 - math.exp(-last.operations / last.keys))
        errors["found"] = math.log(measured.found / ((touched - said.lost_keys) / last.keys))
    return errors


def main(words: list[str]) -> None:
    engines: dict[str, Callable[[Case, Path], Measured]] = {"leveldb": leveldb, "fifo": rocksdb, "blobs": rocksdb}
    for name in words or list(CASES):
        print(f"# {name}: logarithms of measured over modelled")
        rows = []
        for case in CASES[name]:
            phases = case.phases(Rules.LEVELDB if name == "leveldb" else Rules.ROCKSDB)
            with tempfile.TemporaryDirectory() as folder:
                measured = engines[name](case, Path(folder) / "db")
            said = run_phases(case.options, phases)  # type: ignore[arg-type]
            rows.append(compared(case, measured, said, phases[-1]))
            user = phases[-1].operations * phases[-1].pair_bytes
            figures = "  ".join(f"{key} {error:+.3f}" for key, error in rows[-1].items())
            print(
                f"{figures}  waf {measured.written / user:6.2f} space {measured.space / 1e6:7.1f} MB  {case}",
                flush=True,
            )
        for key in rows[0]:
            errors = sorted(abs(row[key]) for row in rows)
            print(f"  {key}: median {statistics.median(errors):.3f}, largest {errors[-1]:.3f} of {len(errors)}")


if __name__ == "__main__":
    main(sys.argv[1:])
