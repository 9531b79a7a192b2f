"""What makes a single measurement doubtful: the rules of `lsmtune.lint`, asked with what this tool knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.backends._readings import lines_of, number_of
from lsmtune.backends.leveldb import LevelDbLog
from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS, writes
from lsmtune.backends.leveldb_bench._command import CommandBuilder
from lsmtune.backends.leveldb_bench._output import Output
from lsmtune.lint import (
    CacheBlocks,
    DataRead,
    Finding,
    debt_left,
    draws_again,
    fixed_seeds,
    low_found_rate,
    memtable_sized_data,
    not_only_reads,
    small_tree,
    too_short,
)
from lsmtune.model import Configuration
from lsmtune.space import library_values

_MEMTABLES = 2  # one is flushed while the next fills
_RANDOM_READS = frozenset({"readrandom", "readrandomsmall", "seekrandom"})


@dataclass(frozen=True)
class Reading:
    """A measurement as it is looked at."""

    commands: CommandBuilder
    output: Output
    log: LevelDbLog
    indicators: Mapping[str, float | None]
    configuration: Configuration

    def option(self, name: str) -> float:
        """Return the numeric value of an option: as asked, else the default; 0 if there is none."""
        defaults = library_values(self.commands.catalogue, self.commands.build.version_tuple)
        return number_of(name, {}, self.configuration, defaults)

    @property
    def fills(self) -> bool:
        """Whether the measured process makes its data itself."""
        return not self.commands.workload.load

    @property
    def written(self) -> bool:
        """Whether a phase writes."""
        return any(map(writes, self.commands.workload.benchmarks))


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a line for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _of_the_load, _shallow, _in_memtables, _found, _found_all)
    return lines_of((*(check(reading) for check in checks), fixed_seeds("LevelDB's db_bench")))


def data_read(reading: Reading) -> DataRead | None:
    """Return what the reads of a run can find in memory; None where no phase reads."""
    workload = reading.commands.workload
    if not any(_reads(phase) for phase in workload.benchmarks):
        return None
    cache = int(reading.option("cache_size"))
    blocks = CacheBlocks(cache, cache, int(reading.option("block_size")))
    return DataRead(reading.commands.keys * workload.pair_bytes, cache, direct=False, blocks=blocks)


def _short(reading: Reading) -> Finding | None:
    measured = reading.output.phase(reading.commands.workload.measure)
    return None if measured is None else too_short(measured.name, measured.seconds)


def _debt(reading: Reading) -> Finding | None:
    if not reading.written:
        return None
    left = reading.indicators.get("l0_files_load_end")
    return debt_left("sizes and rates", left, reading.indicators.get("pending_bytes"))


def _of_the_load(reading: Reading) -> Finding | None:
    if reading.written or "compact" in reading.commands.workload.benchmarks:
        return None
    return not_only_reads(len(reading.log.compactions), reading.log.compacted_bytes)


def _shallow(reading: Reading) -> Finding | None:
    if not reading.fills:
        return None
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> Finding | None:
    memory = reading.option("write_buffer_size") * _MEMTABLES
    return memtable_sized_data(reading.commands.workload.data_bytes, memory) if reading.fills else None


def _found(reading: Reading) -> Finding | None:
    return low_found_rate(reading.indicators.get("found_ratio"))


def _found_all(reading: Reading) -> Finding | None:
    """Tell reads that repeat the draws of a random fill from reads of independent keys, 63 % of which would exist."""
    workload = reading.commands.workload
    filled = "fillrandom" in (*workload.load, *workload.benchmarks)
    if workload.measure not in _RANDOM_READS or not filled or reading.indicators.get("found_ratio") != 1:
        return None
    return draws_again(workload.measure)


def _reads(phase: str) -> bool:
    benchmark = LEVELDB_BENCHMARKS.get(phase)
    return benchmark is not None and benchmark.reads
