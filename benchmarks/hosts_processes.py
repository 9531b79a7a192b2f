"""A scheduler and workers as processes of this machine, for the benchmarks of many hosts; no benchmark by itself."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lsmtune.executors.hosts import Keys
from lsmtune.testing import fake_db_bench

_PATIENCE_S = 120.0


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def wait_until(what: Callable[[], object]) -> None:
    """Wait for something to become true.

    Raises:
        SystemExit: it does not.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while not what():
        if time.monotonic() > deadline:
            raise SystemExit("the processes did not come to know each other in time")
        time.sleep(0.05)


@dataclass
class Processes:
    """The processes of a cluster in a folder, under mutual TLS on loopback; each worker has a lock of its own.

    Attributes:
        folder: of everything.
        sleep_s: how long each run of the fake engine takes; other programs are what they are.
        address: of the scheduler.
        running: the processes by name.
    """

    folder: Path
    sleep_s: float = 2.0
    address: str = field(default_factory=lambda: f"tls://127.0.0.1:{free_port()}")
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = Keys(self.folder / "keys")
        self.keys.make()
        self.db_bench = fake_db_bench.install(self.folder)

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            process.wait(timeout=30)

    def start(self, *workers: str) -> None:
        """Start the scheduler and workers, and wait until they know each other."""
        self._begin("scheduler", "hosts", "scheduler", "--listen", self.address, "--status-port", "0")
        for name in workers:
            scratch = str(self.folder / name)
            self._begin(name, "hosts", "worker", self.address, "--name", name, "--scratch", scratch, "--label", name)
        wait_until(lambda: all("makes runs for" in self.said_by(name).read_text() for name in workers))

    def said_by(self, name: str) -> Path:
        """Return the file of what a process said."""
        return self.folder / f"{name}.said"

    def environment(self, name: str) -> dict[str, str]:
        """Return what a process finds."""
        own = {"LSMTUNE_HOSTS_KEYS": str(self.keys.folder), fake_db_bench.VARIABLE: f"sleep={self.sleep_s}"}
        return {**os.environ, **own, "LSMTUNE_HOST_LOCK": str(self.folder / f"{name}.lock")}

    def _begin(self, name: str, *words: str) -> None:
        command = [sys.executable, "-m", "lsmtune", *words]
        with self.said_by(name).open("ab") as said:
            self.running[name] = subprocess.Popen(command, env=self.environment(name), stderr=said, stdout=said)
