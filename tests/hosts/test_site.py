"""What a host does with runs: its journal, its lock, its builds."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from executor_builders import FILL, Fake, run_of, upgrade_while_waiting, wait_until

from lsmtune.backends.rocksdb import discover
from lsmtune.errors import RunError
from lsmtune.executors import HostLock, Limits
from lsmtune.executors.hosts import Journal, Recipe, Site, SiteSettings, Task
from lsmtune.executors.hosts._journal import outcome_from_json, outcome_to_json
from lsmtune.model import Measurement, Outcome, Overridden, Status
from lsmtune.testing.fake_builds import install_build

OUTCOME = Outcome(
    Status.CENSORED,
    1.7e9,
    12.5,
    "it ran 12 s",
    Measurement(
        {"throughput_ops_s": 1e5, "waf": None},
        {"write_buffer_size": 1 << 20, "compression_type": "lz4", "direct": True, "ratio": 0.5},
        (Overridden("block_size", 4096, 8192, "rounded"),),
        ("small-tree: 2 flushes",),
        {"levels": "2"},
    ),
    11.0,
    {"measure.LOG": "not UTF-8: \udcff", "measure.stdout": "fine"},
    1.5,
)


def task(fake: Fake, attempt: str = "study.session.1", *, same_build: bool = True) -> Task:
    recipe = Recipe(fake.build, FILL, Fraction(1), same_build=same_build)
    return Task(attempt, recipe, run_of(), Limits(60.0, 60.0))


@pytest.fixture
def site(fake: Fake) -> Site:
    return Site(SiteSettings("lab-1", ("nvme",), fake.scratch, version="1"))


def test_an_outcome_is_read_as_it_was_written() -> None:
    assert outcome_from_json(outcome_to_json(OUTCOME)) == OUTCOME
    bare = Outcome(Status.FAILED, 1.0, 2.0, "db_bench ended")
    assert outcome_from_json(outcome_to_json(bare)) == bare


def test_a_damaged_file_of_a_journal_is_no_run_and_half_a_file_is_removed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.keep("a.b.1", OUTCOME)
    journal.keep("a.b.2", OUTCOME)
    whole = tmp_path / "a.b.1.json"
    whole.write_text(whole.read_text()[:100])
    (tmp_path / "a.b.3.new").write_text("{")
    again = Journal(tmp_path)
    assert (again.read("a.b.1"), again.read("a.b.2")) == (None, OUTCOME)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.b.1.json", "a.b.2.json"]


@pytest.mark.parametrize("attempt", ["../../etc/passwd", "a/b", "", ".hidden", "a" * 101])
def test_no_attempt_names_a_file_elsewhere(attempt: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot name a run in a journal"):
        Journal(tmp_path).keep(attempt, OUTCOME)
    Site(SiteSettings("lab-1", (), tmp_path)).forget([attempt])


def test_a_finished_run_is_in_the_journal_with_its_artefacts_before_it_is_given_back(site: Site, fake: Fake) -> None:
    outcome = site.make(task(fake))
    assert outcome.status is Status.OK
    site.close()
    again = Site(SiteSettings("lab-1", (), fake.scratch))
    kept = again.kept("study.")
    assert kept.ended == {"study.session.1": outcome}
    assert "measure.LOG" in kept.ended["study.session.1"].artefacts
    assert again.kept("other.").ended == {}
    again.forget(["study.session.1", "of-another-host"])
    assert again.kept("").ended == {}


def test_an_attempt_is_made_once(site: Site, fake: Fake) -> None:
    first = site.make(task(fake))
    assert site.make(task(fake)) is not first
    assert site.make(task(fake)) == first
    assert site.make(task(fake, "study.session.2")).started_at > first.started_at


def test_a_run_that_nobody_waits_for_and_the_next_one_never_overlap(site: Site, fake: Fake) -> None:
    fake.behave("sleep=0.5")
    outcomes: list[Outcome] = []

    def made_by(place: Site, attempt: str) -> Callable[[], None]:
        return lambda: outcomes.append(place.make(task(fake, attempt)))

    other = Site(SiteSettings("lab-1 again", (), fake.scratch.with_name("other")))
    threads = [
        threading.Thread(target=made_by(place, f"study.session.{number}"))
        for number, place in enumerate((site, site, other), start=1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted((each.started_at, each.started_at + each.elapsed_s) for each in outcomes)
    assert [each.status for each in outcomes] == [Status.OK] * 3
    assert all(ended <= begun + 0.01 for (_, ended), (begun, _) in pairwise(times)), times


def test_a_run_whose_data_a_stop_takes_away_is_not_kept(site: Site, fake: Fake) -> None:
    fake.behave("hang")
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(site.make(task(fake))))
    thread.start()
    wait_until(lambda: list(fake.scratch.glob("lsmtune-runs/run-*/measure.stdout")))
    site.close()  # the run, which does not end by itself, finds its folder gone at the next look
    with pytest.raises(RunError, match="is in use by process"):  # its run works in the folder until it ends
        Site(SiteSettings("lab-1", (), fake.scratch))
    thread.join()
    assert [each.status for each in outcomes] == [Status.SPOILED]
    assert outcomes[0].reason == "the worker of lab-1 was stopped while it was under way"
    assert site.kept("").ended == {}


def test_a_worker_that_was_stopped_begins_no_run_that_waited(site: Site, fake: Fake) -> None:
    site.close()
    outcome = site.make(task(fake))
    assert (outcome.status, outcome.measurement) == (Status.SPOILED, None)
    assert outcome.reason == "the worker of lab-1 was stopped before it began"
    assert not (fake.scratch / "lsmtune-runs").exists()


def test_what_a_worker_uses_is_refused_to_another_one_and_stays(site: Site, fake: Fake) -> None:
    loaded = fake.scratch / "lsmtune-runs" / "loads" / "key"
    loaded.mkdir(parents=True)
    half = fake.scratch / "lsmtune-journal" / "a.b.1.new"
    half.write_text("{")
    said = rf"--scratch {fake.scratch} is in use by process {os.getpid()}, .*; give each worker a folder of its own"
    with pytest.raises(RunError, match=said):
        Site(SiteSettings("lab-2", (), fake.scratch))
    assert half.exists()
    assert loaded.exists()
    site.close()
    Site(SiteSettings("lab-2", (), fake.scratch)).close()


def test_a_host_says_what_it_is_at(site: Site, fake: Fake) -> None:
    with HostLock() as _:
        thread = threading.Thread(target=lambda: site.make(task(fake)))
        thread.start()
        wait_until(lambda: site.seen().under_way)
        assert site.kept("study.").under_way == ("study.session.1",)
        assert site.kept("other.").under_way == ()
    thread.join()
    assert (site.seen().under_way, site.seen().kept) == ("", 1)


def test_a_journal_that_cannot_be_written_spoils_the_run(
    site: Site, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_journal: Journal, _attempt: str, _outcome: Outcome) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Journal, "keep", full)
    outcome = site.make(task(fake))
    assert (outcome.status, outcome.measurement) == (Status.SPOILED, None)
    assert outcome.reason == (
        f"the journal of lab-1, {fake.scratch}/lsmtune-journal, cannot be written: No space left on device; free space "
        "there, or check the folder and its permissions"
    )


def test_a_journal_that_cannot_be_written_spoils_the_next_run_too(site: Site, fake: Fake) -> None:
    journal = fake.scratch / "lsmtune-journal"
    journal.rmdir()
    journal.write_text("")
    first = site.make(task(fake))
    second = site.make(replace(task(fake, "study.session.2"), stored=("study.session.1",)))
    assert [first.status, second.status] == [Status.SPOILED, Status.SPOILED]
    assert "cannot be written: Not a directory" in second.reason


def test_a_scratch_folder_that_was_removed_costs_no_run(site: Site, fake: Fake) -> None:
    shutil.rmtree(fake.scratch)
    outcome = site.make(task(fake))
    assert outcome.status is Status.OK
    assert site.kept("study.").ended == {"study.session.1": outcome}


def test_another_build_is_refused_with_both(fake: Fake, tmp_path: Path) -> None:
    other = install_build(tmp_path / "other", "7.8.3", speed=2.0)
    site = Site(SiteSettings("lab-1", (), fake.scratch, (other,)))
    seen = site.seen(task(fake).recipe)
    assert seen.problem.startswith(f"has another build of rocksdb (7.8.3 at {other}, fingerprint ")
    assert "write same_build = false under [hosts]" in seen.problem
    with pytest.raises(RunError, match="has another build"):
        site.make(task(fake))
    assert site.seen(task(fake, same_build=False).recipe).problem == ""
    site.close()
    older = install_build(tmp_path / "older", "6.0.0")
    site = Site(SiteSettings("lab-1", (), fake.scratch, (older,)))
    assert "has rocksdb 6.0.0" in site.seen(task(fake, same_build=False).recipe).problem


def test_a_program_that_is_written_anew_is_looked_at_again(fake: Fake, tmp_path: Path) -> None:
    program = install_build(tmp_path / "own", "7.8.3")
    own = replace(fake, build=discover(program))
    site = Site(SiteSettings("lab-1", (), fake.scratch))
    assert site.make(task(own)).status is Status.OK
    before = program.read_text()
    program.write_text(f"{before}# upgraded\n")
    assert site.seen(task(own).recipe).problem.startswith("has another build of rocksdb (7.8.3 at ")
    with pytest.raises(RunError, match="has another build"):
        site.make(task(own, "study.session.2"))
    program.write_text(before)
    assert site.make(task(own, "study.session.3")).status is Status.OK


def test_a_program_that_is_written_anew_while_the_first_run_waits_is_not_taken_for_the_one_before(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = install_build(tmp_path / "own", "7.8.3")
    own = replace(fake, build=discover(program))
    site = Site(SiteSettings("lab-1", (), fake.scratch))
    upgrade_while_waiting(program, monkeypatch)
    assert site.make(task(own)).status is Status.SPOILED
    with pytest.raises(RunError, match="has another build"):
        site.make(task(own, "study.session.2"))


def test_a_program_whose_library_is_written_anew_is_looked_at_again(fake: Fake, tmp_path: Path) -> None:
    library = tmp_path / "librocksdb.so.7.8"
    library.write_text("one build")
    fake.load(library)
    own = replace(fake, build=discover(fake.build.path))
    site = Site(SiteSettings("lab-1", (), fake.scratch))
    assert site.make(task(own)).status is Status.OK
    library.write_text("another build")
    assert site.seen(task(own).recipe).problem.startswith("has another build of rocksdb (7.8.3 at ")


def test_a_build_that_is_not_there_is_told(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LSMTUNE_DB_BENCH", str(tmp_path / "none"))
    recipe = replace(task(fake).recipe, build=replace(fake.build, path=tmp_path / "gone" / "db_bench"))
    assert str(tmp_path / "none") in Site(SiteSettings("lab-1", (), fake.scratch)).seen(recipe).problem


def test_workers_of_one_machine_are_one_host_unless_their_runs_take_other_locks(
    site: Site, fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = Site(SiteSettings("lab-2", (), tmp_path / "twin"))
    assert site.seen().facts.fingerprint == twin.seen().facts.fingerprint
    monkeypatch.setenv("LSMTUNE_HOST_LOCK", str(tmp_path / "another.lock"))
    assert site.seen().facts.name == "lab-1"
    before = twin.seen().facts.fingerprint
    monkeypatch.delenv("LSMTUNE_HOST_LOCK")
    assert before != twin.seen().facts.fingerprint


def test_a_scratch_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"--scratch .*file cannot be used: Not a directory; give a folder"):
        Site(SiteSettings("lab-1", (), tmp_path / "file"))
