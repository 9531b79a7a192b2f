"""What befalls runs in the fake engine's worlds is what these say, and follows from the seed and the run."""

import math
from collections.abc import Mapping, Sequence
from statistics import mean, stdev

import numpy as np
import pytest

from lsmtune.executors import Limits
from lsmtune.model import Configuration, Outcome, Purpose, Run, Status, Value
from lsmtune.testing import QUIET, Candidates, FakeExecutor, Host, Surface, Trouble, World, fake_space

RATE = "throughput_settled_ops_s"
LZ4: dict[str, Value] = {"compression_type": "lz4"}


def _run(number: int, values: Mapping[str, Value] | None = None, load_seed: int = 1) -> Run:
    return Run(number, Purpose.VERIFY, "arm", number, Configuration.of(values or {}), 1000 + number, load_seed)


def _made(world: World, runs: Sequence[Run], seed: int = 1, cap_s: float | None = None) -> list[Outcome]:
    executor = FakeExecutor(Surface(), QUIET, seed, world=world)
    return [executor.run(run, Limits(cap_s), lambda _: None) for run in runs]


def _slowness(outcomes: Sequence[Outcome]) -> list[float]:
    return [math.log((each.measurement.indicators["total_time_s"] or 0) / 10) for each in outcomes if each.measurement]


def test_a_drift_of_two_doubles_the_time_and_comes_back() -> None:
    logs = _slowness(_made(World(Host(drift=2.0, drift_runs=50)), [_run(number) for number in range(1, 201)]))
    assert max(logs) - min(logs) == pytest.approx(math.log(2), rel=0.03)
    assert max(abs(after - before) for after, before in zip(logs[1:], logs, strict=False)) < 0.015


def test_a_wandering_host_has_the_spread_and_the_memory_that_it_says() -> None:
    runs = [_run(number) for number in range(1, 3001)]
    logs = _slowness(_made(World(Host(wander=0.08, memory=0.8)), runs))
    assert stdev(logs) == pytest.approx(0.08, rel=0.15)
    assert float(np.corrcoef(logs[1:], logs[:-1])[0, 1]) == pytest.approx(0.8, abs=0.05)


def test_a_jumping_host_stays_where_it_jumped_to() -> None:
    logs = _slowness(_made(World(Host(jump=0.2, jump_runs=10)), [_run(number) for number in range(1, 2001)]))
    jumps = sum(after != before for after, before in zip(logs[1:], logs, strict=False))
    assert jumps == pytest.approx(200, rel=0.2)
    assert len(set(logs)) == jumps + 1


def test_outliers_take_as_long_and_come_as_often_as_they_say() -> None:
    logs = _slowness(_made(World(Host(outliers=0.2)), [_run(number) for number in range(1, 2001)]))
    assert {round(math.exp(each), 6) for each in logs} == {1.0, 3.5}
    assert mean(each > 0 for each in logs) == pytest.approx(0.2, abs=0.03)


def test_the_order_of_runs_decides_what_the_host_does_and_the_seed_when() -> None:
    world = World(Host(drift=2.0, wander=0.1, jump=0.1))
    forwards = _slowness(_made(world, [_run(number) for number in range(1, 20)]))
    backwards = _slowness(_made(world, [_run(number) for number in range(19, 0, -1)]))
    assert forwards == backwards[::-1]
    assert forwards != _slowness(_made(world, [_run(number) for number in range(1, 20)], seed=2))


def test_a_busy_host_contaminates_runs_and_slows_them_down() -> None:
    outcomes = _made(World(Host(busy=0.3)), [_run(number) for number in range(1, 1001)])
    disturbed = [each for each in outcomes if each.status is Status.DISTURBED]
    assert len(disturbed) == pytest.approx(300, rel=0.15)
    assert min(_slowness(disturbed)) > 0
    assert set(_slowness([each for each in outcomes if each.status is Status.OK])) == {0.0}


def test_runs_on_one_tree_are_alike_and_trees_differ_by_load_and_shape() -> None:
    world = World(trees=0.15)
    same = _slowness(_made(world, [_run(number, LZ4, load_seed=7) for number in range(1, 6)]))
    assert len(set(same)) == 1
    files_alike: dict[str, Value] = {**LZ4, "max_background_jobs": 8}
    assert _slowness(_made(world, [_run(1, files_alike, load_seed=7)])) == same[:1]
    assert _slowness(_made(world, [_run(1, load_seed=7)])) != same[:1]
    loads = _slowness(_made(world, [_run(1, LZ4, load_seed=load) for load in range(1, 1001)]))
    assert stdev(loads) == pytest.approx(0.15, rel=0.1)


def test_values_of_the_reference_are_no_candidate() -> None:
    world = World(candidates=Candidates(gain=0.5))
    own = {name: fake_space().reference[name] for name in ("block_size", "compression_type")}
    assert _slowness(_made(world, [_run(1), _run(2, own)])) == [0.0, 0.0]
    assert _slowness(_made(world, [_run(3, LZ4)])) == [pytest.approx(-math.log(1.5))]


def test_candidates_stall_as_often_as_they_say_and_the_executor_knows_when() -> None:
    world = World(candidates=Candidates(gain=0.1, stalls=0.2, stall=5.0))
    executor = FakeExecutor(Surface(), QUIET, 1, world=world)
    runs = [_run(number, LZ4) for number in range(1, 1001)]
    logs = _slowness([executor.run(run, Limits(), lambda _: None) for run in runs])
    assert len(executor.struck) == pytest.approx(200, rel=0.15)
    assert {run.id for run, log in zip(runs, logs, strict=True) if log > 1} == executor.struck
    assert mean(logs) == pytest.approx(world.candidates.slowness, abs=0.06)


@pytest.mark.parametrize(
    ("trouble", "status", "word"),
    [
        (Trouble.CRASH, Status.FAILED, "SIGSEGV"),
        (Trouble.HANG, Status.FAILED, "hung"),
        (Trouble.HANG_AFTER, Status.OK, ""),
        (Trouble.FILL_DISK, Status.FAILED, "max_disk"),
        (Trouble.DISK_OF_OTHERS, Status.SPOILED, "min_free"),
    ],
)
def test_trouble_ends_runs_of_candidates_only(trouble: Trouble, status: Status, word: str) -> None:
    world = World(candidates=Candidates(trouble=trouble, troubled=1.0))
    healthy, struck = _made(world, [_run(1), _run(2, LZ4)], cap_s=30.0)
    assert healthy.status is Status.OK
    assert struck.status is status
    assert word in struck.reason
    assert struck.bound_s is None
    assert (struck.measurement is not None) is (trouble is Trouble.HANG_AFTER)


def test_what_candidates_worsen_is_worse_by_that_factor() -> None:
    world = World(candidates=Candidates(worse={"memory_peak_bytes": 1.3}))
    reference, candidate = (each.measurement for each in _made(world, [_run(1), _run(2, LZ4)]))
    assert reference is not None
    assert candidate is not None
    before, after = reference.indicators["memory_peak_bytes"], candidate.indicators["memory_peak_bytes"]
    assert (after or 0) / (before or 1) == pytest.approx(1.3)
    assert candidate.indicators[RATE] == pytest.approx(reference.indicators[RATE])
