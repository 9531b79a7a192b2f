"""Builders for tests of executors: workloads, runs, an executor of a fake db_bench that misbehaves as told."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from lsmtune.backends import Process
from lsmtune.backends.db_bench import DbBench
from lsmtune.executors import HostLock, LocalExecutor, Progress
from lsmtune.model import Configuration, EngineBuild, Purpose, Run, Value, Workload
from lsmtune.space import catalogue
from lsmtune.testing.fake_db_bench import VARIABLE

FILL = Workload(("fillrandom",), "fillrandom", num=20_000)
READ = Workload(("readrandom",), "readrandom", num=20_000, load=("fillseq",))
_T = TypeVar("_T")
_PATIENCE_S = 180.0
OWN_CHILDREN = psutil.Process().children


def run_of(number: int = 1, **values: Value) -> Run:
    """A trial of a configuration."""
    return Run(number, Purpose.TRIAL, f"trial-{number}", None, Configuration.of(values), number + 100, 7)


def unwatched(_progress: Progress) -> None:
    """A watcher that looks away."""


class CountingBench(DbBench):
    """Counts how often data is loaded."""

    loads = 0

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        self.loads += 1
        return super().load_processes(run, database)


@dataclass(frozen=True)
class Fake:
    """A fake db_bench and a scratch folder."""

    build: EngineBuild
    scratch: Path
    monkeypatch: pytest.MonkeyPatch

    def behave(self, behaviour: str) -> None:
        """Let the fake misbehave from now on."""
        self.monkeypatch.setenv(VARIABLE, behaviour)

    def load(self, library: Path) -> None:
        """Let ldd say from now on that every program loads a library."""
        ldd = library.with_name("ldd")
        ldd.write_text(f"#!/bin/sh\necho ' {library.name} => {library} (0x00007f)'\n")
        ldd.chmod(0o755)
        self.monkeypatch.setenv("PATH", f"{ldd.parent}{os.pathsep}{os.environ['PATH']}")

    def bench(self, workload: Workload = FILL) -> CountingBench:
        return CountingBench(self.build, catalogue().for_version(self.build.version_tuple), workload)

    def executor(self, workload: Workload = FILL) -> LocalExecutor:
        return LocalExecutor(self.bench(workload), self.scratch)


def upgrade_while_waiting(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program be written anew once, while the next run waits for its host."""
    take, upgrades = HostLock.__enter__, ["# upgraded\n"]

    def waited(lock: HostLock) -> HostLock:
        if upgrades:
            program.write_text(program.read_text() + upgrades.pop())
        return take(lock)

    monkeypatch.setattr(HostLock, "__enter__", waited)


def wait_until(what: Callable[[], _T], said: Callable[[], str] = lambda: "") -> _T:
    """Wait for something to become true, and return it."""
    deadline = time.monotonic() + _PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < deadline, said()
        time.sleep(0.05)
    return found


def ends_soon(pid: int) -> bool:
    """Whether a process is gone, or a zombie that nobody has waited for, within half a minute."""
    status = Path(f"/proc/{pid}/status")
    for _ in range(3000):
        try:
            if "State:\tZ" in status.read_text():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False
