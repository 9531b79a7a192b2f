"""A study: what stages write and what everybody reads."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from lsmtune.codec import member, optional, stored
from lsmtune.errors import StudyError, UsageError
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, StudyKind
from lsmtune.store import _artefacts, _rows
from lsmtune.store._checkpoint import Checkpoint
from lsmtune.store._codec import dump, number_of
from lsmtune.store._database import DATABASE, named_errors, transaction
from lsmtune.store._lock import FolderLock
from lsmtune.store._records import RunOutline, StoredRun, StudyDescription, StudySummary

_T = TypeVar("_T")
_KIND: Checkpoint[StudyKind] = Checkpoint("plan", member(StudyKind))
_FINAL = frozenset({Status.OK, Status.FAILED, Status.CENSORED, Status.DISTURBED, Status.SPOILED})


class Study:
    """A study folder, open for work or for reading; made by `create_study`, `open_study` and `read_study`.

    A run goes through `plan`, `start` and `finish`, each committed and synced before it returns; what is written
    `together` is so at once. What a killed process left behind is settled by `recover`. Every method that writes raises
    `StudyError` on a study that is open for reading, and on one whose folder was moved or removed since it was opened:
    nobody would find what is written. All methods raise `StudyError`, in one sentence, for a full disk and other
    troubles of the folder, and `StudyCorruptError` for a damaged database. A study belongs to the thread that opened
    it, and must not be used in a child made by ``os.fork``.

    Attributes:
        folder: the study folder.
        description: what the study is about.
    """

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, description: StudyDescription, lock: FolderLock | None
    ) -> None:
        self.folder = folder
        self.description = description
        self._connection = connection
        self._lock = lock
        self._joined = False
        self._opened = None if lock is None else self._place

    @property
    def read_only(self) -> bool:
        """Whether the study was opened for reading."""
        return self._lock is None

    # Writing

    def begin(self, kind: StudyKind) -> None:
        """Settle what kind of study this is, or go on with one of the same kind.

        Raises:
            UsageError: it was begun as another one.
        """
        begun = self.saved(_KIND)
        if begun not in (None, kind):
            raise UsageError(
                f'{self.folder} was begun as "{begun}", not as "{kind}"; go on with the former, or name a new folder '
                "with --study"
            )
        if begun is None:
            self.save(_KIND, kind)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit, and sync, what is written inside at its end, all at once; nothing of it where something fails."""
        with self._writing():
            joined, self._joined = self._joined, True
            try:
                yield
            finally:
                self._joined = joined

    def plan(self, draft: Run) -> Run:
        """Write down a run as PLANNED and return it with its id; ids count from 1 in the order of planning."""
        with self._writing():
            (last,) = self._connection.execute("SELECT max(id) FROM runs").fetchone()
            run = replace(draft, id=(last or 0) + 1)
            _rows.insert_run(self._connection, run)
        return run

    def start(self, run: Run) -> None:
        """Mark a PLANNED run as RUNNING, from now.

        Raises:
            StudyError: the run is not PLANNED.
        """
        with self._writing():
            cursor = self._connection.execute(
                "UPDATE runs SET status = ?, started_at = ? WHERE id = ? AND status = ?",
                (Status.RUNNING, time.time(), run.id, Status.PLANNED),
            )
            if cursor.rowcount != 1:
                raise self._wrong_status(run.id, Status.PLANNED, "started")

    def finish(self, run: Run, outcome: Outcome) -> None:
        """Keep how a RUNNING run ended and what it gave, all in one commit.

        The artefacts are on disk before the commit, so a finished run has all of them. If anything fails the run
        stays RUNNING and `finish` may be called again, also with fewer artefacts. An indicator that is not a
        number is stored as None.

        Raises:
            StudyError: the run is not RUNNING, the outcome's status is not final, or an artefact's name is no
                plain file name.
        """
        if outcome.status not in _FINAL:
            raise StudyError(
                f"run {run.id} cannot finish as {outcome.status}; finish it as {', '.join(sorted(_FINAL))}"
            )
        _artefacts.check_names(outcome.artefacts)
        with self._writing():
            if not _rows.update_outcome(self._connection, run.id, outcome):
                raise self._wrong_status(run.id, Status.RUNNING, "finished")
            _artefacts.write_artefacts(self.folder, run.id, outcome.artefacts)

    def lose(self, run: Run, reason: str) -> None:
        """Mark a RUNNING run as LOST, while others may be under way; stages plan it anew.

        Raises:
            StudyError: the run is not RUNNING.
        """
        with self._writing():
            cursor = self._connection.execute(
                "UPDATE runs SET status = ?, reason = ? WHERE id = ? AND status = ?",
                (Status.LOST, reason, run.id, Status.RUNNING),
            )
            if cursor.rowcount != 1:
                raise self._wrong_status(run.id, Status.RUNNING, "lost")

    def recover(self) -> int:
        """Mark every run that did not finish as LOST and return how many there were.

        Call it when no run is under way: before the first run after `open_study`, or after a stop. Runs that were
        only planned are LOST as well, without a start time; no row is ever deleted, so ids stay the order of
        planning. Stages plan lost runs anew.
        """
        with self._writing():
            lost = [
                self._connection.execute(
                    "UPDATE runs SET status = ?, reason = ? WHERE status = ?", (Status.LOST, reason, status)
                ).rowcount
                for status, reason in (
                    (Status.RUNNING, "lsmtune was stopped while the run was under way"),
                    (Status.PLANNED, "lsmtune was stopped before the run started"),
                )
            ]
        return sum(lost)

    def save(self, checkpoint: Checkpoint[_T], value: _T | None) -> None:
        """Keep a decision of a stage in the place of an earlier one; None for a decision that is open again.

        Raises:
            StudyError: JSON cannot hold the value.
        """
        try:
            text = dump(None if value is None else checkpoint.write(value))
        except (TypeError, ValueError) as error:
            raise StudyError(f'checkpoint "{checkpoint.name}" cannot be stored as JSON: {error}') from None
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO decisions VALUES (?, ?)", (checkpoint.name, text))

    # Reading

    @property
    def kind(self) -> StudyKind:
        """What the study goes through; a tuning where nothing has begun."""
        return self.saved(_KIND) or StudyKind.TUNE

    def saved(self, checkpoint: Checkpoint[_T]) -> _T | None:
        """Return the decision that was saved last; None if there is none.

        Raises:
            StudyError: what is stored is no such decision.
        """
        with self._reading():
            row = self._connection.execute("SELECT value FROM decisions WHERE key = ?", (checkpoint.name,)).fetchone()
        if row is None:
            return None
        what = f'checkpoint "{checkpoint.name}" of study "{self.folder}"'
        return stored(what, optional(checkpoint.read), json.loads(row[0]))

    def runs(self, purpose: Purpose | None = None) -> list[StoredRun]:
        """Return the runs of a purpose, or all, in the order of planning."""
        with self._reading():
            return _rows.select_runs(self._connection, purpose)

    def run(self, run_id: int) -> StoredRun:
        """Return one run.

        Raises:
            StudyError: there is no such run.
        """
        with self._reading():
            found = _rows.select_run(self._connection, run_id)
        if found is None:
            raise StudyError(f"{self.folder} has no run {run_id}; `lsmtune show` lists its runs")
        return found

    def outlines(self, first: int = 1, most: int | None = None) -> list[RunOutline]:
        """Return the runs from an id on, or the first so many of them, without what they ran, in the order of planning.

        Ids count from 1 without gaps, and a run that has ended never changes, so a reader who follows a study asks from
        the first run that was still open the last time.
        """
        with self._reading():
            return _rows.select_outlines(self._connection, first, most)

    def summary(self) -> StudySummary:
        """Return counts and times of all runs."""
        with self._reading():
            return _rows.select_summary(self._connection)

    def indicators(self) -> tuple[str, ...]:
        """Return the names of all indicators that a run of the study has, in the order of their first sight."""
        with self._reading():
            return tuple(name for (name,) in self._connection.execute("SELECT name FROM indicators ORDER BY id"))

    def indicator(self, name: str, first: int = 1) -> dict[int, float]:
        """Return the values of an indicator by run id, of runs of any status, from the id `first` on.

        Runs for which it could not be known are absent; a name that no run has gives an empty dict.
        """
        with self._reading():
            return dict(
                self._connection.execute(
                    "SELECT run, value FROM indicator_values WHERE value IS NOT NULL"
                    " AND indicator = (SELECT id FROM indicators WHERE name = ?) AND run >= ? ORDER BY run",
                    (name, first),
                )
            )

    def fact(self, name: str, first: int = 1) -> dict[int, float]:
        """Return a number that measurements say beside their indicators by run id, from the id `first` on.

        Runs that do not say it, or say no number, are absent.
        """
        with self._reading():
            rows = self._connection.execute(
                "SELECT run, json_extract(facts, ?1) FROM measurements"
                " WHERE run >= ?2 AND json_type(facts, ?1) IN ('integer', 'real', 'text') ORDER BY run",
                (f'$."{name}"', first),
            ).fetchall()
        return {run: number for run, told in rows if (number := number_of(told)) is not None}

    def measurement(self, run_id: int) -> Measurement | None:
        """Return what a run gave; None if nothing was measured.

        Raises:
            StudyError: there is no such run.
        """
        with self._reading():
            self._status(run_id)
            return _rows.select_measurement(self._connection, run_id)

    def configuration(self, key: str) -> Configuration:
        """Return the configuration with this key, asked for or effective.

        Raises:
            StudyError: no run has such a configuration.
        """
        with self._reading():
            found = _rows.select_configuration(self._connection, key)
        if found is None:
            raise StudyError(f'study "{self.folder}" has no configuration "{key}"; "lsmtune show" lists its runs')
        return found

    def artefact_names(self, run_id: int) -> tuple[str, ...]:
        """Return the names of the artefacts that a run left, sorted."""
        with named_errors(self.folder):
            return _artefacts.artefact_names(self.folder, run_id)

    def artefact(self, run_id: int, name: str) -> str:
        """Return the text of an artefact of a run.

        Raises:
            StudyError: the run has no such artefact.
            StudyCorruptError: the file is damaged.
        """
        with named_errors(self.folder):
            return _artefacts.read_artefact(self.folder, run_id, name)

    # The folder

    def close(self) -> None:
        """Merge the log into the database and give the lock back; doing so twice is harmless."""
        with named_errors(self.folder):
            try:
                self._connection.close()
            finally:
                if self._lock is not None:
                    self._lock.release()

    def __enter__(self) -> "Study":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.read_only:
            raise StudyError(f'study "{self.folder}" was opened for reading; open it for work to change it')
        if self._joined:
            yield
            return
        with named_errors(self.folder):
            if self._place != self._opened:
                raise StudyError(
                    f'study "{self.folder}" was moved or removed while it was worked on; move it back, and the same '
                    "command goes on"
                )
            with transaction(self._connection, write=True):
                yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        if self._joined:
            yield
            return
        with named_errors(self.folder), transaction(self._connection, write=False):
            yield

    @property
    def _place(self) -> tuple[int, int] | None:
        """What tells the file of the database from all others: its device and its number there; None where none is."""
        try:
            status = (self.folder / DATABASE).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def _status(self, run_id: int) -> Status:
        row = self._connection.execute("SELECT status FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise StudyError(f'study "{self.folder}" has no run {run_id}; "lsmtune show" lists its runs')
        return Status(row[0])

    def _wrong_status(self, run_id: int, needed: Status, done: str) -> StudyError:
        return StudyError(
            f'run {run_id} of study "{self.folder}" is {self._status(run_id)}, and only a {needed} run can be {done}; '
            "plan a new run"
        )
