"""Writes the defaults of RocksDB's options by version, from the LOGs of databases that were opened with defaults.

Usage: python tools/read_defaults.py LOG... > src/lsmtune/production/defaults.tsv

Each LOG is of one version, opened once without any option set. A row is an option, of the database (db) or of a column
family and its tables (cf), with its value in the first version and in each that changed it; "-" where a version has
none. What differs from machine to machine, as pointers and paths, has "*" in place of its values.
"""

import re
import sys
from pathlib import Path

from lsmtune.production import read_service

_OF_THE_MACHINE = re.compile(r"^0x|\(0x|^/|^$")
_NAMES = frozenset(
    {
        "env",
        "fs",
        "info_log",
        "db_log_dir",
        "wal_dir",
        "create_if_missing",
        "error_if_exists",
        "db_host_id",
        "statistics",
    }
)


def main(paths: list[str]) -> None:
    """Print the table."""
    read = [read_service([Path(path)]).last for path in paths]
    read.sort(key=lambda opening: _numbers(opening.version))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for opening in read:
        for scope, options in (("db", opening.options), ("cf", opening.families["default"])):
            for name, value in options.items():
                of_the_machine = name in _NAMES or _OF_THE_MACHINE.search(value) is not None
                rows.setdefault((scope, name), {})[opening.version] = "*" if of_the_machine else value
    versions = [opening.version for opening in read]
    print("\t".join(("scope", "option", " ".join(versions))))
    for (scope, name), values in sorted(rows.items()):
        print(f"{scope}\t{name}\t{'; '.join(_changes(versions, values))}")


def _changes(versions: list[str], values: dict[str, str]) -> list[str]:
    told, last = [], None
    for version in versions:
        value = values.get(version, "-")
        if value != last:
            told.append(f"{version}={value}")
            last = value
    return told


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


if __name__ == "__main__":
    main(sys.argv[1:])
