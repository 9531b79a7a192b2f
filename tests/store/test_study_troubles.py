"""Folders that are no study, damaged, newer, read-only or full."""

import contextlib
import errno
import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_builders import description, finished, outcome, planned, started

from lsmtune.codec import whole
from lsmtune.errors import StudyCorruptError, StudyError, StudyVersionError
from lsmtune.model import Configuration, Measurement, Purpose, Run, Status
from lsmtune.store import Checkpoint, _database, create_study, open_study, read_study, write_file
from lsmtune.store._database import named_errors
from lsmtune.store._schema import MIGRATIONS, SCHEMA_VERSION, migrate, read_version

OPENERS = pytest.mark.parametrize("opener", [open_study, read_study])
NOBODY = 65534


def _study(folder: Path) -> Path:
    with create_study(folder, description()) as study:
        finished(study, how=outcome(artefacts={"LOG": "kept"}))
    return folder


def _sql(folder: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()


@OPENERS
def test_a_folder_that_is_no_study_is_named(tmp_path: Path, opener: type) -> None:
    with pytest.raises(StudyError, match=r'there is no study folder ".*/missing"'):
        opener(tmp_path / "missing")
    with pytest.raises(StudyError, match=r"is not a study, it has no study\.sqlite"):
        opener(tmp_path)
    assert list(tmp_path.iterdir()) == []


@OPENERS
def test_another_program_s_database_is_refused_and_left_alone(tmp_path: Path, opener: type) -> None:
    _sql(tmp_path, "CREATE TABLE t (x)")
    before = (tmp_path / "study.sqlite").read_bytes()
    with pytest.raises(StudyError, match="was not made by lsmtune"):
        opener(tmp_path)
    assert (tmp_path / "study.sqlite").read_bytes() == before


@OPENERS
def test_an_empty_database_file_is_no_study(tmp_path: Path, opener: type) -> None:
    (tmp_path / "study.sqlite").touch()
    with pytest.raises(StudyError, match="was not made by lsmtune"):
        opener(tmp_path)


@OPENERS
def test_a_newer_schema_is_refused_with_both_versions(tmp_path: Path, opener: type) -> None:
    folder = _study(tmp_path / "s")
    _sql(folder, f"PRAGMA user_version = {SCHEMA_VERSION + 2}")
    with pytest.raises(
        StudyVersionError, match=rf"schema version {SCHEMA_VERSION + 2}, .* up to {SCHEMA_VERSION}; upgrade"
    ):
        opener(folder)


def test_an_older_study_is_read_from_a_copy_and_stays_as_it_is(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    _sql(folder, "ALTER TABLE runs DROP COLUMN load_s")
    _sql(folder, "ALTER TABLE runs DROP COLUMN host")
    _sql(folder, "PRAGMA user_version = 3")
    before = (folder / "study.sqlite").read_bytes()
    with read_study(folder) as study:
        (stored,) = study.runs()
        assert stored.load_s is None
        assert study.artefact(stored.run.id, "LOG") == "kept"
    assert (folder / "study.sqlite").read_bytes() == before
    with open_study(folder) as study:  # converted for good
        assert len(study.runs()) == 1
    assert (folder / "study.sqlite").read_bytes() != before


def test_runs_of_an_older_study_are_on_its_host_and_called_disturbed(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    _sql(folder, "ALTER TABLE runs DROP COLUMN host")
    _sql(folder, "UPDATE runs SET status = 'contaminated'")
    _sql(folder, "PRAGMA user_version = 5")
    with read_study(folder) as study:
        (stored,) = study.runs()
        assert stored.status is Status.DISTURBED
        assert stored.run.host == study.description.host.name != ""


@OPENERS
def test_a_file_that_is_no_database_is_corrupt_and_the_rescue_is_told(tmp_path: Path, opener: type) -> None:
    folder = _study(tmp_path / "s")
    (folder / "study.sqlite").write_bytes(b"garbage" * 1000)
    with pytest.raises(StudyCorruptError, match=r"artefacts are untouched; .* sqlite3 study\.sqlite \.recover"):
        opener(folder)
    assert (folder / "artefacts" / "1" / "LOG.gz").exists()


def test_damaged_pages_are_corrupt_when_they_are_read(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    content = (folder / "study.sqlite").read_bytes()
    (folder / "study.sqlite").write_bytes(content[:4096] + b"\xaa" * (len(content) - 4096))
    with pytest.raises(StudyCorruptError, match="damaged"), read_study(folder) as study:
        study.runs()


def test_a_lost_description_is_corrupt(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    _sql(folder, "DELETE FROM description")
    with pytest.raises(StudyCorruptError, match="lost the study's description"):
        read_study(folder)


def test_a_failed_opening_gives_the_lock_back(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    _sql(folder, "PRAGMA user_version = 99")
    with pytest.raises(StudyVersionError):
        open_study(folder)
    _sql(folder, f"PRAGMA user_version = {SCHEMA_VERSION}")
    open_study(folder).close()


def test_a_study_is_never_created_over_something_else(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    with pytest.raises(StudyError, match="holds a study already"):
        create_study(folder, description())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("years of work")
    with pytest.raises(StudyError, match=r'"thesis\.tex" is there'):
        create_study(tmp_path / "other", description())
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "experiment.toml").write_text("# mine")
    with pytest.raises(StudyError, match=r'"experiment\.toml" is there'):
        create_study(tmp_path / "own", description())
    assert (tmp_path / "own" / "experiment.toml").read_text() == "# mine"
    with pytest.raises(StudyError, match="cannot be used"):
        create_study(tmp_path / "own" / "experiment.toml", description())


def test_a_folder_with_signs_that_mean_something_in_addresses_works(tmp_path: Path) -> None:
    folder = _study(tmp_path / "a b?mode=rw#100%41")
    with read_study(folder) as study:
        assert study.summary().runs == 1


def test_a_study_open_for_reading_refuses_to_write(tmp_path: Path) -> None:
    folder = _study(tmp_path / "s")
    with read_study(folder) as study:
        with pytest.raises(StudyError, match="opened for reading"):
            planned(study)
        with pytest.raises(StudyError, match="opened for reading"):
            study.recover()
        with pytest.raises(StudyError, match="opened for reading"):
            study.save(Checkpoint("a", whole), 1)


# A read-only folder


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    (folder / "s").chmod(0o755)
    shutil.rmtree(folder)


@contextlib.contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    """Take the right to write in `folder` away, from root too."""
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


def _killed_writer(folder: Path) -> None:
    child = os.fork()
    if child == 0:
        finished(open_study(folder))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_read_only_folder_can_be_read_but_not_worked_in(reachable: Path) -> None:
    folder = _study(reachable / "s")
    (folder / "lock").unlink()
    with _read_only(folder):
        with read_study(folder) as study:
            assert study.indicator("throughput_ops") == {1: 125_000.5}
            assert study.artefact(1, "LOG") == "kept"
        with pytest.raises(StudyError, match="check the folder and its permissions"):
            open_study(folder)


def test_a_read_only_folder_of_a_killed_writer_shows_its_last_run(reachable: Path) -> None:
    folder = _study(reachable / "s")
    _killed_writer(folder)
    with _read_only(folder), read_study(folder) as study:
        assert study.summary().runs == 2


def test_a_read_only_folder_is_not_read_where_runs_would_be_missed(reachable: Path) -> None:
    folder = _study(reachable / "s")
    _killed_writer(folder)
    (folder / "study.sqlite-shm").unlink()
    with _read_only(folder), pytest.raises(StudyError, match="copy the folder to a place where you can write"):
        read_study(folder)
    with read_study(folder) as study:
        assert study.summary().runs == 2


# A folder that is moved


def test_a_study_that_was_moved_is_not_written_until_it_is_back(tmp_path: Path) -> None:
    folder, away = tmp_path / "s", tmp_path / "away"
    with create_study(folder, description()) as study:
        run = started(study)
        folder.rename(away)
        said = r'study ".*/s" was moved or removed while it was worked on; move it back, and the same command goes on'
        with pytest.raises(StudyError, match=said):
            planned(study)
        with pytest.raises(StudyError, match=said):
            study.finish(run, outcome(artefacts={"LOG": "text"}))
        assert not folder.exists()
        away.rename(folder)
        study.finish(run, outcome(artefacts={"LOG": "text"}))
        assert study.artefact(run.id, "LOG") == "text"


def test_another_study_in_the_place_of_one_is_not_written(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with create_study(folder, description()) as study:
        folder.rename(tmp_path / "away")
        _study(folder)
        with pytest.raises(StudyError, match="was moved or removed"):
            planned(study)
    with read_study(folder) as other:
        assert other.summary().runs == 1


# A full disk


def test_a_full_disk_keeps_what_is_finished_and_work_goes_on_later(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        (pages,) = study._connection.execute("PRAGMA page_count").fetchone()
        study._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        big = outcome(measurement=Measurement({f"indicator {number}": 1.0 for number in range(1000)}))
        run = started(study)
        with pytest.raises(StudyError, match=r'the disk of study ".*" is full; free space'):
            study.finish(run, big)
        assert study.runs()[0].status is Status.RUNNING
        assert study.indicators() == ()
        study._connection.execute("PRAGMA max_page_count = 100000")
        study.finish(run, big)
        assert len(study.indicators()) == 1000


def test_a_disk_that_fills_up_under_an_artefact_leaves_no_piece_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with create_study(tmp_path / "s", description()) as study:
        run = started(study)
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(StudyError, match="is full; free space"):
                study.finish(run, outcome(artefacts={"LOG": "text"}))
        assert [path for path in (tmp_path / "s" / "artefacts").rglob("*") if path.is_file()] == []
        assert study.runs()[0].status is Status.RUNNING
        study.finish(run, outcome())
        assert study.runs()[0].status is Status.OK


def test_a_failed_write_leaves_no_half_of_it(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        with pytest.raises(OverflowError):
            study.plan(Run(0, Purpose.TRIAL, "t", None, Configuration.of({"a": 1}), 2**63, 1))
        assert study._connection.execute("SELECT count(*) FROM configurations").fetchone() == (0,)
        assert planned(study).id == 1


# A database that cannot be used


@pytest.mark.parametrize(
    ("code", "step"),
    [
        (sqlite3.SQLITE_PERM, "check the folder and its permissions"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "check the folder and its permissions"),
        (sqlite3.SQLITE_CANTOPEN, "check the folder and its permissions"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "end what else has it open"),
        (sqlite3.SQLITE_LOCKED, "end what else has it open"),
        (sqlite3.SQLITE_PROTOCOL, "end what else reads it all the time, or move the folder off a network's"),
        (sqlite3.SQLITE_IOERR_FSYNC, r"see what the kernel says of its disk \(dmesg\)"),
        (sqlite3.SQLITE_NOLFS, r"see what the kernel says of its disk \(dmesg\)"),
    ],
)
def test_whatever_befalls_a_database_is_a_sentence_with_the_next_step(tmp_path: Path, code: int, step: str) -> None:
    error = sqlite3.OperationalError("it says so")
    error.sqlite_errorcode = code
    said = rf'the database of study "{tmp_path}" cannot be used: it says so; {step}.*, and the same command goes on'
    with pytest.raises(StudyError, match=said), named_errors(tmp_path):
        raise error


def test_a_mistake_of_lsmtune_is_not_called_a_trouble_of_the_study(tmp_path: Path) -> None:
    with (
        pytest.raises(sqlite3.OperationalError),
        create_study(tmp_path / "s", description()) as study,
        study.together(),
    ):
        study._connection.execute("SELECT nothing")


def test_a_database_that_another_program_holds_is_named_and_goes_on_with_all_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _study(tmp_path / "s")
    monkeypatch.setattr(_database, "_WAIT_S", 0.05)
    with open_study(folder) as study:
        run = started(study)
        with contextlib.closing(sqlite3.connect(folder / "study.sqlite", isolation_level=None)) as shell:
            shell.execute("BEGIN IMMEDIATE")
            with pytest.raises(StudyError, match="cannot be used: database is locked; end what else has it open"):
                study.finish(run, outcome())
            shell.execute("ROLLBACK")
        study.finish(run, outcome())
        assert [stored.status for stored in study.runs()] == [Status.OK, Status.OK]


# Migrations


def _add_table(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE made_up (x)")


def _fill_table(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO made_up SELECT id FROM runs")


def _fail(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE runs")
    raise OSError("pulled the plug")


@pytest.fixture
def older(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The database of a study at the current version, with one run."""
    folder = _study(tmp_path / "s")
    with contextlib.closing(sqlite3.connect(folder / "study.sqlite", isolation_level=None)) as connection:
        yield connection


def test_migrations_run_in_order_from_where_the_database_is(older: sqlite3.Connection) -> None:
    migrate(older, (*MIGRATIONS, _add_table))
    assert read_version(older) == SCHEMA_VERSION + 1
    migrate(older, (*MIGRATIONS, _add_table, _fill_table))
    assert read_version(older) == SCHEMA_VERSION + 2
    migrate(older, (*MIGRATIONS, _add_table, _fill_table))
    assert older.execute("SELECT x FROM made_up").fetchall() == [(1,)]


def test_a_migration_that_fails_leaves_the_version_before_it(older: sqlite3.Connection) -> None:
    with pytest.raises(OSError, match="pulled the plug"):
        migrate(older, (*MIGRATIONS, _add_table, _fail))
    assert read_version(older) == SCHEMA_VERSION + 1
    assert older.execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_a_database_beyond_the_last_migration_is_refused(older: sqlite3.Connection) -> None:
    with pytest.raises(StudyVersionError, match=f"schema version {SCHEMA_VERSION}, .* up to 0"):
        migrate(older, ())


def test_a_file_beside_the_one_that_is_written_stays(tmp_path: Path) -> None:
    (tmp_path / "page.html.new").write_text("mine")
    write_file(tmp_path / "page.html", b"page")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "page.html": "page",
        "page.html.new": "mine",
    }


def test_what_two_write_to_one_file_at_once_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, others, sync = tmp_path / "page.html", [b"of another process"], os.fsync

    def meanwhile(descriptor: int) -> None:
        if others:
            write_file(page, others.pop())
        sync(descriptor)

    monkeypatch.setattr("os.fsync", meanwhile)
    write_file(page, b"own")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("page.html", b"own")]
