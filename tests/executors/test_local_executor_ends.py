"""However a run ends, the executor says how, and leaves no process and no file behind."""

import errno
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from executor_builders import FILL, OWN_CHILDREN, READ, Fake, ends_soon, run_of, unwatched, upgrade_while_waiting

from lsmtune.backends import Process, ProcessRecord
from lsmtune.backends.db_bench import DbBench
from lsmtune.errors import RunError
from lsmtune.executors import Limits, LocalExecutor, Progress, _local, _process
from lsmtune.model import Outcome, Run, Status
from lsmtune.space import catalogue
from lsmtune.testing.fake_db_bench import VARIABLE, install

MIB = 1 << 20


def outcome(fake: Fake, behaviour: str, limits: Limits | None = None) -> Outcome:
    """The outcome of one fill by a fake that misbehaves; nothing may be left of it."""
    fake.behave(behaviour)
    before = OWN_CHILDREN()  # such as the tracker that multiprocessing starts once and keeps
    result = fake.executor().run(run_of(), limits or Limits(), unwatched)
    assert list(fake.scratch.iterdir()) == []
    assert OWN_CHILDREN() == before
    return result


def test_a_run_that_ends_well_has_a_measurement_and_artefacts(fake: Fake) -> None:
    began = time.time()
    result = outcome(fake, "")
    assert (result.status, result.reason, result.bound_s) == (Status.OK, "", None)
    assert result.measurement is not None
    assert result.measurement.indicators["operations"] == FILL.num
    kept = {"measure.stdout", "measure.stderr", "measure.LOG", "measure.OPTIONS", "measure.command"}
    assert set(result.artefacts) == kept
    assert shlex.split(result.artefacts["measure.command"])[1].startswith("--")
    assert began <= result.started_at <= result.started_at + result.elapsed_s <= time.time()


@pytest.mark.parametrize("stubborn", ["", ",stubborn"])
def test_a_hanging_engine_is_stopped_at_its_cap(fake: Fake, stubborn: str) -> None:
    fake.monkeypatch.setattr(_process, "_GRACE_S", 0.2)
    result = outcome(fake, "hang" + stubborn, Limits(wall_s=0.3))
    assert result.status is Status.CENSORED
    assert "beyond its cap of 300 ms" in result.reason
    assert result.bound_s is not None
    assert 0.3 <= result.bound_s <= result.elapsed_s


def test_an_engine_that_hangs_with_all_its_results_printed_counts(fake: Fake) -> None:
    fake.monkeypatch.setattr(_local, "_HUNG_S", 0.2)
    result = outcome(fake, "hang-late", Limits(wall_s=60.0))
    assert result.status is Status.OK
    assert result.measurement is not None
    assert result.measurement.indicators["operations"] == FILL.num
    assert any("it hung" in warning for warning in result.measurement.warnings)


def test_a_run_that_is_sure_to_pass_its_cap_is_stopped_early(fake: Fake) -> None:
    result = outcome(fake, "sleep=30", Limits(wall_s=6.0))
    assert result.status is Status.CENSORED
    assert "more than 2 times its cap of 6 s" in result.reason
    assert result.bound_s == 6.0
    assert result.elapsed_s < 6.0


class SeveralPhases(DbBench):
    """A bench whose operations are not all of one phase."""

    def processes(self, run: Run, database: Path) -> tuple[Process, ...]:
        return tuple(replace(each, alike=False) for each in super().processes(run, database))


def test_what_is_done_of_several_phases_stops_no_run_before_its_cap(fake: Fake) -> None:
    fake.behave("sleep=30")
    bench = SeveralPhases(fake.build, catalogue().for_version(fake.build.version_tuple), FILL)
    result = LocalExecutor(bench, fake.scratch).run(run_of(), Limits(wall_s=3.0), unwatched)
    assert "beyond its cap of 3 s" in result.reason
    assert result.bound_s is not None
    assert result.bound_s >= 3.0


def test_a_slow_run_within_its_cap_is_left_alone(fake: Fake) -> None:
    assert outcome(fake, "sleep=0.6", Limits(wall_s=60.0)).status is Status.OK


def test_the_share_that_is_done_of_a_step_says_nothing_of_those_before_it(fake: Fake) -> None:
    fake.behave("sleep=2")
    reads = replace(READ, duration_s=2.0)
    settled = run_of(level0_file_num_compaction_trigger=2)  # reshapes the loaded tree before it is measured
    result = fake.executor(reads).run(settled, Limits(wall_s=8.0), unwatched)
    assert (result.status, result.reason) == (Status.OK, "")
    assert result.elapsed_s - (result.load_s or 0.0) > 4


@pytest.mark.parametrize("ending", ["", "hang,", "hang,stubborn,"])
def test_children_of_the_engine_end_with_it(fake: Fake, tmp_path: Path, ending: str) -> None:
    fake.monkeypatch.setattr(_process, "_GRACE_S", 0.2)
    result = outcome(fake, f"{ending}child={tmp_path}/child", Limits(wall_s=3.0 if ending else None))
    assert result.status is (Status.CENSORED if ending else Status.OK)
    assert ends_soon(int((tmp_path / "child").read_text()))


def test_data_that_grows_beyond_its_limit_fails_the_run(fake: Fake) -> None:
    result = outcome(fake, "grow", Limits(disk_bytes=3 * MIB))
    assert result.status is Status.FAILED
    assert "beyond host.max_disk = 3 MiB" in result.reason


def test_a_disk_that_was_short_of_space_before_the_run_is_not_its_doing(fake: Fake) -> None:
    result = outcome(fake, "hang", Limits(free_bytes=1 << 60))
    assert result.status is Status.SPOILED
    assert "below host.min_free = 1 EiB" in result.reason or "below host.min_free = 1024 PiB" in result.reason


@pytest.mark.parametrize(("grown", "status"), [(64 * MIB, Status.FAILED), (0, Status.SPOILED)])
def test_whoever_filled_the_disk_is_to_blame(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, grown: int, status: Status
) -> None:
    free = iter([100 * MIB, 100 * MIB])  # before the run; then 60 MiB are gone

    class _Usage:
        def __init__(self) -> None:
            self.free = next(free, 40 * MIB)

    monkeypatch.setattr("psutil.disk_usage", lambda _: _Usage())
    had = iter([0])
    monkeypatch.setattr(_local, "database_bytes", lambda _: next(had, grown))
    result = outcome(fake, "hang", Limits(free_bytes=50 * MIB))
    assert result.status is status
    assert "below host.min_free = 50 MiB" in result.reason


@pytest.mark.parametrize(("grown", "status"), [(100 * MIB, Status.FAILED), (0, Status.SPOILED)])
def test_a_full_disk_is_blamed_before_the_data_of_the_run_is_removed(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, grown: int, status: Status
) -> None:
    def full(attempt: _local._Attempt, held: int) -> Outcome:
        (attempt.database / "000001.sst").write_bytes(b"")
        raise OSError(errno.ENOSPC, "No space left on device", str(attempt.folder))

    def written(database: Path) -> int:
        return grown if (database / "000001.sst").exists() else 0

    monkeypatch.setattr("psutil.disk_usage", lambda _: SimpleNamespace(free=100 * MIB))
    monkeypatch.setattr(_local, "database_bytes", written)
    monkeypatch.setattr(_local._Attempt, "measure", full)
    result = outcome(fake, "", Limits())
    assert (result.status, result.measurement) == (status, None)
    assert result.reason.startswith("the disk of ")


@pytest.mark.parametrize("behaviour", ["failed-job", ""])
@pytest.mark.parametrize(("left", "status"), [(100 * MIB, Status.FAILED), (MIB // 2, Status.SPOILED)])
def test_what_an_engine_could_not_do_on_a_disk_that_others_filled_is_not_its_doing(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, behaviour: str, left: int, status: Status
) -> None:
    def unwritten(_bench: DbBench, _run: Run, _records: Sequence[ProcessRecord]) -> NoReturn:
        raise RunError("db_bench ended well but printed no result of fillrandom")

    free = iter([100 * MIB])  # before the run, which may be looked at or not
    monkeypatch.setattr("psutil.disk_usage", lambda _: SimpleNamespace(free=next(free, left)))
    monkeypatch.setattr(DbBench, "parse_results", unwritten)
    result = outcome(fake, behaviour, Limits())
    assert (result.status, result.measurement) == (status, None)
    assert result.reason.endswith("the fake was told to fail" if behaviour else "printed no result of fillrandom")


def test_a_scratch_folder_that_cannot_be_used_any_more_spoils_the_run(fake: Fake) -> None:
    executor = fake.executor()
    fake.scratch.rmdir()
    fake.scratch.write_text("")
    result = executor.run(run_of(), Limits(), unwatched)
    assert (result.status, result.measurement) == (Status.SPOILED, None)
    assert result.reason.endswith("/run-1: Not a directory")


@pytest.mark.parametrize(
    ("refusal", "status"),
    [(errno.EIO, Status.SPOILED), (errno.EROFS, Status.SPOILED), (errno.EDQUOT, Status.FAILED)],
)
def test_what_the_system_refuses_is_the_run_s_doing_only_where_it_may_have_taken_the_room(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, refusal: int, status: Status
) -> None:
    def refused(attempt: _local._Attempt, held: int) -> Outcome:
        raise OSError(refusal, os.strerror(refusal), str(attempt.folder))

    monkeypatch.setattr(_local._Attempt, "measure", refused)
    result = outcome(fake, "", Limits())
    assert (result.status, result.measurement) == (status, None)
    assert result.reason.endswith(f"/run-1: {os.strerror(refusal)}")


@pytest.mark.parametrize(
    ("ahead_s", "status"),
    [((5.0, 5.05), Status.OK), ((0.0, 3600.0), Status.SPOILED), ((3600.0, 3590.0), Status.SPOILED)],
)
def test_a_clock_that_jumps_spoils_the_run(fake: Fake, ahead_s: tuple[float, float], status: Status) -> None:
    seen = iter(ahead_s)
    fake.monkeypatch.setattr(_local, "_clock_ahead_s", lambda: next(seen))
    result = outcome(fake, "")
    assert result.status is status
    if status is Status.SPOILED:
        way = "forward by 1h 00m" if ahead_s[0] < ahead_s[1] else "back by 10 s"
        assert result.reason.startswith(f"the clock of this host jumped {way} while it was under way")
        assert result.measurement is None
        assert "measure.LOG" in result.artefacts


def test_a_process_without_a_sign_of_life_has_hung_when_its_cap_comes(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_local, "_HUNG_S", 0.3)
    result = outcome(fake, "hang", Limits(wall_s=2.0))
    assert result.status is Status.FAILED
    assert result.reason == "it hung: nothing happened for 0.3 s before its last result"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("abort", 'the assertion "engine != nullptr" failed at fake.cc:1'),
        ("open-error", "open error: Invalid argument: the fake was told to fail"),
        ("garbage", "ended before lsmtune saw that no compaction is due"),
    ],
)
def test_a_failure_is_kept_with_its_reason_and_output(fake: Fake, behaviour: str, reason: str) -> None:
    result = outcome(fake, behaviour)
    assert result.status is Status.FAILED
    assert reason in result.reason
    assert result.artefacts
    assert result.measurement is None


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, Status.SPOILED), (signal.SIGKILL, Status.FAILED)])
def test_an_engine_that_somebody_stops_says_nothing_of_its_configuration_and_one_that_is_killed_may(
    fake: Fake, number: signal.Signals, status: Status
) -> None:
    fake.behave("hang")
    before = OWN_CHILDREN()

    def stop(_progress: Progress) -> None:
        for child in OWN_CHILDREN():
            if child not in before:
                child.send_signal(number)

    result = fake.executor().run(run_of(), Limits(wall_s=60.0), stop)
    assert (result.status, result.measurement) == (status, None)
    assert f"was ended by signal {number.value} ({number.name})" in result.reason


def test_a_program_that_is_gone_spoils_the_run(fake: Fake) -> None:
    gone = replace(fake, build=replace(fake.build, path=Path("/nowhere/db_bench")))
    result = gone.executor().run(run_of(), Limits(), unwatched)
    assert (result.status, result.measurement) == (Status.SPOILED, None)
    assert "cannot be started: No such file" in result.reason


def test_a_program_that_is_written_anew_between_two_runs_spoils_the_second(fake: Fake, tmp_path: Path) -> None:
    program = install(tmp_path)
    executor = replace(fake, build=replace(fake.build, path=program)).executor()
    assert executor.run(run_of(1), Limits(), unwatched).status is Status.OK
    program.write_text(f"{program.read_text()}# of another version\n")
    result = executor.run(run_of(2), Limits(), unwatched)
    assert (result.status, result.measurement) == (Status.SPOILED, None)
    assert result.reason.startswith(f"{program} was written anew since lsmtune identified it")


def test_a_program_that_is_written_anew_while_the_first_run_waits_for_its_host_spoils_it(
    fake: Fake, tmp_path: Path
) -> None:
    program = install(tmp_path)
    bench = replace(fake, build=replace(fake.build, path=program)).bench()
    executor = LocalExecutor(bench, fake.scratch, programs=[program, tmp_path / "gone"])
    upgrade_while_waiting(program, fake.monkeypatch)
    result = executor.run(run_of(), Limits(), unwatched)
    assert (result.status, result.measurement) == (Status.SPOILED, None)
    assert result.reason.startswith(f"{program} was written anew since lsmtune identified it")


def test_a_library_of_an_engine_that_is_upgraded_beside_its_program_spoils_the_next_run(
    fake: Fake, tmp_path: Path
) -> None:
    library = tmp_path / "librocksdb.so.7.8"
    library.write_text("one build")
    fake.load(library)
    executor = fake.executor()
    assert executor.run(run_of(1), Limits(), unwatched).status is Status.OK
    library.write_text("another build")
    result = executor.run(run_of(2), Limits(), unwatched)
    assert (result.status, result.measurement) == (Status.SPOILED, None)
    assert result.reason.startswith(f"{library} was written anew since lsmtune identified it")


def test_an_interrupt_stops_the_engine_and_removes_its_folder(fake: Fake, tmp_path: Path) -> None:
    fake.behave(f"hang,child={tmp_path}/child")
    engines: list[int] = []
    before = OWN_CHILDREN()

    def interrupt(_progress: Progress) -> None:
        if (tmp_path / "child").exists() and (tmp_path / "child").read_text():
            engines.extend(child.pid for child in OWN_CHILDREN() if child not in before)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fake.executor().run(run_of(), Limits(), interrupt)
    assert engines
    assert all(ends_soon(pid) for pid in (*engines, int((tmp_path / "child").read_text())))
    assert list(fake.scratch.iterdir()) == []
    fake.behave("")
    assert fake.executor().run(run_of(), Limits(), unwatched).status is Status.OK


_VICTIM = """
import sys
from pathlib import Path
from lsmtune.backends.db_bench import DbBench
from lsmtune.backends.rocksdb import discover
from lsmtune.executors import Limits, LocalExecutor
from lsmtune.model import Configuration, Purpose, Run, Workload
from lsmtune.space import catalogue

import psutil

build = discover(Path(sys.argv[1]))
bench = DbBench(build, catalogue().for_version(build.version_tuple), Workload(("fillrandom",), "fillrandom", num=1000))
executor = LocalExecutor(bench, Path(sys.argv[2]))
run = Run(1, Purpose.TRIAL, "t", None, Configuration(), 1, 1)
executor.run(run, Limits(), lambda _: print(*[child.pid for child in psutil.Process().children()], flush=True))
"""


def test_the_engine_dies_with_a_killed_lsmtune_and_the_next_start_cleans_up(fake: Fake) -> None:
    environment = {**os.environ, VARIABLE: "hang"}
    command = [sys.executable, "-c", _VICTIM, str(fake.build.path), str(fake.scratch)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        engine = int(victim.stdout.readline())
        assert Path(f"/proc/{engine}").exists()
        os.kill(victim.pid, signal.SIGKILL)
    assert ends_soon(engine)
    assert (fake.scratch / "run-1" / "db").is_dir()
    (fake.scratch / "notes").write_text("mine")
    executor = fake.executor()
    assert [path.name for path in fake.scratch.iterdir()] == ["notes"]
    assert executor.run(run_of(), Limits(), unwatched).status is Status.OK


def test_close_removes_all_but_the_files_of_others(fake: Fake) -> None:
    executor = fake.executor(READ)
    executor.run(run_of(), Limits(), unwatched)
    assert [path.name for path in fake.scratch.iterdir()] == ["loads"]
    (fake.scratch / "notes").write_text("mine")
    executor.close()
    assert [path.name for path in fake.scratch.iterdir()] == ["notes"]
    (fake.scratch / "notes").unlink()
    executor.close()
    assert not fake.scratch.exists()
