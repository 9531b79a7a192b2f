"""What stages of a study decide and must find again: each decision as a value, and its checkpoint in the store.

All checkpoints of these stages are declared here; a paper that is repeated declares its own beside its stages. Their
names and the fields of what they hold are on disk: none is renamed, and a new field has a default for studies that were
made before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsmtune.codec import (
    JSON,
    MisreadError,
    Object,
    anything,
    listed,
    mapped,
    number,
    optional,
    pair,
    scalar,
    text,
    truth,
    whole,
)
from lsmtune.model import Purpose, Value
from lsmtune.store import Checkpoint

LEAST_CORRELATION = 0.5
"""A rung is used where the lower bound of its rank correlation with whole runs is at least this."""


@dataclass(frozen=True)
class StepTaken:
    """A change that was tried on top of those that were kept before it.

    Attributes:
        number: from 1, its place in the user's list.
        name: what the user calls it.
        because: why it should help, in the user's words; may be empty.
        values: what it sets, at full size.
        looks: looks that its comparison took; 0 where it could not be run.
        kept: whether it was shown to be better, with guards and limits held.
    """

    number: int
    name: str
    because: str
    values: Mapping[str, Value]
    looks: int
    kept: bool


@dataclass(frozen=True)
class RungCheck:
    """Whether runs with less data tell which trials are worth a whole run.

    Attributes:
        rung: part of the study's scale, as a fraction: ``"1/4"``.
        correlation: rank correlation of its runs with whole runs of the same configurations.
        low: lower confidence bound of the correlation, one-sided at 95 %.
        n: configurations that were run both ways.
        used: whether trials go through this rung.
    """

    rung: str
    correlation: float
    low: float
    n: int
    used: bool

    @property
    def sentence(self) -> str:
        """What came of the check."""
        verdict = "used" if self.used else f"not used, as that is less than {LEAST_CORRELATION}"
        return (
            f"runs with {self.rung} of the data put {self.n} trials in the order of their whole runs with a rank "
            f"correlation of {self.correlation:.2f}, at least {self.low:.2f} at 95 %: {verdict}"
        )


@dataclass(frozen=True)
class EliminationTest:
    """A test of reverting changes.

    Attributes:
        number: from 1, among the tests of the backward elimination or among those of the final configuration; the
            runs without the changes are called ``<number>:without``.
        removed: the options that were reverted to the reference.
        accepted: whether they stayed there, as their effect was below the minimum effect of interest.
        control: number of the test whose runs ``<control>:with`` it is compared with; None where they are its own.
        final: of the configuration that is handed over, after that was decided: it decides nothing. Its arms begin with
            ``final-``.
    """

    number: int
    removed: tuple[str, ...]
    accepted: bool
    control: int | None = None
    final: bool = False

    @property
    def arms(self) -> tuple[str, str]:
        """The arms with and without the changes."""
        stage = "final-" if self.final else ""
        return f"{stage}{self.control or self.number}:with", f"{stage}{self.number}:without"


@dataclass(frozen=True)
class SearchStop:
    """Why a search ended before its share of the budget was spent.

    Attributes:
        further: trials that the share still held.
        chance: that one of them would have been better than all before by more than the minimum effect of interest.
    """

    further: int
    chance: float


@dataclass(frozen=True)
class ClimbStep:
    """A finalist at a scale that is larger than the study's.

    Attributes:
        arm: of the finalist.
        scale: as a fraction: ``"1/4"``.
        looks: looks that its comparison took; 0 where the budget did not hold the first.
        run_s: time of a run there in s, estimated before the first look; as the first run there took it, if one was
            made.
        held: runs of that length that what the climb may take still held then, at most `needed`.
        needed: runs that a first look still needed then.
    """

    arm: str
    scale: str
    looks: int
    run_s: float
    held: float
    needed: int


@dataclass(frozen=True)
class Progress:
    """How far a study was when its last run began, for whoever follows it from outside.

    Attributes:
        stage: name of the stage; empty before the first.
        purpose: what the stage is for, in a few words.
        run: id of the run.
        about: what the run is, in a few words.
        left_s: what the study still took about, this run included, in s; None where that was not known.
    """

    stage: str
    purpose: str
    run: int
    about: str
    left_s: float | None

    @classmethod
    def from_json(cls, value: Any) -> "Progress":
        """Read what its checkpoint holds."""
        fields = Object(value)
        return cls(
            fields.need("stage", text),
            fields.need("purpose", text),
            fields.need("run", whole),
            fields.need("about", text),
            fields.need("left_s", optional(number)),
        )


@dataclass(frozen=True)
class SharedOut:
    """How a budget was shared out after the baseline; see `lsmtune.study.Budget`.

    Attributes:
        budget: what was shared out: time in s and number of runs, None for no limit.
        finalists: configurations that can be verified.
        after_search: runs that have to be left when the search ends.
        after_verification: runs that have to be left when verification ends.
    """

    budget: tuple[float | None, int | None]
    finalists: int
    after_search: float
    after_verification: float

    @classmethod
    def from_json(cls, value: Any) -> "SharedOut":
        """Read what its checkpoint holds."""
        fields = Object(value)
        return cls(
            fields.need("budget", pair(optional(number), optional(whole))),
            fields.need("finalists", whole),
            fields.need("after_search", number),
            fields.need("after_verification", number),
        )


@dataclass(frozen=True)
class Point:
    """A point of a design.

    Attributes:
        values: of all options of the space, at full size.
        scenario: fields of the workload with their values, sorted.
        variants: the factors that name options set together, with the name that was taken; their options are in
            `values`.
    """

    values: Mapping[str, Value]
    scenario: tuple[tuple[str, Value], ...] = ()
    variants: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def from_json(cls, value: Any) -> "Point":
        """Read ``[values, scenario, variants]``; studies before variants have two of them."""
        parts = listed(anything)(value)
        if not parts:
            raise MisreadError("is empty, not values and what else was drawn")
        return cls(mapped(scalar)(parts[0]), *(listed(pair(text, scalar))(part) for part in parts[1:3]))


@dataclass(frozen=True)
class Design:
    """The points that a design has drawn, kept since libraries may draw otherwise later.

    Attributes:
        wanted: name of the design, number of its points, of test points, and the seed.
        points: by what they are run for.
    """

    wanted: tuple[str | int, ...]
    points: Mapping[Purpose, tuple[Point, ...]]

    @classmethod
    def from_json(cls, value: Any) -> "Design":
        """Read what its checkpoint holds."""
        fields = Object(value)
        return cls(fields.need("wanted", listed(_text_or_whole)), fields.need("points", _points))

    def to_json(self) -> JSON:
        """Return what its checkpoint holds."""
        points: dict[str, JSON] = {
            str(purpose): [[dict(each.values), each.scenario, each.variants] for each in drawn]
            for purpose, drawn in self.points.items()
        }
        return {"wanted": self.wanted, "points": points}


@dataclass(frozen=True)
class AblationPlan:
    """Which changes of a configuration are reverted, and in how many pairs.

    Attributes:
        first: number of the first test.
        names: the options that are reverted alone.
        pairs: pairs of each test.
        together: those that are reverted together; empty in studies before that was done.
        tested: values of the configuration by option, at full size; None in studies that did not keep them.
    """

    first: int
    names: tuple[str, ...]
    pairs: int
    together: tuple[str, ...] = ()
    tested: Mapping[str, Value] | None = None

    @classmethod
    def from_json(cls, value: Any) -> "AblationPlan":
        """Read what its checkpoint holds."""
        fields = Object(value)
        return cls(
            fields.need("first", whole),
            fields.need("names", listed(text)),
            fields.need("pairs", whole),
            fields.get("together", listed(text), ()),
            fields.get("tested", mapped(scalar), None),
        )

    @property
    def tests(self) -> bool:
        """Whether anything is reverted."""
        return bool(self.names or self.together)


_DRAWN = (Purpose.SAMPLE, Purpose.TEST)


def _points(value: Any) -> dict[Purpose, tuple[Point, ...]]:
    fields = Object(value)
    return {purpose: fields.get(str(purpose), listed(Point.from_json), ()) for purpose in _DRAWN}


def _text_or_whole(value: Any) -> str | int:
    return value if isinstance(value, str) else whole(value)


def _step_taken(value: Any) -> StepTaken:
    fields = Object(value)
    return StepTaken(
        fields.need("number", whole),
        fields.need("name", text),
        fields.need("because", text),
        fields.need("values", mapped(scalar)),
        fields.need("looks", whole),
        fields.need("kept", truth),
    )


def _climb_step(value: Any) -> ClimbStep:
    fields = Object(value)
    return ClimbStep(
        fields.need("arm", text),
        fields.need("scale", text),
        fields.need("looks", whole),
        fields.need("run_s", number),
        fields.need("held", number),
        fields.need("needed", whole),
    )


def _rung_check(value: Any) -> RungCheck:
    fields = Object(value)
    return RungCheck(
        fields.need("rung", text),
        fields.need("correlation", number),
        fields.need("low", number),
        fields.need("n", whole),
        fields.need("used", truth),
    )


def _elimination_test(value: Any) -> EliminationTest:
    """Read a test; the first studies shared no runs between tests, and tested nothing of the final configuration."""
    fields = Object(value)
    return EliminationTest(
        fields.need("number", whole),
        fields.need("removed", listed(text)),
        fields.need("accepted", truth),
        fields.get("control", optional(whole), None),
        fields.get("final", truth, False),
    )


def _search_stop(value: Any) -> SearchStop:
    fields = Object(value)
    return SearchStop(fields.need("further", whole), fields.need("chance", number))


def _record(value: object) -> JSON:
    """Return the fields of a flat record; `asdict` would copy mappings, which a frozen one refuses."""
    return {name: dict(item) if isinstance(item, Mapping) else item for name, item in vars(value).items()}


def _records(values: Sequence[object]) -> JSON:
    return [_record(value) for value in values]


DONE = Checkpoint("done", truth)
"""The study has come to its end."""
PROGRESS = Checkpoint("progress", Progress.from_json, _record)
"""How far the study was when its last run began; nothing is decided by it."""
OTHER_BASELINES = Checkpoint("other_baselines", truth)
"""Whether the starting points that are not the reference are measured."""
SHARES = Checkpoint("shares", SharedOut.from_json, _record)
"""How the budget was shared out."""
RUNGS = Checkpoint("rungs", listed(_rung_check), _records)
"""The checks of runs with less data, the least data first; empty where the budget held none."""
TRIALS = Checkpoint("trials", whole)
"""Number of trials when the search ended."""
ALL_TRIALS = Checkpoint("all_trials", truth)
"""Whether the search ended as it had made as many trials as were asked for."""
STOPPED = Checkpoint("stopped", _search_stop, _record)
"""Why the search ended early."""
KEPT_OUT = Checkpoint("kept_out", mapped(whole))
"""Number of trials that were no finalists for a finding, by the code of its rule."""
FINALISTS = Checkpoint("finalists", listed(text))
"""What is verified: arms of trials, or names of configurations."""
WINNER = Checkpoint("winner", text)
"""Arm of the accepted finalist with the largest gain; empty if none was accepted."""
ABLATION = Checkpoint("ablation", AblationPlan.from_json, _record)
"""Which changes of the winner are reverted one by one."""
ELIMINATION = Checkpoint("prune", listed(_elimination_test), _records)
"""Tests of reverting changes of the winner, in order."""
SMALLER: Checkpoint[Mapping[str, Value]] = Checkpoint("pruned", mapped(scalar), dict)
"""Values of the winner that were left, by option, at full size."""
CONFIRMED_ARMS = Checkpoint("confirmed_arms", whole)
"""How many configurations are run again, the winner first."""
CLIMB = Checkpoint("climb", listed(_climb_step), _records)
"""What was verified at larger scales, in order: finalist by finalist, each from the smallest of them upwards."""
FINAL_ABLATION = Checkpoint("final_ablation", AblationPlan.from_json, _record)
"""Which changes of the final configuration are reverted one by one."""
FINAL_TESTS = Checkpoint("final_tests", listed(_elimination_test), _records)
"""Tests of the ablation effects of the changes in the final configuration, in order."""
STEPS = Checkpoint("steps", listed(_step_taken), _records)
"""The named changes that were tried, in order."""
DESIGN = Checkpoint("design", Design.from_json, Design.to_json)
"""The points that a design has drawn."""
REPEATS = Checkpoint("repeats", whole)
"""Runs of each point of a sweep, chosen by the noise of the machine."""
SESSIONS = Checkpoint("hosts_sessions", listed(text))
"""Names of the study and of each process that sent its runs to hosts, in order; runs on hosts are known by them."""
HOSTS = Checkpoint("hosts", listed(text))
"""The hosts that make single runs, home first, where there are several; their places number the reference's runs."""

VERIFICATION, CONFIRMATION = "verify", "confirm"
"""Names of the matches of finalists, and of what was chosen, against the reference."""


def looks_at(match: str) -> Checkpoint[int]:
    """Return the checkpoint of the looks that a match took; its name is unique in the study."""
    return Checkpoint(f"{match}_looks", whole)


VERIFY_LOOKS = looks_at(VERIFICATION)
"""Looks that verification took."""
CONFIRM_LOOKS = looks_at(CONFIRMATION)
"""Looks that the confirmation took; 0 if nothing was reverted."""
