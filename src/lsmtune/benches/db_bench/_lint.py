"""What makes a single measurement doubtful, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.benches._doubts import debt_left, few_found, in_cache, in_memtables, number_of, small_tree, too_short
from lsmtune.benches.db_bench._command import CommandBuilder, writes
from lsmtune.benches.db_bench._defaults import stock_values
from lsmtune.benches.db_bench._output import Output
from lsmtune.model import Configuration, Settle, Value


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
        defaults = stock_values(self.commands.build, self.commands.catalogue)
        return number_of(name, self.effective, self.configuration, defaults)


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a sentence for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _shallow, _in_memtables, _in_cache, _found)
    return tuple(sentence for check in checks if (sentence := check(reading)))


def _short(reading: Reading) -> str:
    measured = reading.output.step(reading.commands.workload.measure)
    return "" if measured is None else too_short(measured.name, measured.seconds)


def _debt(reading: Reading) -> str:
    if reading.commands.workload.settle is Settle.WAIT or not _writing(reading):
        return ""
    return debt_left("sizes and rates", reading.indicators.get("l0_files_load_end"))


def _shallow(reading: Reading) -> str:
    if not _filling(reading):
        return ""
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> str:
    memory = reading.option("write_buffer_size") * reading.option("max_write_buffer_number")
    return in_memtables(reading.commands.workload.data_bytes, memory) if _filling(reading) else ""


def _in_cache(reading: Reading) -> str:
    return "" if _filling(reading) else in_cache(reading.commands.workload.data_bytes, reading.option("cache_size"))


def _found(reading: Reading) -> str:
    return (
        "" if reading.commands.workload.measure == "readmissing" else few_found(reading.indicators.get("found_ratio"))
    )


def _filling(reading: Reading) -> bool:
    return not reading.commands.workload.load


def _writing(reading: Reading) -> bool:
    return any(writes(name) for name in reading.commands.workload.benchmarks)
