"""Stored studies of several phases, made by hand: a run a line, with its operations a second in each phase."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsmtune.experiment import recorded_experiment
from lsmtune.indicators import Guard, Objective
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, Value
from lsmtune.result import Rules
from lsmtune.store import Study, create_study
from lsmtune.testing import fake_description, fake_space

EXPERIMENT = """
name = "phases"
[workload]
tool = "ycsb"
benchmarks = ["load", "settle", "a", "b"]
num = "200k"
[space]
options = ["write_buffer_size"]
"""
WORKLOAD = recorded_experiment(EXPERIMENT).workload()
RATES = ("throughput_ops_s@load", "throughput_ops_s@a", "throughput_ops_s")
"""Of the phases load, a and b; b is measured."""
RULES = Rules(
    objective=Objective(dict.fromkeys(reversed(RATES), 1.0)),
    guards=(Guard("space_bytes", 1.10),),
    limits=(),
    reference="leveldb",
    baselines={"leveldb": Configuration()},
    minimum_effect=0.03,
    finalists=3,
)


@dataclass(frozen=True)
class Ran:
    """A run: why, for what, and what it gave; `rates` are those of the phases load, a and b."""

    purpose: Purpose
    arm: str
    rates: tuple[float, float, float]
    space: float = 100.0
    more: Mapping[str, float | None] = field(default_factory=dict)
    status: Status = Status.OK
    values: tuple[tuple[str, Value], ...] = ()
    effective: Mapping[str, Value] = field(default_factory=dict)

    @property
    def measurement(self) -> Measurement | None:
        """What it gave; None where it failed."""
        if self.status is not Status.OK:
            return None
        indicators = {**dict(zip(RATES, self.rates, strict=True)), "space_bytes": self.space, **self.more}
        return Measurement(indicators, self.effective)


def reference(level: float = 100.0, purpose: Purpose = Purpose.BASELINE, **more: float | None) -> Ran:
    """A run of the reference that has one rate in all phases."""
    return Ran(purpose, "leveldb", (level, level, level), more=more)


def trial(
    number: int, load: float, a: float, b: float, *, space: float = 100.0, more: Mapping[str, float | None] = {}
) -> Ran:
    """A trial with a configuration of its own."""
    values: tuple[tuple[str, Value], ...] = (("write_buffer_size", number << 20),)
    return Ran(Purpose.TRIAL, f"trial-{number}", (load, a, b), space, more, values=values)


@contextmanager
def phase_study(folder: Path, *ran: Ran, rules: Rules = RULES, arms_a_block: int = 1) -> Iterator[Study]:
    """Open a study that holds these runs, in this order; so many of them are a block."""
    described = replace(fake_description(rules, fake_space()), name="phases", experiment=EXPERIMENT)
    with create_study(folder, described) as study:
        for number, each in enumerate(ran):
            place = None if each.purpose is Purpose.TRIAL else number // arms_a_block
            run = study.plan(Run(0, each.purpose, each.arm, place, Configuration(each.values), 1, 1))
            study.start(run)
            reason = "" if each.status is Status.OK else "it failed"
            study.finish(run, Outcome(each.status, 1.7e9 + run.id, 10.0, reason, each.measurement))
        yield study
