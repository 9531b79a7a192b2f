"""Hosts without processes for the benchmarks of the scheduler's logic: each run takes real time and nothing else.

No benchmark by itself.
"""

import heapq
import itertools
import random
import threading
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune import __version__
from lsmtune.executors.hosts import HostSeen, HostsExecutor, Kept, Recipe, Scheduler, Task
from lsmtune.model import HostFacts, Outcome, Workload
from lsmtune.result import Rules
from lsmtune.space import Space
from lsmtune.store import Study, create_study
from lsmtune.testing import FakeExecutor, Noise, Surface, fake_description, fake_rules, fake_space

HOME = "bench-1"


class SimulatedHosts(Scheduler):
    """Ends each run after the time that it is said to take; a thread waits for the next one.

    Attributes:
        busy_s: time in which hosts were at runs, of all together.
        ended: number of runs.
    """

    def __init__(self, number: int, least_s: float, most_s: float) -> None:
        self.names = [f"bench-{place}" for place in range(1, number + 1)]
        self.busy_s, self.ended = 0.0, 0
        self._spread_s = least_s, most_s
        self._rng = random.Random(1)
        self._engine = FakeExecutor(Surface(0.4), Noise(rate=0.03))
        self._due: list[tuple[float, int, float, Future[Outcome], Task]] = []
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._end_due, daemon=True)
        self._thread.start()

    def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        """Return all of them."""
        del recipe
        facts = HostFacts("", "", "Some CPU", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)
        return {
            name: HostSeen(replace(facts, name=name, fingerprint=f"{name:0>16}"), (), __version__)
            for name in self.names
        }

    def submit(self, host: str, task: Task) -> "Future[Outcome]":
        """Begin a run."""
        del host
        future: Future[Outcome] = Future()
        took_s = self._rng.uniform(*self._spread_s)
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + took_s, next(self._count), took_s, future, task))
            self._changed.notify()
        return future

    def kept(self, prefix: str) -> Kept:
        """Return nothing."""
        del prefix
        return Kept((), {})

    def forget(self, attempts: Collection[str]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """End the thread; runs that are under way never end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _end_due(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (not self._due or self._due[0][0] > time.monotonic()):
                    self._changed.wait(self._due[0][0] - time.monotonic() if self._due else None)
                if self._closed:
                    return
                _, _, took_s, future, task = heapq.heappop(self._due)
                self.busy_s += took_s
                self.ended += 1
            outcome = self._engine.run(task.run, task.limits, lambda _: None)
            future.set_result(replace(outcome, started_at=time.time() - took_s, elapsed_s=took_s))


def simulated_study(folder: Path) -> tuple[Study, Rules, Space]:
    """Return a new study, by what it is judged, and what it searches."""
    rules, space = fake_rules(), fake_space()
    return create_study(folder, fake_description(rules, space)), rules, space


def executor_over(hosts: SimulatedHosts, study: Study) -> HostsExecutor:
    """Return what makes the runs of a study on simulated hosts."""
    recipe = Recipe(study.description.build, Workload(("fillrandom",), "fillrandom", 1000), Fraction(1))
    return HostsExecutor(hosts, hosts.hosts(), recipe, HOME, "study.session")
