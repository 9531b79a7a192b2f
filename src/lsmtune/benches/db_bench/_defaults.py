"""The values that options have where nobody sets them: in db_bench and in RocksDB as a library."""

from typing import Literal

from lsmtune.model import EngineBuild, Value
from lsmtune.space import Catalogue, changed_defaults, default_of


def stock_values(build: EngineBuild, catalogue: Catalogue) -> dict[str, Value]:
    """Return the value of each option in a db_bench without flags: as the binary prints it, else the catalogue's."""
    values = _defaults(build, catalogue, library=False)
    changed = changed_defaults(catalogue, build.version_tuple, dict(build.flags))
    return values | {change.option.name: change.binary for change in changed}


def library_values(build: EngineBuild, catalogue: Catalogue) -> dict[str, Value]:
    """Return the value of each option in RocksDB as a library; options that only db_bench has keep its value."""
    return _defaults(build, catalogue, library=False) | _defaults(build, catalogue, library=True)


def _defaults(build: EngineBuild, catalogue: Catalogue, *, library: bool) -> dict[str, Value]:
    which: Literal["db_bench", "rocksdb"] = "rocksdb" if library else "db_bench"
    values = {name: default_of(option, which, build.version_tuple) for name, option in catalogue.options.items()}
    return {name: value for name, value in values.items() if value is not None}
