"""Runs of a study on many hosts: which run is made where, and what becomes of one whose host is lost."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from lsmtune.errors import RunError
from lsmtune.executors._base import Executor, Limits, Watcher
from lsmtune.executors.hosts._scheduler import HostSeen, Recipe, Scheduler, Task
from lsmtune.executors.hosts._waiting import Wait, unheard
from lsmtune.model import Outcome, Purpose, Run, Status
from lsmtune.units import format_seconds

PATIENCE_S = 600.0
"""Time in s for which a host that nothing can go on without is waited for."""
_LOOK_S = 0.5
_LOOK_AGAIN_S = 5.0
_SPREAD = frozenset({Purpose.VERIFY, Purpose.CONFIRM, Purpose.STEP, Purpose.CLIMB})
"""Purposes whose blocks go to all hosts. An ablation is one comparison of many arms, and stays on one host."""

_Block: TypeAlias = tuple[Purpose, Fraction, int, int]
"""What tells blocks apart that have one number, of two steps or two scales: purpose, rung, number, load."""


class HostsExecutor(Executor):
    """Makes runs on hosts that a scheduler knows.

    Blocks of verification, of confirmation, of steps and of larger scales are spread evenly over all hosts. A block is
    made on one host from its first run to its last, so that pairs are compared within a host; both blocks of a mirrored
    pair go to the same one. All other runs are made where the study wants them, see `lsmtune.study.RunKey`.

    A run whose host was lost ends with HostLostError and is asked for again. If its block has runs there already,
    that host is waited for; else the block goes to another one. A host that is back takes part again.

    Attributes:
        patience_s: time in s for which a host that nothing can go on without is waited for.
        tell: hears, once it takes long, for which one and until when.
    """

    def __init__(
        self, scheduler: Scheduler, hosts: Mapping[str, HostSeen], recipe: Recipe, home: str, session: str
    ) -> None:
        """Take hosts into use.

        Args:
            scheduler: carries the runs; the caller closes it.
            hosts: that can make them, by name, `home` among them.
            recipe: of the study's bench.
            home: name of the host that comes first.
            session: begins the name of each attempt.
        """
        self.places = len(hosts)
        self._scheduler = scheduler
        self._hosts = sorted(hosts, key=lambda name: (name != home, name))
        self._there = set(hosts)
        self._problems: Mapping[str, str] = {}  # why a host that is there cannot make the runs
        self._recipe = recipe
        self._session = session
        self.patience_s = PATIENCE_S
        self.tell: Callable[[str], None] = unheard
        self._looked_s = 0.0
        self._busy: set[str] = set()
        self._bound: dict[_Block, str] = {}
        self._latest: dict[tuple[Purpose, Fraction, int], str] = {}  # of the blocks with a number, the last one's host
        self._begun: set[_Block] = set()  # blocks with a run that counts
        self._stored: dict[str, list[str]] = {}  # by host, what it may drop

    def made_before(self, runs: Iterable[tuple[Run, Status]]) -> None:
        """Hear of the runs of earlier processes, so that their blocks go on where they began."""
        for run, status in runs:
            block = _block_of(run)
            if block is not None and status not in (Status.LOST, Status.PLANNED, Status.RUNNING):
                self._bind(block, run.host)
                self._begun.add(block)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that are there, home first; one that was lost is looked for now and then."""
        gone = {*self._hosts} - self._there
        if gone and time.monotonic() - self._looked_s > _LOOK_AGAIN_S:
            self._look()
        return tuple(name for name in self._hosts if name in self._there)

    def place(self, run: Run) -> Run | None:
        """Return the run with its host; None while that host is busy.

        Raises:
            RunError: the host that it needs has been gone for too long, or came back as one that cannot make it.
        """
        host = self._host_of(run)
        if host in self._busy:
            return None
        if host not in self._there:
            if self._busy:
                return None
            self._wait_for(host)
        return replace(run, host=host)

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        """Make a run and wait for it; see `Executor`."""
        return self.submit(run, limits, watch).result()

    def submit(self, run: Run, limits: Limits, watch: Watcher) -> "Future[Outcome]":
        """Send a run to its host; see `Executor`. `watch` hears nothing of it."""
        del watch
        self._busy.add(run.host)
        stored = tuple(self._stored.get(run.host, ()))
        return self._scheduler.submit(run.host, Task(self._attempt(run), self._recipe, run, limits, stored))

    def settled(self, run: Run, *, lost: bool) -> None:
        """Hear that a run is in the store; see `Executor`."""
        self._busy.discard(run.host)
        if lost:
            self._there.discard(run.host)
            self._looked_s = time.monotonic()
            # Cut off, the host may have ended it, and keep what nobody fetches.
            self._stored.setdefault(run.host, []).append(self._attempt(run))
            return
        self._stored[run.host] = [self._attempt(run)]  # it has dropped those that were sent with this one
        block = _block_of(run)
        if block is not None:
            self._begun.add(block)

    def close(self) -> None:
        """Let the hosts drop what the study has; where the scheduler is gone, they do so when it goes on."""
        stored = [attempt for attempts in self._stored.values() for attempt in attempts]
        self._stored.clear()
        if stored:
            with suppress(RunError):
                self._scheduler.forget(stored)

    def _attempt(self, run: Run) -> str:
        return f"{self._session}.{run.id}"

    def _host_of(self, run: Run) -> str:
        """Return the host of a run, and hold its block to it."""
        block = _block_of(run)
        if block is None:
            return run.host
        bound = self._bound.get(block)
        if bound is not None and (bound in self._there or block in self._begun):
            return bound
        there = [name for name in self._hosts if name in self._there] or self._hosts
        purpose, rung, number, _ = block
        mirrored = self._latest.get((purpose, rung, number ^ 1)) if number % 2 else None
        if mirrored not in there:
            loads = Counter(host for known, host in self._bound.items() if known[0] is purpose)
            mirrored = min(there, key=lambda name: loads[name])
        self._bind(block, mirrored)
        return mirrored

    def _bind(self, block: _Block, host: str) -> None:
        purpose, rung, number, _ = block
        self._bound[block] = self._latest[purpose, rung, number] = host

    def _wait_for(self, host: str) -> None:
        """Wait until a host is back.

        Raises:
            RunError: it does not come, or cannot make the runs any more.
        """
        wait = Wait(self.tell, self.patience_s)
        while True:
            self._look(host)
            if host in self._there:
                return
            if host in self._problems:
                raise RunError(
                    f'the host "{host}" {self._problems[host]}; what began there cannot go on elsewhere, and the same '
                    "command goes on once that is mended"
                )
            if wait.is_over:
                raise RunError(
                    f'the host "{host}" has been gone for {format_seconds(self.patience_s)}, and what began there '
                    "cannot go on elsewhere; start its worker again, and the same command goes on"
                )
            wait.rest(_LOOK_S, f'the host "{host}": it is gone, and what began there cannot go on elsewhere')

    def _look(self, also: str = "") -> None:
        """Look which of the hosts are there, and whether one is that came before this process.

        Raises:
            RunError: the scheduler is gone.
        """
        self._looked_s = time.monotonic()
        seen = self._scheduler.hosts(self._recipe)
        self._problems = {name: host.problem for name, host in seen.items() if host.problem}
        self._there = (seen.keys() - self._problems.keys()) & {*self._hosts, also}


def _block_of(run: Run) -> _Block | None:
    """Return the block of a run that goes to whichever host; None for all others."""
    if run.purpose not in _SPREAD or run.block is None:
        return None
    return run.purpose, run.rung, run.block, run.load_seed
