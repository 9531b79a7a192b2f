"""db_bench, for RocksDB."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench
from lsmtune.backends._known_builds import known_build
from lsmtune.backends._needs import Needs
from lsmtune.backends.db_bench import (
    ASKS_NOTHING,
    CommandBuilder,
    DbBench,
    commented_experiment,
    default_values,
)
from lsmtune.backends.db_bench._calibrate import Calibrator
from lsmtune.backends.db_bench._tree_reads import tree_reads
from lsmtune.backends.db_bench._tree_writes import tree_writes
from lsmtune.backends.db_bench._vocabulary import RocksDbBenchVocabulary
from lsmtune.backends.rocksdb import discover, find_db_bench, locate_db_bench, read_timeline
from lsmtune.lsm_model.tree import Costs, Reads, Step, Writes
from lsmtune.memory_model import ROCKSDB_MEMORY
from lsmtune.model import Configuration, EngineBuild, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option, library_values, missing_flags


class DbBenchBackend(Backend):
    """Starts from db_bench's defaults or from RocksDB's."""

    title = "RocksDB"
    program = "db_bench"
    vocabulary = RocksDbBenchVocabulary()
    starting_points = MappingProxyType({"db_bench": "db_bench's default", "rocksdb": "RocksDB's default"})
    key = "db_bench"
    flag = "--db-bench"
    prints_defaults = True
    has_starting_text = True
    takes_options_file = True
    grows_as_modelled = True
    memory_model = ROCKSDB_MEMORY
    formats = ("options-file", "flags", "json")
    optimised = "lsmtune build rocksdb builds one"
    draws_by_seed = True
    rest = "its own defaults included"

    def find(
        self,
        engine: str,
        path: Path | None,
        origin: str,
    ) -> EngineBuild:
        """Try the db_bench; see `Backend`."""
        return known_build(find_db_bench(path, origin), "rocksdb", discover)

    def how_found(self, path: Path | None) -> str:
        """Return which of the places had it."""
        return locate_db_bench(path).how

    def starting_text(self, build: EngineBuild, cores: int, named: Path | None, needs: Needs) -> str:
        """Return a file for writes, reads or both."""
        return commented_experiment(build.version, cores, needs, db_bench=named)

    def noise_workload(self) -> tuple[Workload, Fraction]:
        """Return a random fill of 1 KiB values, settled: 300,000 keys at this scale, about 4 s of writing."""
        return Workload(("fillrandom",), "fillrandom", num=19_200_000, value_size_bytes=1024), Fraction(1, 64)

    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options whose flag the binary does not know."""
        return missing_flags(known, [name for name, _ in build.flags])

    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return db_bench's own defaults."""
        return default_values(build, known)

    def baselines(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return db_bench's defaults, and RocksDB's as far as flags can set them."""
        own = self.defaults(build, known)
        library = {
            name: value
            for name, value in library_values(known, build.version_tuple).items()
            if value != own.get(name) and known.option(name).flag is not None
        }
        return {"db_bench": {}, "rocksdb": library}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of db_bench."""
        return DbBench(build, known, workload, scale)

    def tree_writes(self, workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
        """Return what its benchmarks write."""
        return tree_writes(workload, scale)

    def tree_reads(self, workload: Workload, scale: Fraction) -> Reads | None:
        """Return what its benchmarks read."""
        return tree_reads(workload, scale)

    def costs(self, build: EngineBuild, scratch: Path, hear: Callable[[Step], None]) -> Costs:
        """Measure with db_bench itself, about a minute; see `Backend`."""
        return Calibrator(build, scratch, hear).costs()

    def name(self, build: EngineBuild) -> str:
        """Return ``db_bench``."""
        return "db_bench"

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read RocksDB's LOG."""
        return read_timeline(log)

    def spelled(
        self, build: EngineBuild, known: Catalogue, configuration: Configuration, workload: Workload | None = None
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return the OPTIONS text and the flags; see `Backend`."""
        commands = CommandBuilder(build, known, workload or ASKS_NOTHING)
        flags = (*commands.kept_flags, *commands.option_flags(configuration.values))
        return commands.options_text(configuration), flags
