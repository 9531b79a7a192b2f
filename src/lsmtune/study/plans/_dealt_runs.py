"""The runs of a design dealt out to hosts, each host with its own anchors.

Points of a sample go wherever a host is free, as each is compared with the reference there. The cells of a block of a
grid are compared with one another, so a block is made on one host from its first run to its last.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lsmtune.model import Purpose
from lsmtune.store import StoredRun
from lsmtune.study._runner import RunKey, Runner, RunRequest, WhereGone
from lsmtune.study.plans._single_runs import SingleRunHosts

DESIGNED = (Purpose.SAMPLE, Purpose.TEST)
"""Purposes of the points of designs."""


@dataclass
class DealtRuns:
    """Runs of a design that are still to be made, and the hosts that make them.

    Attributes:
        hosts: that make single runs.
        every: of so many runs on a host one is the reference.
        repeats: runs of the reference with which a host begins.
        keys: of the runs, in order.
        request: returns the request for one of them.
        whole_blocks: whether a block is made on one host.
    """

    hosts: SingleRunHosts
    every: int
    repeats: int
    keys: Sequence[RunKey]
    request: Callable[[RunKey], RunRequest]
    whole_blocks: bool
    _left: dict[int, deque[RunKey]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for run_key in self.keys:
            if not self._runner.is_taken(run_key):
                block = (run_key.block or 0) if self.whole_blocks else 0
                self._left.setdefault(block, deque()).append(run_key)

    @property
    def open(self) -> int:
        """How many runs of the design have not begun."""
        return sum(map(len, self._left.values()))

    def requests(self) -> Iterator[RunRequest | None]:
        """Yield runs for the hosts that are free, those of the reference that are due first; see `make_all`."""
        while self.open:
            turns = (self._turn(host) for host in self.hosts.free)
            found = next((turn for turn in turns if turn is not None), None)
            if found is None and not self._runner.open_requests:
                found = self._waiting()
            yield found

    @property
    def _runner(self) -> Runner:
        return self.hosts.runner

    def _turn(self, host: str) -> RunRequest | None:
        """Return the next run on a host that is free; None where what is left belongs to others."""
        missing = self.hosts.missing(host, range(self.repeats))
        if missing:
            return self.hosts.request(missing[0], "baseline of the reference")
        due = self.hosts.due_anchor(host, DESIGNED, self.every)
        if due is not None:
            return self.hosts.request(self.hosts.key(Purpose.ANCHOR, host, due, self._last_load(host)), "anchor")
        block = self._block_for(host)
        return None if block is None else self._begun(block, host)

    def _begun(self, block: int, host: str) -> RunRequest:
        run_key = self._left[block].popleft()
        if not self._left[block]:
            del self._left[block]
        named = replace(run_key, host="" if host == self._runner.home else host)
        begun = self.whole_blocks and block in self._owners
        where_gone = WhereGone.WAIT if begun else WhereGone.MOVE
        return replace(self.request(run_key), key=named, where_gone=where_gone)

    def _last_load(self, host: str) -> str:
        """Return the load of the run of the design that a host made last, also for an earlier process."""
        made = self._runner.runs_by_key.items()
        loads = [key.load_name for key, each in made if key.purpose in DESIGNED and self._made_by(each) == host]
        return loads[-1] if loads else ""

    def _made_by(self, stored: StoredRun) -> str:
        return stored.run.host or self._runner.home

    def _block_for(self, host: str) -> int | None:
        """Return the block that a host goes on with: its own first, then one that nobody has begun."""
        if not self.whole_blocks:
            return next(iter(self._left), None)
        owners = self._owners
        own = (block for block in self._left if owners.get(block) == host)
        return next(own, next((block for block in self._left if block not in owners), None))

    @property
    def _owners(self) -> Mapping[int, str]:
        """The host of each block of the design that has begun; runs of the reference count their own blocks."""
        runner = self._runner
        under_way = [(request.key, request.key.host) for request in runner.open_requests]
        ended = [(run_key, self._made_by(stored)) for run_key, stored in runner.runs_by_key.items()]
        return {
            run_key.block: host or runner.home
            for run_key, host in (*under_way, *ended)
            if run_key.purpose in DESIGNED and run_key.block is not None
        }

    def _waiting(self) -> RunRequest:
        """Return a run whose host is not there: it is waited for."""
        block = next(iter(self._left))
        return self._begun(block, self._owners.get(block, self._runner.home))
