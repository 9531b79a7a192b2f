"""The bench that runs db_bench."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from lsmtune.backends._base import Bench, Glance, Hold, Process, ProcessRecord, Seen
from lsmtune.backends._failure import failure_reason
from lsmtune.backends._processes import data_name, last_result, loaded_configuration, reshapes
from lsmtune.backends._results import parse_progress
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS, can_flush
from lsmtune.backends.db_bench._command import CommandBuilder
from lsmtune.backends.db_bench._parse_results import DEBT, parse_results, unsaid_failure
from lsmtune.model import Configuration, EngineBuild, Measurement, Run, Workload
from lsmtune.space import Catalogue

_LEVELS = re.compile(r"Level summary: (?:base level \d+ )?.*?files\[([\d ]+)\]")
_WITHOUT_RESULT = frozenset(
    {
        *("compactall", "compact0", "compact1", "flush", "waitforcompaction", "verify"),
        *("stats", "resetstats", "levelstats", "memstats", "sstables", "stats_history"),
        *("block_cache_entry_stats", "cache_report_problems"),
    }
)
"""Benchmarks that print no line of operations and time."""
_JOBS = ("flush", "compaction")
_FLUSHED = Hold(
    after="flush memtable\n",
    times=1,
    until="\nLevel Files Size(MB)\n",
    begun=tuple(f'"event": "{job}_started"' for job in _JOBS),
    ended=tuple(f'"event": "{job}_finished"' for job in _JOBS),
)
# The last part of a dump of `stats`, which comes once in each; a build without `flush` is held behind the first.
_DUMPED = replace(_FLUSHED, after="** DB Stats **\n")


class DbBench(Bench):
    """Runs db_bench of one engine build for one workload at one scale."""

    def __init__(
        self, build: EngineBuild, catalogue: Catalogue, workload: Workload, scale: Fraction = Fraction(1)
    ) -> None:
        """`catalogue` has to be the one for the build's version."""
        self.commands = CommandBuilder(build, catalogue, workload, scale, held=True)

    def data_key(self, run: Run) -> str | None:
        """Name the data by all that its files depend on: build, workload, seed, OPTIONS file, options of the format."""
        commands = self._commands(run)
        if not commands.workload.load:
            return None
        made = loaded_configuration(run.configuration, self.commands.catalogue)
        command = commands.loading(Configuration(), run.load_seed, Path("db"))[1:]
        return data_name(self.commands.build.fingerprint, made.key, command)

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the process that builds the data, and the one that settles it where that takes another."""
        commands = self._commands(run)
        made = loaded_configuration(run.configuration, self.commands.catalogue)
        argv = commands.loading(made, run.load_seed, database)
        operations = commands.keys if len(commands.workload.load) == 1 else None
        load = commands.workload.load
        building = Process(
            "load", argv, operations, last_result=last_result(load, _WITHOUT_RESULT), hold=self._hold(load)
        )
        if not commands.reopens:
            return (building,)
        return building, Process(DEBT, commands.reloading(made, run.load_seed, database), hold=self._hold(()))

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the settling of cloned data, where its shape has to change, the measured process, and what settles it.

        The last is there where the build has no `flush`: only opening the database again writes its last memtable.
        """
        commands = self._commands(run)
        workload = commands.workload
        processes = []
        if workload.load and reshapes(run.configuration, self.commands.catalogue):
            processes.append(Process("settle", commands.settling(run, database), hold=self._hold(())))
        one = workload.benchmarks[0] if len(workload.benchmarks) == 1 else None
        timed = all(BENCHMARKS[name].timed for name in workload.benchmarks if name in BENCHMARKS)
        duration_s = (workload.duration_s or 0.0) * len(workload.benchmarks) if timed else 0.0
        operations = commands.operations if one and not duration_s else None
        argv = commands.measuring(run, database)
        hold = self._hold(workload.benchmarks) if commands.settles else None
        last = last_result(workload.benchmarks, _WITHOUT_RESULT)
        processes.append(Process("measure", argv, operations, duration_s, last_result=last, hold=hold))
        if commands.settles and commands.reopens:
            processes.append(Process(DEBT, commands.paying(run, database), hold=self._hold(())))
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

    def unsaid_failure(self, record: ProcessRecord) -> str:
        """Name what failed to be read, flushed or compacted, behind which db_bench went on."""
        return unsaid_failure(record)

    def _commands(self, run: Run) -> CommandBuilder:
        """Return what builds the commands of a run, whose workload and scale may differ from the study's."""
        workload = self.commands.workload.under(run.scenario)
        return replace(self.commands, workload=workload, scale=self.commands.scale * run.rung)

    def _hold(self, phases: Sequence[str]) -> Hold:
        """Return where a process that settles behind `phases` is held: each `flush`, or each dump, prints the same."""
        hold, printer = (_FLUSHED, "flush") if can_flush(self.commands.build) else (_DUMPED, "stats")
        return replace(hold, times=1 + sum(phase.partition("[")[0] == printer for phase in phases))
