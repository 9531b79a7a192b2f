"""What makes a single measurement doubtful: the rules of `lsmtune.lint`, asked with what this tool knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.backends._readings import lines_of, number_of, read_at_scale
from lsmtune.backends.ycsb._command import CommandBuilder
from lsmtune.backends.ycsb._debt import is_settled
from lsmtune.backends.ycsb._output import Output
from lsmtune.backends.ycsb._phases import LOAD, PhaseKind
from lsmtune.lint import (
    DataRead,
    Finding,
    debt_left,
    few_flushes_held,
    ignored_properties,
    low_found_rate,
    memtable_sized_data,
    rate_not_settled,
    settling_ended_early,
    small_tree,
    too_short,
    tool_said,
    wal_off,
)
from lsmtune.model import Configuration, Settle, Value
from lsmtune.space import library_values


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
        defaults = library_values(self.commands.catalogue, self.commands.build.version_tuple)
        return number_of(name, self.effective, self.configuration, defaults)

    @property
    def loads(self) -> bool:
        """Whether the measured process loads the data itself."""
        return LOAD in self.commands.workload.benchmarks


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a line for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _settles, _shallow, _in_memtables, _found, _unlogged, _ignored, _held, _sought)
    hello = reading.output.hello
    said = hello.warnings if hello is not None else ()
    return lines_of((*(check(reading) for check in checks), *map(tool_said, said)))


def data_read(reading: Reading) -> DataRead | None:
    """Return what the reads of a run can find in memory; None where no phase reads."""
    commands = reading.commands
    looking = {phase.name for phase in commands.plan if phase.may_read}
    if not any(phase.phase.label in looking for phase in reading.output.phases):
        return None
    data = commands.keys * commands.workload.pair_bytes
    return read_at_scale(data, reading.option, commands.catalogue, commands.option_scale)


def _short(reading: Reading) -> Finding | None:
    measured = reading.output.phase(reading.commands.workload.measure)
    if measured is None:
        return None
    wanted = reading.commands.workload.max_rate
    return too_short(measured.phase.label, measured.elapsed_s if wanted is None else wanted.hold_s)


def _held(reading: Reading) -> Finding | None:
    """Judge whether the rate that was sustained was held through enough flushes."""
    end = reading.output.phase(reading.commands.workload.measure)
    if end is None or end.max_rate is None or end.max_rate.rate_ops_s is None or not end.user_written_bytes:
        return None
    rate = end.max_rate.rate_ops_s
    holds = [step for step in reading.output.rate_steps if step.borne and step.rate_ops_s == rate]
    return few_flushes_held(sum(step.flushes for step in holds))


def _sought(reading: Reading) -> Finding | None:
    """Judge whether the search came to its end."""
    end = reading.output.phase(reading.commands.workload.measure)
    found = None if end is None else end.max_rate
    if found is None or found.rate_ops_s is None:
        return None
    return rate_not_settled(
        found.rate_ops_s, found.not_borne_ops_s, found.steps, settled=found.confirmed and found.precise
    )


def _debt(reading: Reading) -> Finding | None:
    plan = reading.commands.plan
    if reading.commands.workload.settle is Settle.WAIT or not plan or not plan[-1].may_write:
        return None
    return debt_left("sizes", reading.indicators.get("l0_files_load_end"))


def _settles(reading: Reading) -> Finding | None:
    phases = [phase for phase in reading.output.phases if phase.phase.kind == PhaseKind.SETTLE]
    return settling_ended_early(tuple(phase.ending for phase in phases if not is_settled(phase)))


def _shallow(reading: Reading) -> Finding | None:
    if not reading.loads:
        return None
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> Finding | None:
    number = reading.option("max_write_buffer_number") or 2  # LevelDB flushes one while it fills another
    memory = reading.option("write_buffer_size") * number
    return memtable_sized_data(reading.commands.workload.data_bytes, memory) if reading.loads else None


def _found(reading: Reading) -> Finding | None:
    return low_found_rate(reading.indicators.get("found_ratio"))


def _unlogged(reading: Reading) -> Finding | None:
    workload, plan = reading.commands.workload, reading.commands.plan
    return wal_off(disabled=workload.disable_wal, writes=any(phase.may_write for phase in plan))


def _ignored(reading: Reading) -> Finding | None:
    hello = reading.output.hello
    return None if hello is None else ignored_properties(tuple(hello.ignored_properties))
