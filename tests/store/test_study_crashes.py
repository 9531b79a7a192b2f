"""Killed writers, second writers, readers beside a writer."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from store_builders import description, finished, outcome, started

from lsmtune.errors import StudyBusyError
from lsmtune.model import Measurement, Status
from lsmtune.store import create_study, open_study, read_study


def _forked(work: Callable[[int], NoReturn]) -> tuple[int, int]:
    """Run `work` in a child with the writing end of a pipe; return its process id and the reading end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(writing)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def _write_runs_for_ever(folder: Path, pipe: int) -> NoReturn:
    """Finish run after run and report each finished id as a line."""
    study = open_study(folder)
    study.recover()
    while True:
        run = started(study)
        indicators: dict[str, float | None] = {f"i{number}": run.id + number / 64 for number in range(40)}
        study.finish(run, outcome(measurement=Measurement(indicators), artefacts={"LOG": f"log of {run.id}"}))
        os.write(pipe, b"%d\n" % run.id)


def _reported(reading: int, begun: bytes = b"") -> list[int]:
    """The ids in the pipe of a child that ended; `begun` was read from it before."""
    with os.fdopen(reading, "rb") as lines:
        return [int(line) for line in (begun + lines.read()).splitlines()]


def test_no_reported_run_is_lost_when_the_writer_is_killed_at_any_moment(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    create_study(folder, description()).close()
    chance, reported = random.Random(3), list[int]()
    for _ in range(20):
        child, reading = _forked(lambda pipe: _write_runs_for_ever(folder, pipe))
        first = os.read(reading, 1)  # killed while it works, not while it starts
        time.sleep(chance.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        reported += _reported(reading, first)
        with read_study(folder) as study:
            known = {stored.run.id: stored.status for stored in study.runs()}
            assert {known[number] for number in reported} == {Status.OK}
    with open_study(folder) as study:
        study.recover()
        ok = [stored.run.id for stored in study.runs() if stored.status is Status.OK]
        assert set(reported) <= set(ok)
        assert len(reported) >= 20
        for number in range(40):
            assert study.indicator(f"i{number}") == {run_id: run_id + number / 64 for run_id in ok}
        assert all(study.artefact(run_id, "LOG") == f"log of {run_id}" for run_id in ok)
        assert {stored.status for stored in study.runs()} <= {Status.OK, Status.LOST}
        assert study._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert study._connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_every_commit_is_synced_to_survive_power_loss(tmp_path: Path) -> None:
    full = 2
    with create_study(tmp_path / "s", description()) as study:
        assert study._connection.execute("PRAGMA synchronous").fetchone() == (full,)
    with open_study(tmp_path / "s") as study:
        assert study._connection.execute("PRAGMA synchronous").fetchone() == (full,)


def test_a_creation_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    chance = random.Random(4)
    for attempt in range(20):
        folder = tmp_path / str(attempt)

        def create(pipe: int, folder: Path = folder) -> NoReturn:
            os.write(pipe, b"!")
            create_study(folder, description())
            os._exit(0)

        child, reading = _forked(create)
        os.read(reading, 1)
        os.close(reading)
        time.sleep(chance.uniform(0, 0.006))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        complete = (folder / "study.sqlite").exists()
        with open_study(folder) if complete else create_study(folder, description()) as study:
            assert study.description == description()
            assert finished(study).id == 1


def test_the_remains_of_an_interrupted_creation_are_no_obstacle(tmp_path: Path) -> None:
    database = ("study.sqlite.new", "study.sqlite.new-wal", "study.sqlite.new-shm")
    for remains in ("lock", *database, "experiment.toml.new", "experiment.toml.0a1b2c3d.new"):
        (tmp_path / remains).write_text("half")
    (tmp_path / "experiment.toml").write_text(description().experiment)
    create_study(tmp_path, description()).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["experiment.toml", "lock", "study.sqlite"]


def test_a_second_process_is_told_who_works_on_the_study(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()):
        script = (
            "import sys, pathlib; from lsmtune.store import open_study; from lsmtune.errors import StudyBusyError\n"
            "try: open_study(pathlib.Path(sys.argv[1]))\n"
            "except StudyBusyError as error: print(error)"
        )
        said = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "s")], capture_output=True, text=True, check=True
        ).stdout
    assert f"is in use by process {os.getpid()} on host {os.uname().nodename}; wait for it or stop it" in said


def test_a_study_is_opened_for_work_only_once_in_a_process_too(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with create_study(folder, description()) as study:
        with pytest.raises(StudyBusyError, match="in use"):
            open_study(folder)
        (folder / "lock").write_text("")  # the moment between taking the lock and signing it
        with pytest.raises(StudyBusyError, match="in use by another process"):
            open_study(folder)
        finished(study)
    with open_study(folder) as study:
        assert len(study.runs()) == 1
    study.close()
    assert (folder / "lock").read_text() == ""


def test_a_reader_sees_whole_runs_while_a_writer_works(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    create_study(folder, description()).close()
    child, reading = _forked(lambda pipe: _write_runs_for_ever(folder, pipe))
    seen = [0]
    try:
        with read_study(folder) as study:
            until = time.monotonic() + 120
            while (seen[-1] < 50 or len(set(seen)) <= 5) and time.monotonic() < until:
                finished_runs = [stored.run.id for stored in study.runs() if stored.status is Status.OK]
                seen.append(len(finished_runs))
                values = study.indicator("i39")
                assert set(finished_runs) <= set(values)
                assert all(study.artefact(run_id, "LOG") for run_id in finished_runs[-2:])
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert len(_reported(reading)) >= seen[-1] - 1 >= 49
    assert seen == sorted(seen)
    assert len(set(seen)) > 5
