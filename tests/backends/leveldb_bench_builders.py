"""Builders for tests of LevelDB's db_bench: the one of this machine, real outputs, runs without an executor's study."""

import gzip
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from db_bench_builders import record as record_of

from lsmtune.backends import ProcessRecord
from lsmtune.backends.leveldb import discover_leveldb, find_leveldb_bench
from lsmtune.backends.leveldb_bench import CommandBuilder, LevelDbBench
from lsmtune.backends.registry import backend_for
from lsmtune.executors import Limits, LocalExecutor
from lsmtune.model import EngineBuild, Outcome, Run, Settle, Workload
from lsmtune.space import Catalogue, catalogue

FIXTURES = Path(__file__).parents[1] / "fixtures" / "leveldb_bench"
FILL = Workload(("fillrandom",), "fillrandom", num=40_000, settle=Settle.NONE)
READ = Workload(("readrandom",), "readrandom", num=20_000, load=("fillseq",), settle=Settle.NONE)
RECORDED_FLAGS = tuple(
    option.flag for option in catalogue("leveldb").options.values() if option.flag not in (None, "compression")
)
"""Those flags of options that LevelDB 1.22 knows, from its source."""


@cache
def build() -> EngineBuild:
    """LevelDB's db_bench on this machine; without one the error says what to run."""
    return discover_leveldb(find_leveldb_bench())


def recorded_build(flags: Iterable[str | None] = RECORDED_FLAGS) -> EngineBuild:
    """A build that no test starts."""
    return EngineBuild(
        "leveldb",
        "1.22",
        Path("/opt/db_bench"),
        "0" * 16,
        False,
        ("no", "snappy"),
        tuple((name, "") for name in flags if name),
    )


def options_of(found: EngineBuild) -> Catalogue:
    """The options that a build has."""
    known = catalogue("leveldb").for_version(found.version_tuple)
    return known.without(each.name for each in backend_for("db_bench", "leveldb").unsupported(found, known))


def bench(workload: Workload, found: EngineBuild | None = None) -> LevelDbBench:
    """The bench of a build, of a recorded one where none is given."""
    used = found or recorded_build()
    return LevelDbBench(used, options_of(used), workload)


def commands(workload: Workload, found: EngineBuild | None = None) -> CommandBuilder:
    """The commands of a build."""
    return bench(workload, found).commands


def printed(name: str) -> str:
    """A real output; one that is kept compressed is unpacked."""
    path = FIXTURES / name
    if path.exists():
        return path.read_text(encoding="utf-8")
    return gzip.decompress((FIXTURES / f"{name}.gz").read_bytes()).decode()


def record(name: str, *, log: bool = True) -> ProcessRecord:
    """The record of a recorded process."""
    stdout, stderr = (printed(f"{name}.{stream}.txt") for stream in ("stdout", "stderr"))
    text = printed(f"{name}.LOG.txt") if log else ""
    return replace(record_of(stdout, stderr, text), space_bytes=8 << 20)


def executed(workload: Workload, run: Run) -> Outcome:
    """The outcome of a real run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalExecutor(bench(workload, build()), Path(folder, "scratch"))
        return executor.run(run, Limits(wall_s=60.0, load_wall_s=60.0), lambda _: None)
