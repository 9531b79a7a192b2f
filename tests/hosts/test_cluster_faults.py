"""A cluster of real processes in which one host is slow, one's clock is off, one's disk fills and one's way breaks."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster import Cluster, runs_of, under_way
from executor_builders import wait_until
from proxy import Way

from lsmtune.executors.hosts import serving
from lsmtune.model import Purpose, Status
from lsmtune.store import StoredRun

ENDED = {Status.OK, Status.DISTURBED}  # this machine may be busy
REPEATS = int(os.environ.get("LSMTUNE_HOST_KILLS", "1"))  # make test-slow asks for more
QUICK, SLOW, AHEAD, WEAK = "quick", "slow", "ahead", "weak"
MISSED_S = 10  # a worker of this machine is never silent for so long, however busy it is
AN_HOUR_AHEAD = "import time; real = time.time; time.time = lambda: real() + 3600"
FULL_WHERE_TOLD = """
import errno, os
real = os.fsync
def fsync(descriptor):
    if os.path.exists({flag!r}):
        raise OSError(errno.ENOSPC, "No space left on device")
    real(descriptor)
os.fsync = fsync
"""


class Faulty(Cluster):
    """A cluster of four hosts, three of which have something peculiar."""

    def begin_all(self) -> None:
        self.scheduler_options = ("--missed-after", str(MISSED_S))
        self.way = Way(int(self.address.rpartition(":")[2]))
        self.full = self.folder / "disk-is-full"
        self.start("scheduler", self.scheduler_words)
        self.start(QUICK, self.worker_words(QUICK))
        self.start(SLOW, self.worker_words(SLOW), FAKE_DB_BENCH="sleep=3")
        self.start(AHEAD, self.worker_words(AHEAD), AN_HOUR_AHEAD)
        through = f"tls://127.0.0.1:{self.way.port}"
        self.start(WEAK, self.worker_words(WEAK, address=through), FULL_WHERE_TOLD.format(flag=str(self.full)))
        self.wait_for(QUICK, SLOW, AHEAD, WEAK)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    made = Faulty(tmp_path_factory.mktemp("faulty"))
    try:
        made.begin_all()
        yield made
    finally:
        made.stop()
        made.way.close()


def check_whole(study: Path, points: int) -> list[StoredRun]:
    """Check that each point of a sample counts once."""
    runs = runs_of(study)
    counting = [stored for stored in runs if stored.status in ENDED]
    places = Counter((stored.run.purpose, stored.run.arm, stored.run.block) for stored in counting)
    assert set(places.values()) == {1}, "a run counts twice"
    assert sum(stored.run.purpose is Purpose.SAMPLE for stored in counting) == points, "a point is missing"
    return runs


def has_a_point_of(host: str, study: Path) -> bool:
    """Whether a host has made a point of a sample."""
    ended = [stored.run for stored in runs_of(study) if stored.status in ENDED]
    return any(run.host == host and run.purpose is Purpose.SAMPLE for run in ended)


def finished(cluster: Cluster, words: tuple[str, ...]) -> None:
    done = cluster.command(*words)
    assert done.returncode == 0, done.stderr + cluster.told()


@pytest.mark.parametrize("number", range(REPEATS))
def test_a_slow_host_makes_less_and_a_clock_that_is_off_moves_nothing(number: int, cluster: Faulty) -> None:
    study, words = cluster.sample(f"sample-{number}", 12)
    began = time.time()
    finished(cluster, words)
    ended = time.time()
    runs = check_whole(study, 12)
    made = Counter(stored.run.host for stored in runs if stored.run.purpose is Purpose.SAMPLE)
    assert made[SLOW] < min(made[QUICK], made[AHEAD]), made
    assert {stored.run.host for stored in runs} == {QUICK, SLOW, AHEAD, WEAK}
    assert all(stored.started_at is not None and began - 3 < stored.started_at < ended + 3 for stored in runs)


@pytest.mark.parametrize("number", range(REPEATS))
@pytest.mark.parametrize("breaks", [Way.cut, Way.silence])
def test_a_host_whose_way_breaks_loses_its_run_to_another_and_takes_part_again(
    breaks: Callable[[Way], None], number: int, cluster: Faulty
) -> None:
    study, words = cluster.sample(f"{breaks.__name__}-{number}", 16)
    process = cluster.begin(*words)

    def at_a_point() -> list[StoredRun]:
        return [
            stored
            for stored in under_way(study, for_s=0.05)
            if stored.run.host == WEAK and stored.run.purpose is Purpose.SAMPLE
        ]

    wait_until(at_a_point, cluster.told)
    cluster.said_by(WEAK).write_text("")
    breaks(cluster.way)
    try:
        wait_until(lambda: any(stored.status is Status.LOST for stored in runs_of(study)), cluster.told)
    finally:
        cluster.way.mend()
    said = process.communicate(timeout=300)[1].decode()
    assert process.returncode == 0, said + cluster.told()
    runs = check_whole(study, 16)
    lost = [stored.run for stored in runs if stored.status is Status.LOST]
    assert {run.host for run in lost} == {WEAK}
    again = {stored.run.arm: stored.run for stored in runs if stored.status in ENDED}
    points = [run for run in lost if run.purpose is Purpose.SAMPLE]  # its own reference is nobody else's
    assert all((again[run.arm].seed, again[run.arm].host != WEAK) == (run.seed, True) for run in points)
    cluster.wait_for(WEAK)
    assert WEAK in serving.status(cluster.address, cluster.keys.folder)


@pytest.mark.parametrize("number", range(REPEATS))
def test_a_full_disk_of_one_host_spoils_its_runs_and_no_others(number: int, cluster: Faulty) -> None:
    study, words = cluster.sample(f"full-{number}", 12)
    process = cluster.begin(*words)
    wait_until(lambda: has_a_point_of(WEAK, study), cluster.told)  # its reference is behind it
    cluster.full.touch()
    try:
        wait_until(lambda: any(stored.status is Status.SPOILED for stored in runs_of(study)), cluster.told)
    finally:
        cluster.full.unlink()
    said = process.communicate(timeout=300)[1].decode()
    assert process.returncode == 0, said + cluster.told()
    spoiled = [stored for stored in check_whole(study, 12) if stored.status is Status.SPOILED]
    assert {stored.run.host for stored in spoiled} == {WEAK}
    reason = (
        f"the journal of {WEAK}, {cluster.folder / WEAK}/lsmtune-journal, cannot be written: No space left on device; "
        "free space there, or check the folder and its permissions"
    )
    assert {stored.reason for stored in spoiled} == {reason}
