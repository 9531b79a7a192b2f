"""A cluster of real processes: runs over four hosts, and what becomes of them when something is killed."""

import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from cluster import Cluster, runs_of, study_of, under_way
from distributed import Client
from executor_builders import wait_until

from lsmtune.errors import UsageError
from lsmtune.executors.hosts import Keys, serving
from lsmtune.executors.hosts._dask import greet
from lsmtune.model import Purpose, Run, SchedulerAddress, Status
from lsmtune.store import StoredRun, read_study
from lsmtune.testing.fake_builds import install_build

WORKERS = ("lab-1", "lab-2", "lab-3", "lab-4")
ENDED = {Status.OK, Status.DISTURBED}  # this machine may be busy
KILLS = int(os.environ.get("LSMTUNE_HOST_KILLS", "1"))  # make test-slow asks for more


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and four workers; a test that kills one of them starts it again."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start_all(*WORKERS)
        yield made
    finally:
        made.stop()


def check_whole(cluster: Cluster, study: Path) -> list[StoredRun]:
    """Check that a study is done, that each of its runs counts once, and that no host keeps one of them."""
    runs = runs_of(study)
    ended = [stored for stored in runs if stored.status is not Status.LOST]
    assert {stored.status for stored in ended} <= ENDED
    places = Counter((stored.run.purpose, stored.run.arm, stored.run.block) for stored in ended)
    assert set(places.values()) == {1}, "a run counts twice"
    hosts: dict[int | None, set[str]] = {}
    for stored in ended:
        if stored.run.purpose is Purpose.VERIFY:
            hosts.setdefault(stored.run.block, set()).add(stored.run.host)
    assert len(hosts) >= 6
    assert all(len(each) == 1 for each in hosts.values()), "a block spans hosts"
    assert not [path for name in WORKERS for path in (cluster.folder / name / "lsmtune-journal").glob("*")]
    return runs


def finish(cluster: Cluster, experiment: Path) -> None:
    """Give the same command again."""
    done = cluster.command(*cluster.compare_words(experiment))
    assert done.returncode == 0, done.stderr + cluster.told()


def end(process: "subprocess.Popen[bytes]") -> str:
    """Wait for the end of a command; return what it said."""
    said = process.communicate(timeout=300)[1].decode()
    return f"{process.returncode} {said}"


def runs_elsewhere(study: Path) -> list[Run]:
    """The runs that hosts other than home are at."""
    return [stored.run for stored in under_way(study) if stored.run.host != "lab-1"]


def kill_at_work(cluster: Cluster, study: Path) -> Run:
    """Kill a worker other than home at a run, and start it again; return the run, which it has not ended."""
    while True:
        victim = wait_until(lambda: runs_elsewhere(study), cluster.told)[0]
        cluster.kill(victim.host)
        ended = cluster.has_kept(victim)  # between the look and the kill
        cluster.said_by(victim.host).write_text("")
        cluster.start(victim.host, cluster.worker_words(victim.host))
        if not ended:
            return victim
        cluster.wait_for(victim.host)


def test_a_comparison_goes_over_four_hosts(cluster: Cluster) -> None:
    experiment = cluster.experiment("four")
    finish(cluster, experiment)
    runs = check_whole(cluster, study_of(experiment))
    verified = {stored.run.host for stored in runs if stored.run.purpose is Purpose.VERIFY}
    assert verified >= set(WORKERS[:3])
    assert {stored.run.host for stored in runs if stored.run.purpose is not Purpose.VERIFY} == {"lab-1"}
    with read_study(study_of(experiment)) as study:
        assert study.description.host.name == "lab-1"
        for stored in runs:
            assert {"measure.LOG", "measure.OPTIONS"} <= set(study.artefact_names(stored.run.id))
            measured = study.measurement(stored.run.id)
            assert measured is not None
            assert f"{cluster.folder / stored.run.host}" in study.artefact(stored.run.id, "measure.command")


def test_runs_of_a_real_engine_are_made_over_hosts(cluster: Cluster) -> None:
    real = shutil.which("db_bench")
    assert real is not None
    experiment = cluster.experiment("real", db_bench=Path(real), num="20k", label="lab-1")
    finish(cluster, experiment)
    check_whole(cluster, study_of(experiment))


def test_all_hosts_are_seen_however_many_dask_tells_of_unasked(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Client.scheduler_info

    def scheduler_info(client: Client, n_workers: int = 1) -> Any:  # releases of 2025 and 2026 have 5 there
        return told(client, n_workers=n_workers)

    monkeypatch.setattr(Client, "scheduler_info", scheduler_info)
    assert set(serving.status(cluster.address, cluster.keys.folder)) == set(WORKERS)


def test_nothing_listens_beyond_loopback(cluster: Cluster) -> None:
    for process in cluster.processes.values():
        listening = [each for each in psutil.Process(process.pid).net_connections("inet") if each.status == "LISTEN"]
        assert listening
        assert {each.laddr.ip for each in listening} == {"127.0.0.1"}


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_coordinator_loses_nothing_that_hosts_were_at(number: int, cluster: Cluster) -> None:
    experiment = cluster.experiment(f"coordinator-{number}")
    study = study_of(experiment)
    process = cluster.begin(*cluster.compare_words(experiment))
    wait_until(lambda: len(runs_of(study)) > 6 and under_way(study), cluster.told)
    process.kill()
    cut = {stored.run.id for stored in under_way(study) if cluster.is_at(stored.run)}
    end(process)
    before = [stored for stored in runs_of(study) if stored.status in ENDED]
    finish(cluster, experiment)
    after = check_whole(cluster, study)
    assert {stored.status for stored in after if stored.run.id in cut} <= ENDED
    assert [stored for stored in after if stored.run.id in {each.run.id for each in before}] == before


@pytest.mark.parametrize("number", range(KILLS))
def test_the_run_of_a_killed_worker_is_made_again(number: int, cluster: Cluster) -> None:
    experiment = cluster.experiment(f"worker-{number}")
    study = study_of(experiment)
    process = cluster.begin(*cluster.compare_words(experiment))

    victim = kill_at_work(cluster, study)
    said = end(process)
    assert said.startswith("0"), said + cluster.told()
    cluster.wait_for(victim.host)
    runs = check_whole(cluster, study)
    lost = [stored for stored in runs if stored.status is Status.LOST]
    assert victim.id in {stored.run.id for stored in lost}
    assert all(f"the host {stored.run.host} left" in stored.reason for stored in lost)


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_scheduler_ends_the_study_which_goes_on_with_what_hosts_kept(number: int, cluster: Cluster) -> None:
    experiment = cluster.experiment(f"scheduler-{number}")
    study = study_of(experiment)
    process = cluster.begin(*cluster.compare_words(experiment))
    wait_until(lambda: len(runs_of(study)) > 6 and under_way(study), cluster.told)
    cut = {stored.run.id for stored in under_way(study) if cluster.is_at(stored.run)}
    for name in WORKERS:
        cluster.said_by(name).write_text("")
    cluster.kill("scheduler")
    said = end(process)
    assert said.startswith("1"), said
    assert f"the scheduler at {cluster.address} is gone; the hosts end and keep their runs" in said
    cluster.start("scheduler", cluster.scheduler_words)
    cluster.wait_for(*WORKERS)
    finish(cluster, experiment)
    after = check_whole(cluster, study)
    assert {stored.status for stored in after if stored.run.id in cut} <= ENDED


@pytest.mark.parametrize("number", range(KILLS))
def test_somebody_else_s_certificate_is_refused_on_every_side(number: int, cluster: Cluster) -> None:
    stranger = Keys(cluster.folder / f"stranger-{number}")
    stranger.make()
    for role in ("client", "worker"):
        with pytest.raises(UsageError, match=f"shows a certificate that {stranger.authority} does not vouch for"):
            greet(SchedulerAddress.parse(cluster.address), stranger, role)
    refused = cluster.command(*cluster.worker_words("stranger"), keys=stranger)
    assert refused.returncode == 2
    assert f"lsmtune: the scheduler at {cluster.address} shows a certificate that" in refused.stderr
    # One who knows the authority, and has no certificate of it.
    shutil.copy(cluster.keys.authority, stranger.authority)
    for role in ("client", "worker"):
        with pytest.raises(UsageError, match=f"does not accept {stranger.certificate(role)} "):
            greet(SchedulerAddress.parse(cluster.address), stranger, role)


@pytest.mark.parametrize("number", range(KILLS))
def test_a_second_coordinator_of_a_study_is_refused(number: int, cluster: Cluster) -> None:
    experiment = cluster.experiment(f"twice-{number}")
    study = study_of(experiment)
    first = cluster.begin(*cluster.compare_words(experiment))
    wait_until(lambda: under_way(study), cluster.told)
    first.send_signal(signal.SIGSTOP)  # it cannot end meanwhile
    second = cluster.command(*cluster.compare_words(experiment))
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert f"is in use by process {first.pid} on host " in second.stderr
    said = end(first)
    assert said.startswith("0"), said + cluster.told()
    check_whole(cluster, study)


@pytest.mark.parametrize("number", range(KILLS))
def test_a_worker_with_another_build_refuses_the_study(number: int, cluster: Cluster) -> None:
    odd = f"odd-{number}"
    other = install_build(cluster.folder / odd, "7.8.3", speed=2.0)
    cluster.start(odd, cluster.worker_words(odd, "--program", str(other), labels=("odd",)))
    cluster.wait_for(odd)
    refused = cluster.command(*cluster.compare_words(cluster.experiment(f"{odd}-study", label=odd)))
    assert refused.returncode == 2
    assert f'[hosts]: the host "{odd}" has another build of rocksdb (7.8.3 at {other}, fingerprint' in refused.stderr
    twin = cluster.command(*cluster.worker_words(odd, "--scratch", str(cluster.folder / f"{odd}-twin")))
    assert twin.returncode == 2
    assert f'has a host "{odd}" already; give this one another --name' in twin.stderr
    labels = {name: each["labels"] for name, each in cluster.status().items()}
    assert labels == {odd: ["odd", odd], **{name: ["all", name] for name in WORKERS}}
    cluster.kill(odd)
    wait_until(lambda: odd not in cluster.status(), cluster.told)
