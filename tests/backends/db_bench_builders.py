"""Builders for tests of the db_bench bench: the installed engine, workloads, runs, and a run without an executor."""

import subprocess
import tempfile
import time
from fractions import Fraction
from functools import cache
from pathlib import Path

from lsmtune.backends import Process, ProcessRecord
from lsmtune.backends.db_bench import CommandBuilder, DbBench
from lsmtune.backends.rocksdb import discover, find_db_bench
from lsmtune.executors import Limits, LocalExecutor
from lsmtune.model import Configuration, EngineBuild, Outcome, Purpose, Run, Value, Workload
from lsmtune.space import catalogue

SIXTY_FOURTH = Fraction(1, 64)
FILL = Workload(("fillrandom",), "fillrandom", num=64_000)
READ = Workload(("readrandom",), "readrandom", num=64_000, load=("fillrandom",))


@cache
def build() -> EngineBuild:
    """The db_bench of this machine."""
    return discover(find_db_bench())


def bench(workload: Workload = FILL, scale: Fraction = Fraction(1)) -> DbBench:
    """The bench of this machine's db_bench."""
    return DbBench(build(), catalogue().for_version(build().version_tuple), workload, scale)


def commands(workload: Workload = FILL, scale: Fraction = Fraction(1)) -> CommandBuilder:
    """The commands of this machine's db_bench."""
    return bench(workload, scale).commands


def run_of(options_file: str | None = None, **values: Value) -> Run:
    """A run with the seed 11 and the load seed 7."""
    return Run(1, Purpose.TRIAL, "trial", None, Configuration.of(values, options_file), 11, 7)


def flags(argv: tuple[str, ...]) -> dict[str, str]:
    """Value by flag; none may be given twice."""
    pairs = [argument.removeprefix("--").partition("=") for argument in argv[1:]]
    names = [name for name, _, _ in pairs]
    assert len(names) == len(set(names)), argv
    return {name: value for name, _, value in pairs}


def executed(workload: Workload, scale: Fraction, run: Run) -> Outcome:
    """The outcome of a real run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalExecutor(bench(workload, scale), Path(folder, "scratch"))
        return executor.run(run, Limits(wall_s=60.0, load_wall_s=60.0), lambda _: None)


def record(stdout: str, stderr: str = "", log: str = "", options: str = "", *, seconds: float = 5.0) -> ProcessRecord:
    """The record of a measured process that ended well."""
    ended_at = time.time()
    return ProcessRecord(
        process=Process("measure", ("db_bench",)),
        started_at=ended_at - seconds,
        ended_at=ended_at,
        returncode=0,
        stopped=None,
        stdout=stdout,
        stderr=stderr,
        log=log,
        options=options,
        cpu_s=seconds / 2,
        memory_peak_bytes=1 << 26,
        io_read_bytes=0,
        io_written_bytes=1 << 20,
        space_bytes=1 << 20,
        space_peak_bytes=1 << 21,
    )


def started(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
