"""What a bench has to say, and the values that it exchanges with an executor."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from lsmtune.model import Measurement, Run


@dataclass(frozen=True)
class Hold:
    """Where the output of a process is not taken until its engine rests, so that the process waits for that.

    It rests where no thread of the process has run for a while, none wants to run or awaits the disk, and its LOG has
    an end for all that began. What is printed between `after` and `until`, or to the end where that does not come, only
    fills the pipe, and is dropped; it has to be at least 24 KiB.

    Attributes:
        after: what is printed where it begins.
        times: how often that has been printed by then.
        until: what is printed first of what counts again.
        begun, ended: what lines of the LOG hold where a job of the engine begins and ends.
    """

    after: str
    times: int
    until: str
    begun: tuple[str, ...]
    ended: tuple[str, ...]


@dataclass(frozen=True)
class Process:
    """One process of a run.

    Attributes:
        name: ``"load"``, ``"settle"``, ``"measure"`` or ``"debt"``; what is kept of it is named after it.
        argv: the command, the program's path first.
        operations: operations that the process is expected to do, for progress; None where only time is known.
        duration_s: time that the process is expected to take at least, for progress; 0 where it is not timed.
        last_result: what prints the last result; after it only settling and reporting remain. Empty where the process
            gives none.
        hold: where it waits until the engine rests; None where it sees to that itself.
        alike: its operations are of one phase. Else phases that are faster or slower may follow, and the share of the
            operations that is done does not tell when it ends.
    """

    name: str
    argv: tuple[str, ...]
    operations: int | None = None
    duration_s: float = 0.0
    last_result: str = ""
    hold: Hold | None = None
    alike: bool = True


class HaltKind(Enum):
    """What a stopped process means for its run."""

    HOPELESS = "hopeless"
    """It passed, or was sure to pass, its cap of time: the run is censored."""
    TROUBLE = "trouble"
    """Something was wrong, such as more data than it may have: the run failed."""
    SPOILED = "spoiled"
    """Something was wrong that is not the run's doing, such as a disk that others filled."""
    HUNG = "hung"
    """All results were there and nothing happened any more: the run counts."""


@dataclass(frozen=True)
class Halt:
    """Why lsmtune stopped a process: one sentence, and what it means for the run."""

    reason: str
    kind: HaltKind


@dataclass(frozen=True)
class Waited:
    """That a process waited, with its output held, until its engine rested.

    Attributes:
        began_at: when what it waits behind had been printed, in s since the epoch.
        s: how long it waited, in s.
    """

    began_at: float
    s: float


@dataclass(frozen=True)
class ProcessRecord:
    """What one process left behind.

    Attributes:
        process: what was run.
        started_at, ended_at: seconds since the epoch.
        returncode: exit code; negative for a signal.
        stopped: why lsmtune stopped it; None where it ended by itself.
        stdout, stderr: what it printed.
        log, options: text of the engine's LOG and of its newest OPTIONS file; empty where there is none.
        cpu_s: processor time, user and system.
        memory_peak_bytes: peak resident memory; None where the process ended before it was seen.
        io_read_bytes, io_written_bytes: bytes that reached the storage layer, from /proc; None where unreadable.
        space_bytes: SST, blob, WAL and MANIFEST bytes on disk when the process had ended.
        space_peak_bytes: the most of them that was seen while it ran.
        waited: how it waited for its engine; None where it was not held, or ended meanwhile.
    """

    process: Process
    started_at: float
    ended_at: float
    returncode: int
    stopped: Halt | None
    stdout: str
    stderr: str
    log: str
    options: str
    cpu_s: float
    memory_peak_bytes: int | None
    io_read_bytes: int | None
    io_written_bytes: int | None
    space_bytes: int
    space_peak_bytes: int
    waited: Waited | None = None

    @property
    def elapsed_s(self) -> float:
        """Wall time of the process in s."""
        return self.ended_at - self.started_at


@dataclass(frozen=True)
class Glance:
    """What is seen of a running process at one moment.

    Attributes:
        elapsed_s: time since it started.
        idle_s: time since it last used the processor or wrote into the engine's LOG.
        stdout, stderr, log: the ends of its outputs and of the engine's LOG.
        space_bytes: size of its database.
    """

    elapsed_s: float
    idle_s: float
    stdout: str
    stderr: str
    log: str
    space_bytes: int


@dataclass(frozen=True)
class Seen:
    """How far a running process is.

    Attributes:
        operations: operations done; None where it does not say.
        finished: all results are printed; only settling and reporting remain.
        detail: a few words about what the engine does, for people; may be empty.
    """

    operations: int | None
    finished: bool
    detail: str


class Bench(ABC):
    """Turns runs into processes and what they leave into measurements.

    An executor calls, for each run: `data_key`; where that names data that it does not hold yet, `load_processes`;
    then `processes` on a folder that holds a clone of the data (or nothing), and `parse_results` with their records.
    `failure` words a process that did not end well. Of each that loaded data or whose record is parsed, stopped ones
    among them, `unsaid_failure` is asked before. A bench keeps no state between runs and starts no process that touches
    the run's folder.
    """

    @abstractmethod
    def data_key(self, run: Run) -> str | None:
        """Name the loaded data that the run may share with others; None where a run makes its own."""

    @abstractmethod
    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the processes that build the data named by `data_key` in `database`."""

    @abstractmethod
    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the processes of the run, in order; `database` is where the engine works.

        Raises:
            EngineError: the configuration cannot be turned into a command for this build.
        """

    @abstractmethod
    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read how far a process is from what is seen of it."""

    @abstractmethod
    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn the records of `processes` into a measurement; a record may be of a process that was stopped.

        Raises:
            RunError: the output cannot be read.
        """

    @abstractmethod
    def failure(self, record: ProcessRecord) -> str:
        """Say in one sentence why a process failed."""

    def unsaid_failure(self, record: ProcessRecord) -> str:  # noqa: ARG002 - most engines say at once what fails
        """Say in one sentence what of the engine failed in a process that went on as if nothing had; else nothing."""
        return ""
