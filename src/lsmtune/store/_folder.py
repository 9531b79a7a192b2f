"""How a study folder is made and opened."""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from lsmtune.errors import StudyError
from lsmtune.store._artefacts import sync_folder, write_whole
from lsmtune.store._database import DATABASE, connect_for_reading, connect_for_work, named_errors, transaction
from lsmtune.store._lock import LOCK, FolderLock
from lsmtune.store._records import StudyDescription
from lsmtune.store._rows import insert_description, select_description
from lsmtune.store._schema import SCHEMA_VERSION, check_is_study, check_not_newer, migrate, read_version
from lsmtune.store._study import Study

_EXPERIMENT = "experiment.toml"
_UNFINISHED = f"{DATABASE}.new"
_REMAINS = (f"{_UNFINISHED}*", f"{_EXPERIMENT}*.new")
"""What a creation that was interrupted leaves beside lock and experiment."""


def create_study(folder: Path, description: StudyDescription) -> Study:
    """Make a study folder and open it for work.

    The database gets its name when it is complete, so a creation that was interrupted is simply repeated.

    Args:
        folder: where the study goes; missing or empty, its parents are made.
        description: what the study is about.

    Raises:
        StudyError: the folder holds a study or other files, or cannot be written.
        StudyBusyError: another process creates the study at this moment.
    """
    with named_errors(folder), ExitStack() as undo:
        folder.mkdir(parents=True, exist_ok=True)
        _check_unused(folder, description.experiment)
        lock = undo.enter_context(FolderLock(folder))
        _check_unused(folder, description.experiment)  # another process may have finished the creation meanwhile
        for remains in (path for pattern in _REMAINS for path in folder.glob(pattern)):
            remains.unlink()
        write_whole(folder / _EXPERIMENT, description.experiment.encode())
        _write_database(folder, description)
        connection = connect_for_work(folder / DATABASE)
        undo.pop_all()
    return Study(folder, connection, description, lock)


def open_study(folder: Path) -> Study:
    """Open a study for work: alone, until it is closed or the process ends.

    A study with an older schema is converted. Call `Study.recover` before the first run.

    Raises:
        StudyBusyError: another process works on the study; the message says which.
        StudyVersionError: the study was written by a newer lsmtune.
        StudyCorruptError: the database is damaged.
        StudyError: there is no study, or its folder cannot be written.
    """
    _check_there(folder)
    with named_errors(folder), ExitStack() as undo:
        lock = undo.enter_context(FolderLock(folder))
        _check_is_study(folder / DATABASE)
        connection = undo.enter_context(closing(connect_for_work(folder / DATABASE)))
        migrate(connection)
        description = select_description(connection)
        undo.pop_all()
    return Study(folder, connection, description, lock)


def read_study(folder: Path) -> Study:
    """Open a study for reading, without a lock: also while another process works on it, and after one was killed.

    Of a study with an older schema, a copy in memory is converted and read, as it is at this moment; its file stays as
    it is.

    Raises:
        StudyVersionError: the study was written by a newer lsmtune.
        StudyCorruptError: the database is damaged.
        StudyError: there is no study, or it cannot be read.
    """
    _check_there(folder)
    with named_errors(folder), ExitStack() as undo:
        connection = undo.enter_context(closing(connect_for_reading(folder / DATABASE)))
        check_is_study(connection)
        check_not_newer(connection)
        if read_version(connection) < SCHEMA_VERSION:
            connection = undo.enter_context(closing(_converted(connection)))
        description = select_description(connection)
        undo.pop_all()
    return Study(folder, connection, description, lock=None)


def _converted(older: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in memory that has the current schema; close the older one."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        older.backup(copy)
        older.close()
        migrate(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _check_unused(folder: Path, experiment: str) -> None:
    """Accept an empty folder and the remains of an interrupted creation of the same study."""
    if (folder / DATABASE).exists():
        raise StudyError(f'"{folder}" holds a study already; open it, or create the new study in another folder')
    others = (path for path in folder.iterdir() if path.name not in {LOCK, _EXPERIMENT})
    foreign = [path.name for path in others if not any(path.match(pattern) for pattern in _REMAINS)]
    if (folder / _EXPERIMENT).exists() and (folder / _EXPERIMENT).read_bytes() != experiment.encode():
        foreign.append(_EXPERIMENT)
    if foreign:
        raise StudyError(f'"{folder}" is not empty: "{min(foreign)}" is there; create the study in another folder')


def _write_database(folder: Path, description: StudyDescription) -> None:
    unfinished = folder / _UNFINISHED
    with closing(connect_for_work(unfinished)) as connection:
        migrate(connection)
        with transaction(connection, write=True):
            insert_description(connection, description)
    unfinished.rename(folder / DATABASE)
    sync_folder(folder)
    sync_folder(folder.resolve().parent)


def _check_there(folder: Path) -> None:
    if not folder.is_dir():
        raise StudyError(f'there is no study folder "{folder}"; check the path, or create it with "lsmtune tune"')
    if not (folder / DATABASE).is_file():
        raise StudyError(f'"{folder}" is not a study, it has no {DATABASE}; give the folder of a study')


def _check_is_study(database: Path) -> None:
    """Look before the first write: opening for work would turn any SQLite database into one with a log."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        check_is_study(connection)
