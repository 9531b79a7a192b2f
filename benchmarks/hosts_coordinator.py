"""What the coordinator takes of a core with 50 workers and 100,000 runs in the store.

Usage: python benchmarks/hosts_coordinator.py [runs in the store] [hosts] [seconds]

A sample that has so many runs goes on over simulated hosts, whose runs take 40 to 80 s of real time and nothing else;
its progress is worded as on a terminal, and not shown. The processor time of this process is taken over some minutes,
after it has opened the study and begun on every host. dask's own work for a run is not in it: see hosts_overhead.py.
Goal: <= 2 % of a core. Exit code 1 if it is missed.
"""

import sys
import tempfile
import time
from contextlib import suppress
from io import StringIO
from pathlib import Path

from rich.console import Console

from hosts_simulated import SimulatedHosts, executor_over, simulated_study
from lsmtune.api._listening import ViewListener
from lsmtune.executors import Limits
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, StudyKind
from lsmtune.report import ConsoleView
from lsmtune.result import History, checkpoints
from lsmtune.store import StoredRun, Study
from lsmtune.store._database import transaction
from lsmtune.store._rows import insert_run, update_outcome
from lsmtune.study import Budget, Runner, RunPolicy, SampleSettings, sample
from lsmtune.testing import FakeExecutor, Noise, Surface

GOAL = 0.02
RUN_S = (40.0, 80.0)
_SETTLED_S = 100.0


class Enough(Exception):  # noqa: N818 - not an error: the time is over
    """The time that is measured is over."""


class Measured(ViewListener):
    """Words what happens, and takes the time of this process meanwhile."""

    def __init__(self, view: ConsoleView, rules: object, seconds: float) -> None:
        super().__init__(view, rules)  # type: ignore[arg-type]
        self._seconds = seconds
        self._settled_s = time.monotonic() + _SETTLED_S
        self._before: tuple[float, float] | None = None
        self.runs = 0
        self.share = 0.0

    def ended(self, stored: StoredRun, history: History) -> None:
        """Word a run that has ended."""
        super().ended(stored, history)
        now, used_s = time.monotonic(), time.process_time()
        if self._before is None:
            if now > self._settled_s:
                self._before = now, used_s
            return
        self.runs += 1
        if now - self._before[0] > self._seconds:
            self.share = (used_s - self._before[1]) / (now - self._before[0])
            raise Enough


def fill(study: Study, runs: int, hosts: int) -> None:
    """Write a sample of so many runs into a study, every fifth of them the reference."""
    engine = FakeExecutor(Surface(0.4), Noise(rate=0.03))
    study.begin(StudyKind.SAMPLE)
    study.save(checkpoints.HOSTS, tuple(f"bench-{place}" for place in range(1, hosts + 1)))
    connection = study._connection  # noqa: SLF001  the benchmark writes the store's tables in bulk
    with transaction(connection, write=True):
        for number in range(1, runs + 1):
            own = number % 5 == 0
            purpose, arm = (Purpose.ANCHOR, "db_bench") if own else (Purpose.SAMPLE, f"sample-{number}")
            values = {} if own else {"write_buffer_size": (8 + number % 500) << 20}
            block = 9_000_000 + number if own else 0
            host = f"bench-{number % hosts + 1}"
            run = Run(number, purpose, arm, block, Configuration.of(values), number, 1, host=host)
            insert_run(connection, run)
            connection.execute("UPDATE runs SET status = ? WHERE id = ?", (Status.RUNNING, number))
            made = engine.run(run, Limits(), lambda _: None)
            assert isinstance(made.measurement, Measurement)
            outcome = Outcome(Status.OK, 1.7e9 + number, 60.0, measurement=made.measurement)
            update_outcome(connection, number, outcome)


def main(runs: int, number: int, seconds: float) -> int:
    """Fill a store, let the sample go on for some time; return the exit code."""
    hosts = SimulatedHosts(number, *RUN_S)
    with tempfile.TemporaryDirectory(prefix="lsmtune-coordinator-") as place:
        study, rules, space = simulated_study(Path(place) / "study")
        began = time.monotonic()
        fill(study, runs, number)
        print(f"filled in {time.monotonic() - began:.0f} s")
        view = ConsoleView(Console(file=StringIO(), force_terminal=True), quiet=True)
        listener = Measured(view, rules, seconds)
        policy = RunPolicy(Budget(float("inf"), None), Limits(3600.0, 3600.0), cap=3.0, seed=1)
        runner = Runner(study, executor_over(hosts, study), rules, policy, listener)
        settings = SampleSettings(space, "random", runs + 100_000, 0, 0, None, anchor_every=5, noise_runs=5, seed=1)
        with suppress(Enough):
            sample(runner, settings)
        hosts.close()
        study.close()
    a_run = listener.share * seconds / max(1, listener.runs)
    print(f"{number} hosts, {listener.runs} runs in {seconds:.0f} s, {a_run * 1e3:.0f} ms of a core for each")
    print(f"the coordinator takes {listener.share:.2%} of a core (goal {GOAL:.0%})")
    return int(listener.share > GOAL)


if __name__ == "__main__":
    given = [float(argument) for argument in sys.argv[1:]]
    stored, number, seconds = (given + [100_000.0, 50.0, 180.0][len(given) :])[:3]
    sys.exit(main(int(stored), int(number), seconds))
