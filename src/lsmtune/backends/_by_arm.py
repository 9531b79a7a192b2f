"""A bench that gives each run to the bench of its arm: how builds are compared in one study."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lsmtune.backends._base import Bench, Glance, Process, ProcessRecord, Seen
from lsmtune.model import Measurement, Run


class ArmBench(Bench):
    """Runs some arms of a study on other builds or engines, under the same tool and workload.

    What reads a process while it runs, or when it has failed, knows no run, but the program: the bench that has started
    it reads it. Where one program drives two engines, their benches read it alike.
    """

    def __init__(self, bench: Bench, others: Mapping[str, Bench]) -> None:
        """`others` has the bench of each arm that has its own; `bench` runs all other arms."""
        self._bench = bench
        self._others = dict(others)
        self._by_program: dict[str, Bench] = {}

    def data_key(self, run: Run) -> str | None:
        """Name the loaded data; benches name it by the build that writes it, too."""
        return self._of(run).data_key(run)

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the processes that build the data, by the build of the run's arm."""
        bench = self._of(run)
        return self._started_by(bench, bench.load_processes(run, database))

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the processes of the run, by the build of its arm."""
        bench = self._of(run)
        return self._started_by(bench, bench.processes(run, database))

    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read how far a process is."""
        return self._by_program.get(process.argv[0], self._bench).progress(process, glance)

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn the records into a measurement, with what the build of the run's arm knows."""
        return self._of(run).parse_results(run, records)

    def failure(self, record: ProcessRecord) -> str:
        """Word the engine's own message."""
        return self._by_program.get(record.process.argv[0], self._bench).failure(record)

    def unsaid_failure(self, record: ProcessRecord) -> str:
        """Say what of the engine failed in a process that ended as if nothing had."""
        return self._by_program.get(record.process.argv[0], self._bench).unsaid_failure(record)

    def _of(self, run: Run) -> Bench:
        return self._others.get(run.arm, self._bench)

    def _started_by(self, bench: Bench, processes: tuple[Process, ...]) -> tuple[Process, ...]:
        for process in processes:
            self._by_program[process.argv[0]] = bench
        return processes
