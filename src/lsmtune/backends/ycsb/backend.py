"""lsmtune-ycsb, for RocksDB and LevelDB."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.backends import leveldb, rocksdb
from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench
from lsmtune.backends.ycsb import OptionWriter, YcsbBench, discover_driver, find_driver, unsupported
from lsmtune.model import Configuration, EngineBuild, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option, library_values


class YcsbBackend(Backend):
    """Starts from the engine's defaults as a library."""

    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Ask the driver for its version; see `Backend`."""
        return discover_driver(find_driver(path, origin), engine)

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

    def name(self, build: EngineBuild) -> str:
        """Return ``lsmtune-ycsb on`` the engine."""
        return f"lsmtune-ycsb on {build.engine}"


class YcsbOnRocksDb(YcsbBackend):
    """RocksDB, linked as a library."""

    formats = ("options-file", "ycsb-properties", "json")
    optimised = "make rocksdb builds one"
    rest = "RocksDB's defaults"

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read RocksDB's LOG."""
        return rocksdb.read_timeline(log)

    def spelled(
        self, build: EngineBuild, known: Catalogue, configuration: Configuration
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return the OPTIONS text and the driver's arguments; see `Backend`."""
        writer = OptionWriter(build, known, Fraction(1))
        return writer.options_text(configuration), writer.arguments(configuration)


class YcsbOnLevelDb(YcsbBackend):
    """LevelDB, linked as a library."""

    formats = ("leveldb-cpp", "ycsb-properties", "json")

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read LevelDB's LOG."""
        return leveldb.read_timeline(log)
