"""The page follows a study: within a second, from where a reader was, over restarts of the server and of the study."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from ports import free_port
from watch_builders import STOPPED, WAITS_S, Page, served, tuning

from lsmtune.errors import StudyError
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.result import checkpoints
from lsmtune.store import Study, create_study, open_study, read_study
from lsmtune.testing import FakePlan, fake_description, fake_rules, fake_space, fake_study
from lsmtune.watch._follow import Follower
from lsmtune.watch._run_list import run_list
from lsmtune.watch._snapshot import Snapshot
from lsmtune.watch._stop import stop_study

FOLLOWED_S = 1.0


def described(folder: Path, created_at: float = 1.7e9) -> Study:
    return create_study(folder, replace(fake_description(fake_rules(), fake_space()), created_at=created_at))


def run_in(study: Study, number: int, value: float | None = 1e5) -> None:
    """Make a run; without a value it goes on."""
    purpose = Purpose.BASELINE if number < 4 else Purpose.TRIAL
    arm = "stock" if number < 4 else f"trial-{number}"
    run = study.plan(Run(0, purpose, arm, None, Configuration(), number, 1))
    study.start(run)
    if value is not None:
        measured = Measurement({"throughput_settled_ops_s": value, "space_bytes": 1e9})
        study.finish(run, Outcome(Status.OK, 1.7e9 + number, 1.0, "", measured))


def only_key(page: Page) -> str:
    return page.ask("/").headers["location"].rpartition("/")[2]


def test_a_run_that_ends_is_told_within_a_second(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study, served(tmp_path / "s", state=tmp_path) as page:
        run_in(study, 1)
        with page.events(f"/study/{only_key(page)}/events") as events:
            assert [row[0] for row in events.until("runs")["rows"]] == [1]
            took = []
            for number in range(2, 8):
                began = time.monotonic()
                run_in(study, number)
                while events.until("runs")["rows"][-1][:4] != [number, *events.heard[-1][1]["rows"][-1][1:3], "ok"]:
                    pass
                took.append(time.monotonic() - began)
            assert min(took) < FOLLOWED_S, took  # on a busy machine some of them may take longer


def test_only_what_is_new_is_told(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study, served(tmp_path / "s", state=tmp_path) as page:
        for number in range(1, 11):
            run_in(study, number)
        with page.events(f"/study/{only_key(page)}/events") as events:
            assert len(events.until("runs")["rows"]) == 10
            run_in(study, 11)
            assert {row[0] for row in events.until("runs")["rows"]} == {11}


def test_a_reader_goes_on_where_it_was_over_a_restart_of_the_server(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        run_in(study, 1)
        run_in(study, 2, None)  # goes on
        port = free_port()
        with served(tmp_path / "s", "--port", str(port), state=tmp_path) as page:
            key, cookie = only_key(page), page.cookie
            with page.events(f"/study/{key}/events") as events:
                events.until("runs")
                last = events.last
        assert last.endswith("-2")
        study.finish(study.run(2).run, Outcome(Status.OK, 1.7e9, 1.0, "", Measurement({})))
        run_in(study, 3)
        with served(tmp_path / "s", "--port", str(port), state=tmp_path) as page:
            page.cookie = cookie  # the browser has not opened the new address
            with page.events(f"/study/{key}/events", last) as events:
                rows = events.until("runs")["rows"]
        assert [name for name, _ in events.heard] == ["state", "runs"]
    assert [(row[0], row[3]) for row in rows] == [(2, "ok"), (3, "ok")]


def test_a_study_that_was_killed_and_goes_on_is_followed_further(tmp_path: Path) -> None:
    with served(tmp_path, state=tmp_path / "state") as page:
        with described(tmp_path / "s") as study:
            run_in(study, 1)
            run_in(study, 2, None)
        with page.events(f"/study/{page.found('s')}/events") as events:
            assert not events.until("state")["running"]
            events.until("runs")
            with open_study(tmp_path / "s") as study:
                study.recover()
                run_in(study, 3)
                rows = {row[0]: row[3] for row in events.until("runs")["rows"]}
                while 3 not in rows or rows[3] != "ok":
                    rows |= {row[0]: row[3] for row in events.until("runs")["rows"]}
                assert rows == {2: "lost", 3: "ok"}
                while not [data for name, data in events.heard if name == "state"][-1]["running"]:
                    events.next()
            while events.until("state")["running"]:
                pass


def test_another_study_in_the_place_of_one_is_told_from_the_start(tmp_path: Path) -> None:
    with served(tmp_path, state=tmp_path / "state") as page:
        with described(tmp_path / "s", 1.7e9) as study:
            run_in(study, 1)
        with page.events(f"/study/{page.found('s')}/events") as events:
            events.until("runs")
            (tmp_path / "s").rename(tmp_path / "old")
            with described(tmp_path / "s", 1.8e9) as study:
                run_in(study, 1, 2e5)
            mark = events.until("reset")["mark"]
            assert events.until("runs")["rows"][0][8] == 2e5
        assert events.last == f"{mark}-2"


def test_the_stage_and_the_time_left_are_the_study_s_own(tmp_path: Path) -> None:
    with (
        tuning(tmp_path, "60 runs", "sleep=0.3"),
        served(tmp_path / "study", state=tmp_path) as page,
        page.events(f"/study/{only_key(page)}/events") as events,
    ):
        state = events.until("state")
        while state["stage"] != "search" or not state["about"].startswith("trial "):
            state = events.until("state")  # the search makes runs of the reference too, and a slow page skips states
    assert state["running"]
    assert state["stoppable"]
    assert state["purpose"] == "trials of 3 options; nothing here is a claim yet"


@pytest.mark.parametrize("behind", [False, True], ids=["in a terminal", "behind an &"])
def test_stopping_is_as_ctrl_c_would(tmp_path: Path, behind: bool) -> None:
    with (
        tuning(tmp_path, "500 runs", "sleep=0.2", behind=behind) as process,
        served(tmp_path / "study", state=tmp_path) as page,
    ):
        key = only_key(page)
        with page.events(f"/study/{key}/events") as events:
            ended: set[int] = set()
            while len(ended) < 3:
                ended |= {row[0] for row in events.until("runs")["rows"] if row[5] is not None}
        answer = page.ask(f"/study/{key}/stop", "POST", Origin=page.origin)
        assert answer.status == 200
        assert f"process {process.pid} on host" in answer.data["said"]
        code = process.wait(60)
        assert process.stderr is not None
        said = process.stderr.read()
        assert code in STOPPED
        assert said == "lsmtune: stopped; what was measured is kept, the same command goes on\n"
        assert page.ask(f"/study/{key}/stop", "POST", Origin=page.origin).status == 409
    with read_study(tmp_path / "study") as study:
        assert ended <= {each.id for each in study.outlines() if each.elapsed_s is not None}


def test_a_study_on_a_host_that_is_not_seen_is_not_called_running(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        run_in(study, 1)
    (tmp_path / "s" / "lock").write_text('{"pid": 17, "host": "elsewhere", "boot": "another-kernel"}')
    snapshot = Snapshot(tmp_path / "s")
    snapshot.refresh()
    state = snapshot.state()
    assert (state["running"], state["stoppable"], state["holder"]) == (False, False, "process 17 on host elsewhere")
    assert state["heard_at"] == (tmp_path / "s" / "lock").stat().st_mtime
    with pytest.raises(StudyError, match="was last worked on by process 17 on host elsewhere, which cannot be stopped"):
        stop_study(tmp_path / "s")


def test_a_snapshot_brought_up_to_date_is_the_same_as_a_fresh_one(tmp_path: Path) -> None:
    followed = Snapshot(tmp_path / "s")
    with described(tmp_path / "s") as study:
        for number in range(1, 30):
            run_in(study, number, None if number % 7 == 3 else 1e5 * number)
            if number % 3 == 0:
                followed.refresh()
            if number % 10 == 0:
                study.recover()
        followed.refresh()
        fresh = Snapshot(tmp_path / "s")
        fresh.refresh()
    assert followed.runs == fresh.runs
    assert followed.values == fresh.values
    assert followed.state() == fresh.state()


def test_a_look_that_finds_nothing_new_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_study(tmp_path / "s", FakePlan()) as study:
        study.tune()
    snapshot = Snapshot(tmp_path / "s")
    assert snapshot.refresh()
    time.sleep(0.1)
    snapshot.refresh()  # what was written a moment before the first look could have been followed by more
    monkeypatch.setattr("lsmtune.watch._snapshot.read_study", lambda _: pytest.fail("it was read"))
    assert not snapshot.refresh()


def test_a_folder_that_holds_no_study_any_more_is_told(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        run_in(study, 1)
    snapshot = Snapshot(tmp_path / "s")
    snapshot.refresh()
    (tmp_path / "s").rename(tmp_path / "away")
    assert snapshot.refresh()
    assert "there is no study folder" in snapshot.trouble


def test_a_study_that_is_moved_away_while_it_is_watched_is_told_once(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        run_in(study, 1)

    async def watch() -> tuple[str, int]:
        follower = Follower(tmp_path / "s")
        await follower.look()
        await follower.put_together()
        async with follower.watched():
            (tmp_path / "s").rename(tmp_path / "away")
            deadline = time.monotonic() + WAITS_S
            while not follower.snapshot.trouble and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            turn = follower.turn
            await asyncio.sleep(1.5)
            return follower.snapshot.trouble, follower.turn - turn

    trouble, told = asyncio.run(watch())
    assert "there is no study folder" in trouble
    assert told == 0, "its watchers are told again and again"


def test_the_list_of_runs_has_hosts_as_a_column_and_a_map_of_what_others_took(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        for number, (host, share) in enumerate(
            (("lab-1", "0.0100"), ("lab-2", "0.4000"), ("lab-1", "0.0900")), start=1
        ):
            run = study.plan(Run(0, Purpose.TRIAL, f"trial-{number}", None, Configuration(), number, 1, host=host))
            study.start(run)
            measured = Measurement({"throughput_settled_ops_s": 1e5}, facts={"host_disturbance": share})
            study.finish(run, Outcome(Status.OK, 1.7e9 + 10 * number, 10.0, "", measured))
        study.start(study.plan(Run(0, Purpose.TRIAL, "trial-4", None, Configuration(), 4, 1, host="lab-2")))
        snapshot = Snapshot(tmp_path / "s")
        snapshot.refresh()
    html = run_list(snapshot, 1, "", "key")["html"]
    snapshot.refresh()  # nobody works on it any more, and run 4 is as it was left
    assert "<td>waits</td>" not in (later := run_list(snapshot, 1, "", "key")["html"])
    assert "<td>trial-4, run 4</td>" not in later
    lines = {
        name: next(line for line in html.splitlines() if f"<td>{name}</td>" in line) for name in ("lab-1", "lab-2")
    }
    assert "<td>waits</td>" in lines["lab-1"]
    assert "<td>trial-4, run 4</td>" in lines["lab-2"]
    assert "|........        ++++++++|" in lines["lab-1"]
    assert "|        ########        |" in lines["lab-2"]
    assert html.count("<td>lab-1</td>") == 3
    assert '<th scope="col">host</th>' in html


def test_of_several_hosts_the_run_that_began_last_is_named_and_the_time_left_is_from_its_start(tmp_path: Path) -> None:
    snapshot = Snapshot(tmp_path / "s")
    with described(tmp_path / "s") as study:
        for number, host in ((1, "lab-1"), (2, "lab-2")):
            run = study.plan(Run(0, Purpose.TRIAL, f"trial-{number}", None, Configuration(), number, 1, host=host))
            study.save(checkpoints.PROGRESS, checkpoints.Progress("search", "", run.id, f"trial {number}", 600.0))
            study.start(run)
        snapshot.refresh()
        state = snapshot.state()
        assert (state["run"], state["about"], state["left_s"], state["at_once"]) == (2, "trial 2", 600.0, 2)
        assert state["left_at"] == study.run(2).started_at
        study.finish(run, Outcome(Status.OK, 1.7e9, 1.0, "", Measurement({})))
        snapshot.refresh()
        state = snapshot.state()
        assert (state["run"], state["about"], state["at_once"]) == (1, "", 1), "what is told of run 2 is not run 1"
        assert state["left_at"] == study.run(2).started_at


def test_one_host_has_no_column(tmp_path: Path) -> None:
    with described(tmp_path / "s") as study:
        run_in(study, 1)
        snapshot = Snapshot(tmp_path / "s")
        snapshot.refresh()
    assert "host" not in run_list(snapshot, 1, "", "key")["html"]
