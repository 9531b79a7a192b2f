"""Hosts compared before anything is tuned: the default on all of them, again and again, and who differs by what."""

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress

from lsmtune.errors import HostLostError, RunError
from lsmtune.executors import Limits
from lsmtune.executors.hosts import HostSeen, Recipe, Scheduler, Task
from lsmtune.model import Configuration, Outcome, Purpose, Run
from lsmtune.result import HostsExamined, examined
from lsmtune.study._listener import Listener

_FREE_BYTES = 1 << 30
_TICK_S = 1.0
_CLOCK_S = 2.0


def examine_hosts(
    scheduler: Scheduler, hosts: Mapping[str, HostSeen], recipe: Recipe, runs: int, listener: Listener, session: str
) -> HostsExamined:
    """Run the default so often on each host, all at once, and compare them.

    Args:
        scheduler: carries the runs.
        hosts: that are compared, by name.
        recipe: of what is repeated.
        runs: repeats on each.
        listener: hears of each.
        session: begins the names of the attempts.

    Raises:
        RunError: the scheduler is gone, or not two hosts gave two values.
    """
    outcomes = _made(scheduler, hosts, recipe, runs, listener, session)
    told = {
        "lsmtune": {name: seen.version for name, seen in hosts.items()},
        "build": {name: ", ".join(seen.builds) for name, seen in hosts.items()},
        "clock": {name: _clock(seen.ahead_s) for name, seen in hosts.items()},
    }
    return examined({name: seen.facts for name, seen in hosts.items()}, outcomes, told)


def _clock(ahead_s: float) -> str:
    return "in time" if abs(ahead_s) <= _CLOCK_S else f"{ahead_s:+.0f} s"


def _made(
    scheduler: Scheduler, hosts: Mapping[str, HostSeen], recipe: Recipe, runs: int, listener: Listener, session: str
) -> dict[str, list[Outcome]]:
    """Make the runs, each host its own one after the other; one that leaves makes no more."""
    made: dict[str, list[Outcome]] = {name: [] for name in hosts}
    left = dict.fromkeys(sorted(hosts), runs)
    under_way: dict[Future[Outcome], Run] = {}
    number = 0

    def begin(name: str) -> None:
        nonlocal number
        number += 1
        repeat = runs - left[name] + 1
        left[name] -= 1
        run = Run(number, Purpose.BASELINE, "default", repeat, Configuration(), seed=number, load_seed=1, host=name)
        listener.started(run, f"default, repeat {repeat} of {runs}, on {name}", None)
        task = Task(f"{session}.{number}", recipe, run, Limits(free_bytes=_FREE_BYTES))
        under_way[scheduler.submit(name, task)] = run

    try:
        for name in left:
            begin(name)
        while under_way:
            ended = wait(under_way, timeout=_TICK_S, return_when=FIRST_COMPLETED).done
            if not ended:
                listener.waiting()
            for future in sorted(ended, key=lambda each: under_way[each].id):
                run = under_way.pop(future)
                try:
                    made[run.host].append(future.result())
                except HostLostError as error:
                    listener.lost(run, f"{error}; it is compared by the runs that it has made")
                    continue
                if left[run.host]:
                    begin(run.host)
    finally:  # nobody fetches them later
        with suppress(RunError):
            scheduler.forget([f"{session}.{each}" for each in range(1, number + 1)])
    return made
