"""The defaults of RocksDB's options by version, as the LOGs of databases opened with defaults printed them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType

OF_THE_MACHINE = "*"
"""In place of a default that differs from machine to machine, as paths do."""
_NONE = "-"


@dataclass(frozen=True)
class Defaults:
    """The defaults that a version is held against.

    Attributes:
        version: the one whose defaults are known and that is nearest, the older one of two.
        database: by option of the database, as a LOG prints them.
        family: by option of a column family or its tables.
    """

    version: str
    database: Mapping[str, str]
    family: Mapping[str, str]


def defaults_of(version: str) -> Defaults:
    """Return the defaults of a version, or of the nearest one that is known; see `Defaults.version`."""
    wanted = _numbers(version)
    rows, versions = _table()
    known = [each for each in versions if _numbers(each) <= wanted] or versions[:1]
    nearest = known[-1]
    found: dict[str, dict[str, str]] = {"db": {}, "cf": {}}
    for (scope, name), values in rows.items():
        until = [value for since, value in values if _numbers(since) <= _numbers(nearest)]
        if until and until[-1] != _NONE:
            found[scope][name] = until[-1]
    return Defaults(nearest, MappingProxyType(found["db"]), MappingProxyType(found["cf"]))


@cache
def _table() -> tuple[dict[tuple[str, str], tuple[tuple[str, str], ...]], list[str]]:
    """Return each option's values with the version since which it has them, and all versions in order."""
    lines = files("lsmtune.production").joinpath("defaults.tsv").read_text("utf-8").splitlines()
    rows = {}
    for line in lines[1:]:
        scope, name, told = line.split("\t")
        rows[scope, name] = tuple(
            (since, value) for since, _, value in (part.partition("=") for part in told.split("; "))
        )
    versions = lines[0].split("\t")[2].split()
    return rows, versions


@lru_cache(maxsize=256)
def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
