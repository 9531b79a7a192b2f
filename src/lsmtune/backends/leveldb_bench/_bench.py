"""The bench that runs the db_bench of LevelDB or of a fork."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsmtune.backends._base import Bench, Glance, Hold, Process, ProcessRecord, Seen
from lsmtune.backends._failure import failure_reason
from lsmtune.backends._processes import data_name, last_result, loaded_configuration
from lsmtune.backends._results import parse_progress
from lsmtune.backends.leveldb_bench._command import SHAPE, STATS, CommandBuilder
from lsmtune.backends.leveldb_bench._parse_results import parse_results, unsaid_failure
from lsmtune.model import Configuration, EngineBuild, Measurement, Run, Workload
from lsmtune.space import Catalogue

_LEVELS = re.compile(r"files\[ ([\d ]+) \]")
_WITHOUT_RESULT = frozenset({STATS, SHAPE, "heapprofile"})
"""Benchmarks that print no line of operations and time."""
_DUMPED = Hold(
    after="Compactions\n",  # the first line of a dump of `stats`
    times=1,
    until="--- level 0",  # nothing of a load counts
    begun=(": started", "Compacting "),
    ended=(" bytes OK", "Compacted "),
)
"""A load is held behind its last phase until no compaction is due, as those of RocksDB are (decision 0062)."""


class LevelDbBench(Bench):
    """Runs a db_bench of LevelDB or of a fork for one workload.

    Its seeds are fixed, so the seeds of a run change nothing: every run draws the same keys.
    """

    def __init__(self, build: EngineBuild, catalogue: Catalogue, workload: Workload) -> None:
        """Take a build and the catalogue of the options that it has.

        Raises:
            EngineError: the workload asks for what this db_bench cannot do.
        """
        self.commands = CommandBuilder(build, catalogue, workload)

    def data_key(self, run: Run) -> str | None:
        """Name the data by the build and the command that builds it."""
        commands = self._commands(run)
        if not commands.workload.load:
            return None
        return data_name(self.commands.build.fingerprint, commands.loading(self._made(run), Path("db"))[1:])

    def load_processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the one process that builds the data, and waits with its database open until no compaction is due."""
        commands = self._commands(run)
        load = commands.workload.load
        operations = commands.operations(load[0]) if len(load) == 1 else None
        hold = replace(_DUMPED, times=1 + load.count(STATS))
        argv = commands.loading(self._made(run), database)
        return (Process("load", argv, operations, last_result=last_result(load, _WITHOUT_RESULT), hold=hold),)

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        """Return the measured process: nothing can settle before it."""
        commands = self._commands(run)
        phases = commands.workload.benchmarks
        operations = commands.operations(phases[0]) if len(phases) == 1 else None
        last = last_result(phases, _WITHOUT_RESULT)
        return (Process("measure", commands.measuring(run, database), operations, last_result=last),)

    def progress(self, process: Process, glance: Glance) -> Seen:
        """Read the operations from stderr, the last result from stdout, the files of each level from the LOG."""
        levels = _LEVELS.findall(glance.log)
        finished = f"\n{process.last_result} " in glance.stdout
        return Seen(parse_progress(glance.stderr), finished, f"files by level {levels[-1]}" if levels else "")

    def parse_results(self, run: Run, records: Sequence[ProcessRecord]) -> Measurement:
        """Turn output and LOG into indicators; see `lsmtune.indicators` for each."""
        return parse_results(self._commands(run), run.configuration, records)

    def failure(self, record: ProcessRecord) -> str:
        """Word the program's own message."""
        return failure_reason(record.returncode, record.stdout, record.stderr)

    def unsaid_failure(self, record: ProcessRecord) -> str:
        """Name the flush or the compaction that failed, behind which db_bench went on."""
        return unsaid_failure(record)

    def _commands(self, run: Run) -> CommandBuilder:
        """Return what builds the commands of a run, whose workload may differ from the study's."""
        return replace(self.commands, workload=self.commands.workload.under(run.scenario))

    def _made(self, run: Run) -> Configuration:
        """Return what the loaded data depends on; a tree keeps its shape until something is written."""
        return loaded_configuration(run.configuration, self.commands.catalogue, settles=False)
