"""A bench that gives each run to the bench of its arm: how builds are compared in one study."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lsmtune.benches._base import Bench, Glance, Seen, Step, StepRecord
from lsmtune.model import Measurement, Run


class ArmBench(Bench):
    """Runs some arms of a study on other builds of the same engine, under the same tool and workload.

    What reads a process while it runs, or when it has failed, knows no run. The benches read that alike, as they are of
    one tool and workload, so the bench of the other arms does it for all.
    """

    def __init__(self, bench: Bench, others: Mapping[str, Bench]) -> None:
        """`others` has the bench of each arm that has its own; `bench` runs all other arms."""
        self._bench = bench
        self._others = dict(others)

    def data_key(self, run: Run) -> str | None:
        """Name the loaded data; benches name it by the build that writes it, too."""
        return self._of(run).data_key(run)

    def load_steps(self, run: Run, database: Path) -> tuple[Step, ...]:
        """Return the processes that build the data, by the build of the run's arm."""
        return self._of(run).load_steps(run, database)

    def steps(self, run: Run, database: Path) -> tuple[Step, ...]:
        """Return the processes of the run, by the build of its arm."""
        return self._of(run).steps(run, database)

    def progress(self, step: Step, glance: Glance) -> Seen:
        """Read how far a process is."""
        return self._bench.progress(step, glance)

    def harvest(self, run: Run, records: Sequence[StepRecord]) -> Measurement:
        """Turn the records into a measurement, with what the build of the run's arm knows."""
        return self._of(run).harvest(run, records)

    def failure(self, record: StepRecord) -> str:
        """Word the engine's own message."""
        return self._bench.failure(record)

    def _of(self, run: Run) -> Bench:
        return self._others.get(run.arm, self._bench)
