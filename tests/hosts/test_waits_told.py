"""Whoever waits for hosts is told so once, where it takes long: for which of them, and until when."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hosts_builders import NAMES, RECIPE, compared, hosts_of, opened

from lsmtune.executors.hosts import HostSeen, Kept, Recipe, Wait, _executor, _waiting, unheard
from lsmtune.model import Purpose, Run
from lsmtune.study import Spread, _hosts
from lsmtune.study._hosts import find_home
from lsmtune.testing import FakeHosts

UNTIL = r"waiting until \d\d:\d\d:\d\d for "
LOOKS = 3


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is told; every wait takes long, and looks again at once."""
    monkeypatch.setattr(_waiting, "TELLS_S", 0.0)
    monkeypatch.setattr(_executor, "_LOOK_S", 0.0)
    monkeypatch.setattr(_hosts, "_LOOK_S", 0.0)
    return []


class Returning(FakeHosts):
    """Hosts that are back some looks after something was told."""

    def __init__(self, hosts: FakeHosts, told: list[str]) -> None:
        super().__init__(hosts.hosts_by_name)
        self.told = told
        self.looks = 0

    def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        self.looks += bool(self.told)
        if self.looks == LOOKS:
            self.gone.clear()
        return super().hosts(recipe)


def test_the_wait_for_a_host_that_is_gone_is_told(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts, made = Returning(hosts_of(*NAMES), told), list[str]()

    def loses(host: str, _run: Run) -> bool:
        made.append(host)
        return host == "bench-2" and made.count("bench-2") == 2

    monkeypatch.setattr(hosts, "_loses", loses)
    assert compared(tmp_path, hosts, patience_s=3600.0, tell=told.append).improved
    (sentence,) = told
    assert re.fullmatch(UNTIL + r'the host "bench-2": it is gone, and what began there cannot .*', sentence)
    assert hosts.looks >= LOOKS, "it looked again after it had told"


def test_the_wait_for_home_is_told_when_a_study_goes_on(tmp_path: Path, told: list[str]) -> None:
    hosts = Returning(hosts_of(*NAMES), told)
    compared(tmp_path, hosts)
    hosts.gone.add("bench-1")
    with opened(tmp_path, hosts) as study:
        assert find_home(study, Spread(hosts, RECIPE), told.append).name == "bench-1"
    (sentence,) = told
    assert re.fullmatch(UNTIL + "bench-1, where runs of this study were made", sentence)


def test_the_wait_for_runs_that_hosts_still_are_at_is_told(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(_host: str, run: Run) -> bool:
        if run.purpose is Purpose.VERIFY:
            raise KeyboardInterrupt
        return False

    hosts = hosts_of(*NAMES, loses=stops)
    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path, hosts)
    host, task = hosts.made[-1]
    answers = [Kept((task.attempt,), {})] * LOOKS
    monkeypatch.setattr(hosts, "kept", lambda _prefix: answers.pop() if answers else Kept((), {}))
    opened(tmp_path, hosts, tell=told.append).close()
    assert answers == []
    (sentence,) = told
    assert sentence.startswith(f"waiting for run {task.run.id} on {host} to end, which began before this start")


def test_a_short_wait_is_not_told(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_waiting, "TELLS_S", 3600.0)
    wait = Wait(told.append)
    for _ in range(LOOKS):
        wait.rest(0.0, "a host")
    assert (told, wait.is_over) == ([], False)


def test_a_wait_is_over_after_its_time() -> None:
    assert Wait(unheard, -1.0).is_over
