"""The db_bench of LevelDB and of its forks."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.benches._base import Bench
from lsmtune.benches.kits._kit import Kit
from lsmtune.benches.leveldb_bench import LevelDbBench
from lsmtune.engines.leveldb import discover_leveldb, family_of, find_leveldb_bench
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option, library_values


class LevelDbBenchKit(Kit):
    """Starts from the defaults of the engine."""

    def build(
        self,
        engine: str,  # noqa: ARG002 - other tools drive several engines
        path: Path | None,
        origin: str,
    ) -> EngineBuild:
        """Try the db_bench; see `Kit`."""
        return discover_leveldb(find_leveldb_bench(path, origin))

    def lacking(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options that have no flag, or whose flag the binary does not know."""
        flags = dict(build.flags)
        return tuple(option for option in known.options.values() if option.flag is None or option.flag not in flags)

    def stock(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the engine's defaults, and those of a known fork where they are its own."""
        own = family_of(name for name, _ in build.flags).stock
        values = library_values(known, build.version_tuple)
        return values | {name: value for name, value in own.items() if name in values}

    def starts(
        self,
        build: EngineBuild,
        known: Catalogue,  # noqa: ARG002 - other tools have more than one starting point
    ) -> Mapping[str, Mapping[str, Value]]:
        """Return the engine's defaults under its name."""
        return {build.engine: {}}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of LevelDB's db_bench.

        Raises:
            EngineError: the scale is not 1, or the workload asks for what this db_bench cannot do.
        """
        if scale != 1:
            raise EngineError(
                f"LevelDB runs at full size only, not at scale {scale}: the sizes of its levels are fixed"
            )
        return LevelDbBench(build, known, workload)
