"""The bench that runs lsmtune-ycsb."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune.backends._base import Bench, Glance, Process, ProcessRecord, Seen
from lsmtune.backends._processes import data_name, loaded_configuration, reshapes
from lsmtune.backends.ycsb._command import CommandBuilder
from lsmtune.backends.ycsb._failure import failure_reason
from lsmtune.backends.ycsb._output import PhaseEnd, Progress, has_summary, last_state
from lsmtune.backends.ycsb._parse_results import parse_results
from lsmtune.backends.ycsb._phases import LOAD, Phase, PhaseKind, phases_of
from lsmtune.backends.ycsb._records import with_rows_of
from lsmtune.errors import UsageError
from lsmtune.model import EngineBuild, Measurement, Run, Workload
from lsmtune.space import Catalogue


class YcsbBench(Bench):
    """Runs lsmtune-ycsb on one engine build for one workload at one scale."""

    def __init__(
        self, build: EngineBuild, catalogue: Catalogue, workload: Workload, scale: Fraction = Fraction(1)
    ) -> None:
        """`catalogue` has to be the one for the build's engine and version.

        Raises:
            UsageError: a phase of the workload is unknown, or its data is built by something else than a load.
        """
        phases_of(workload)
        if workload.load not in ((), (LOAD,)):
            raise UsageError(f'"{" ".join(workload.load)}" does not build the data of YCSB; write "{LOAD}"')
        self.commands = CommandBuilder(build, catalogue, workload, scale)

    def data_key(self, run: Run) -> str | None:
        """Name the data by the build, by the command that builds it and by all files that the command reads."""
        commands = self._commands(run)
        if not commands.workload.load:
            return None
        made = loaded_configuration(run.configuration, self.commands.catalogue)
        command = commands.loading(made, run.load_seed, Path("db"))
        files = sorted((path.name, text) for path, text in command.files.items())
        return data_name(self.commands.build.fingerprint, command.argv[1:], files)

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the one process that builds the data; the files that it reads are written beside the database."""
        commands = self._commands(run)
        command = commands.loading(
            loaded_configuration(run.configuration, self.commands.catalogue), run.load_seed, database
        )
        return (Process("load", command.written(), _total(commands, commands.load_plan)),)

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the settling of cloned data, where its shape has to change, and the measured process.

        The files that they read are written beside the database.
        """
        commands = self._commands(run)
        processes = []
        if commands.workload.load and reshapes(run.configuration, self.commands.catalogue):
            processes.append(Process("settle", commands.settling(run, database).written()))
        plan = commands.plan
        timed = all(phase.kind is not PhaseKind.LOAD for phase in plan)
        duration_s = sum(_least_s(commands.workload, phase) for phase in plan) if timed else 0.0
        argv = commands.measuring(run, database).written()
        alike = duration_s > 0 or sum(phase.kind is not PhaseKind.SETTLE for phase in plan) < 2
        processes.append(Process("measure", argv, _total(commands, plan), duration_s, alike=alike))
        return tuple(processes)

    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read from the last whole line of results how far the phases are, and what the tree looks like."""
        finished = has_summary(glance.stdout)
        state = last_state(glance.stdout)
        if state is None:
            return Seen(None, finished, "")
        files = [level.files for level in state.tree.levels]
        while len(files) > 1 and not files[-1]:
            files.pop()
        named = state.phase.kind if state.phase.kind == state.phase.label else f"{state.phase.kind} {state.phase.label}"
        detail = f"{named}, files by level {' '.join(map(str, files))}" if files else named
        return Seen(self._done(process, state), finished, detail)

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn the driver's results into indicators; see `lsmtune.indicators` for each."""
        return parse_results(self._commands(run), run.configuration, records)

    def failure(self, record: ProcessRecord) -> str:
        """Word the driver's own message."""
        return failure_reason(record.returncode, record.stderr)

    def _done(self, process: Process, state: Progress | PhaseEnd) -> int | None:
        """Return the operations of all phases up to now: phases that are done count with what they were to do."""
        plans = {"load": self.commands.load_plan, "settle": self.commands.settle_plan}
        expected = [self.commands.expected(phase) for phase in plans.get(process.name, self.commands.plan)]
        before = expected[: state.phase.index]
        if None in before:
            return None
        whole = expected[state.phase.index] if isinstance(state, PhaseEnd) else None
        return sum(each or 0 for each in before) + (state.operations if whole is None else whole)

    def _commands(self, run: Run) -> CommandBuilder:
        """Return what builds the commands of a run, whose workload and scale may differ from the study's."""
        usual, workload = self.commands.workload, self.commands.workload.under(run.scenario)
        if workload.value_size_bytes != usual.value_size_bytes:
            sized = with_rows_of(dict(usual.flags), workload.value_size_bytes)
            workload = replace(workload, flags=tuple(sized.items()))
        return replace(self.commands, workload=workload, scale=self.commands.scale * run.rung)


_LEAST_HOLDS = 4
"""Rates that a search hardly ever ends before."""


def _least_s(workload: Workload, phase: Phase) -> float:
    """Return the time in s that a phase takes at least; 0 where its operations say when it ends."""
    if phase.kind is PhaseKind.MAX_RATE and workload.max_rate is not None:
        return workload.max_rate.longest_s(_LEAST_HOLDS)
    return (workload.duration_s or 0.0) * (phase.kind is PhaseKind.RUN)


def _total(commands: CommandBuilder, plan: Sequence[Phase]) -> int | None:
    """Return the operations of all phases together; None where those of one are not known."""
    expected = [commands.expected(phase) for phase in plan]
    return None if None in expected else sum(each or 0 for each in expected)
