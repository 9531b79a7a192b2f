"""lsmtune-ycsb, for RocksDB and LevelDB."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.benches._base import Bench
from lsmtune.benches.kits._kit import Kit
from lsmtune.benches.ycsb import YcsbBench, unsupported
from lsmtune.engines.driver import discover_driver, find_driver
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option, library_values


class YcsbKit(Kit):
    """Starts from the engine's defaults as a library."""

    def build(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Ask the driver for its version; see `Kit`."""
        return discover_driver(find_driver(path, origin), engine)

    def lacking(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options that the driver has no way to set."""
        return tuple(option for option in known.options.values() if unsupported(option, build))

    def stock(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the engine's defaults."""
        return library_values(known, build.version_tuple)

    def starts(
        self,
        build: EngineBuild,
        known: Catalogue,  # noqa: ARG002 - other tools have more than one starting point
    ) -> Mapping[str, Mapping[str, Value]]:
        """Return the engine's defaults under its name."""
        return {build.engine: {}}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of lsmtune-ycsb."""
        return YcsbBench(build, known, workload, scale)
