"""What makes a single measurement doubtful, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.benches.ycsb._command import CommandBuilder
from lsmtune.benches.ycsb._debt import is_settled
from lsmtune.benches.ycsb._output import Output
from lsmtune.benches.ycsb._phases import LOAD, PhaseKind
from lsmtune.model import Configuration, Settle, Value
from lsmtune.space import library_values
from lsmtune.units import format_bytes, format_percent, format_seconds

_LEAST_MEASURED_S = 3.0
_LEAST_FLUSHES = 50
_LEAST_LEVELS = 3


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
        default = library_values(self.commands.catalogue, self.commands.build.version_tuple).get(name)
        value = self.effective.get(name, self.configuration.values.get(name, default))
        return float(value) if isinstance(value, int | float) else 0.0

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
    if measured is None or measured.elapsed_s >= _LEAST_MEASURED_S:
        return ""
    return (
        f"too short: {measured.phase.label} ran {format_seconds(measured.elapsed_s)}, less than {_LEAST_MEASURED_S:g} s"
    )


def _debt(reading: Reading) -> str:
    plan = reading.commands.plan
    if reading.commands.workload.settle is Settle.WAIT or not plan or not plan[-1].may_write:
        return ""
    files = reading.indicators.get("l0_files_load_end")
    seen = "" if files is None else f", {files:.0f} files were left in level 0"
    return f'debt is left: settle = "none" reads sizes before compactions are done{seen}'


def _settles(reading: Reading) -> str:
    phases = [phase for phase in reading.output.phases if phase.phase.kind == PhaseKind.SETTLE]
    unpaid = [phase.ending for phase in phases if not is_settled(phase)]
    return f"debt is left: settling ended early ({', '.join(unpaid)})" if unpaid else ""


def _shallow(reading: Reading) -> str:
    flushes, levels = reading.indicators.get("flush_count"), reading.indicators.get("levels_populated")
    if not reading.loads or flushes is None or levels is None:
        return ""
    if flushes >= _LEAST_FLUSHES and levels >= _LEAST_LEVELS:
        return ""
    return (
        f"small tree: {flushes:.0f} flushes and {levels:.0f} populated levels; "
        f"below {_LEAST_FLUSHES} and {_LEAST_LEVELS} little is compacted"
    )


def _in_memtables(reading: Reading) -> str:
    number = reading.option("max_write_buffer_number") or 2  # LevelDB flushes one while it fills another
    memory, data = reading.option("write_buffer_size") * number, reading.commands.workload.data_bytes
    if not reading.loads or memory < data:
        return ""
    return f"the data ({format_bytes(data)}) fits the memtables ({format_bytes(memory)}); more keys are needed"


def _in_cache(reading: Reading) -> str:
    cache, data = reading.option("cache_size"), reading.commands.workload.data_bytes
    reads = any(phase.kind is PhaseKind.RUN for phase in reading.commands.plan)
    if not reads or cache < data:
        return ""
    return f"the data ({format_bytes(data)}) fits the block cache ({format_bytes(cache)}); reads are not tested"


def _found(reading: Reading) -> str:
    found = reading.indicators.get("found_ratio")
    if found is None or found >= 0.5:
        return ""
    return f"only {format_percent(found)} of the reads found their key; the load does not fit the reads"


def _ignored(reading: Reading) -> tuple[str, ...]:
    hello = reading.output.hello
    if hello is None or not hello.ignored_properties:
        return ()
    return (f"properties without meaning here: {', '.join(hello.ignored_properties)}",)
