"""Rows of a study's tables: written and read inside the caller's transaction."""

import hashlib
import json
import math
import sqlite3
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from lsmtune.errors import StudyCorruptError
from lsmtune.model import WHOLE, Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store._codec import (
    build_from_json,
    build_to_json,
    dump,
    effective_configuration,
    host_from_json,
    host_to_json,
    items_from_json,
    measurement_from_json,
    measurement_to_json,
)
from lsmtune.store._records import RunOutline, StoredRun, StudyDescription, StudySummary

_PURPOSES = {item.value: item for item in Purpose}
_STATUSES = {item.value: item for item in Status}


def insert_description(connection: sqlite3.Connection, description: StudyDescription) -> None:
    """Write the study's only description."""
    connection.execute(
        "INSERT INTO description VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            description.name,
            description.experiment,
            build_to_json(description.build),
            host_to_json(description.host),
            dump(dict(description.facts)),
            description.created_at,
            description.lsmtune_version,
        ),
    )


def select_description(connection: sqlite3.Connection) -> StudyDescription:
    """Read the study's description.

    Raises:
        StudyCorruptError: it is not there.
    """
    row = connection.execute(
        "SELECT name, experiment, build, host, facts, created_at, lsmtune_version FROM description"
    ).fetchone()
    if row is None:
        raise StudyCorruptError("study.sqlite has lost the study's description; take the file from a backup")
    name, experiment, build, host, facts, created_at, version = row
    return StudyDescription(
        name, experiment, build_from_json(build), host_from_json(host), json.loads(facts), created_at, version
    )


def insert_run(connection: sqlite3.Connection, run: Run) -> None:
    """Write a run as PLANNED, under its own id."""
    insert_configuration(connection, run.configuration)
    connection.execute(
        "INSERT INTO runs (id, purpose, arm, block, configuration, seed, load_seed, scenario, rung, host, status)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(run.id, run.purpose, run.arm, run.block, run.configuration.key, run.seed, run.load_seed),
            *(dump(run.scenario), str(run.rung), run.host, Status.PLANNED),
        ),
    )


def insert_configuration(connection: sqlite3.Connection, configuration: Configuration) -> None:
    """Write a configuration unless it is there already, with its OPTIONS file."""
    sha = None
    if configuration.options_file is not None:
        sha = hashlib.sha256(configuration.options_file.encode()).hexdigest()
        connection.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (sha, configuration.options_file))
    connection.execute(
        "INSERT OR IGNORE INTO configurations VALUES (?, ?, ?)", (configuration.key, dump(configuration.items), sha)
    )


def update_outcome(connection: sqlite3.Connection, run_id: int, outcome: Outcome) -> bool:
    """Write how a RUNNING run ended and what it gave; False if it is not RUNNING, and the caller rolls back."""
    effective = effective_configuration(outcome.measurement)
    if effective is not None:
        insert_configuration(connection, effective)
    cursor = connection.execute(
        "UPDATE runs SET status = ?, started_at = ?, elapsed_s = ?, reason = ?, bound_s = ?, effective = ?,"
        " load_s = ? WHERE id = ? AND status = ?",
        (
            outcome.status,
            outcome.started_at,
            outcome.elapsed_s,
            outcome.reason.encode("utf-8", "replace").decode(),  # reasons may quote output that is no UTF-8
            outcome.bound_s,
            None if effective is None else effective.key,
            outcome.load_s,
            run_id,
            Status.RUNNING,
        ),
    )
    if cursor.rowcount == 1 and outcome.measurement is not None:
        _insert_measurement(connection, run_id, outcome.measurement)
    return cursor.rowcount == 1


def _insert_measurement(connection: sqlite3.Connection, run_id: int, measurement: Measurement) -> None:
    connection.execute("INSERT INTO measurements VALUES (?, ?, ?, ?)", (run_id, *measurement_to_json(measurement)))
    names = [(name,) for name in measurement.indicators]
    connection.executemany("INSERT OR IGNORE INTO indicators (name) VALUES (?)", names)
    connection.executemany(
        "INSERT INTO indicator_values SELECT id, ?, ? FROM indicators WHERE name = ?",
        # SQLite itself makes NULL of a float that is not a number
        [(run_id, None if value is None else float(value), name) for name, value in measurement.indicators.items()],
    )


_RUN_COLUMNS = (
    "id, purpose, arm, block, configuration, seed, load_seed, scenario, rung, host, "
    "status, started_at, elapsed_s, reason, bound_s, effective, load_s"
)


def select_runs(connection: sqlite3.Connection, purpose: Purpose | None) -> list[StoredRun]:
    """Read the runs of a purpose, or all, by id."""
    configurations = _select_configurations(connection)
    rows = connection.execute(
        f"SELECT {_RUN_COLUMNS} FROM runs WHERE ?1 IS NULL OR purpose = ?1 ORDER BY id",  # noqa: S608 - constants
        (purpose,),
    )
    return [_stored_run(row, configurations[row[4]]) for row in rows]


def select_run(connection: sqlite3.Connection, run_id: int) -> StoredRun | None:
    """Read one run; None if there is none."""
    row = connection.execute(
        f"SELECT {_RUN_COLUMNS} FROM runs WHERE id = ?",  # noqa: S608 - constants
        (run_id,),
    ).fetchone()
    configuration = None if row is None else select_configuration(connection, row[4])
    return None if configuration is None else _stored_run(row, configuration)


def select_outlines(connection: sqlite3.Connection, first: int, most: int | None) -> list[RunOutline]:
    """Read the runs, or so many, from an id on without their configurations, by id; a range of the primary key."""
    rows = connection.execute(
        "SELECT id, purpose, arm, block, rung, status, started_at, elapsed_s, reason, host FROM runs WHERE id >= ?"
        " ORDER BY id LIMIT ?",
        (first, -1 if most is None else most),  # SQLite takes any number below 0 for no limit
    )
    return [RunOutline(row[0], _PURPOSES[row[1]], row[2], row[3], row[4], _STATUSES[row[5]], *row[6:]) for row in rows]


def _stored_run(row: Sequence[Any], configuration: Configuration) -> StoredRun:
    scenario = () if row[7] == "[]" else items_from_json(row[7])
    rung = WHOLE if row[8] == "1" else Fraction(row[8])
    run = Run(row[0], _PURPOSES[row[1]], row[2], row[3], configuration, row[5], row[6], scenario, rung, row[9])
    return StoredRun(run, _STATUSES[row[10]], *row[11:])


def _select_configurations(connection: sqlite3.Connection) -> dict[str, Configuration]:
    """Read the configurations that runs asked for; runs with the same one share the object."""
    texts = dict(connection.execute("SELECT sha, text FROM texts"))
    rows = connection.execute(
        "SELECT key, items, options_file FROM configurations WHERE key IN (SELECT configuration FROM runs)"
    )
    return {key: Configuration(items_from_json(items), texts.get(sha)) for key, items, sha in rows}


def select_configuration(connection: sqlite3.Connection, key: str) -> Configuration | None:
    """Read the configuration with this key; None if there is none."""
    row = connection.execute(
        "SELECT items, text FROM configurations LEFT JOIN texts ON sha = options_file WHERE key = ?", (key,)
    ).fetchone()
    return None if row is None else Configuration(items_from_json(row[0]), row[1])


def select_measurement(connection: sqlite3.Connection, run_id: int) -> Measurement | None:
    """Read what a run gave; None if nothing was measured."""
    row = connection.execute(
        "SELECT overridden, warnings, measurements.facts, effective FROM measurements"
        " JOIN runs ON id = run WHERE run = ?",
        (run_id,),
    ).fetchone()
    if row is None:
        return None
    indicators = dict(
        # CROSS JOIN keeps this order: one lookup per indicator, where the other order scans all values
        connection.execute(
            "SELECT name, value FROM indicators CROSS JOIN indicator_values ON indicator = id AND run = ? ORDER BY id",
            (run_id,),
        )
    )
    effective = None if row[3] is None else select_configuration(connection, row[3])
    return measurement_from_json(indicators, {} if effective is None else dict(effective.items), row[:3])


def select_summary(connection: sqlite3.Connection) -> StudySummary:
    """Count the runs; one pass over them."""
    rows = connection.execute(
        "SELECT purpose, status, count(*), min(started_at), max(started_at + elapsed_s), total(elapsed_s)"
        " FROM runs GROUP BY purpose, status"
    ).fetchall()
    return StudySummary(
        counts={(Purpose(row[0]), Status(row[1])): row[2] for row in rows},
        first_started_at=min((row[3] for row in rows if row[3] is not None), default=None),
        last_ended_at=max((row[4] for row in rows if row[4] is not None), default=None),
        run_time_s=math.fsum(row[5] for row in rows),
    )
