"""What an executor has to do, and the values that it exchanges with a study."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeAlias

from lsmtune.executors._resources import ResourceLimits
from lsmtune.model import Outcome, Run


@dataclass(frozen=True)
class Limits:
    """What a run may take before it is stopped.

    Attributes:
        wall_s: wall time of the run's own processes, loading of shared data excluded; a run that passes it, or that is
            sure to, is censored with this as the bound. None sets no cap.
        load_wall_s: the same for the loading of shared data; there is no bound then, as nothing was measured.
        disk_bytes: size of the run's data; a run that passes it fails.
        free_bytes: free space that has to be left on the disk; a run that would leave less fails.
        resources: what of the host its measured processes may use; None for all of it.
    """

    wall_s: float | None = None
    load_wall_s: float | None = None
    disk_bytes: int | None = None
    free_bytes: int = 0
    resources: ResourceLimits | None = None


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        phase: ``"waiting"``, ``"load"``, ``"settle"``, ``"measure"``.
        done: share of the phase, 0 to 1; None where it is not known.
        elapsed_s: time since the run began.
        detail: a few words from the engine, for example the last compaction.
    """

    phase: str
    done: float | None
    elapsed_s: float
    detail: str = ""


Watcher: TypeAlias = Callable[[Progress], None]


class Executor(ABC):
    """Runs one run at a time in each of its places.

    `run` returns an outcome for whatever happens to the engine (a crash, a hang, a full disk) and raises only for
    what ends the study: KeyboardInterrupt, after the processes were stopped and the folder was removed; what the user
    wrote and no run can use (UsageError); a host that cannot be locked (RunError). `close` gives back what was kept
    between runs. An executor belongs to one thread.

    Attributes:
        places: how many runs may be open at once; an executor with more than one has a `submit` of its own.
    """

    places: int = 1

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that runs can be made on now, in the order of use; empty where there is only the study's own."""
        return ()

    def place(self, run: Run) -> Run | None:
        """Return a drafted run with the host that it is to be made on; None where that host is at another run.

        A draft names the host that the study wants, where an executor of one host leaves it. Where no run is open, it
        waits.

        Raises:
            RunError: the host that it needs does not come back.
        """
        return run

    def settled(self, run: Run, *, lost: bool) -> None:  # noqa: B027 - most have nothing to do
        """Hear that a run is in the store; `lost`: as one whose host left before it answered (HostLostError)."""

    @abstractmethod
    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        """Execute `run` and return how it ended and what it gave."""

    def submit(self, run: Run, limits: Limits, watch: Watcher) -> "Future[Outcome]":
        """Begin `run` and return what will hold its outcome; in a single place the run is executed before it returns.

        What ends the study is raised here or by the result of what is returned; no other run may be open then.
        """
        future: Future[Outcome] = Future()
        future.set_result(self.run(run, limits, watch))
        return future

    @abstractmethod
    def close(self) -> None:
        """Remove what was kept between runs, such as loaded data."""
