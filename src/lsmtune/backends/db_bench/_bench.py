"""The bench that runs db_bench."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune.backends._base import Bench, Glance, Hold, Process, ProcessRecord, Seen
from lsmtune.backends._failure import failure_reason
from lsmtune.backends._processes import data_name, loaded_configuration, reshapes
from lsmtune.backends._results import parse_progress
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.backends.db_bench._command import SETTLED_WHILE_HELD, CommandBuilder
from lsmtune.backends.db_bench._parse_results import parse_results
from lsmtune.model import Configuration, EngineBuild, Measurement, Run, Workload
from lsmtune.space import Catalogue

_LEVELS = re.compile(r"Level summary: (?:base level \d+ )?.*?files\[([\d ]+)\]")
_JOBS = ("flush", "compaction")
_HOLD = Hold(
    after="flush memtable\n",
    times=1,
    until="\nLevel Files Size(MB)\n",
    begun=tuple(f'"event": "{job}_started"' for job in _JOBS),
    ended=tuple(f'"event": "{job}_finished"' for job in _JOBS),
)


class DbBench(Bench):
    """Runs db_bench of one engine build for one workload at one scale."""

    def __init__(
        self, build: EngineBuild, catalogue: Catalogue, workload: Workload, scale: Fraction = Fraction(1)
    ) -> None:
        """`catalogue` has to be the one for the build's version."""
        self.commands = CommandBuilder(build, catalogue, workload, scale, SETTLED_WHILE_HELD)

    def data_key(self, run: Run) -> str | None:
        """Name the data by all that its files depend on: build, workload, seed, OPTIONS file, options of the format."""
        commands = self._commands(run)
        if not commands.workload.load:
            return None
        made = loaded_configuration(run.configuration, self.commands.catalogue)
        command = commands.loading(Configuration(), run.load_seed, Path("db"))[1:]
        return data_name(self.commands.build.fingerprint, made.key, command)

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the one process that builds the data."""
        commands = self._commands(run)
        argv = commands.loading(
            loaded_configuration(run.configuration, self.commands.catalogue), run.load_seed, database
        )
        operations = commands.keys if len(commands.workload.load) == 1 else None
        load = commands.workload.load
        return (Process("load", argv, operations, last_result=load[-1], hold=_hold(load)),)

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the settling of cloned data, where its shape has to change, and the measured process."""
        commands = self._commands(run)
        workload = commands.workload
        processes = []
        if workload.load and reshapes(run.configuration, self.commands.catalogue):
            processes.append(Process("settle", commands.settling(run, database), hold=_HOLD))
        one = workload.benchmarks[0] if len(workload.benchmarks) == 1 else None
        timed = all(BENCHMARKS[name].timed for name in workload.benchmarks if name in BENCHMARKS)
        duration_s = (workload.duration_s or 0.0) * len(workload.benchmarks) if timed else 0.0
        operations = commands.operations if one and not duration_s else None
        argv = commands.measuring(run, database)
        hold = _hold(workload.benchmarks) if commands.settles else None
        last = workload.benchmarks[-1]
        processes.append(Process("measure", argv, operations, duration_s, last_result=last, hold=hold))
        return tuple(processes)

    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read the operations from stderr, the last result from stdout, the files of each level from the LOG."""
        levels = _LEVELS.findall(glance.log)
        finished = not process.last_result or f"\n{process.last_result} " in glance.stdout
        return Seen(parse_progress(glance.stderr), finished, f"files by level {levels[-1].strip()}" if levels else "")

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn output, LOG and OPTIONS file into indicators; see `lsmtune.indicators` for each."""
        return parse_results(self._commands(run), run.configuration, records)

    def failure(self, record: ProcessRecord) -> str:
        """Word the engine's own message."""
        return failure_reason(record.returncode, record.stdout, record.stderr)

    def _commands(self, run: Run) -> CommandBuilder:
        """Return what builds the commands of a run, whose workload and scale may differ from the study's."""
        workload = self.commands.workload.under(run.scenario)
        return replace(self.commands, workload=workload, scale=self.commands.scale * run.rung)


def _hold(phases: Sequence[str]) -> Hold:
    """Return where a process that settles behind `phases` is held: each `flush` prints the same."""
    return replace(_HOLD, times=1 + sum(phase.partition("[")[0] == "flush" for phase in phases))
