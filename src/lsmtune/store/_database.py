"""Connections to a study's database, transactions, and errors in a user's words."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from lsmtune.errors import StudyCorruptError, StudyError
from lsmtune.store._files import FULL

DATABASE = "study.sqlite"
_WAIT_S = 30.0  # for a reader's or a checkpoint's short locks; there is never a second writer
_SYNCHRONOUS = "FULL"
_ACCESS = "check the folder and its permissions"
_IN_USE = "end what else has it open, such as a backup or a shell of sqlite3"
_DISK = "see what the kernel says of its disk (dmesg), or move the folder to another one"
_NEXT_STEPS: Mapping[int, str] = MappingProxyType(
    {
        sqlite3.SQLITE_PERM: _ACCESS,
        sqlite3.SQLITE_READONLY: _ACCESS,
        sqlite3.SQLITE_CANTOPEN: _ACCESS,
        sqlite3.SQLITE_BUSY: _IN_USE,
        sqlite3.SQLITE_LOCKED: _IN_USE,
        sqlite3.SQLITE_PROTOCOL: "end what else reads it all the time, or move the folder off a network's file system",
        sqlite3.SQLITE_IOERR: _DISK,
        sqlite3.SQLITE_NOLFS: _DISK,
    }
)
"""By SQLite's primary code of what can befall any database: what to do about it."""


def connect_for_work(path: Path) -> sqlite3.Connection:
    """Return a connection that writes, in autocommit mode; the file is made if it is missing.

    Write-ahead log with a sync at each commit: readers never wait for the writer, and a commit survives power loss.
    synchronous=NORMAL was rejected: it keeps the database whole, but may lose the last finished runs.
    """
    connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads, in autocommit mode, also while another process writes.

    On a read-only folder SQLite cannot make the index of the write-ahead log. Without a log there is nothing to
    miss and the file is opened as immutable; with a log, an immutable file would silently lack finished runs.

    Raises:
        StudyError: the folder is read-only and has a log without its index.
    """
    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        return _probed(uri)
    except sqlite3.OperationalError as error:
        if _primary(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StudyError(
            f'"{path.parent}" is read-only and "{log.name}" holds runs that are not merged yet; '
            "copy the folder to a place where you can write and read it there"
        )
    return _probed(f"{uri}&immutable=1")


def _probed(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, timeout=_WAIT_S, isolation_level=None, uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, *, write: bool) -> Iterator[None]:
    """Do everything inside or nothing; for a reader, see one state of the database throughout."""
    try:
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back on some errors, a full disk among them
            connection.execute("ROLLBACK")
        raise


@contextmanager
def named_errors(folder: Path) -> Iterator[None]:
    """Turn what SQLite and the system say about the study in `folder` into `StudyError` and its kinds.

    Errors that only a mistake in lsmtune can cause pass unchanged.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        named = _named(folder, error)
        if named is None:
            raise
        raise named from error
    except OSError as error:
        if error.errno in FULL:
            raise _disk_full(folder) from error
        raise StudyError(f'study "{folder}" cannot be used: {error}; check the folder and its permissions') from error


def _named(folder: Path, error: sqlite3.DatabaseError) -> StudyError | None:
    code = _primary(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        # tried: Debian 12's tool ends .recover with "SQL logic error" on any database, its library lacks sqlite_dbpage
        return StudyCorruptError(
            f'the database of study "{folder}" is damaged ({error}), its artefacts are untouched; copy the folder, '
            "then rescue the rows with the sqlite3 tool from sqlite.org (Debian 12's cannot): "
            f"sqlite3 {DATABASE} .recover | sqlite3 rescued.sqlite"
        )
    if code == sqlite3.SQLITE_FULL:
        return _disk_full(folder)
    step = None if code is None else _NEXT_STEPS.get(code)
    if step is None:
        return None
    return StudyError(
        f'the database of study "{folder}" cannot be used: {error}; {step}, and the same command goes on with all '
        "finished runs"
    )


def _disk_full(folder: Path) -> StudyError:
    return StudyError(
        f'the disk of study "{folder}" is full; free space and give the same command again, finished runs are kept'
    )


def _primary(error: sqlite3.Error) -> int | None:
    """The primary result code, the low byte of SQLite's extended one; None if SQLite gave none."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
