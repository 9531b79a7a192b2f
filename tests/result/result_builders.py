"""Histories made by hand: runs of hundreds of operations a second, in a line each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.indicators import Guard, Limit
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, Value
from lsmtune.result import History, Rules
from lsmtune.store import StoredRun, Study
from lsmtune.testing import fake_rules

RATE = "throughput_settled_ops_s"


@dataclass(frozen=True)
class Made:
    """A run: why, for what, in which block, and what it gave; `rate` None gives no rate, `seed` None one of its own."""

    purpose: Purpose
    arm: str
    block: int | None = None
    rate: float | None = 100.0
    space: float | None = 100.0
    status: Status = Status.OK
    values: tuple[tuple[str, Value], ...] = ()
    reason: str = ""
    elapsed_s: float = 10.0
    seed: int | None = None
    load_seed: int = 1
    scenario: tuple[tuple[str, Value], ...] = ()

    @property
    def indicators(self) -> dict[str, float | None]:
        """What it gave; nothing where it did not come to its end."""
        given = {RATE: self.rate, "space_bytes": self.space}
        return dict(given) if self.status in (Status.OK, Status.DISTURBED) else {}


def rules(limits: tuple[Limit, ...] = (), worse: float = 1.10) -> Rules:
    """Rules: settled throughput counts, space may grow by `worse`."""
    return replace(fake_rules(), guards=(Guard("space_bytes", worse),), limits=limits)


def baseline(block: int, rate: float, space: float | None = 100.0, status: Status = Status.OK) -> Made:
    """A run of the reference at the start."""
    return Made(Purpose.BASELINE, "stock", block, rate, space, status)


def anchor(rate: float) -> Made:
    """A run of the reference among the trials."""
    return Made(Purpose.ANCHOR, "stock", 4, rate)


def trial(number: int, rate: float | None, space: float | None = 100.0, status: Status = Status.OK) -> Made:
    """A trial with a configuration of its own."""
    values: tuple[tuple[str, Value], ...] = (("max_write_buffer_number", 2 + number),)
    return Made(Purpose.TRIAL, f"trial-{number}", None, rate, space, status, values)


def pairs(
    rates: Mapping[str, Sequence[float | None]],
    spaces: Mapping[str, Sequence[float]] | None = None,
    purpose: Purpose = Purpose.VERIFY,
) -> list[Made]:
    """Runs of each arm in each block; a rate of None is a run that failed."""
    found = []
    for arm, values in rates.items():
        for block, rate in enumerate(values):
            space = (spaces or {}).get(arm, [100.0] * len(values))[block]
            status = Status.FAILED if rate is None else Status.OK
            found.append(Made(purpose, arm, block, rate, space, status))
    return sorted(found, key=lambda made: made.block or 0)


def history(*made: Made, judged: Rules | None = None) -> History:
    """The history of these runs, in this order."""
    columns: dict[str, dict[int, float]] = {name: {} for name in (judged or rules()).shown}
    runs = []
    for number, each in enumerate(made, start=1):
        run = Run(
            number,
            each.purpose,
            each.arm,
            each.block,
            Configuration(each.values),
            number,
            each.load_seed,
            each.scenario,
        )
        ended = each.status not in (Status.LOST, Status.PLANNED, Status.RUNNING)
        runs.append(
            StoredRun(run, each.status, 1.7e9 + number, each.elapsed_s if ended else None, each.reason, None, None)
        )
        for name, value in each.indicators.items():
            if value is not None:
                columns[name][number] = value
    return History(tuple(runs), columns, (judged or rules()).disturbed)


def store(study: Study, *made: Made, measurement: Measurement | None = None) -> None:
    """Write these runs into a study; `measurement` goes on top of what each OK run gave."""
    on_top = measurement or Measurement({})
    for seed, each in enumerate(made, start=2):
        run = study.plan(
            Run(
                0,
                each.purpose,
                each.arm,
                each.block,
                Configuration(each.values),
                seed if each.seed is None else each.seed,
                each.load_seed,
                each.scenario,
            )
        )
        study.start(run)
        given = replace(on_top, indicators={**each.indicators, **on_top.indicators}) if each.indicators else None
        study.finish(run, Outcome(each.status, 1.7e9 + run.id, each.elapsed_s, each.reason, given))
