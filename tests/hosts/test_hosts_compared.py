"""lsmtune doctor --hosts: equal runs on all hosts, who differs by what, and who had better be left out."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hosts_builders import NAMES, RECIPE, hosts_of
from rich.console import Console

from lsmtune.errors import RunError, UsageError
from lsmtune.executors.hosts import HostSeen, Recipe, Task
from lsmtune.model import Outcome, Run, Status
from lsmtune.report import hosts_card, hosts_json
from lsmtune.result import HostsExamined
from lsmtune.study import Listener, Spread, examine_hosts
from lsmtune.testing import FakeHost, FakeHosts, Noise

RATE = "throughput_settled_ops_s"
STEADY = Noise(rate=0.02, cpu=0.02, latency=0.02)


def compared(hosts: FakeHosts, runs: int = 6) -> HostsExamined:
    return examine_hosts(hosts, hosts.hosts(RECIPE), RECIPE, runs, Listener(), "doctor-1")


def card_of(found: HostsExamined) -> str:
    console = Console(width=160, file=StringIO())
    console.print(hosts_card(found))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


class Altered(FakeHost):
    """A host whose outcomes are changed."""

    def __init__(self, host: FakeHost, change: Callable[[Outcome, Run], Outcome]) -> None:
        super().__init__(host.executor, host.speed)
        object.__setattr__(self, "change", change)

    def run(self, task: Task) -> Outcome:
        changed: Outcome = self.__dict__["change"](super().run(task), task.run)
        return changed


def with_one(hosts: FakeHosts, change: Callable[[Outcome, Run], Outcome]) -> FakeHosts:
    named = hosts.hosts_by_name
    return FakeHosts({**named, "bench-3": Altered(named["bench-3"], change)})


def times(factor: float) -> Callable[[Outcome, Run], Outcome]:
    """Let the rate change from run to run."""

    def change(outcome: Outcome, run: Run) -> Outcome:
        assert outcome.measurement is not None
        rate = outcome.measurement.indicators[RATE]
        assert rate is not None
        assert run.block is not None
        measured = {**outcome.measurement.indicators, RATE: rate * math.pow(factor, run.block)}
        return replace(outcome, measurement=replace(outcome.measurement, indicators=measured))

    return change


def test_equal_hosts_leave_nothing_to_say(tmp_path: Path) -> None:
    found = compared(hosts_of(*NAMES, noise=STEADY))
    assert found.doubtful == ()
    assert found.different == {}
    assert {name: host.runs for name, host in found.hosts.items()} == dict.fromkeys(NAMES, 6)
    assert "there is no doubt about any of 3 hosts" in card_of(found)
    assert "The gains are for a single claim: of one candidate, without guards." in card_of(found)


def test_a_slower_host_differs_and_is_no_trouble() -> None:
    hosts = hosts_of(*NAMES, noise=STEADY).hosts_by_name
    found = compared(FakeHosts({**hosts, "bench-2": FakeHost(hosts["bench-2"].executor, 0.6)}))
    level = found.hosts["bench-2"].levels[RATE]
    assert level.differs
    assert level.ratio == pytest.approx(0.6, rel=0.1)
    assert found.doubtful == ()
    line = next(each for each in card_of(found).splitlines() if each.startswith("bench-2") and "differs" in each)
    assert f"{level.ratio:.2f}x [" in line


def test_a_host_that_drifts_is_named_and_can_be_left_out() -> None:
    found = compared(with_one(hosts_of(*NAMES, noise=STEADY), times(0.9)))
    assert found.doubtful == ("bench-3",)
    assert any(f"{RATE} drifted by -" in doubt for doubt in found.hosts["bench-3"].doubts)
    text = card_of(found)
    assert "there are doubts about bench-3" in text
    assert 'write leave_out = ["bench-3"] under [hosts]' in text


def test_hosts_keep_nothing_of_a_comparison_that_was_stopped() -> None:
    def stopped(outcome: Outcome, run: Run) -> Outcome:
        if run.block == 2:
            raise KeyboardInterrupt
        return outcome

    hosts = with_one(hosts_of(*NAMES, noise=STEADY), stopped)
    with pytest.raises(KeyboardInterrupt):
        compared(hosts)
    assert len(hosts.made) > len(NAMES)
    assert hosts.journals == {name: {} for name in NAMES}


def test_a_host_that_others_disturb_is_named() -> None:
    def disturbed(outcome: Outcome, run: Run) -> Outcome:
        assert outcome.measurement is not None
        facts = {"host_disturbance": "0.4000"}
        return replace(outcome, status=Status.DISTURBED, measurement=replace(outcome.measurement, facts=facts))

    found = compared(with_one(hosts_of(*NAMES, noise=STEADY), disturbed))
    assert found.doubtful == ("bench-3",)
    assert found.hosts["bench-3"].doubts[0] == "others disturbed 6 of 6 runs"
    assert found.hosts["bench-3"].share == pytest.approx(0.4)


def test_a_host_whose_runs_fail_is_named_and_the_others_are_compared() -> None:
    def failed(outcome: Outcome, run: Run) -> Outcome:
        return replace(outcome, status=Status.FAILED, reason="no space left", measurement=None)

    found = compared(with_one(hosts_of(*NAMES, noise=STEADY), failed))
    assert found.hosts["bench-3"].doubts == ("6 runs gave nothing (no space left)",)
    assert found.hosts["bench-1"].levels.keys() == found.hosts["bench-2"].levels.keys()
    named = hosts_of(*NAMES[:2], noise=STEADY).hosts_by_name
    two = FakeHosts({**named, "bench-2": Altered(named["bench-2"], failed)})
    with pytest.raises(RunError, match="1 of 2 hosts gave two values or more, so none can be compared: no space left"):
        compared(two)


def test_a_host_that_leaves_is_compared_by_what_it_made() -> None:
    hosts = hosts_of(*NAMES, noise=STEADY, loses=lambda host, run: host == "bench-2" and (run.block or 0) > 3)
    assert {name: host.runs for name, host in compared(hosts).hosts.items()} == {
        "bench-1": 6,
        "bench-2": 3,
        "bench-3": 6,
    }


def test_builds_clocks_and_machines_that_differ_are_told() -> None:
    class Told(FakeHosts):
        def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
            seen = dict(super().hosts(recipe))
            odd = seen["bench-2"]
            facts = replace(odd.facts, processor="Older CPU", cores=8)
            return {**seen, "bench-2": replace(odd, facts=facts, builds=("abc",), ahead_s=3600.0)}

    found = compared(Told(hosts_of(*NAMES, noise=STEADY).hosts_by_name))
    assert set(found.different) == {"processor", "cores", "build", "clock"}
    assert found.different["clock"] == {"bench-1": "in time", "bench-2": "+3600 s", "bench-3": "in time"}
    assert "Older CPU" in card_of(found)
    told = json.loads(json.dumps(hosts_json(found), allow_nan=False))
    assert told["different"]["cores"] == {"bench-1": 2, "bench-2": 8, "bench-3": 2}
    assert told["doubtful"] == []


def test_nothing_of_it_stays_on_the_hosts() -> None:
    hosts = hosts_of(*NAMES, noise=STEADY)
    compared(hosts)
    assert not any(hosts.journals.values())


def test_a_host_that_is_left_out_takes_no_part() -> None:
    hosts = hosts_of(*NAMES)
    assert set(Spread(hosts, RECIPE, leave_out=("bench-2",)).hosts) == {"bench-1", "bench-3"}
    with pytest.raises(UsageError, match="the scheduler knows no worker"):
        Spread(hosts, RECIPE, leave_out=NAMES)
