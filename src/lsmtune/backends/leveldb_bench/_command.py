"""A workload and a configuration become a command line of LevelDB's db_bench.

It has no seed, no duration and no file of options: everything travels as ``--flag=value``, numbers without units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS, THOUSANDTHS, writes
from lsmtune.backends.leveldb_bench._limits import beyond_flags, wrong_in
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, EngineBuild, Run, Value, Workload
from lsmtune.space import Catalogue, Kind, Option

SHAPE = "sstables"
"""Prints the files of each level."""
STATS = "stats"
"""Prints what compactions did at each level."""
_REPORTING = (STATS, SHAPE)
_RESTED_WHILE_HELD = (STATS,) * 200
"""What a load prints at its end: dumps of 147 B at the least fill the pipe while its output is held (decision 0062)."""
_NO_FILTER = "-1"  # with 0 bits db_bench makes filters of 64 bits a block of keys, with -1 it makes none


@dataclass(frozen=True)
class CommandBuilder:
    """Builds commands of one build for one workload, always at full size.

    Raises:
        EngineError: the workload asks for what this db_bench cannot do.
    """

    build: EngineBuild
    catalogue: Catalogue
    workload: Workload

    def __post_init__(self) -> None:
        for field, sentence in wrong_in(self.workload).items():
            raise EngineError(f"{field} of the workload {sentence}")

    @property
    def keys(self) -> int:
        """The number of keys, which is also the operations of a phase that writes, of each thread."""
        return self.workload.num

    @property
    def reads(self) -> int:
        """Operations of a phase that reads, of each thread."""
        return self.keys if self.workload.operations is None else self.workload.operations

    def operations(self, phase: str) -> int | None:
        """Return the operations that each thread does in a phase; None where it may end sooner or is not known."""
        if phase in THOUSANDTHS:
            return self.keys // 1000
        benchmark = LEVELDB_BENCHMARKS.get(phase)
        if benchmark is None or not benchmark.measures or phase in ("readseq", "readreverse"):
            return None  # these end with the last key
        return self.keys if benchmark.only_writes else self.reads

    def measuring(self, run: Run, database: Path) -> tuple[str, ...]:
        """Return the command of the measured process; the tree is printed after the last phase that writes as well."""
        phases = list(self.workload.benchmarks)
        writing = [place for place, phase in enumerate(phases) if writes(phase)]
        if writing and writing[-1] < len(phases) - 1:
            phases.insert(writing[-1] + 1, SHAPE)
        flags = self._flags(self.workload.threads)
        if self.workload.operations is not None:
            flags.append(f"--reads={self.reads}")
        if self.workload.load:
            flags.append("--use_existing_db=1")
        return self._command((*phases, *_REPORTING), run.configuration, database, flags)

    def loading(self, configuration: Configuration, database: Path) -> tuple[str, ...]:
        """Return the command that builds the data and waits to be let go; several threads would each write all."""
        phases = (*self.workload.load, *_RESTED_WHILE_HELD)
        return self._command(phases, configuration, database, self._flags(threads=1))

    def option_flags(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Return values of options as flags.

        Raises:
            EngineError: the build has no flag for an option, or the flag cannot carry the value.
        """
        known = dict(self.build.flags)
        flags = []
        for name, value in sorted(values.items()):
            option = self.catalogue.option(name)
            if option.flag is None or option.flag not in known:
                raise EngineError(f"the db_bench of LevelDB at {self.build.path} has no flag for {name}; take it out")
            if sentence := beyond_flags(option, value):
                raise EngineError(f"{name} {sentence}")
            flags.append(f"--{option.flag}={_text(option, value)}")
        return tuple(flags)

    def _command(
        self, phases: Sequence[str], configuration: Configuration, database: Path, flags: Sequence[str]
    ) -> tuple[str, ...]:
        if configuration.options_file is not None:
            raise EngineError("LevelDB has no OPTIONS files; name its options one by one under [space.fixed]")
        named = (f"--db={database}", f"--benchmarks={','.join(phases)}")
        return (str(self.build.path), *named, *flags, *self.option_flags(configuration.values))

    def _flags(self, threads: int) -> list[str]:
        workload = self.workload
        flags: dict[str, object] = {
            "num": self.keys,
            "threads": threads,
            "value_size": workload.value_size_bytes,
            "compression_ratio": workload.compression_ratio,
            "histogram": 1,
        }
        return [f"--{flag}={value}" for flag, value in [*flags.items(), *workload.flags]]


def _text(option: Option, value: Value) -> str:
    if option.name == "filter_bits" and value == 0:
        return _NO_FILTER
    if option.kind is Kind.BOOL:
        return "1" if value else "0"
    return option.flag_values.get(str(value), str(value))
