"""db_bench, for RocksDB."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.benches._base import Bench
from lsmtune.benches.db_bench import DbBench, stock_values
from lsmtune.benches.kits._kit import Kit
from lsmtune.engines.rocksdb import discover, find_db_bench
from lsmtune.model import EngineBuild, Value, Workload
from lsmtune.space import Catalogue, Option, library_values, missing_flags


class DbBenchKit(Kit):
    """Starts from db_bench's defaults or from RocksDB's."""

    def build(
        self,
        engine: str,  # noqa: ARG002 - other tools drive several engines
        path: Path | None,
        origin: str,
    ) -> EngineBuild:
        """Try the db_bench; see `Kit`."""
        return discover(find_db_bench(path, origin))

    def lacking(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options whose flag the binary does not know."""
        return missing_flags(known, [name for name, _ in build.flags])

    def stock(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return db_bench's own defaults."""
        return stock_values(build, known)

    def starts(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return db_bench's defaults, and RocksDB's as far as flags can set them."""
        stock = self.stock(build, known)
        library = {
            name: value
            for name, value in library_values(known, build.version_tuple).items()
            if value != stock.get(name) and known.option(name).flag is not None
        }
        return {"db_bench": {}, "rocksdb": library}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of db_bench."""
        return DbBench(build, known, workload, scale)
