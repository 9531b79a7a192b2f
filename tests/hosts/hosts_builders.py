"""Builders for tests of hosts: a comparison over fake hosts, in a line."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from lsmtune.executors import Executor, Limits
from lsmtune.executors.hosts import Recipe, unheard
from lsmtune.experiment import NamedChange
from lsmtune.model import Run, Workload
from lsmtune.result import Rules, TuneResult, summarise
from lsmtune.store import DATABASE, Study, create_study, open_study
from lsmtune.study import Budget, Figures, Listener, NamedChanges, Runner, RunPolicy, Spread, compare_configurations
from lsmtune.study import hosts_executor as executor_of
from lsmtune.study import take_back as collect
from lsmtune.testing import (
    FakeExecutor,
    FakeHost,
    FakeHosts,
    FakePlan,
    Noise,
    Surface,
    fake_description,
    fake_rules,
    fake_space,
)

CHANGE = NamedChange("larger buffer", "", {"write_buffer_size": 128 << 20})
BUILD = fake_description(fake_rules(), fake_space()).build
RECIPE = Recipe(BUILD, Workload(("fillrandom",), "fillrandom", 1000), Fraction(1))
STEADY = Noise(rate=0.03)
NAMES = ("bench-1", "bench-2", "bench-3")


def hosts_of(
    *names: str,
    noise: Noise = STEADY,
    strength: float = 0.4,
    loses: Callable[[str, Run], bool] = lambda _host, _run: False,
) -> FakeHosts:
    """Equal hosts with seeds of their own."""
    made = {name: FakeHost(FakeExecutor(Surface(strength), noise, seed)) for seed, name in enumerate(names, start=1)}
    return FakeHosts(made, loses)


def opened(
    folder: Path,
    hosts: FakeHosts,
    rules: Rules | None = None,
    figures: Figures | None = None,
    tell: Callable[[str], None] = unheard,
) -> Study:
    """Open a study as a new process would, or make it; what hosts finished for it is stored."""
    if not (folder / DATABASE).exists():
        return create_study(folder, fake_description(rules or fake_rules(), fake_space()))
    study = open_study(folder)
    collect(study, hosts, figures, tell)
    study.recover()
    return study


def compared(
    folder: Path,
    hosts: FakeHosts,
    *changes: NamedChange,
    patience_s: float = 0.0,
    tell: Callable[[str], None] = unheard,
) -> TuneResult:
    """Compare changes with the reference over hosts, from where the study in `folder` is."""
    with opened(folder, hosts) as study:
        executor = executor_of(study, Spread(hosts, RECIPE), tell)
        executor.patience_s = patience_s
        compare_over(study, executor, *(changes or (CHANGE,)))
        return summarise(study)


def compare_over(study: Study, executor: Executor, *changes: NamedChange) -> None:
    """Compare changes with the reference in an open study."""
    policy = RunPolicy(Budget(None, 400), Limits(3600.0, 3600.0), cap=3.0, seed=3)
    runner = Runner(study, executor, fake_rules(), policy, Listener())
    try:
        compare_configurations(runner, NamedChanges(fake_space(), changes, 3))
    finally:
        executor.close()


def at_work(folder: Path, hosts: FakeHosts, plan: FakePlan, go: Callable[[Runner], object]) -> None:
    """Let a stage or a whole plan go over hosts, from where the study in `folder` is."""
    with opened(folder, hosts, plan.rules) as study:
        executor = executor_of(study, Spread(hosts, RECIPE))
        executor.patience_s = 0.0
        policy = RunPolicy(plan.budget, Limits(3600.0, 3600.0), cap=3.0, seed=plan.seed)
        try:
            go(Runner(study, executor, plan.rules, policy, Listener()))
        finally:
            executor.close()


def at_speeds(hosts: FakeHosts, *speeds: float) -> FakeHosts:
    """The same hosts, some faster than others."""
    named = zip(hosts.hosts_by_name.items(), speeds, strict=True)
    return FakeHosts({name: FakeHost(host.executor, speed) for (name, host), speed in named})
