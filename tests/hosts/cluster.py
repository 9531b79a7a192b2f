"""A scheduler and workers as processes of this machine, each with its own lock and scratch folder, under mutual TLS."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from executor_builders import wait_until
from ports import free_port

from lsmtune.executors.hosts import Keys
from lsmtune.model import Run, Status
from lsmtune.store import DATABASE, StoredRun, read_study
from lsmtune.testing import fake_db_bench

SAMPLE = """
name = "s"
[workload]
benchmarks = "fillrandom"
num = "1M"
settle = "none"
[engine]
db_bench = "{db_bench}"
[space]
options = ["write_buffer_size", "compression_type", "max_background_jobs"]
[sample]
runs = {runs}
test = 0
replicates = 0
[search]
noise_runs = 3
cap = 50
[host]
disturbed = "use"
min_free = "16MiB"
[hosts]
scheduler = "{address}"
"""
EXPERIMENT = """
name = "c"
[workload]
benchmarks = "fillrandom"
num = "{num}"
settle = "none"
[engine]
db_bench = "{db_bench}"
[search]
noise_runs = 3
cap = 50
[[compare]]
name = "no compression"
set = {{ compression_type = "none" }}
[host]
disturbed = "use"
min_free = "16MiB"
[hosts]
scheduler = "{address}"
require = ["{label}"]
"""


@dataclass
class Cluster:
    """The processes of a cluster in a folder.

    Attributes:
        folder: of everything.
        address: of the scheduler.
        scheduler_options: more words of its command.
        processes: those that run, by name: ``"scheduler"``, and the names of workers.
    """

    folder: Path
    address: str = field(default_factory=lambda: f"tls://127.0.0.1:{free_port()}")
    scheduler_options: tuple[str, ...] = ()
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = Keys(self.folder / "keys")
        self.keys.make()
        self.db_bench = fake_db_bench.install(self.folder)

    @property
    def scheduler_words(self) -> tuple[str, ...]:
        """The command of the scheduler."""
        return ("hosts", "scheduler", "--listen", self.address, "--status-port", "0", *self.scheduler_options)

    def worker_words(
        self, name: str, *more: str, labels: tuple[str, ...] = ("all",), address: str = ""
    ) -> tuple[str, ...]:
        """The command of a worker; it can be asked for by its name, too."""
        words = [word for label in dict.fromkeys((*labels, name)) for word in ("--label", label)]
        return (
            "hosts",
            "worker",
            address or self.address,
            "--name",
            name,
            "--scratch",
            str(self.folder / name),
            *words,
            *more,
        )

    def environment(self, name: str = "", keys: Keys | None = None) -> dict[str, str]:
        """What a process finds: the lock of a host with this name, keys; engines sleep a little."""
        own = {"LSMTUNE_HOSTS_KEYS": str((keys or self.keys).folder), fake_db_bench.VARIABLE: "sleep=0.3"}
        return {**os.environ, **own, "LSMTUNE_HOST_LOCK": str(self.folder / f"{name}.lock")}

    def start(self, name: str, words: tuple[str, ...], first: str = "", **environment: str) -> None:
        """Start a process; what it says goes to a file.

        `first` is Python that it runs before lsmtune: what its system does otherwise than others. `environment` is what
        it finds otherwise.
        """
        command = [sys.executable, "-m", "lsmtune", *words]
        if first:
            command = [sys.executable, "-c", f"{first}\nfrom lsmtune.cli import main\nmain()", *words]
        with self.said_by(name).open("ab") as said:
            found = self.environment(name) | environment
            self.processes[name] = subprocess.Popen(command, env=found, stderr=said, stdout=said)

    def start_all(self, *workers: str) -> None:
        """Start the scheduler and workers, and wait until they know each other."""
        self.start("scheduler", self.scheduler_words)
        for name in workers:
            self.start(name, self.worker_words(name))
        self.wait_for(*workers)

    def said_by(self, name: str) -> Path:
        """The file of what a process said."""
        return self.folder / f"{name}.said"

    def told(self) -> str:
        """All that was said."""
        return "\n".join(f"{path.name}: {path.read_text()}" for path in self.folder.glob("*.said"))

    def kill(self, name: str) -> None:
        """End a process as nothing else would: kill -9."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End all processes by SIGTERM; those that do not end are killed."""
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def status(self) -> dict[str, Mapping[str, Any]]:
        """What `lsmtune hosts status` says, by host."""
        asked = self.command("hosts", "status", self.address, "--json")
        return {each["facts"]["name"]: each for each in json.loads(asked.stdout)} if asked.returncode == 0 else {}

    def wait_for(self, *workers: str) -> None:
        """Wait until workers have said that they are connected, after whatever they waited for."""

        def connected() -> bool:
            said = [self.said_by(name).read_text().split("waiting for it")[-1] for name in workers]
            return all("makes runs for" in each for each in said)

        wait_until(connected, self.told)

    def command(self, *words: str, keys: Keys | None = None) -> "subprocess.CompletedProcess[str]":
        """Run lsmtune to its end."""
        command = [sys.executable, "-m", "lsmtune", *words]
        return subprocess.run(
            command, env=self.environment(keys=keys), capture_output=True, text=True, timeout=300, check=False
        )

    def experiment(self, name: str, *, db_bench: Path | None = None, num: str = "1M", label: str = "all") -> Path:
        """Write an experiment that compares one change over the hosts with a label."""
        path = self.folder / f"{name}.toml"
        program = db_bench or self.db_bench
        path.write_text(EXPERIMENT.format(num=num, db_bench=program, address=self.address, label=label))
        return path

    def sample(self, name: str, runs: int) -> tuple[Path, tuple[str, ...]]:
        """Write an experiment that samples over all hosts; return the folder of its study, and its command."""
        path = self.folder / f"{name}.toml"
        path.write_text(SAMPLE.format(runs=runs, db_bench=self.db_bench, address=self.address))
        return study_of(path), ("sample", str(path), "--study", str(study_of(path)), "--quiet")

    def is_at(self, run: Run) -> bool:
        """Whether a host has a run in hand; a coordinator may be killed after it wrote that and before it sent it."""
        return (self.folder / run.host / "lsmtune-runs" / f"run-{run.id}").exists()

    def has_kept(self, run: Run) -> bool:
        """Whether a host has ended a run and has it in its journal."""
        return any((self.folder / run.host / "lsmtune-journal").glob(f"*.{run.id}.json"))

    def compare_words(self, experiment: Path) -> tuple[str, ...]:
        """The command of a comparison; its study lies beside the experiment."""
        return "compare", str(experiment), "--study", str(study_of(experiment)), "--quiet"

    def begin(self, *words: str) -> "subprocess.Popen[bytes]":
        """Begin a command."""
        command = [sys.executable, "-m", "lsmtune", *words]
        return subprocess.Popen(command, env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def study_of(experiment: Path) -> Path:
    """The folder of the study of an experiment."""
    return experiment.with_suffix("")


def runs_of(study: Path) -> list[StoredRun]:
    """The runs of a study that may not be there yet."""
    if not (study / DATABASE).exists():
        return []
    with read_study(study) as opened:
        return opened.runs()


def under_way(study: Path, for_s: float = 0.15) -> list[StoredRun]:
    """The runs that hosts have been at for some time."""
    now = time.time()
    running = [stored for stored in runs_of(study) if stored.status is Status.RUNNING]
    return [stored for stored in running if stored.started_at is not None and now - stored.started_at > for_s]
