"""One place for runs makes the studies that lsmtune always made: the runs, their order, seeds, ends and configurations.

The files in ``run_orders/`` were written by the code before stages asked for runs in batches; `pytest --rewrite-golden`
writes them anew.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest

from lsmtune.executors.hosts import Recipe
from lsmtune.experiment import NamedChange
from lsmtune.model import Run, Workload
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import (
    HOME,
    FakeExecutor,
    FakeHost,
    FakeHosts,
    FakePlan,
    FakeStudy,
    Fault,
    Noise,
    Surface,
    World,
    fake_description,
    fake_space,
    fake_study,
)

ORDERS = Path(__file__).parent / "run_orders"
MATTERS = frozenset({"write_buffer_size", "compression_type"})
PLAN = FakePlan(Budget(None, 160), Surface(0.4, MATTERS), Noise(rate=0.04), seed=3)
BUFFER = NamedChange("larger buffer", "", {"write_buffer_size": 128 << 20})
BLOCKS = NamedChange("larger blocks", "", {"block_size": 16384})


def troubled(run: Run) -> Fault | None:
    """Return what happens to a run: every seventh is disturbed, every eleventh fails, every thirteenth is stopped."""
    kinds = {7: Fault.DISTURB, 11: Fault.FAIL, 13: Fault.CENSOR}
    return next((fault for every, fault in kinds.items() if run.id > 5 and run.id % every == 0), None)


def sampled(study: FakeStudy) -> None:
    study.sample(SampleSettings(fake_space(), "sobol", 16, 8, 3, 3, anchor_every=5, noise_runs=3, seed=7))


STUDIES: dict[str, tuple[FakePlan, Callable[[FakeStudy], object]]] = {
    "tune": (PLAN, FakeStudy.tune),
    "tune-troubled": (replace(PLAN, faults=troubled), FakeStudy.tune),
    "tune-time": (replace(PLAN, budget=Budget(900.0, None), stop=True), FakeStudy.tune),
    "tune-rungs": (replace(PLAN, budget=Budget(1500.0, None), rungs=(Fraction(1, 4),)), FakeStudy.tune),
    "tune-trees": (replace(PLAN, world=World(trees=0.1)), FakeStudy.tune),
    "steps": (PLAN, lambda study: study.tune_by_steps(BUFFER, BLOCKS)),
    "compare": (PLAN, lambda study: study.compare(BUFFER, BLOCKS)),
    "sample": (replace(PLAN, faults=troubled), sampled),
}


@pytest.mark.parametrize("name", STUDIES)
def test_runs_are_the_same_in_the_same_order(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    plan, go = STUDIES[name]
    with fake_study(tmp_path, plan) as study:
        go(study)
        lines = [f"{stored.status} {told(stored.run)}" for stored in study.study.runs()]
    path = ORDERS / f"{name}.txt"
    if request.config.getoption("--rewrite-golden"):
        path.write_text("\n".join(lines) + "\n")
    assert lines == path.read_text().splitlines()


@pytest.mark.parametrize("name", STUDIES)
def test_one_host_of_a_cluster_makes_the_same_runs_in_the_same_order(name: str, tmp_path: Path) -> None:
    plan, go = STUDIES[name]
    hosts = FakeHosts({HOME: FakeHost(plan.executor())})
    build = fake_description(plan.rules, plan.space).build
    recipe = Recipe(build, Workload(("fillrandom",), "fillrandom", 1000), Fraction(1))
    executor = cast("FakeExecutor", hosts.executor(recipe))  # no plan asks for more than an Executor has
    with fake_study(tmp_path, plan, executor) as study:
        go(study)
        lines = [f"{stored.status} {told(stored.run)}" for stored in study.study.runs()]
    assert lines == (ORDERS / f"{name}.txt").read_text().splitlines()
    assert len(hosts.made) == len(lines)


def told(run: Run) -> str:
    values = " ".join(f"{name}={value}" for name, value in sorted(run.configuration.values.items()))
    return f"{run.purpose} {run.arm} {run.block} {run.rung} {run.seed} {run.load_seed} {values}".rstrip()
