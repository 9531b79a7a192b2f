"""What a service's OPTIONS file says beside its LOGs: the options where no LOG tells them, and what changed since."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from lsmtune.backends.rocksdb import DEFAULT_FAMILY, OptionsFile, newest_options
from lsmtune.errors import UsageError
from lsmtune.production._files import has_logs
from lsmtune.production._reader import read_service
from lsmtune.production._service_log import Opening, ServiceLog, ServiceOptions, Unread

_NAME = "OPTIONS"
_MOST_BYTES = 16 << 20
_FAMILY_SECTIONS = ("CF", "Table")


def read_service_files(paths: Iterable[Path]) -> ServiceLog:
    """Read the LOGs of one database, and the newest of its OPTIONS files.

    Args:
        paths: folders of databases, LOGs, dumps of the property ``rocksdb.stats``, and OPTIONS files, by their names.

    Raises:
        UsageError: there is nothing to read, or nothing in it is what it should be.
    """
    given = list(paths)
    files = options_files(given)
    logs = logs_of(given, files)
    newest = newest_of(files)
    if newest is None:
        return read_service(logs)
    if not logs:
        return replace(_without_logs(newest), options_file=read_options(newest))
    log = read_service(logs)
    try:
        return replace(log, options_file=read_options(newest))
    except UsageError as error:
        unread = (*log.unread, Unread(str(newest), f"its options: {error}"))
        return replace(log, unread=unread, unread_count=log.unread_count + 1)


def options_files(paths: Iterable[Path]) -> list[Path]:
    """Return the OPTIONS files that are named, then the newest of each folder."""
    given = list(paths)
    named = [path for path in given if path.is_file() and path.name.startswith(_NAME)]
    return named + [newest for path in given if path.is_dir() and (newest := newest_options(path)) is not None]


def logs_of(paths: Iterable[Path], files: Iterable[Path]) -> list[Path]:
    """Return the paths that have LOGs: no OPTIONS files, nor a folder without a LOG beside them (``db_log_dir``)."""
    known = list(files)
    return [path for path in paths if path not in known and not (path.is_dir() and known and not has_logs(path))]


def newest_of(files: Iterable[Path]) -> Path | None:
    """Return the OPTIONS file that was written last, by its number; None of none."""
    return max(files, key=lambda path: (_number(path), path.name), default=None)


def _number(path: Path) -> int:
    text = path.name.removeprefix(f"{_NAME}-")
    return int(text) if text.isdecimal() and len(text) <= 18 else -1


def _without_logs(path: Path) -> ServiceLog:
    nothing = Opening(
        time_s=None, product="", version="", took_s=None, options={}, families={}, dump=None, moments=(), stalls={}
    )
    return ServiceLog(
        files=(str(path),), lines=0, first_s=None, last_s=None, openings=(nothing,), unread=(), unread_count=0
    )


def read_options(path: Path) -> ServiceOptions:
    """Return what an OPTIONS file says.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    return options_in(read_options_file(path))


def read_options_file(path: Path) -> OptionsFile:
    """Read an OPTIONS file.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}; check who may read it") from None
    return OptionsFile.parse(text, str(path))


def options_in(file: OptionsFile) -> ServiceOptions:
    """Return what an OPTIONS file says, by column family."""
    families: dict[str, Mapping[str, str]] = {}
    for name in (DEFAULT_FAMILY, *file.other_families):
        own = file.as_default(name)
        families[name] = {key: value for each in _FAMILY_SECTIONS for key, value in own.values(each).items()}
    return ServiceOptions(file.place, file.version or "", file.values("DB"), families)
