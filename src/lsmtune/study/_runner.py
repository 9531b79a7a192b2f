"""Makes runs happen once: each has a key in the study, and a key that has its run is not run again.

Stages say which runs they want next, all of a look or one at a time, and where runs can be made at once, they are.

A study is resumed by going through its stages from the start. Keys that an earlier process made runs of give the stored
run at once, so every stage decides the same as before and goes on where the runs end.
"""

import hashlib
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from statistics import median

from lsmtune.errors import HostLostError, RunSpoiledError
from lsmtune.executors import Executor, Limits
from lsmtune.model import FRESH, WHOLE, Configuration, Outcome, Purpose, Run, Status, Value
from lsmtune.result import Disturbed, History, Rules, Yardstick, log_slowdown, rank
from lsmtune.store import StoredRun, Study
from lsmtune.study._budget import REPEAT_SHARE, Budget, Spending
from lsmtune.study._figures import Figures
from lsmtune.study._ledger import Ledger
from lsmtune.study._listener import KeptProgress, Listener
from lsmtune.units import format_percent

_TRIES = 3
_TICK_S = 1.0
_REST_S = 60.0
LEAST_CAP_S = 20.0
"""Time in s before which no run is hopeless: short runs vary by more than a factor."""
_SHARE_SPENT = (
    f"others on the host disturb runs, and those that are made again have their {format_percent(REPEAT_SHARE)} of what "
    "may be spent; where that is so, disturbed runs are used as they are"
)


@dataclass(frozen=True)
class RunKey:
    """The place of a run in a study: why, for what, in which block; `scenario` and `rung` are the run's, see `Run`.

    `load` names the load whose data the run reads; the seed of the load follows from it. Runs with one name share the
    data where their values allow it. Left out, it is that of the purpose and the block: repeats load anew, so that what
    is said of them holds for several trees, and not for one that was read several times (Hurlbert 1984 calls that
    pseudoreplication); and no stage reads the tree on which another one chose.

    `host` names where the run is to be made; left out, at home, or where the executor puts its block.
    """

    purpose: Purpose
    arm: str
    block: int | None = None
    scenario: tuple[tuple[str, Value], ...] = ()
    rung: Fraction = WHOLE
    load: str = field(default="", compare=False)
    host: str = field(default="", compare=False)

    @property
    def load_name(self) -> str:
        """The name of the load."""
        return self.load or f"{self.purpose}/{self.block}"


class WhereGone(Enum):
    """What becomes of a run whose host has left."""

    WAIT = "wait"
    """It waits for that host: runs that it is compared with were made there."""
    MOVE = "move"
    """Another host makes it: it is compared with the reference on whichever host makes it."""
    DROP = "drop"
    """It is not made: it says something of that host alone."""


@dataclass(frozen=True)
class RunRequest:
    """A run that a stage asks for.

    Attributes:
        key: its place in the study.
        configuration: what it runs.
        about: what it is in words.
        where_gone: what becomes of it where its host has left.
    """

    key: RunKey
    configuration: Configuration
    about: str
    where_gone: WhereGone = WhereGone.WAIT


@dataclass(frozen=True)
class RunPolicy:
    """How runs of a study are made.

    Attributes:
        budget: what the study may spend.
        limits: what a run may take; the caps on time in it hold for the reference's own runs.
        cap: factor on the reference's time beyond which a run is hopeless.
        seed: the study's seed; the seeds of runs follow from it.
        beat: factor on the time of the best trial beyond which a trial cannot win; None where time does not tell.
        one_load: all runs read data of one load, as the user wants it.
        least_cap_s: no run is hopeless before this time in s: where the length of a run says nothing of how good it is.
        figures: computes memory and space at full size; None where they are not told.
    """

    budget: Budget
    limits: Limits
    cap: float
    seed: int
    beat: float | None = None
    one_load: bool = False
    least_cap_s: float = LEAST_CAP_S
    figures: Figures | None = None


class Runner:
    """Makes the runs of one study, each once, and keeps its history at hand."""

    def __init__(self, study: Study, executor: Executor, rules: Rules, policy: RunPolicy, listener: Listener) -> None:
        """`study` has to be open for work and recovered."""
        self.study = study
        self.rules = rules
        self.listener: Listener = KeptProgress(study, listener)
        self._executor = executor
        self._policy = policy
        self._runs = {stored.run.id: stored for stored in study.runs()}
        self._columns = {name: study.indicator(name) for name in rules.read}
        self._tries: Counter[RunKey] = Counter()
        self._expected: int | None = None
        self._done: dict[RunKey, StoredRun] = {}
        self._open: dict[Future[Outcome], tuple[RunRequest, Run]] = {}
        self._held: list[RunRequest] = []
        self._done_on: Counter[tuple[str, Purpose]] = Counter()
        self._ledger = Ledger(rules.reference, self.home)
        self._at_once = 1
        self._rests_until: dict[str, float] = {}  # by host, on the monotonic clock
        self._told_share = False
        self._kept_share = 0.0
        searched = False  # where the reference fails once more among trials, the search goes on
        last_of_key = {_run_key(stored.run): number for number, stored in self._runs.items()}
        last_on_host = {stored.run.host or self.home: number for number, stored in self._runs.items()}
        for number, stored in self._runs.items():
            searched = searched or stored.run.purpose is Purpose.TRIAL
            self._ledger.add(stored)
            if searched or not self._is_no_start(stored):
                made_again = last_of_key[_run_key(stored.run)] > number
                went_on = last_on_host[stored.run.host or self.home] > number
                self._take(stored, decided=False if made_again else went_on or None)

    @property
    def home(self) -> str:
        """The host on which the study began: it makes all runs for which no other host is named."""
        return self.study.description.host.name

    @property
    def history(self) -> History:
        """All runs so far."""
        return History(tuple(self._runs.values()), self._columns, self.rules.disturbed)

    @property
    def open_requests(self) -> list[RunRequest]:
        """The runs that have begun and not ended, in the order in which they began, and those that wait for a host."""
        return [*(request for request, _ in self._open.values()), *self._held]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that make runs now, home first."""
        return self._executor.hosts or (self.home,)

    @property
    def free_hosts(self) -> list[str]:
        """Those of them that are at no run; where there is only the study's own, that one.

        One whose disk was full, or whose last run others spoiled otherwise, rests for a while.
        """
        if not self._executor.hosts:
            return [self.home]
        busy = {run.host for _, run in self._open.values()}
        free = [host for host in self.hosts if host not in busy]
        rested = [host for host in free if self._rests_until.get(host, 0.0) <= time.monotonic()]
        return rested if rested or self._open else free

    def begun_on(self, host: str, purposes: Iterable[Purpose]) -> int:
        """Return how many keys of some purposes have a run that was made on a host, or is under way there."""
        under_way = Counter(run.purpose for _, run in self._open.values() if run.host == host)
        return sum(self._done_on[host, purpose] + under_way[purpose] for purpose in purposes)

    @property
    def taken_keys(self) -> AbstractSet[RunKey]:
        """The keys that have their run, or whose run has begun or waits for its host."""
        return self._done.keys() | {request.key for request in self.open_requests}

    def is_taken(self, run_key: RunKey) -> bool:
        """Return whether a key is among `taken_keys`."""
        return run_key in self._done or any(request.key == run_key for request in self.open_requests)

    @property
    def runs_by_key(self) -> Mapping[RunKey, StoredRun]:
        """The runs that stand for their keys, in the order in which they came to do so."""
        return self._done

    def run_of(self, run_key: RunKey) -> StoredRun | None:
        """Return the run of a key; None while it has to be made."""
        return self._done.get(run_key)

    def make(self, run_key: RunKey, configuration: Configuration, about: str) -> StoredRun:
        """Return the run of a key, making it if there is none yet; see `make_all`."""
        self.make_all([RunRequest(run_key, configuration, about)])
        return self._done[run_key]

    def make_all(self, requests: Iterable[RunRequest | None]) -> None:
        """Make the runs that are asked for, those that are there already excepted.

        They begin in order, as many at once as the executor has places for, and may end in any; those whose host is at
        another run are passed over until it is free. The next request of a generator is drawn only when there is a
        place for it, so a stage that yields them sees all runs that have ended; where it has none for the hosts that
        are free, it yields None and is asked again when a run has ended. A disturbed run is made again as the rules
        say, a spoiled one up to twice; then the last one stands, but where a spoiled one was made on the only host.

        Raises:
            KeyboardInterrupt: a run was stopped; it is made again at the next start.
            RunSpoiledError: the only host lets no run end; what it spoiled is made again at the next start.
            RunError: the host of a run is gone and does not come back.
        """
        coming = (request for request in requests if request is None or request.key not in self._done)
        try:
            while True:
                self._begin_all(coming)
                if not self._open:
                    return
                for ended in self._next_ended():
                    self._end(ended)
        finally:
            self._open.clear()
            self._held.clear()

    def _next_ended(self) -> AbstractSet["Future[Outcome]"]:
        """Wait for the next runs to end, and return them."""
        while not (ended := wait(self._open, timeout=_TICK_S, return_when=FIRST_COMPLETED).done):
            self.listener.waiting()
        return ended

    def _begin_all(self, coming: Iterator[RunRequest | None]) -> None:
        """Begin what there is a place for: what waits for its host first, then what is drawn."""
        waiting, self._held = self._held, []
        for held in waiting:
            self._begin(held)
        while len(self._open) < self._executor.places and (request := next(coming, None)) is not None:
            self._begin(request)
        self._at_once = max(1, len(self._open))

    def keep_back(self, share: float) -> None:
        """Keep a share of the budget for a later stage; 0 gives back what was kept."""
        self._kept_share = share

    @property
    def budget(self) -> Budget:
        """What the study may spend in all, what is kept back for a later stage included."""
        return self._policy.budget

    def expect(self, runs: int) -> None:
        """Say how many runs are to come, where a stage knows; the time that is left follows from it."""
        self._expected = runs

    def log_bound(self, stored: StoredRun) -> float | None:
        """Return the log ratio to the reference's time that a stopped run would at least have reached; None for others.

        What every run takes beside its work, such as db_bench's sleep before it waits, is taken off both.
        """
        if stored.bound_s is None:
            return None
        typical_s = median(
            self._measured_times(stored.run.rung, stored.run.host or self.home) or [self.spending().run_s]
        )
        beside_s = min(self.beside_s(stored.run.rung), 0.9 * typical_s)
        return log_slowdown(stored.bound_s, typical_s - beside_s, beside_s)

    def beside_s(self, rung: Fraction = WHOLE) -> float:
        """Return what a run of the reference takes beside loading and its work in s; 0 where that is not known."""
        totals = self._columns.get("total_time_s", {})
        own = self._ledger.own_runs(rung)
        beside = [run.measured_s - totals[run.run.id] for run in own if run.measured_s and run.run.id in totals]
        return max(0.0, median(beside)) if beside else 0.0

    @property
    def loading_s(self) -> float:
        """The typical time in s in which a run of the reference loads shared data; 0 where none does."""
        loads = [stored.load_s for stored in self._ledger.own_runs(WHOLE) if stored.load_s]
        return median(loads) if loads else 0.0

    def spending(self) -> Spending:
        """Return what has been spent of the budget, less what is kept back."""
        budget = self.budget.keeping(self._kept_share) if self._kept_share else self.budget
        return self._ledger.spending(budget, len(self._open))

    def _begin(self, request: RunRequest) -> None:
        """Begin a run, or hold it while its host is at another one."""
        run_key = request.key
        at = "" if run_key.rung == WHOLE else f"/{run_key.rung}"
        seed = _seed(self._policy.seed, f"{run_key.purpose}/{run_key.arm}/{run_key.block}/{self._tries[run_key]}{at}")
        load_seed = _seed(self._policy.seed, "load" if self._policy.one_load else f"load/{run_key.load_name}")
        wanted = request.configuration
        draft = Run(
            0, run_key.purpose, run_key.arm, run_key.block, wanted, seed, load_seed, run_key.scenario, run_key.rung
        )
        host = self._host_for(request)
        if host is None:
            self.listener.note(f"{request.about} is left out, as its host {run_key.host} has left")
            return
        placed = self._executor.place(replace(draft, host=host))
        if placed is None:
            self._held.append(request)
            return
        at_home = placed.host == self.home
        made_as = replace(request, key=replace(run_key, host="" if at_home else placed.host))
        about = request.about if at_home else f"{request.about}, on {placed.host}"
        with self.study.together():  # one sync instead of three, between two runs of a host
            run = self.study.plan(placed)
            self.listener.started(run, about, self._left_s())
            self.study.start(run)
        self._open[self._executor.submit(run, self._limits(run_key, run.host), self.listener.progress)] = made_as, run

    def _end(self, ended: "Future[Outcome]") -> None:
        request, run = self._open[ended]
        try:
            outcome = ended.result()
        except HostLostError as error:
            self._lose(ended, str(error))
            return
        del self._open[ended]
        if self._policy.figures is not None:
            outcome = self._policy.figures.added(run, outcome)
        self.study.finish(run, outcome)
        self._executor.settled(run, lost=False)
        stored = self.study.run(run.id)
        self._keep(stored, outcome)
        self.listener.ended(stored, self.history)
        if request.key not in self._done:
            self._begin(self._elsewhere(request, stored) if outcome.status is Status.SPOILED else request)

    def _elsewhere(self, request: RunRequest, ended: StoredRun) -> RunRequest:
        """Ask for a spoiled run on another host, if it may be made there; its own rests.

        Raises:
            RunSpoiledError: it was made as often as it may be, and there is no other host.
        """
        if self._tries[request.key] >= _TRIES:
            raise RunSpoiledError(
                f"{request.about} cannot be run, which is not its configuration's doing: {ended.reason}; mend that, "
                "and the same command goes on"
            )
        spoiled = ended.run
        self._rests_until[spoiled.host] = time.monotonic() + _REST_S
        hosts = [host for host in self.free_hosts or self.hosts if host != spoiled.host]
        others = [host for host in hosts if self._measured_times(WHOLE, host)]
        if request.where_gone is not WhereGone.MOVE or not others:
            return request
        return replace(request, key=replace(request.key, host=others[0]))

    def _lose(self, ended: "Future[Outcome]", reason: str) -> None:
        """Ask once more for a run whose host was lost."""
        request, run = self._open.pop(ended)
        self.study.lose(run, reason)
        self._executor.settled(run, lost=True)
        self._runs[run.id] = self.study.run(run.id)
        self.listener.lost(run, f"run {run.id} ({request.about}) is lost and made again: {reason}")
        self._held.append(request)

    def _host_for(self, request: RunRequest) -> str | None:
        """Return the host on which a run is wanted; None where it is not made, as that one has left."""
        wanted = request.key.host or self.home
        if request.where_gone is WhereGone.WAIT or wanted in (there := self.hosts):
            return wanted
        if request.where_gone is WhereGone.DROP:
            return None
        measured = [host for host in self.free_hosts or there if self._measured_times(WHOLE, host)]
        return measured[0] if measured else self.home

    def _left_s(self) -> float | None:
        spending = replace(self.spending(), budget=self.budget)  # what is kept back is spent in the end, too
        expected_s = None if self._expected is None else self._expected * spending.mean_run_s
        known = [left_s for left_s in (spending.left_s, expected_s) if left_s is not None]
        return min(known) / self._at_once if known else None

    def _keep(self, stored: StoredRun, outcome: Outcome) -> None:
        self._runs[stored.run.id] = stored
        self._ledger.add(stored)
        self._take(stored)
        if outcome.measurement is not None:
            for name, column in self._columns.items():
                value = outcome.measurement.indicators.get(name)
                if value is not None and not math.isnan(value):  # as the store keeps it
                    column[stored.run.id] = float(value)

    def _take(self, stored: StoredRun, *, decided: bool | None = None) -> None:
        """Let a stored run stand for its key, unless it has to be made again.

        `decided`: whether an earlier process let a disturbed or spoiled one do so, as it went on to another key on that
        host; None if open. What spoils the runs of the only host would spoil all that follow, so none of them stands.
        """
        run_key = _run_key(stored.run)
        if stored.status is Status.DISTURBED:
            self._tries[run_key] += 1
            if decided or (decided is None and not self._is_made_again(run_key)):
                self._stand(run_key, stored)
        elif stored.status is Status.SPOILED:
            self._tries[run_key] += 1
            if self._tries[run_key] >= _TRIES and (len(self.hosts) > 1 if decided is None else decided):
                self._stand(run_key, stored)
        elif stored.status in (Status.OK, Status.FAILED, Status.CENSORED):
            self._stand(run_key, stored)

    def _stand(self, run_key: RunKey, stored: StoredRun) -> None:
        """Let a run stand for its key, unless one does already."""
        if run_key not in self._done:
            self._done[run_key] = stored
            self._done_on[stored.run.host or self.home, run_key.purpose] += 1
            self._ledger.stands(stored)

    def _is_made_again(self, run_key: RunKey) -> bool:
        """Whether a key whose last run was disturbed gets another one."""
        wanted, tries = self.rules.disturbed, self._tries[run_key]
        if wanted is Disturbed.USE or tries >= _TRIES:
            return False
        if wanted is not Disturbed.WAIT or self.spending().may_repeat:
            return True
        if not self._told_share:
            self._told_share = True
            self.listener.note(_SHARE_SPENT)
        return False

    def _is_no_start(self, stored: StoredRun) -> bool:
        """Whether an earlier process ended because the reference could not be run; what was wrong may be mended."""
        is_reference = stored.run.purpose is Purpose.BASELINE and stored.run.arm == self.rules.reference
        return is_reference and stored.status in (Status.FAILED, Status.CENSORED, Status.SPOILED)

    def _limits(self, run_key: RunKey, host: str) -> Limits:
        """Return what a run may take: where runs are compared, all arms have the same cap, the reference too.

        It follows from the reference's runs on the same host; where there are none yet, there is the cap of these.
        """
        limits = self._policy.limits
        own = self._measured_times(run_key.rung, host)
        measures_reference = run_key.arm == self.rules.reference and run_key.purpose not in FRESH
        if run_key.rung > WHOLE and not own:
            return _larger(limits, run_key.rung)
        if measures_reference or not own:
            return limits
        wall_s = self._policy.cap * max(own[0], median(own))
        if run_key.purpose is Purpose.TRIAL:
            wall_s = min(wall_s, self._winning_s(host))
        loads = [stored.load_s for stored in self._ledger.own_runs(run_key.rung, host) if stored.load_s]
        load_wall_s = max(LEAST_CAP_S, self._policy.cap * max(loads)) if loads else limits.load_wall_s
        return replace(limits, wall_s=max(self._policy.least_cap_s, wall_s), load_wall_s=load_wall_s)

    def _winning_s(self, host: str) -> float:
        """Return the time in s beyond which a trial on a host cannot win; infinity before one beats the reference.

        The time of the best trial on another host counts in times of the reference there.
        """
        if self._policy.beat is None:
            return math.inf
        ranked = rank(self.history, self.rules)
        better = [each for each in ranked if each.log_gain is not None and each.log_gain > 0 and each.violation == 0]
        yardstick = Yardstick(self.study, self.history, self.rules) if better else None
        best = next((each for each in better if yardstick and not yardstick.bars(each.stored)), None)
        if best is None:
            return math.inf
        best_s, made_on = best.stored.measured_s or math.inf, best.stored.run.host or self.home
        if made_on != host:
            here, there = (self._measured_times(WHOLE, name) for name in (host, made_on))
            best_s *= median(here) / median(there) if here and there else math.inf
        return self._policy.beat * best_s

    def _measured_times(self, rung: Fraction, host: str) -> list[float]:
        """Return the times of the reference's runs at a rung on a host that went well, without loading, in s."""
        return [stored.measured_s for stored in self._ledger.own_runs(rung, host) if stored.measured_s is not None]


def _larger(limits: Limits, rung: Fraction) -> Limits:
    """Return limits for more data, of which no run has ended."""
    caps = [None if cap_s is None else cap_s * float(rung) for cap_s in (limits.wall_s, limits.load_wall_s)]
    return replace(limits, wall_s=caps[0], load_wall_s=caps[1])


def mirrored_order(arms: Iterable[str], key: str, block: int) -> list[str]:
    """Return the running order of a block: random by `key` in even blocks, the same backwards in odd ones (ABBA)."""
    order = list(arms)
    random.Random(f"{key} {block // 2}").shuffle(order)
    return order[::-1] if block % 2 else order


def _run_key(run: Run) -> RunKey:
    return RunKey(run.purpose, run.arm, run.block, run.scenario, run.rung)


def _seed(study_seed: int, salt: str) -> int:
    """Return a seed in [1, 2**31): db_bench takes 0 as "from the clock".

    It follows from the key and the try, not from the run's number: runs that were lost must not change later ones.
    """
    digest = hashlib.sha256(f"{study_seed}/{salt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % (2**31 - 1) + 1
