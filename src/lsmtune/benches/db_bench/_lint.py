"""What makes a single measurement doubtful, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.benches.db_bench._command import CommandBuilder, writes
from lsmtune.benches.db_bench._output import Output
from lsmtune.model import Configuration, Settle, Value
from lsmtune.space import default_of
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
        catalogue = self.commands.catalogue
        default = default_of(catalogue.option(name), "db_bench", self.commands.build.version_tuple)
        value = self.effective.get(name, self.configuration.values.get(name, default))
        return float(value) if isinstance(value, int | float) else 0.0


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a sentence for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _shallow, _in_memtables, _in_cache, _found)
    return tuple(sentence for check in checks if (sentence := check(reading)))


def _short(reading: Reading) -> str:
    measured = reading.output.step(reading.commands.workload.measure)
    if measured is None or measured.seconds is None or measured.seconds >= _LEAST_MEASURED_S:
        return ""
    return f"too short: {measured.name} ran {format_seconds(measured.seconds)}, less than {_LEAST_MEASURED_S:g} s"


def _debt(reading: Reading) -> str:
    if reading.commands.workload.settle is Settle.WAIT or not _writing(reading):
        return ""
    files = reading.indicators.get("l0_files_load_end")
    seen = "" if files is None else f", {files:.0f} files were left in level 0"
    return f'debt is left: settle = "none" reads sizes and rates before compactions are done{seen}'


def _shallow(reading: Reading) -> str:
    flushes, levels = reading.indicators.get("flush_count"), reading.indicators.get("levels_populated")
    if not _filling(reading) or flushes is None or levels is None:
        return ""
    if flushes >= _LEAST_FLUSHES and levels >= _LEAST_LEVELS:
        return ""
    return (
        f"small tree: {flushes:.0f} flushes and {levels:.0f} populated levels; "
        f"below {_LEAST_FLUSHES} and {_LEAST_LEVELS} little is compacted"
    )


def _in_memtables(reading: Reading) -> str:
    memory = reading.option("write_buffer_size") * reading.option("max_write_buffer_number")
    data = reading.commands.workload.data_bytes
    if not _filling(reading) or memory < data:
        return ""
    return f"the data ({format_bytes(data)}) fits the memtables ({format_bytes(memory)}); more keys are needed"


def _in_cache(reading: Reading) -> str:
    cache, data = reading.option("cache_size"), reading.commands.workload.data_bytes
    if _filling(reading) or cache < data:
        return ""
    return f"the data ({format_bytes(data)}) fits the block cache ({format_bytes(cache)}); reads are not tested"


def _found(reading: Reading) -> str:
    found = reading.indicators.get("found_ratio")
    if found is None or found >= 0.5 or reading.commands.workload.measure == "readmissing":
        return ""
    return f"only {format_percent(found)} of the reads found their key; the load does not fit the reads"


def _filling(reading: Reading) -> bool:
    return not reading.commands.workload.load


def _writing(reading: Reading) -> bool:
    return any(writes(name) for name in reading.commands.workload.benchmarks)
