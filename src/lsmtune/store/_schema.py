"""The tables of a study's database, and how older ones become the current ones."""

import json
import sqlite3
import tomllib
from collections.abc import Callable, Sequence
from typing import TypeAlias

from lsmtune import __version__
from lsmtune.errors import StudyError, StudyVersionError
from lsmtune.model import StudyKind

APPLICATION_ID = 0x6C736D74
"""``PRAGMA application_id`` of a study: "lsmt"; tells a study from any other SQLite database."""

Migration: TypeAlias = Callable[[sqlite3.Connection], None]

_VERSION_1 = """
CREATE TABLE description (               -- one row
    name            TEXT NOT NULL,
    experiment      TEXT NOT NULL,
    build           TEXT NOT NULL,       -- JSON of model.EngineBuild
    host            TEXT NOT NULL,       -- JSON of model.HostFacts
    facts           TEXT NOT NULL,       -- JSON object
    created_at      REAL NOT NULL,
    lsmtune_version TEXT NOT NULL
);
CREATE TABLE texts (                     -- OPTIONS files, each once
    sha  TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
);
CREATE TABLE configurations (            -- asked for and effective ones, each once
    key          TEXT PRIMARY KEY,
    items        TEXT NOT NULL,          -- JSON [[option, value], ...]
    options_file TEXT REFERENCES texts (sha)
) WITHOUT ROWID;
CREATE TABLE runs (
    id            INTEGER PRIMARY KEY,
    purpose       TEXT NOT NULL,
    arm           TEXT NOT NULL,
    block         INTEGER,
    configuration TEXT NOT NULL REFERENCES configurations (key),
    seed          INTEGER NOT NULL,
    load_seed     INTEGER NOT NULL,
    status        TEXT NOT NULL,
    started_at    REAL,
    elapsed_s     REAL,
    reason        TEXT NOT NULL DEFAULT '',
    bound_s       REAL,
    effective     TEXT REFERENCES configurations (key)
);
CREATE TABLE measurements (              -- no row: nothing was measured
    run        INTEGER PRIMARY KEY REFERENCES runs (id),
    overridden TEXT NOT NULL,            -- JSON [[option, asked, effective, reason], ...]
    warnings   TEXT NOT NULL,            -- JSON ["code: sentence", ...], older ones without code
    facts      TEXT NOT NULL             -- JSON object
);
CREATE TABLE indicators (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE indicator_values (          -- clustered by indicator: one indicator of all runs is one range scan
    indicator INTEGER NOT NULL REFERENCES indicators (id),
    run       INTEGER NOT NULL REFERENCES runs (id),
    value     REAL,                      -- NULL: could not be known
    PRIMARY KEY (indicator, run)
) WITHOUT ROWID;
CREATE TABLE decisions (                 -- what stages decided and must find again
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL                  -- JSON
) WITHOUT ROWID;
"""


def _create_version_1(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1.split(";"):  # executescript would commit the transaction of `migrate`
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _add_scenarios(connection: sqlite3.Connection) -> None:
    # JSON [[field of the workload, value], ...]
    connection.execute("ALTER TABLE runs ADD COLUMN scenario TEXT NOT NULL DEFAULT '[]'")


def _add_rungs(connection: sqlite3.Connection) -> None:
    # a fraction such as 1/4
    connection.execute("ALTER TABLE runs ADD COLUMN rung TEXT NOT NULL DEFAULT '1'")


def _add_load_times(connection: sqlite3.Connection) -> None:
    # the part of elapsed_s in which shared data was loaded; NULL where the run did not end, or was made before
    connection.execute("ALTER TABLE runs ADD COLUMN load_s REAL")


def _settle_kinds(connection: sqlite3.Connection) -> None:
    """Keep the kind of each study that has begun, and no byte order mark in the experiment.

    Before, only comparisons and lists of steps were told apart; what ran a design followed from its experiment.
    """
    connection.execute("UPDATE description SET experiment = ltrim(experiment, char(65279))")
    decisions = dict(connection.execute("SELECT key, value FROM decisions").fetchall())
    if "plan" in decisions or not decisions.keys() & {"design", "shares"}:
        return
    kind = StudyKind.TUNE
    if "design" in decisions:
        (experiment,) = connection.execute("SELECT experiment FROM description").fetchone()
        kind = _kind_of_design(experiment, json.loads(decisions["design"])["wanted"][0])
    connection.execute("INSERT INTO decisions VALUES ('plan', ?)", (json.dumps(kind),))


def _kind_of_design(experiment: str, design: str) -> StudyKind:
    """Return what ran a design before studies kept their kind.

    Args:
        experiment: its TOML.
        design: name of the design that it ran.
    """
    tables = tomllib.loads(experiment)
    if "reproduce" in tables:
        return StudyKind.REPRODUCE
    swept = "sweep" in tables and design == "factorial" != tables.get("sample", {}).get("design")
    return StudyKind.SWEEP if swept else StudyKind.SAMPLE


def _add_hosts(connection: sqlite3.Connection) -> None:
    """Say of each run on which host it is made, so far that of the study, and call disturbed what others disturbed."""
    connection.execute("ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE runs SET host = (SELECT json_extract(host, '$.name') FROM description)")
    connection.execute("UPDATE runs SET status = 'disturbed' WHERE status = 'contaminated'")


MIGRATIONS: tuple[Migration, ...] = (
    _create_version_1,
    _add_scenarios,
    _add_rungs,
    _add_load_times,
    _settle_kinds,
    _add_hosts,
)
"""The function at place n makes version n + 1 out of version n; version 0 is an empty database."""

# History of the schema version, kept in PRAGMA user_version:
#   1  first version
#   2  runs.scenario: what of the workload differs in this run
#   3  runs.rung: part of the study's scale at which it was made
#   4  runs.load_s: time of the loading of shared data, which elapsed_s holds too
#   5  the decision "plan" of every study that has begun: its kind
#   6  runs.host: name of the host that it is made on; the status "contaminated" is called "disturbed"
SCHEMA_VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the database to version ``len(migrations)``, one committed step after the other.

    A step that fails leaves the database at the version before it. `connection` is in autocommit mode.

    Raises:
        StudyVersionError: the database is newer than the last migration.
    """
    check_not_newer(connection, len(migrations))
    for version in range(read_version(connection), len(migrations)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            migrations[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def read_version(connection: sqlite3.Connection) -> int:
    """Return the schema version of the database."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_not_newer(connection: sqlite3.Connection, known: int = SCHEMA_VERSION) -> None:
    """Refuse a database whose schema is newer than version `known`.

    Raises:
        StudyVersionError: it is newer.
    """
    found = read_version(connection)
    if found > known:
        raise StudyVersionError(
            f"the study has schema version {found}, but lsmtune {__version__} knows versions up to {known}; "
            "upgrade lsmtune to use this study"
        )


def check_is_study(connection: sqlite3.Connection) -> None:
    """Refuse a database that lsmtune did not make, an empty file included.

    Raises:
        StudyError: the application id is not a study's.
    """
    found = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if found != APPLICATION_ID:
        raise StudyError(
            f"study.sqlite was not made by lsmtune (application id {found:#x}, not {APPLICATION_ID:#x}); "
            "give the folder of a study"
        )
