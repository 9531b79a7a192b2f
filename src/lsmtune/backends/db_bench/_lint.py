"""What makes a single measurement doubtful: the rules of `lsmtune.lint`, asked with what this tool knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.backends._readings import lines_of, number_of, read_at_scale
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.backends.db_bench._command import CommandBuilder, writes
from lsmtune.backends.db_bench._defaults import default_values
from lsmtune.backends.db_bench._output import Output
from lsmtune.backends.db_bench._vocabulary import families_of
from lsmtune.lint import (
    DataRead,
    Finding,
    debt_left,
    low_found_rate,
    memtable_sized_data,
    reads_in_debt,
    small_tree,
    too_short,
    wal_off,
)
from lsmtune.model import Configuration, Settle, Value

_PAYING = frozenset({"waitforcompaction", "compact", "compactall"})
"""Phases after which no compaction is due. lsmtune puts none of them between the user's phases: with universal
compaction waitforcompaction can hang (decision 0010), and then the phases behind it would never run."""


@dataclass(frozen=True)
class Reading:
    """A measurement as it is looked at; values of options at full size."""

    commands: CommandBuilder
    output: Output
    indicators: Mapping[str, float | None]
    effective: Mapping[str, Value]
    configuration: Configuration

    def option(self, name: str) -> float:
        """Return the numeric value of an option: effective, else as asked, else the default; 0 if there is none."""
        defaults = default_values(self.commands.build, self.commands.catalogue)
        return number_of(name, self.effective, self.configuration, defaults)


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a line for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _shallow, _in_memtables, _found, _unlogged)
    return lines_of(check(reading) for check in checks)


def data_read(reading: Reading) -> DataRead | None:
    """Return what the reads of a run can find in memory; None where no phase reads loaded or filled data."""
    commands = reading.commands
    if not any(_reads(phase) for phase in commands.workload.benchmarks):
        return None
    data = commands.keys * commands.workload.pair_bytes
    return read_at_scale(data, reading.option, commands.catalogue, commands.option_scale)


def _short(reading: Reading) -> Finding | None:
    measured = reading.output.phase(reading.commands.workload.measure)
    return None if measured is None else too_short(measured.name, measured.seconds)


def _debt(reading: Reading) -> Finding | None:
    workload = reading.commands.workload
    if not _writing(reading):
        return None
    if workload.settle is not Settle.WAIT:
        return debt_left("sizes and rates", reading.indicators.get("l0_files_load_end"))
    wrote = ""
    for phase in workload.benchmarks:
        if wrote and _reads(phase):
            return reads_in_debt(phase, wrote)
        wrote = phase if writes(phase) else "" if phase in _PAYING else wrote
    return None


def _shallow(reading: Reading) -> Finding | None:
    if not _filling(reading):
        return None
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> Finding | None:
    workload = reading.commands.workload
    own_bytes = reading.option("write_buffer_size") * reading.option("max_write_buffer_number")
    memory = own_bytes * len(families_of(workload))
    return memtable_sized_data(workload.data_bytes, memory) if _filling(reading) else None


def _found(reading: Reading) -> Finding | None:
    missing = reading.commands.workload.measure == "readmissing"
    return None if missing else low_found_rate(reading.indicators.get("found_ratio"))


def _unlogged(reading: Reading) -> Finding | None:
    return wal_off(disabled=reading.commands.workload.disable_wal, writes=_writing(reading))


def _filling(reading: Reading) -> bool:
    return not reading.commands.workload.load


def _writing(reading: Reading) -> bool:
    return any(writes(name) for name in reading.commands.workload.benchmarks)


def _reads(phase: str) -> bool:
    return phase in BENCHMARKS and BENCHMARKS[phase].reads
