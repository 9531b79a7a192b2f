"""Samples and sweeps over several hosts: what is made where, and what is compared with what."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hosts_builders import NAMES, at_speeds, at_work, hosts_of

from lsmtune.analysis import response
from lsmtune.errors import RunError
from lsmtune.model import Configuration, Purpose, Run, Status, StudyKind
from lsmtune.result import summarise
from lsmtune.store import StoredRun, read_study
from lsmtune.study import Budget, RunKey, SampleSettings, runs_of, sample
from lsmtune.study._runner import RunRequest
from lsmtune.study.plans._dealt_runs import DealtRuns
from lsmtune.study.plans._single_runs import SingleRunHosts
from lsmtune.testing import QUIET, FakeHosts, FakePlan, Noise, Surface, fake_space

PLAN = FakePlan(Budget(None, 300), Surface(0.4), seed=3)
SAMPLE = SampleSettings(fake_space(), "sobol", 40, 8, 3, 3, anchor_every=5, noise_runs=5, seed=7)


def sampled(
    folder: Path, hosts: FakeHosts, settings: SampleSettings = SAMPLE, plan: FakePlan = PLAN
) -> list[StoredRun]:
    at_work(folder, hosts, plan, lambda runner: sample(runner, settings))
    with read_study(folder) as study:
        return study.runs()


def designed(runs: list[StoredRun]) -> list[Run]:
    return [
        stored.run
        for stored in runs
        if stored.run.purpose in (Purpose.SAMPLE, Purpose.TEST) and stored.status is not Status.LOST
    ]


def test_the_points_of_a_sample_are_those_of_one_host(tmp_path: Path) -> None:
    one, three = (
        {
            (run.purpose, run.arm, run.block, run.seed, run.configuration)
            for run in designed(sampled(tmp_path / name, hosts))
        }
        for name, hosts in (("1", hosts_of(NAMES[0])), ("3", hosts_of(*NAMES)))
    )
    assert one == three


def test_every_host_makes_its_share_with_its_own_reference(tmp_path: Path) -> None:
    runs = sampled(tmp_path, hosts_of(*NAMES))
    made = Counter(run.host for run in designed(runs))
    assert max(made.values()) - min(made.values()) <= 2
    for purpose, least in ((Purpose.BASELINE, 3), (Purpose.ANCHOR, 3)):
        reference = Counter(stored.run.host for stored in runs if stored.run.purpose is purpose)
        assert all(reference[name] >= least for name in NAMES), (purpose, reference)


def test_responses_are_taken_within_hosts(tmp_path: Path) -> None:
    sampled(tmp_path / "equal", hosts_of(*NAMES, noise=QUIET))
    sampled(tmp_path / "unequal", at_speeds(hosts_of(*NAMES, noise=QUIET), 1.0, 0.4, 3.0))
    logs = []
    for name in ("equal", "unequal"):
        with read_study(tmp_path / name) as study:
            table = runs_of(study)
        answer = response(table, "throughput_ops_s")
        keys = zip(table.frame["arm"], table.frame["block"], table.frame["purpose"], strict=True)
        logs.append(dict(zip(keys, answer.log_ratio.tolist(), strict=True)))
    assert logs[0].keys() == logs[1].keys()
    for key, value in logs[0].items():
        assert logs[1][key] == pytest.approx(value, abs=1e-9), key


def test_a_point_of_a_lost_host_is_made_on_another(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, run: host == "bench-2" and run.purpose is Purpose.SAMPLE)
    runs = sampled(tmp_path, hosts)
    lost = [stored.run for stored in runs if stored.status is Status.LOST]
    assert [run.host for run in lost] == ["bench-2"]
    assert {run.host for run in designed(runs) if run.id > lost[0].id} == {"bench-1", "bench-3"}
    places = Counter((run.purpose, run.arm, run.block) for run in designed(runs))
    assert set(places.values()) == {1}
    assert len(places) == 40 + 8 + 3 * 2


def grid() -> SampleSettings:
    """A sweep of the compressors, in three blocks."""
    lists = tuple(axis for axis in fake_space().dimensions if axis.choices)
    swept = replace(fake_space(), dimensions=lists)
    return SampleSettings(swept, "factorial", 1, 0, 1000, 3, 5, 3, 7, kind=StudyKind.SWEEP)


def test_a_block_of_a_sweep_is_made_on_one_host(tmp_path: Path) -> None:
    runs = designed(sampled(tmp_path, hosts_of(*NAMES, noise=Noise(rate=0.03)), grid()))
    hosts: dict[int | None, set[str]] = {}
    for run in runs:
        hosts.setdefault(run.block, set()).add(run.host)
    assert {len(each) for each in hosts.values()} == {1}
    assert set.union(*hosts.values()) == set(NAMES)
    cells = Counter((run.arm, run.block) for run in runs)
    assert set(cells.values()) == {1}
    assert len(cells) == 3 * len({run.arm for run in runs})


def test_a_run_of_the_reference_keeps_no_block_with_its_number_from_other_hosts() -> None:
    anchor = RunRequest(RunKey(Purpose.ANCHOR, "stock", 1), Configuration(), "anchor")
    runner = SimpleNamespace(home=NAMES[0], runs_by_key={}, open_requests=[anchor], is_taken=lambda _: False)
    second = SimpleNamespace(runner=runner, free=[NAMES[1]], missing=lambda *_: [], due_anchor=lambda *_: None)
    cell = RunKey(Purpose.SAMPLE, "sample-1", 1)
    dealt = DealtRuns(
        cast("SingleRunHosts", second),
        every=5,
        repeats=1,
        keys=[cell],
        request=lambda run_key: RunRequest(run_key, Configuration(), run_key.arm),
        whole_blocks=True,
    )
    request = next(dealt.requests())
    assert request is not None
    assert (request.key, request.key.host) == (cell, NAMES[1])


def test_an_anchor_reads_the_load_of_the_run_before_it_though_an_earlier_process_made_that() -> None:
    before, after = RunKey(Purpose.SAMPLE, "sample-1", 2), RunKey(Purpose.SAMPLE, "sample-2", 2)
    made = {before: SimpleNamespace(run=SimpleNamespace(host=NAMES[1]))}
    runner = SimpleNamespace(home=NAMES[0], runs_by_key=made, open_requests=[], is_taken=lambda key: key in made)
    second = SimpleNamespace(
        runner=runner,
        free=[NAMES[1]],
        missing=lambda *_: [],
        due_anchor=lambda *_: 1,
        key=lambda purpose, host, number, load: RunKey(purpose, "stock", number, load=load, host=host),
        request=lambda run_key, about: RunRequest(run_key, Configuration(), about),
    )
    dealt = DealtRuns(
        cast("SingleRunHosts", second),
        every=2,
        repeats=1,
        keys=[before, after],
        request=lambda run_key: RunRequest(run_key, Configuration(), run_key.arm),
        whole_blocks=True,
    )
    request = next(dealt.requests())
    assert request is not None
    assert request.key.purpose is Purpose.ANCHOR
    assert request.key.load_name == before.load_name


def test_a_block_that_began_on_a_lost_host_is_not_made_elsewhere(tmp_path: Path) -> None:
    made: list[Run] = []

    def loses(host: str, run: Run) -> bool:
        if host == "bench-2" and run.purpose is Purpose.SAMPLE:
            made.append(run)
        return host == "bench-2" and len(made) == 2

    hosts = hosts_of(*NAMES, loses=loses)
    with pytest.raises(RunError, match='the host "bench-2" has been gone for 0 s, and what began there'):
        sampled(tmp_path, hosts, grid())
    hosts.gone.clear()
    hosts._loses = lambda _host, _run: False
    runs = designed(sampled(tmp_path, hosts, grid()))
    by_block: dict[int | None, set[str]] = {}
    for run in runs:
        by_block.setdefault(run.block, set()).add(run.host)
    assert {len(each) for each in by_block.values()} == {1}
    assert set(Counter((run.arm, run.block) for run in runs).values()) == {1}


def test_the_card_of_a_sample_has_a_line_for_each_host(tmp_path: Path) -> None:
    sampled(tmp_path, at_speeds(hosts_of(*NAMES), 1.0, 0.5, 1.0))
    with read_study(tmp_path) as study:
        hosts = summarise(study).hosts
    assert hosts is not None
    assert [row.name for row in hosts.rows] == list(NAMES)
    levels = [row.level for row in hosts.rows]
    assert levels[0] is not None
    assert levels[1] is not None
    assert levels[1] / levels[0] == pytest.approx(0.5, rel=0.1)
    assert sum(row.runs for row in hosts.rows) > 54
