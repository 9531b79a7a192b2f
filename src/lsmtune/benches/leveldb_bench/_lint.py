"""What makes a single measurement doubtful, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.benches._doubts import debt_left, few_found, in_cache, in_memtables, number_of, small_tree, too_short
from lsmtune.benches.leveldb_bench._benchmarks import writes
from lsmtune.benches.leveldb_bench._command import CommandBuilder
from lsmtune.benches.leveldb_bench._output import Output
from lsmtune.engines.leveldb import LevelDbLog
from lsmtune.model import Configuration
from lsmtune.space import library_values
from lsmtune.units import format_bytes

_MEMTABLES = 2  # one is flushed while the next fills
_RANDOM_READS = frozenset({"readrandom", "readrandomsmall", "seekrandom"})
_SAME_KEYS = (
    "same keys: LevelDB's db_bench has fixed seeds, so that every run draws the same keys; intervals tell of the "
    "machine's noise alone"
)


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
        """Whether a step writes."""
        return any(map(writes, self.commands.workload.benchmarks))


def lint(reading: Reading) -> tuple[str, ...]:
    """Return a sentence for each thing that makes the measurement doubtful."""
    checks = (_short, _debt, _of_the_load, _shallow, _in_memtables, _in_cache, _found, _found_all)
    return (*(sentence for check in checks if (sentence := check(reading))), _SAME_KEYS)


def _short(reading: Reading) -> str:
    measured = reading.output.step(reading.commands.workload.measure)
    return "" if measured is None else too_short(measured.name, measured.seconds)


def _debt(reading: Reading) -> str:
    if not reading.written:
        return ""
    pending = reading.indicators.get("pending_bytes")
    due = "" if not pending else f", {format_bytes(pending)} waited for a compaction"
    return debt_left("sizes and rates", reading.indicators.get("l0_files_load_end")) + due


def _of_the_load(reading: Reading) -> str:
    if reading.written or not reading.log.compactions or "compact" in reading.commands.workload.benchmarks:
        return ""
    number = len(reading.log.compactions)
    return (
        f"not only reads: {number} compaction{'s' * (number > 1)} wrote {format_bytes(reading.log.compacted_bytes)} "
        'meanwhile, what the load left to be done or what reads asked for; end workload.load with "compact"'
    )


def _shallow(reading: Reading) -> str:
    if not reading.fills:
        return ""
    return small_tree(reading.indicators.get("flush_count"), reading.indicators.get("levels_populated"))


def _in_memtables(reading: Reading) -> str:
    memory = reading.option("write_buffer_size") * _MEMTABLES
    return in_memtables(reading.commands.workload.data_bytes, memory) if reading.fills else ""


def _in_cache(reading: Reading) -> str:
    reads = any(not writes(step) for step in reading.commands.workload.benchmarks)
    return in_cache(reading.commands.workload.data_bytes, reading.option("cache_size")) if reads else ""


def _found(reading: Reading) -> str:
    return few_found(reading.indicators.get("found_ratio"))


def _found_all(reading: Reading) -> str:
    """Tell reads that repeat the draws of a random fill from reads of independent keys, 63 % of which would exist."""
    workload = reading.commands.workload
    filled = "fillrandom" in (*workload.load, *workload.benchmarks)
    if workload.measure not in _RANDOM_READS or not filled or reading.indicators.get("found_ratio") != 1:
        return ""
    return (
        f"{workload.measure} draws the keys of fillrandom again, in its order, and so finds all of them; fill with "
        "fillseq for independent reads"
    )
