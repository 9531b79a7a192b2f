"""lsmtune-ycsb, for RocksDB and LevelDB."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends import leveldb, rocksdb
from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench
from lsmtune.backends._known_builds import known_build
from lsmtune.backends._needs import Needs
from lsmtune.backends._property_file import PropertyFile
from lsmtune.backends._request import Request
from lsmtune.backends.ycsb import (
    LOAD,
    OptionWriter,
    YcsbBench,
    commented_leveldb_experiment,
    discover_driver,
    find_driver,
    read_property_file,
    unsupported,
)
from lsmtune.backends.ycsb._template import USUAL_NEEDS
from lsmtune.backends.ycsb._tree_reads import tree_reads
from lsmtune.backends.ycsb._tree_writes import tree_writes
from lsmtune.backends.ycsb._unsupported import MADE
from lsmtune.backends.ycsb._vocabulary import YcsbOnLevelDbVocabulary, YcsbVocabulary
from lsmtune.lsm_model.tree import Reads, Rules, Writes
from lsmtune.memory_model import LEVELDB_MEMORY, ROCKSDB_MEMORY
from lsmtune.model import Configuration, EngineBuild, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option, library_values


class YcsbBackend(Backend):
    """Starts from the engine's defaults as a library."""

    program = "lsmtune-ycsb"
    drives_many = True
    reads_property_files = True
    binding: ClassVar[str]
    """What stands before the engine's options in files of properties."""

    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Ask the driver for its version; see `Backend`."""
        return known_build(find_driver(path, origin), engine, lambda program: discover_driver(program, engine))

    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options that the driver has no way to set."""
        return tuple(option for option in known.options.values() if unsupported(option, build))

    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the engine's defaults."""
        return library_values(known, build.version_tuple)

    def baselines(
        self,
        build: EngineBuild,
        known: Catalogue,
    ) -> Mapping[str, Mapping[str, Value]]:
        """Return the engine's defaults under its name."""
        return {build.engine: {}}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of lsmtune-ycsb."""
        return YcsbBench(build, known, workload, scale)

    def property_file(self, text: str, name: str, known: Catalogue) -> PropertyFile:
        """Read a file of YCSB's, for either binding; see `Backend`."""
        return read_property_file(text, name, known, self.binding)

    def name(self, build: EngineBuild) -> str:
        """Return ``lsmtune-ycsb on`` the engine."""
        return f"lsmtune-ycsb on {build.engine}"


class YcsbOnRocksDb(YcsbBackend):
    """RocksDB, linked as a library."""

    title = "RocksDB"
    binding = "rocksdb"
    vocabulary = YcsbVocabulary()
    starting_points = MappingProxyType({"rocksdb": "RocksDB's default"})
    takes_options_file = True
    grows_as_modelled = True
    memory_model = ROCKSDB_MEMORY
    formats = ("options-file", "json")
    optimised = "lsmtune build rocksdb builds one"
    made = MADE
    rest = "RocksDB's defaults"

    def noise_workload(self) -> tuple[Workload, Fraction]:
        """Return a load of YCSB's records of 1 KB, settled: 300,000 at this scale."""
        return self.vocabulary.workload(Request("ycsb", "rocksdb", (LOAD,), 19_200_000)), Fraction(1, 64)

    def tree_writes(self, workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
        """Return what the phases of YCSB write."""
        return tree_writes(workload, scale)

    def tree_reads(self, workload: Workload, scale: Fraction) -> Reads | None:
        """Return what the phases of YCSB read."""
        return tree_reads(workload, scale)

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read RocksDB's LOG."""
        return rocksdb.read_timeline(log)

    def spelled(
        self, build: EngineBuild, known: Catalogue, configuration: Configuration, workload: Workload | None = None
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return the OPTIONS text and the driver's arguments; see `Backend`."""
        writer = OptionWriter(build, known, Fraction(1))
        return writer.options_text(configuration), writer.arguments(configuration)


class YcsbOnLevelDb(YcsbBackend):
    """LevelDB, linked as a library."""

    title = "LevelDB"
    binding = "leveldb"
    vocabulary = YcsbOnLevelDbVocabulary()
    starting_points = leveldb.DEFAULTS
    one_size = leveldb.ONE_SIZE
    memory_model = LEVELDB_MEMORY
    has_starting_text = True
    needs = USUAL_NEEDS
    formats = ("leveldb-cpp", "ycsb-properties", "json")

    def starting_text(self, build: EngineBuild, cores: int, named: Path | None, needs: Needs) -> str:
        """Return a file for a load, for reads, or for a mix of phases."""
        return commented_leveldb_experiment(build.version, cores, needs)

    def noise_workload(self) -> tuple[Workload, Fraction]:
        """Return a load of YCSB's records of 1 KB, settled."""
        return self.vocabulary.workload(Request("ycsb", "leveldb", (LOAD,), 150_000)), Fraction(1)

    def tree_writes(self, workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
        """Return what the phases of YCSB write."""
        return tuple(replace(phase, rules=Rules.LEVELDB) for phase in tree_writes(workload, scale))

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read LevelDB's LOG."""
        return leveldb.read_timeline(log)
