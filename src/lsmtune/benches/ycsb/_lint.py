"""What makes a single measurement doubtful, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.benches._doubts import debt_left, few_found, in_cache, in_memtables, number_of, small_tree, too_short
from lsmtune.benches.ycsb._command import CommandBuilder
from lsmtune.benches.ycsb._debt import is_settled
from lsmtune.benches.ycsb._output import Output
from lsmtune.benches.ycsb._phases import LOAD, PhaseKind
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
    """Return a sentence for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _settles, _shallow, _in_memtables, _in_cache, _found)
    hello = reading.output.hello
    said = hello.warnings if hello is not None else ()
    return (*(sentence for check in checks if (sentence := check(reading))), *said, *_ignored(reading))


def _short(reading: Reading) -> str:
    measured = reading.output.phase(reading.commands.workload.measure)
    return "" if measured is None else too_short(measured.phase.label, measured.elapsed_s)


def _debt(reading: Reading) -> str:
    plan = reading.commands.plan
    if reading.commands.workload.settle is Settle.WAIT or not plan or not plan[-1].may_write:
        return ""
    return debt_left("sizes", reading.indicators.get("l0_files_load_end"))


def _settles(reading: Reading) -> str:
    phases = [phase for phase in reading.output.phases if phase.phase.kind == PhaseKind.SETTLE]
    unpaid = [phase.ending for phase in phases if not is_settled(phase)]
    return f"debt is left: settling ended early ({', '.join(unpaid)})" if unpaid else ""


def _shallow(reading: Reading) -> str:
    if not reading.loads:
        return ""
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> str:
    number = reading.option("max_write_buffer_number") or 2  # LevelDB flushes one while it fills another
    memory = reading.option("write_buffer_size") * number
    return in_memtables(reading.commands.workload.data_bytes, memory) if reading.loads else ""


def _in_cache(reading: Reading) -> str:
    reads = any(phase.kind is PhaseKind.RUN for phase in reading.commands.plan)
    return in_cache(reading.commands.workload.data_bytes, reading.option("cache_size")) if reads else ""


def _found(reading: Reading) -> str:
    return few_found(reading.indicators.get("found_ratio"))


def _ignored(reading: Reading) -> tuple[str, ...]:
    hello = reading.output.hello
    if hello is None or not hello.ignored_properties:
        return ()
    return (f"properties without meaning here: {', '.join(hello.ignored_properties)}",)
