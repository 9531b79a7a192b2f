"""A study on many hosts: which of them take part, and what they made for it while nobody listened."""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence

from lsmtune.errors import StudyError, UsageError
from lsmtune.executors.hosts import HostSeen, HostsExecutor, Kept, Recipe, Scheduler, Wait, unheard
from lsmtune.model import HostFacts, Status
from lsmtune.result import checkpoints
from lsmtune.store import Study
from lsmtune.study._figures import Figures

MISSED_S = 30.0
"""Time in s for which hosts with runs of a study are waited for when it goes on."""
_LOOK_S = 0.2


class Spread:
    """Hosts that a study can use, connected.

    Attributes:
        scheduler: carries the runs.
        recipe: what they are made with.
        hosts: that take part, by name.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        recipe: Recipe,
        require: Sequence[str] = (),
        version: str = "",
        leave_out: Collection[str] = (),
    ) -> None:
        """Look which hosts take part: all that have the labels and are not left out.

        Args:
            scheduler: knows the hosts; the caller closes it.
            recipe: what they have to be able to make.
            require: labels that each has to have.
            version: of lsmtune here; empty where it does not matter.
            leave_out: names of hosts that do not take part.

        Raises:
            UsageError: there is none, one of them cannot make the runs, or two of them are one machine.
            RunError: the scheduler is gone.
        """
        self.scheduler = scheduler
        self.recipe = recipe
        self._require = require
        self._version = version
        self._leave_out = leave_out
        self.hosts: Mapping[str, HostSeen] = {}
        self._look()

    @property
    def facts(self) -> tuple[HostFacts, ...]:
        """The facts of the hosts, sorted by name; the first one is home of a new study."""
        return tuple(self.hosts[name].facts for name in sorted(self.hosts))

    def sentence(self, home: str) -> str:
        """Return which hosts make what, for the user."""
        names = sorted(self.hosts)
        spread = (
            f"search, designs, steps, verification, confirmation and larger scales go over {', '.join(names)}; "
            f"{home} makes all other runs"
        )
        return f"hosts: {spread if len(names) > 1 else f'{home} is the only one, it makes all runs'}"

    def wait_for(self, names: Collection[str], tell: Callable[[str], None], most_s: float = MISSED_S) -> None:
        """Wait for hosts that have runs of the study, as workers come back one by one after a stop of the scheduler.

        `tell` hears of it where it takes long.

        Raises:
            UsageError, RunError: as when it was made.
        """
        wait = Wait(tell, most_s)
        while (missing := {*names} - {*self.hosts}) and not wait.is_over:
            wait.rest(_LOOK_S, f"{', '.join(sorted(missing))}, where runs of this study were made")
            self._look()

    def _look(self) -> None:
        seen = self.scheduler.hosts(self.recipe)
        chosen = {
            name: host
            for name, host in seen.items()
            if set(self._require) <= set(host.labels) and name not in self._leave_out
        }
        if not chosen:
            labels = f" with the labels {', '.join(self._require)}" if self._require else ""
            there = f"; there are {', '.join(sorted(seen))}" if seen else ""
            raise UsageError(
                f"[hosts]: the scheduler knows no worker{labels}{there}; start one with lsmtune hosts worker"
            )
        first: dict[str, str] = {}
        for name, host in sorted(chosen.items()):
            if host.problem:
                raise UsageError(f'[hosts]: the host "{name}" {host.problem}')
            if self._version not in ("", host.version):
                raise UsageError(
                    f'[hosts]: the host "{name}" has lsmtune {host.version}, and this machine {self._version}; install '
                    "the same one"
                )
            other = first.setdefault(host.facts.fingerprint, name)
            if other != name:
                raise UsageError(
                    f'[hosts]: "{other}" and "{name}" are one machine, and would count as two; stop one of the workers'
                )
        self.hosts = chosen


def find_home(study: Study, spread: Spread, tell: Callable[[str], None] = unheard) -> HostFacts:
    """Return the host of a study's own runs as it is now; hosts that have runs of it are waited for, as `tell` hears.

    Raises:
        StudyError: it is not there, or has another name.
    """
    made = study.description.host
    used = {stored.run.host for stored in study.runs() if stored.status is Status.RUNNING}
    found = _machine(spread, made.fingerprint)
    if found is None or found.name == made.name:
        spread.wait_for({made.name, *used}, tell)
        found = _machine(spread, made.fingerprint)
    if found is None:
        there = ", ".join(each.name for each in spread.facts)
        raise StudyError(
            f'the study began on the host "{made.name}", which is not among those that take part ({there}); start its '
            "worker again, or name a new folder with --study"
        )
    if found.name != made.name:
        raise StudyError(
            f'the study began on the host "{made.name}", whose worker is called "{found.name}" now; start it with '
            f"--name {made.name}, and the same command goes on"
        )
    return found


def _machine(spread: Spread, fingerprint: str) -> HostFacts | None:
    return next((each for each in spread.facts if each.fingerprint == fingerprint), None)


def take_back(
    study: Study, scheduler: Scheduler, figures: Figures | None, tell: Callable[[str], None] = unheard
) -> int:
    """Store what hosts finished for a study whose process ended, and return how many runs that were.

    Runs that are still under way are waited for, as `tell` hears where it takes long. An outcome counts only for the
    very run that was sent: it is of a session of this study and its run has not ended otherwise. `figures` computes
    what is kept with each run of memory and space at full size; None where they are not told.

    Raises:
        RunError: the scheduler is gone.
    """
    sessions = study.saved(checkpoints.SESSIONS) or ()
    if not sessions:
        return 0
    kept = _ended(study, scheduler, f"{sessions[0]}.", tell)
    open_runs = {stored.run.id: stored.run for stored in study.runs() if stored.status is Status.RUNNING}
    taken = 0
    for attempt, outcome in sorted(kept.ended.items()):
        _, session, number = attempt.split(".")
        run = open_runs.pop(int(number), None) if session in sessions else None
        if run is not None:
            study.finish(run, outcome if figures is None else figures.added(run, outcome))
            taken += 1
    scheduler.forget(list(kept.ended))
    return taken


def _ended(study: Study, scheduler: Scheduler, prefix: str, tell: Callable[[str], None]) -> Kept:
    """Return what hosts have of a study's attempts, once none of them is under way any more."""
    kept, wait = scheduler.kept(prefix), Wait(tell)
    hosts = {str(stored.run.id): stored.run.host for stored in study.runs()} if kept.under_way else {}
    while kept.under_way:
        numbers = [attempt.rpartition(".")[2] for attempt in kept.under_way]
        runs = ", ".join(f"run {number} on {hosts.get(number, 'one of the hosts')}" for number in numbers)
        wait.rest(_LOOK_S, f"{runs} to end, which began before this start; what comes of it is stored first")
        kept = scheduler.kept(prefix)
    return kept


def hosts_executor(study: Study, spread: Spread, tell: Callable[[str], None] = unheard) -> HostsExecutor:
    """Return what makes the runs of a study on its hosts, for one more session of it; `tell` hears of long waits."""
    sessions = study.saved(checkpoints.SESSIONS) or (secrets.token_hex(8),)
    session = secrets.token_hex(4)
    study.save(checkpoints.SESSIONS, (*sessions, session))
    home = study.description.host.name
    executor = HostsExecutor(spread.scheduler, spread.hosts, spread.recipe, home, f"{sessions[0]}.{session}")
    executor.tell = tell
    executor.made_before((stored.run, stored.status) for stored in study.runs())
    return executor
