"""Builders for tests of the ycsb bench: builds, benches, runs, and the driver's real outputs."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from lsmtune.backends import Halt, Process, ProcessRecord
from lsmtune.backends.ycsb import CORE_WORKLOADS, CommandBuilder, YcsbBench
from lsmtune.model import Configuration, EngineBuild, Purpose, Run, Settle, Value, Workload
from lsmtune.space import catalogue

FIXTURES = Path(__file__).parents[1] / "fixtures" / "ycsb"
MIB = 1 << 20
VERSIONS = {"rocksdb": "7.8.3", "leveldb": "1.23"}
LOAD_AND_A = Workload(("load", "a"), "a", num=64_000, compression_ratio=1.0, tool="ycsb")
LOADED_A = Workload(("a",), "a", num=64_000, load=("load",), compression_ratio=1.0, tool="ycsb")
AS_RECORDED = Workload(
    ("load", "settle", "A", "B", "D"),
    "A",
    num=20_000,
    key_size_bytes=23,
    value_size_bytes=1140,
    compression_ratio=1.0,
    settle=Settle.NONE,
    tool="ycsb",
    phases=tuple((letter.upper(), tuple(CORE_WORKLOADS[letter].items())) for letter in "abd"),
)
"""The workload of rocksdb.jsonl and leveldb.jsonl."""


def printed(name: str) -> str:
    """A file of the driver's real outputs."""
    return (FIXTURES / name).read_text(encoding="utf-8")


def build(engine: str = "rocksdb", version: str = "") -> EngineBuild:
    """A driver of an engine."""
    path = Path("/opt/lsmtune-ycsb")
    return EngineBuild(engine, version or VERSIONS[engine], path, "0" * 16, False, ("none",), (), "ycsb")


def bench(engine: str, workload: Workload, scale: Fraction = Fraction(1), version: str = "") -> YcsbBench:
    """The bench of a driver."""
    found = build(engine, version)
    return YcsbBench(found, catalogue(engine).for_version(found.version_tuple), workload, scale)


def commands(engine: str, workload: Workload, scale: Fraction = Fraction(1)) -> CommandBuilder:
    """The commands of a driver."""
    return bench(engine, workload, scale).commands


def run_of(options_file: str | None = None, **values: Value) -> Run:
    """A run with the seed 11 and the load seed 7."""
    return Run(1, Purpose.TRIAL, "trial", None, Configuration.of(values, options_file), 11, 7)


def after(flag: str, argv: tuple[str, ...]) -> list[str]:
    """What stands behind each place of a flag."""
    return [value for word, value in pairwise(argv) if word == flag]


def properties(argv: tuple[str, ...]) -> dict[str, str]:
    """Value by property given with -p; none may be given twice."""
    pairs = [text.partition("=") for text in after("-p", argv)]
    assert len(pairs) == len({name for name, _, _ in pairs}), argv
    return {name: value for name, _, value in pairs}


def record(stdout: str, stopped: Halt | None = None, space_peak_bytes: int = MIB) -> ProcessRecord:
    """The record of a measured process."""
    return ProcessRecord(
        process=Process("measure", ("lsmtune-ycsb",)),
        started_at=1000.0,
        ended_at=1000.5,
        returncode=0 if stopped is None else 143,
        stopped=stopped,
        stdout=stdout,
        stderr="",
        log="",
        options="",
        cpu_s=0.25,
        memory_peak_bytes=40 * MIB,
        io_read_bytes=0,
        io_written_bytes=5 * MIB,
        space_bytes=7,
        space_peak_bytes=space_peak_bytes,
    )
