"""What carries runs to hosts has to do, and the values that it carries. Nothing here knows what it is made with."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from fractions import Fraction

from lsmtune.backends import ArmBench, Bench
from lsmtune.backends.registry import backend_of, options_of
from lsmtune.executors._base import Limits
from lsmtune.model import EngineBuild, HostFacts, Outcome, Run, Workload


@dataclass(frozen=True)
class Recipe:
    """What a bench is made from, on whichever host.

    Attributes:
        build: the engine, as the coordinator found it.
        workload: what is asked of it, at full size.
        scale: factor by which data and tree shrink.
        others: arms that run on builds of their own.
        same_build: every host has to have these very builds; else the same engine at the same version.
    """

    build: EngineBuild
    workload: Workload
    scale: Fraction
    others: tuple[tuple[str, EngineBuild], ...] = ()
    same_build: bool = True

    @property
    def builds(self) -> tuple[EngineBuild, ...]:
        """All builds, each once."""
        return tuple(dict.fromkeys((self.build, *(build for _, build in self.others))))

    def bench(self, found: Mapping[EngineBuild, EngineBuild]) -> Bench:
        """Return the bench on a host; `found` has for each of `builds` what the host has."""
        own = self._bench_on(found[self.build])
        others = {arm: self._bench_on(found[build]) for arm, build in self.others}
        return ArmBench(own, others) if others else own

    def _bench_on(self, build: EngineBuild) -> Bench:
        return backend_of(build).bench(build, options_of(build), self.workload, self.scale)


@dataclass(frozen=True)
class Task:
    """A run on its way to a host.

    Attributes:
        attempt: names this try, never used again: a run that is made once more goes under another one.
        recipe: of the bench.
        run, limits: what is made, and what it may take.
        stored: attempts of the host that the study has, or has given up, and that it drops from its journal.
    """

    attempt: str
    recipe: Recipe
    run: Run
    limits: Limits
    stored: tuple[str, ...] = ()


@dataclass(frozen=True)
class HostSeen:
    """A host as it shows itself.

    Attributes:
        facts: its name is the worker's; its fingerprint is that of the machine and of the lock that its runs take.
        labels: what its owner calls it, sorted.
        version: of lsmtune there.
        problem: why it cannot run what it was asked about, as a clause; empty where it can.
        builds: fingerprints of the builds that it found for what it was asked about.
        under_way: the attempt that it is at; empty while it waits.
        kept: number of finished runs in its journal.
        ahead_s: how far its clock is ahead of the coordinator's in s, as well as one question tells.
    """

    facts: HostFacts
    labels: tuple[str, ...]
    version: str
    problem: str = ""
    builds: tuple[str, ...] = ()
    under_way: str = ""
    kept: int = 0
    ahead_s: float = 0.0


@dataclass(frozen=True)
class Kept:
    """What hosts have of a study: the attempts that are still under way, and the outcomes of those that ended."""

    under_way: tuple[str, ...]
    ended: Mapping[str, Outcome]


class Scheduler(ABC):
    """Carries runs to hosts and outcomes back; knows no study.

    `hosts` comes first, and again after a loss; `submit` takes names that it gave. A host makes one run at a time and
    keeps each finished one until `forget`. When runs began is told by the clock of the caller, whatever the clocks of
    hosts say. All methods are called from one thread, and all but `close` raise RunError where nothing can be
    reached any more.
    """

    @abstractmethod
    def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        """Return the hosts that are there, by name; with a recipe each says whether it can make its runs."""

    @abstractmethod
    def submit(self, host: str, task: Task) -> "Future[Outcome]":
        """Send a run to a host; it is tried once, there and nowhere else.

        What is returned ends with HostLostError where the host left before it answered, and with RunError where the
        scheduler did.
        """

    @abstractmethod
    def kept(self, prefix: str) -> Kept:
        """Return what the hosts have of attempts whose names begin so."""

    @abstractmethod
    def forget(self, attempts: Collection[str]) -> None:
        """Let the hosts drop finished runs from their journals."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything; runs that are under way end on their hosts and are kept there."""
