"""A search whose trials are made on several hosts at once, each beside the reference on its own host."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts_builders import NAMES, at_speeds, at_work, hosts_of

from lsmtune.errors import RunError
from lsmtune.model import HOST_BLOCKS, Purpose, Run, Status
from lsmtune.result import History, Ranked, noise_by_host, noise_floors, rank
from lsmtune.store import StoredRun, read_study
from lsmtune.study import Budget, tune
from lsmtune.testing import QUIET, FakeHosts, FakePlan, Noise, Surface

PLAN = FakePlan(Budget(None, 150), Surface(0.4), seed=3)
EVERY = 5  # of so many runs one is the reference, in a FakePlan


def tuned(folder: Path, hosts: FakeHosts, plan: FakePlan = PLAN) -> list[StoredRun]:
    at_work(folder, hosts, plan, lambda runner: tune(runner, plan.settings()))
    with read_study(folder) as study:
        return study.runs()


def ranked(folder: Path) -> list[Ranked]:
    with read_study(folder) as study:
        return list(rank(History.read(study, PLAN.rules), PLAN.rules))


def of(runs: list[StoredRun], *purposes: Purpose) -> list[Run]:
    return [stored.run for stored in runs if stored.run.purpose in purposes and stored.status is not Status.LOST]


def test_trials_go_over_all_hosts_and_none_is_made_twice(tmp_path: Path) -> None:
    runs = of(tuned(tmp_path, hosts_of(*NAMES)), Purpose.TRIAL)
    made = Counter(run.host for run in runs)
    assert set(made) == set(NAMES)
    assert max(made.values()) - min(made.values()) <= 2
    assert len({run.arm for run in runs}) == len({run.configuration for run in runs}) == len(runs)
    assert sorted(int(run.arm.removeprefix("trial-")) for run in runs) == list(range(1, len(runs) + 1))


def test_every_host_begins_with_its_reference_and_has_anchors_of_its_own(tmp_path: Path) -> None:
    runs = tuned(tmp_path, hosts_of(*NAMES))
    assert len({(run.purpose, run.arm, run.block) for run in of(runs, *Purpose)}) == len(of(runs, *Purpose))
    for host in NAMES:
        own = [run for run in of(runs, Purpose.BASELINE, Purpose.TRIAL, Purpose.ANCHOR) if run.host == host]
        first = [run.purpose for run in own if run.arm == PLAN.rules.reference or run.purpose is Purpose.TRIAL][:3]
        assert first == [Purpose.BASELINE] * 3
        trials = sum(run.purpose is Purpose.TRIAL for run in own)
        anchors = [run for run in own if run.purpose is Purpose.ANCHOR]
        assert len(anchors) in (trials // (EVERY - 1) - 1, trials // (EVERY - 1))
        assert {(run.block or 0) // HOST_BLOCKS for run in anchors} == {NAMES.index(host)}


def test_what_one_host_is_faster_than_another_is_in_no_gain(tmp_path: Path) -> None:
    tuned(tmp_path / "equal", hosts_of(*NAMES, noise=QUIET))
    tuned(tmp_path / "unequal", at_speeds(hosts_of(*NAMES, noise=QUIET), 1.0, 0.4, 3.0))
    equal, unequal = (
        {each.stored.run.arm: (each.stored.run.configuration, each.log_gain) for each in ranked(tmp_path / name)}
        for name in ("equal", "unequal")
    )
    assert equal.keys() == unequal.keys()
    for arm, (configuration, gain) in equal.items():
        assert unequal[arm][0] == configuration
        assert unequal[arm][1] == pytest.approx(gain, abs=1e-9)


def test_noise_is_that_within_hosts(tmp_path: Path) -> None:
    tuned(tmp_path, at_speeds(hosts_of(*NAMES, noise=Noise(rate=0.03)), 1.0, 0.4, 3.0))
    with read_study(tmp_path) as study:
        history = History.read(study, PLAN.rules)
    name = next(iter(PLAN.rules.objective.weights))
    floor = noise_floors(history, PLAN.rules)[name]
    by_host = noise_by_host(history, PLAN.rules)
    assert set(by_host) == set(NAMES)
    assert floor.n == sum(each[name].n for each in by_host.values())
    assert floor.freedom == floor.n - len(NAMES)
    assert 0.01 < floor.sd_log < 0.06


def test_a_trial_of_a_lost_host_is_made_elsewhere_and_the_search_goes_on(tmp_path: Path) -> None:
    seen: list[int] = []

    def loses(host: str, run: Run) -> bool:
        if host == "bench-3" and run.purpose is Purpose.TRIAL:
            seen.append(run.id)
        return len(seen) == 3 and host == "bench-3"

    runs = tuned(tmp_path, hosts_of(*NAMES, loses=loses))
    lost = [stored.run for stored in runs if stored.status is Status.LOST]
    assert [(run.host, run.purpose) for run in lost] == [("bench-3", Purpose.TRIAL)]
    again = [run for run in of(runs, Purpose.TRIAL) if run.arm == lost[0].arm]
    assert [(run.seed, run.host in NAMES[:2]) for run in again] == [(lost[0].seed, True)]
    assert {run.host for run in of(runs, Purpose.TRIAL) if run.id > lost[0].id} == set(NAMES[:2])


def test_a_host_that_leaves_before_its_reference_makes_no_trial(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, _: host == "bench-3")
    runs = tuned(tmp_path, hosts)
    assert {run.host for run in of(runs, Purpose.TRIAL)} == set(NAMES[:2])
    assert {stored.run.purpose for stored in runs if stored.status is Status.LOST} == {Purpose.BASELINE}


def stops_at(number: int) -> Callable[[str, Run], bool]:
    def stops(_host: str, run: Run) -> bool:
        if run.id == number:
            raise KeyboardInterrupt
        return False

    return stops


def test_a_search_that_was_stopped_goes_on_with_the_hosts_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path, hosts_of(*NAMES, loses=stops_at(40)))
    more = hosts_of(*NAMES[:2], "bench-4")
    runs = tuned(tmp_path, more)
    trials = of(runs, Purpose.TRIAL)
    assert len({run.arm for run in trials}) == len(trials)
    later = [run for run in of(runs, Purpose.BASELINE, Purpose.TRIAL) if run.id > 40]
    assert {run.host for run in later} == {"bench-1", "bench-2", "bench-4"}
    new = [run for run in later if run.host == "bench-4"]
    assert [run.purpose for run in new[:4]] == [Purpose.BASELINE] * 3 + [Purpose.TRIAL]
    assert {(run.block or 0) // HOST_BLOCKS for run in new if run.purpose is Purpose.BASELINE} == {3}


def test_a_small_budget_keeps_to_few_hosts(tmp_path: Path) -> None:
    names = tuple(f"bench-{number}" for number in range(1, 21))
    runs = tuned(tmp_path, hosts_of(*names), FakePlan(Budget(None, 60), Surface(0.4), seed=3))
    assert {run.host for run in of(runs, Purpose.TRIAL)} == {"bench-1", "bench-10", "bench-11", "bench-12"}  # by name
    assert len(of(runs, Purpose.BASELINE)) < 20


def test_a_home_that_is_lost_in_the_search_leaves_it_to_the_others(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, run: host == "bench-1" and run.id > 30)
    with pytest.raises(RunError, match='the host "bench-1" has been gone for 0 s'):
        tuned(tmp_path, hosts)
    with read_study(tmp_path) as study:
        trials = [run for run in of(study.runs(), Purpose.TRIAL) if run.id > 40]
    assert {run.host for run in trials} == set(NAMES[1:])
