"""How busy lsmtune keeps 1,000 hosts: the logic of the coordinator alone, with its store, without processes.

Usage: python benchmarks/hosts_scheduling.py [hosts] [seconds]

A sample goes over simulated hosts whose runs take 40 to 80 s of real time and nothing else. After every host has begun,
the share of their time in which they are at a run is taken over some minutes. Goal: >= 95 % with 1,000 hosts. Exit
code 1 if it is missed. About 5 minutes.
"""

import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from hosts_simulated import SimulatedHosts, executor_over, simulated_study
from lsmtune.executors import Limits
from lsmtune.model import Run
from lsmtune.result import History
from lsmtune.store import StoredRun
from lsmtune.study import Budget, Listener, Runner, RunPolicy, SampleSettings, sample

GOAL = 0.95
RUN_S = (40.0, 80.0)
_LONGEST_START_S = 90.0


class Enough(Exception):  # noqa: N818 - not an error: the time is over
    """The time that is measured is over."""


class Clock(Listener):
    """Measures from the moment at which all hosts have begun."""

    def __init__(self, hosts: SimulatedHosts, seconds: float) -> None:
        self._hosts, self._seconds = hosts, seconds
        self._began_s = time.monotonic() + _LONGEST_START_S
        self._before: tuple[float, float, int] | None = None
        self.under_way = 0
        self.told = ""
        self.share = 0.0
        self._area_s = 0.0
        self._last_s = time.monotonic()

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """Count a run that begins."""
        del run, about, left_s
        self._changed(1)

    def ended(self, stored: StoredRun, history: History) -> None:
        """Count a run that has ended and is stored."""
        del stored, history
        self._changed(-1)

    def _changed(self, by: int) -> None:
        now = time.monotonic()
        if self._before is None and now > self._began_s:
            self._before = now, time.process_time(), self._hosts.ended
            self._area_s = 0.0
        self._area_s += self.under_way * (now - self._last_s)
        self._last_s = now
        self.under_way += by
        if self._before is not None and now - self._before[0] > self._seconds:
            began_s, used_s, ended = self._before
            took_s, runs = now - began_s, self._hosts.ended - ended
            self.share = self._area_s / (took_s * len(self._hosts.names))
            self.told = f"{runs / took_s:.1f} runs a second, {(time.process_time() - used_s) / took_s:.0%} of a core"
            raise Enough


def main(number: int, seconds: float) -> int:
    """Let a sample go on for some time; return the exit code."""
    hosts = SimulatedHosts(number, *RUN_S)
    clock = Clock(hosts, seconds)
    with tempfile.TemporaryDirectory(prefix="lsmtune-scheduling-") as place:
        study, rules, space = simulated_study(Path(place) / "study")
        policy = RunPolicy(Budget(float("inf"), None), Limits(3600.0, 3600.0), cap=3.0, seed=1)
        runner = Runner(study, executor_over(hosts, study), rules, policy, clock)
        settings = SampleSettings(space, "random", 100_000, 0, 0, None, anchor_every=5, noise_runs=5, seed=1)
        with suppress(Enough):
            sample(runner, settings)
        hosts.close()
        study.close()
    print(f"{number} hosts, runs of {RUN_S[0]:.0f} to {RUN_S[1]:.0f} s: {clock.told}")
    print(f"hosts are at a run in {clock.share:.1%} of the time (goal {GOAL:.0%})")
    return int(clock.share < GOAL)


if __name__ == "__main__":
    given = [float(argument) for argument in sys.argv[1:]]
    number, seconds = (given + [1000.0, 180.0][len(given) :])[:2]
    sys.exit(main(int(number), seconds))
