"""One run at a time on a host: executors wait for one another, and for engines that outlived their lsmtune."""

import errno
import subprocess
import threading
import time
from pathlib import Path

import pytest
from executor_builders import Fake, run_of, unwatched

from lsmtune.errors import RunError
from lsmtune.executors import HostLock, Limits, LocalExecutor, Progress
from lsmtune.model import Outcome


def test_two_executors_never_run_at_the_same_time(fake: Fake) -> None:
    fake.behave("sleep=0.4")
    outcomes: list[Outcome] = []
    seen: list[Progress] = []
    is_waiting = {name: threading.Event() for name in ("a", "b")}

    def work(name: str) -> None:
        def watch(progress: Progress) -> None:
            seen.append(progress)
            if progress.phase == "waiting":
                is_waiting[name].set()

        executor = LocalExecutor(fake.bench(), fake.scratch / name)
        outcomes.append(executor.run(run_of(), Limits(), watch))

    threads = [threading.Thread(target=work, args=(name,)) for name in is_waiting]
    with HostLock():
        for thread in threads:
            thread.start()
        assert all(each.wait(60) for each in is_waiting.values())
    for thread in threads:
        thread.join()
    ended_at = time.time()
    first, second = sorted(outcomes, key=lambda outcome: outcome.started_at)
    assert first.started_at + first.elapsed_s <= second.started_at
    assert second.started_at + second.elapsed_s <= ended_at + 0.1, "waiting is no part of it"
    waits = [progress for progress in seen if progress.phase == "waiting"]
    assert waits
    assert waits[-1].detail.startswith("process ")
    assert max(progress.elapsed_s for progress in waits) > 0


def test_a_child_holds_the_lock_on_after_its_parent_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with HostLock(path) as lock:
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=(lock.descriptor,))
    pipe = child.stdin
    assert pipe is not None
    waits: list[str] = []

    def let_end(holder: str) -> None:
        waits.append(holder)
        pipe.close()

    with HostLock(path, let_end):
        assert child.wait(60) == 0
    assert waits


def test_a_lock_that_was_given_back_is_taken_at_once(tmp_path: Path) -> None:
    waits: list[str] = []
    for _ in range(3):
        with HostLock(tmp_path / "lock", waits.append):
            pass
    assert waits == []


def test_everybody_may_open_the_file_of_the_lock(tmp_path: Path) -> None:
    with HostLock(tmp_path / "lock"):
        assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o666


def test_users_with_temporary_folders_of_their_own_share_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LSMTUNE_HOST_LOCK")
    places = set()
    for folder in ("/tmp/mine", "/tmp/yours"):
        monkeypatch.setenv("TMPDIR", folder)
        places.add(HostLock().path)
    assert places == {Path("/tmp/lsmtune-host.lock")}


def test_a_lock_that_cannot_be_opened_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"the lock of this host, .* cannot be opened: Is a directory; remove"):
        HostLock(tmp_path).__enter__()


def test_an_interrupt_while_waiting_gives_up_its_place(fake: Fake, tmp_path: Path) -> None:
    def interrupt(_progress: Progress) -> None:
        raise KeyboardInterrupt

    executor = fake.executor()
    with HostLock(), pytest.raises(KeyboardInterrupt):
        executor.run(run_of(), Limits(), interrupt)
    assert executor.run(run_of(), Limits(), unwatched).measurement is not None


def test_a_full_disk_keeps_nobody_from_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.pwrite", full)
        with HostLock(tmp_path / "lock"):
            pass
    waits: list[str] = []
    with HostLock(tmp_path / "lock", waits.append):
        assert waits == []
