"""Which run is made on which host, and what becomes of runs whose host is lost."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hosts_builders import CHANGE, NAMES, RECIPE, compare_over, compared, hosts_of, opened

from lsmtune.errors import RunError, StudyError, UsageError
from lsmtune.executors.hosts import HostSeen, HostsExecutor, Recipe
from lsmtune.experiment import NamedChange
from lsmtune.indicators import AT_FULL_SIZE
from lsmtune.model import Configuration, Outcome, Purpose, Run, Status
from lsmtune.store import StoredRun, create_study, read_study
from lsmtune.study import Figures, Spread
from lsmtune.study._hosts import find_home
from lsmtune.testing import FakeHosts, Noise, fake_description, fake_rules, fake_space

BLOCKS = NamedChange("larger blocks", "", {"block_size": 16384})


def runs_of(folder: Path) -> list[StoredRun]:
    with read_study(folder) as study:
        return study.runs()


def verified(folder: Path) -> list[Run]:
    """The runs of verification that were not lost."""
    runs = [stored for stored in runs_of(folder) if stored.status is not Status.LOST]
    return [stored.run for stored in runs if stored.run.purpose is Purpose.VERIFY]


def test_a_block_is_made_on_one_host_and_a_mirrored_pair_too(tmp_path: Path) -> None:
    compared(tmp_path, hosts_of(*NAMES, noise=Noise(rate=0.2)), CHANGE, BLOCKS)
    runs = verified(tmp_path)
    of_pair: dict[int, set[str]] = {}
    for run in runs:
        assert run.block is not None
        of_pair.setdefault(run.block // 2, set()).add(run.host)
    assert all(len(hosts) == 1 for hosts in of_pair.values()), of_pair
    arms = Counter((run.block, run.arm) for run in runs)
    assert set(arms.values()) == {1}


def test_blocks_of_verification_go_over_all_hosts_evenly(tmp_path: Path) -> None:
    compared(tmp_path, hosts_of(*NAMES))
    first_look = {run.block: run.host for run in verified(tmp_path) if (run.block or 0) < 6}
    assert Counter(first_look.values()) == dict.fromkeys(NAMES, 2)


def test_all_other_runs_are_made_at_home(tmp_path: Path) -> None:
    compared(tmp_path, hosts_of(*NAMES))
    others = {stored.run.host for stored in runs_of(tmp_path) if stored.run.purpose is not Purpose.VERIFY}
    assert others == {"bench-1"}


def test_a_single_host_makes_the_very_runs_that_this_machine_would(tmp_path: Path) -> None:
    compared(tmp_path / "one", hosts_of("bench-1"))
    with create_study(tmp_path / "here", fake_description(fake_rules(), fake_space())) as study:
        compare_over(study, hosts_of("bench-1").hosts_by_name["bench-1"].executor, CHANGE)
    one, here = (
        [(each.run, each.status, each.elapsed_s) for each in runs_of(tmp_path / name)] for name in ("one", "here")
    )
    assert one == here


def test_seeds_and_blocks_do_not_depend_on_the_hosts(tmp_path: Path) -> None:
    for names in (NAMES[:1], NAMES):
        compared(tmp_path / str(len(names)), hosts_of(*names))
    one, three = (
        {(run.arm, run.block, run.seed) for run in verified(tmp_path / name) if (run.block or 0) < 6}
        for name in ("1", "3")
    )
    assert one == three


def test_a_run_of_a_lost_host_is_made_again_on_another_one_with_its_seed(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, run: host == "bench-2" and run.purpose is Purpose.VERIFY)
    result = compared(tmp_path, hosts)
    lost = [stored for stored in runs_of(tmp_path) if stored.status is Status.LOST]
    assert [stored.run.host for stored in lost] == ["bench-2"]
    assert "bench-2 left while it was under way" in lost[0].reason
    again = [run for run in verified(tmp_path) if (run.arm, run.block) == (lost[0].run.arm, lost[0].run.block)]
    assert [(run.seed, run.host != "bench-2") for run in again] == [(lost[0].run.seed, True)]
    assert result.improved


def test_a_block_that_began_on_a_lost_host_waits_for_it(tmp_path: Path) -> None:
    made: list[str] = []

    def loses(host: str, run: Run) -> bool:
        made.append(host)
        return host == "bench-2" and made.count("bench-2") == 2

    hosts = hosts_of(*NAMES, loses=loses)
    with pytest.raises(RunError, match='the host "bench-2" has been gone for 0 s, and what began there'):
        compared(tmp_path, hosts)
    hosts.gone.clear()
    compared(tmp_path, hosts)
    of_block: dict[int | None, set[str]] = {}
    for run in verified(tmp_path):
        of_block.setdefault(run.block, set()).add(run.host)
    assert all(len(each) == 1 for each in of_block.values())
    assert Counter((run.block, run.arm) for run in verified(tmp_path)).most_common(1)[0][1] == 1


def test_a_host_that_comes_back_as_another_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = hosts_of(*NAMES)
    verified_there: list[Run] = []

    def loses(host: str, run: Run) -> bool:
        if host != "bench-2" or run.purpose is not Purpose.VERIFY:
            return False
        verified_there.append(run)
        return len(verified_there) == 2

    def seen(recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        there = all_there(recipe)
        if "bench-2" in hosts.gone:
            return {**there, "bench-2": replace(there["bench-1"], problem="has another build of rocksdb")}
        return there

    all_there = hosts.hosts
    monkeypatch.setattr(hosts, "_loses", loses)
    monkeypatch.setattr(hosts, "hosts", seen)
    with pytest.raises(RunError, match=r'^the host "bench-2" has another build of rocksdb; what began there cannot'):
        compared(tmp_path, hosts, patience_s=3600.0)


def test_a_lost_host_is_looked_for_while_one_that_is_none_of_this_session_is_back() -> None:
    scheduler = hosts_of(*NAMES)
    there = {name: host for name, host in scheduler.hosts().items() if name != NAMES[2]}
    executor = HostsExecutor(scheduler, there, RECIPE, NAMES[0], "study.session")
    draft = Run(1, Purpose.SAMPLE, "sample-1", 0, Configuration(), 1, 1)
    assert executor.place(replace(draft, host=NAMES[2])) is not None, "it is waited for, as its block began there"
    executor.settled(replace(draft, host=NAMES[1]), lost=True)
    executor._looked_s = -math.inf
    assert executor.hosts == NAMES[:2]


def test_a_worker_at_home_has_to_keep_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = hosts_of(*NAMES)
    compared(tmp_path, hosts)

    def renamed(recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        home, *others = (all_there(recipe)[name] for name in NAMES)
        seen = [replace(home, facts=replace(home.facts, name="lab-1")), *others]
        return {each.facts.name: each for each in seen}

    all_there = hosts.hosts
    monkeypatch.setattr(hosts, "hosts", renamed)
    with opened(tmp_path, hosts) as study, pytest.raises(StudyError, match='"bench-1", whose worker is called "lab-1"'):
        find_home(study, Spread(hosts, RECIPE))


def test_what_a_host_finished_while_nobody_listened_is_stored_and_not_made_again(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES)
    stop_after = 9

    def stops(_host: str, run: Run) -> bool:
        if run.id == stop_after:
            raise KeyboardInterrupt
        return False

    hosts._loses = stops
    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path, hosts)
    cut = hosts.made[-1]
    hosts._loses = lambda _host, _run: False
    outcome = hosts.hosts_by_name[cut[0]].run(cut[1])
    hosts.journals[cut[0]][cut[1].attempt] = outcome  # the host ended the run after its study was gone
    compared(tmp_path, hosts)
    stored = next(each for each in runs_of(tmp_path) if each.run.id == stop_after)
    assert (stored.status, stored.elapsed_s) == (Status.OK, outcome.elapsed_s)
    assert [task.run.id for _, task in hosts.made].count(stop_after) == 1
    assert not any(hosts.journals.values()), "what is stored is dropped from the journals"


def test_what_is_stored_later_has_its_figures_at_full_size_as_well(tmp_path: Path) -> None:
    name = next(iter(AT_FULL_SIZE.values()))

    class Counted:
        def added(self, _run: Run, outcome: Outcome) -> Outcome:
            assert outcome.measurement is not None
            indicators = {**outcome.measurement.indicators, name: 7.0}
            return replace(outcome, measurement=replace(outcome.measurement, indicators=indicators))

    def stops(_host: str, run: Run) -> bool:
        if run.id == 9:
            raise KeyboardInterrupt
        return False

    hosts = hosts_of(*NAMES)
    hosts._loses = stops
    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path, hosts)
    host, task = hosts.made[-1]
    hosts._loses = lambda _host, _run: False
    hosts.journals[host][task.attempt] = hosts.hosts_by_name[host].run(task)
    with opened(tmp_path, hosts, figures=cast("Figures", Counted())) as study:
        stored = study.indicator(name)
    assert stored[9] == 7.0


def test_hosts_that_cannot_take_part_are_named() -> None:
    class Told(FakeHosts):
        def __init__(self, change: Callable[[HostSeen], HostSeen]) -> None:
            super().__init__(hosts_of(*NAMES).hosts_by_name)
            self._change = change

        def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
            return {name: self._change(host) for name, host in super().hosts(recipe).items()}

    def refusal(change: Callable[[HostSeen], HostSeen], *require: str) -> str:
        hosts = Told(change)
        with pytest.raises(UsageError) as raised:
            Spread(hosts, RECIPE, require, "0.1.0")
        return str(raised.value)

    assert refusal(lambda host: host, "nvme") == (
        "[hosts]: the scheduler knows no worker with the labels nvme; there are bench-1, bench-2, bench-3; start one "
        "with lsmtune hosts worker"
    )
    assert 'bench-1" has lsmtune 0.0.9, and this machine 0.1.0' in refusal(lambda host: replace(host, version="0.0.9"))
    assert 'bench-1" has another build' in refusal(lambda host: replace(host, problem="has another build"))
    one_machine = refusal(lambda host: replace(host, facts=replace(host.facts, fingerprint="0" * 16)))
    assert '"bench-1" and "bench-2" are one machine' in one_machine


def test_an_outcome_of_another_session_or_of_a_lost_run_never_counts(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, run: host == "bench-2" and run.purpose is Purpose.VERIFY)
    compared(tmp_path, hosts)
    host, task = next(each for each in hosts.made if each[0] == "bench-2")
    hosts.gone.clear()
    late = hosts.hosts_by_name[host].run(task)
    prefix = task.attempt.partition(".")[0]
    hosts.journals[host] |= {task.attempt: late, f"{prefix}.strange.1": late}  # it was cut off, and ended the run
    before = runs_of(tmp_path)
    with opened(tmp_path, hosts):
        pass
    assert runs_of(tmp_path) == before
    assert not hosts.journals[host]


def test_what_a_host_ended_that_was_cut_off_meanwhile_is_dropped_when_it_is_back(tmp_path: Path) -> None:
    cut: list[Run] = []

    def cuts_off(host: str, run: Run) -> bool:
        if cut:
            hosts.gone.clear()
            return False
        if host != "bench-2" or run.purpose is not Purpose.VERIFY:
            return False
        cut.append(run)
        task = hosts.made[-1][1]
        hosts.journals[host][task.attempt] = hosts.hosts_by_name[host].run(task)
        return True

    hosts = hosts_of(*NAMES, loses=cuts_off)
    compared(tmp_path, hosts)
    assert [stored.run for stored in runs_of(tmp_path) if stored.status is Status.LOST] == cut
    assert not any(hosts.journals.values())
