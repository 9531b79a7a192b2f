"""Hosts without machines: a scheduler in this process whose hosts are fake executors, for faults and statistics."""

import math
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from lsmtune import __version__
from lsmtune.errors import HostLostError
from lsmtune.executors import Executor
from lsmtune.executors.hosts import HostSeen, HostsExecutor, Kept, Recipe, Scheduler, Task
from lsmtune.model import HostFacts, Outcome, Run
from lsmtune.testing._fake_executor import FakeExecutor

HOME = "bench-1"
"""The host of `fake_description`."""


@dataclass(frozen=True)
class FakeHost:
    """A host and what is peculiar to it.

    Attributes:
        executor: makes its runs.
        speed: factor on all rates, of whatever runs there.
        effect: natural log of a further factor on the rates of every configuration but the reference's.
    """

    executor: FakeExecutor
    speed: float = 1.0
    effect: float = 0.0

    def run(self, task: Task) -> Outcome:
        """Return the outcome of a run on this host."""
        outcome = self.executor.run(task.run, task.limits, lambda _: None)
        if outcome.measurement is None:
            return outcome
        faster = self.speed * math.exp(self.effect if task.run.configuration.items else 0.0)
        given = outcome.measurement.indicators
        measured = {name: _at_speed(name, value, faster) for name, value in given.items()}
        return replace(
            outcome,
            elapsed_s=outcome.elapsed_s / faster,
            measurement=replace(outcome.measurement, indicators=measured),
        )


class FakeHosts(Scheduler):
    """Runs each task at once on the host that it is sent to; hosts can be lost and come back.

    Attributes:
        hosts_by_name: the hosts that there are.
        gone: names of those that are not there now.
        made: the tasks that were sent, with their hosts, in order.
        journals: what each host has kept, by attempt.
    """

    def __init__(self, hosts: Mapping[str, FakeHost], loses: Callable[[str, Run], bool] = lambda _host, _run: False):
        """`loses` says whether a host is lost while it makes a run, before it has kept it."""
        self.hosts_by_name = dict(hosts)
        self.gone: set[str] = set()
        self.made: list[tuple[str, Task]] = []
        self.journals: dict[str, dict[str, Outcome]] = {name: {} for name in hosts}
        self._loses = loses

    def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        """Return the hosts that are there."""
        del recipe
        there = [name for name in self.hosts_by_name if name not in self.gone]
        return {name: HostSeen(_facts(name), (), __version__) for name in there}

    def submit(self, host: str, task: Task) -> "Future[Outcome]":
        """Make the run."""
        self.made.append((host, task))
        for attempt in task.stored:
            self.journals[host].pop(attempt, None)
        future: Future[Outcome] = Future()
        if host in self.gone or self._loses(host, task.run):
            self.gone.add(host)
            future.set_exception(HostLostError(f"the host {host} left while it was under way"))
            return future
        outcome = self.hosts_by_name[host].run(task)
        self.journals[host][task.attempt] = outcome
        future.set_result(outcome)
        return future

    def kept(self, prefix: str) -> Kept:
        """Return what the hosts that are there have kept."""
        there = [journal for name, journal in self.journals.items() if name not in self.gone]
        return Kept((), {key: value for each in there for key, value in each.items() if key.startswith(prefix)})

    def forget(self, attempts: Collection[str]) -> None:
        """Drop finished runs."""
        for name, journal in self.journals.items():
            for attempt in attempts:
                if name not in self.gone:
                    journal.pop(attempt, None)

    def close(self) -> None:
        """Do nothing."""

    def executor(self, recipe: Recipe, home: str = HOME, session: str = "study.session") -> Executor:
        """Return what makes the runs of a study on these hosts."""
        return HostsExecutor(self, self.hosts(), recipe, home, session)


def _facts(name: str) -> HostFacts:
    fingerprint = "fedcba9876543210" if name == HOME else f"{name:0>16}"
    return HostFacts(name, fingerprint, "Some CPU", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)


def _at_speed(name: str, value: float | None, faster: float) -> float | None:
    if value is None:
        return None
    if name.endswith("_ops_s"):
        return value * faster
    return value / faster if name.endswith("_time_s") or name.startswith("latency_") else value
