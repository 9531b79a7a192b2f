"""Steps and larger scales are verified over several hosts as everything is; an ablation stays on one."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hosts_builders import NAMES, at_work, hosts_of

from lsmtune.executors.hosts import Task
from lsmtune.experiment import NamedChange
from lsmtune.model import Outcome, Purpose, Run, Status
from lsmtune.result import Climbing, ClimbOutcome, TuneResult, climb_words, summarise
from lsmtune.store import StoredRun, read_study
from lsmtune.study import Budget, NamedChanges, tune, tune_by_steps
from lsmtune.testing import (
    EachChange,
    FakeExecutor,
    FakeHost,
    FakeHosts,
    FakePlan,
    Noise,
    Surface,
    fake_rules,
    fake_space,
)

FOUR = (*NAMES, "bench-4")
STEPS = (
    NamedChange("larger buffer", "", {"write_buffer_size": 128 << 20}),
    NamedChange("lz4", "", {"compression_type": "lz4"}),
)
BY_STEPS = FakePlan(
    Budget(None, 400), Surface(0.4, frozenset({"write_buffer_size", "compression_type"})), Noise(rate=0.03), seed=3
)
SMALL = Fraction(1, 16)
GAINS = {**dict.fromkeys(fake_space().names, 0.5), "write_buffer_size": 1.5, "max_background_jobs": 1.1}
CLIMBS = FakePlan(
    Budget(None, 230),
    EachChange(gains=GAINS),
    Noise(rate=0.02),
    rules=replace(fake_rules(), climbing=Climbing(Fraction(1, 64), (SMALL,), 0.45)),
    first=({"write_buffer_size": 256 << 20, "max_background_jobs": 8},),
)


def by_steps(folder: Path, hosts: FakeHosts) -> list[StoredRun]:
    settings = NamedChanges(BY_STEPS.space, STEPS, BY_STEPS.noise_runs)
    at_work(folder, hosts, BY_STEPS, lambda runner: tune_by_steps(runner, settings))
    with read_study(folder) as study:
        return study.runs()


def hosts_of_plan(plan: FakePlan, *names: str) -> FakeHosts:
    """Equal hosts with the truth of a plan at each scale."""
    made = {
        name: FakeHost(FakeExecutor(plan.surface, plan.noise, seed, at=plan.at))
        for seed, name in enumerate(names, start=1)
    }
    return FakeHosts(made)


def climbed(folder: Path, hosts: FakeHosts) -> tuple[TuneResult, list[StoredRun]]:
    at_work(folder, hosts, CLIMBS, lambda runner: tune(runner, CLIMBS.settings()))
    with read_study(folder) as study:
        return summarise(study), study.runs()


def of(runs: list[StoredRun], purpose: Purpose) -> list[Run]:
    return [stored.run for stored in runs if stored.run.purpose is purpose and stored.status is not Status.LOST]


def step_of(run: Run) -> str:
    return run.arm.partition(":")[0]


def test_the_blocks_of_each_step_go_over_three_hosts_and_none_spans_two(tmp_path: Path) -> None:
    runs = of(by_steps(tmp_path, hosts_of(*FOUR)), Purpose.STEP)
    hosts: dict[tuple[str, int], set[str]] = {}
    for run in runs:
        hosts.setdefault((step_of(run), (run.block or 0) // 2), set()).add(run.host)
    assert all(len(each) == 1 for each in hosts.values()), hosts
    for step in ("step-1", "step-2"):
        first_look = set[str]().union(*(each for (name, pair), each in hosts.items() if name == step and pair < 3))
        assert len(first_look) == 3, hosts
    assert set.union(*hosts.values()) == set(FOUR), "the second step begins where the first had nothing"
    assert set(Counter((run.arm, run.block) for run in runs).values()) == {1}


def test_a_step_whose_host_leaves_moves_though_another_step_was_made_there(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, loses=lambda host, run: host == "bench-2" and step_of(run) == "step-2")
    stored = by_steps(tmp_path, hosts)
    lost = [each.run for each in stored if each.status is Status.LOST]
    assert [(run.host, step_of(run)) for run in lost] == [("bench-2", "step-2")]
    assert any(run.host == "bench-2" for run in of(stored, Purpose.STEP) if run.block == lost[0].block)
    again = [run for run in of(stored, Purpose.STEP) if (run.arm, run.block) == (lost[0].arm, lost[0].block)]
    assert [(run.seed, run.host != "bench-2") for run in again] == [(lost[0].seed, True)]


def test_a_winner_climbs_on_all_hosts_and_its_ablation_stays_on_one(tmp_path: Path) -> None:
    result, stored = climbed(tmp_path, hosts_of_plan(CLIMBS, *NAMES))
    at_scale = of(stored, Purpose.CLIMB)
    assert {run.rung for run in at_scale} == {Fraction(4)}
    first_look = {run.block: run.host for run in at_scale if (run.block or 0) < 6}
    assert Counter(first_look.values()) == dict.fromkeys(NAMES, 2)
    of_block: dict[int | None, set[str]] = {}
    for run in at_scale:
        of_block.setdefault(run.block, set()).add(run.host)
    assert all(len(each) == 1 for each in of_block.values())
    assert {run.host for run in of(stored, Purpose.PRUNE)} == {"bench-1"}
    assert result.climb is not None
    (seen,) = result.climb.seen
    assert seen.outcome is ClimbOutcome.HOLDS
    assert seen.comparison is not None
    assert seen.comparison.hosts is not None
    assert set(seen.comparison.hosts.gains) == set(NAMES)


def test_a_gain_at_a_larger_scale_that_one_host_contradicts_is_open_and_names_it(tmp_path: Path) -> None:
    class Contradicts(FakeHost):
        """A host on which changes lose, at larger scales alone."""

        def run(self, task: Task) -> Outcome:
            return FakeHost(self.executor, effect=-0.9 if task.run.rung > 1 else 0.0).run(task)

    hosts = hosts_of_plan(CLIMBS, *NAMES).hosts_by_name
    result, _ = climbed(tmp_path, FakeHosts({**hosts, "bench-3": Contradicts(hosts["bench-3"].executor)}))
    assert result.climb is not None
    (seen,) = result.climb.seen
    assert seen.outcome is ClimbOutcome.OPEN
    assert "but its sign differs on bench-3" in climb_words(result.climb, result.climb.taken)
