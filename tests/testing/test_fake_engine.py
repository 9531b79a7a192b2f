"""The fake engine gives the truth that it is asked for, with the noise that it is asked for."""

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev

import pytest

from lsmtune.executors import Limits, Progress
from lsmtune.indicators import indicator
from lsmtune.model import Configuration, Outcome, Purpose, Run, Status, Value
from lsmtune.study import Budget
from lsmtune.testing import QUIET, FakeExecutor, FakePlan, Fault, Noise, Surface, at_runs, fake_space, fake_study

RATE = "throughput_settled_ops_s"
ZSTD: dict[str, Value] = {"compression_type": "zstd"}


def _run(seed: int, run_id: int = 1, values: Mapping[str, Value] | None = None) -> Run:
    return Run(run_id, Purpose.TRIAL, f"trial-{seed}", None, Configuration.of(values or {}), seed, 1)


def _made(executor: FakeExecutor, run: Run, limits: Limits | None = None) -> Outcome:
    return executor.run(run, limits or Limits(), lambda progress: None)


def _indicators(outcome: Outcome) -> dict[str, float]:
    assert outcome.measurement is not None
    return {name: value for name, value in outcome.measurement.indicators.items() if value is not None}


@pytest.mark.parametrize("matters", [frozenset[str](), frozenset({"compression_type", "block_size"})])
def test_the_best_point_of_a_surface_has_its_gain(matters: frozenset[str]) -> None:
    surface = Surface(0.15, matters)
    default = surface.indicators({})[RATE]
    assert surface.indicators(surface.best())[RATE] == pytest.approx(1.15 * default)
    for name, value in surface.best().items():
        others = {each: it for each, it in surface.best().items() if each != name}
        assert surface.indicators(others)[RATE] < 1.15 * default
        assert surface.indicators({name: value})[RATE] > default
    assert set(surface.best()) == (matters or set(fake_space().names))


def test_values_of_the_defaults_change_nothing() -> None:
    space, surface = fake_space(), Surface(0.4)
    assert surface.indicators(space.default()) == pytest.approx(surface.indicators({}))


def test_what_does_not_matter_and_a_flat_surface_change_nothing() -> None:
    default = Surface().indicators({})
    assert Surface().indicators({**ZSTD, "block_size": 65536}) == default
    assert Surface(0.4, frozenset({"block_size"})).indicators(ZSTD) == default


def test_a_surface_keeps_the_relations_of_its_indicators() -> None:
    found = Surface(0.4).indicators({"level0_file_num_compaction_trigger": 8, "write_buffer_size": 256 << 20})
    assert found["load_time_s"] + found["settle_time_s"] == pytest.approx(found["total_time_s"])
    assert found[RATE] * found["total_time_s"] == pytest.approx(found["throughput_ops_s"] * found["load_time_s"])
    assert all(indicator(name).name == name for name in found)
    assert min(found.values()) > 0
    assert found["memory_peak_bytes"] > Surface().indicators({})["memory_peak_bytes"]


def test_the_seed_of_a_run_decides_its_noise() -> None:
    noise = Noise()
    first, second = FakeExecutor(Surface(), noise, 1), FakeExecutor(Surface(), noise, 1)
    _made(second, _run(99))
    assert _indicators(_made(first, _run(5))) == _indicators(_made(second, _run(5, run_id=40)))
    assert _indicators(_made(first, _run(6))) != _indicators(_made(first, _run(5)))
    assert _indicators(_made(FakeExecutor(Surface(), noise, 2), _run(5))) != _indicators(_made(first, _run(5)))
    assert _indicators(_made(FakeExecutor(Surface(), QUIET, 1), _run(5))) == Surface().indicators({})


def test_noise_is_as_large_as_it_says() -> None:
    executor = FakeExecutor(Surface(), Noise(), 3)
    runs = [_indicators(_made(executor, _run(seed))) for seed in range(1, 1001)]
    for name, spread in ((RATE, 0.10), ("total_time_s", 0.10), ("waf", 0.016), ("space_bytes", 0.008)):
        logs = [math.log(run[name] / Surface().indicators({})[name]) for run in runs]
        assert stdev(logs) == pytest.approx(spread, rel=0.1)
        assert abs(mean(logs)) < 0.12 * spread


def test_outliers_are_slow_and_drift_is_slow_to_come() -> None:
    only_outliers = Noise(0, 0, 0, 0, 0, 0, outliers=0.2)
    executor = FakeExecutor(Surface(), only_outliers, 3)
    times = [_indicators(_made(executor, _run(seed)))["total_time_s"] for seed in range(1, 1001)]
    assert min(times) == 10.0
    assert 150 < sum(time > 10.0 for time in times) < 250
    drifting = FakeExecutor(Surface(), Noise(0, 0, 0, 0, 0, 0, drift=0.05), 3)
    logs = [math.log(_indicators(_made(drifting, _run(1, number)))["total_time_s"] / 10) for number in range(1, 301)]
    assert 0.05 < max(logs) - min(logs) <= 0.2
    assert max(abs(after - before) for after, before in zip(logs[1:], logs, strict=False)) < 0.02


def test_faults_happen_to_the_runs_that_they_are_meant_for() -> None:
    faults = at_runs({1: Fault.FAIL, 2: Fault.CENSOR, 3: Fault.DISTURB, 4: Fault.INTERRUPT})
    executor = FakeExecutor(Surface(), QUIET, 1, faults)
    failed, censored, disturbed = (_made(executor, _run(1, number)) for number in (1, 2, 3))
    with pytest.raises(KeyboardInterrupt):
        _made(executor, _run(1, 4))
    assert (failed.status, censored.status, disturbed.status) == (
        Status.FAILED,
        Status.CENSORED,
        Status.DISTURBED,
    )
    assert all(outcome.reason for outcome in (failed, censored, disturbed))
    assert censored.bound_s == pytest.approx(10.3)
    assert _indicators(disturbed)["total_time_s"] == pytest.approx(14.0)
    assert _made(executor, _run(1, 5)).status is Status.OK
    assert executor.made == 5


def test_time_is_simulated_and_capped() -> None:
    seen: list[Progress] = []
    executor = FakeExecutor(Surface(), QUIET)
    first = executor.run(_run(1), Limits(20.0), seen.append)
    second = executor.run(_run(1), Limits(5.0), seen.append)
    assert first.elapsed_s == pytest.approx(10.3)
    assert (second.elapsed_s, second.status) == (5.0, Status.CENSORED)
    assert second.started_at - first.started_at == pytest.approx(10.3)
    assert executor.clock_s == pytest.approx(15.3)
    assert len(seen) == 2


def test_the_effective_configuration_is_that_of_all_options() -> None:
    outcome = _made(FakeExecutor(Surface(), QUIET), _run(1, values=ZSTD))
    assert outcome.measurement is not None
    assert outcome.measurement.effective == {**fake_space().reference, **ZSTD}


def test_a_fake_study_is_made_once_and_then_opened(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 30))
    with fake_study(tmp_path, plan) as study:
        assert study.tune().decisions.done
        runs = study.history.runs
    with fake_study(tmp_path, plan) as study:
        assert study.history.runs == runs
        assert study.executor.made == 0
