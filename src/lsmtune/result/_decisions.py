"""What the stages of a study decided, kept with the study so that a resumed one goes on from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsmtune.model import StudyKind, Value
from lsmtune.store import Study

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
class PruneStep:
    """A test of taking changes back.

    Attributes:
        number: from 1, among the tests of pruning or among those of the final configuration; the runs without the
            changes are called ``<number>:without``.
        removed: the options that were put back to the reference.
        accepted: whether they stayed there, as they had earned less than the gain of interest.
        control: number of the test whose runs ``<control>:with`` it is compared with; None where they are its own.
        final: of the configuration that is handed over, after that was decided: it decides nothing. Its arms begin with
            ``final-``.
    """

    number: int
    removed: tuple[str, ...]
    accepted: bool
    control: int | None = None
    final: bool = False

    @classmethod
    def from_json(cls, step: Mapping[str, Any]) -> "PruneStep":
        """Read a test as it was kept; studies before the tests of the final configuration have no `final`."""
        removed, control, final = tuple(step["removed"]), step.get("control"), step.get("final", False)
        return cls(step["number"], removed, step["accepted"], control, final)

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
        chance: that one of them would have been better than all before by more than the gain of interest.
    """

    further: int
    chance: float


@dataclass(frozen=True)
class Decisions:
    """All decisions so far; None and empty where a stage has not decided yet.

    Attributes:
        plan: what the study goes through.
        steps: the changes that were tried, in order; None where that is not the plan.
        rungs: the checks of runs with less data, the least data first; empty where the budget held none. None where
            there was none to make, or not yet.
        trials: number of trials when the search ended.
        stopped: why it ended early; None where its share of the budget was spent.
        finalists: what is verified: arms of trials, or names of configurations; the arm of the i-th in verification
            is ``finalist-<i>``.
        verify_looks: looks that verification took.
        winner: arm of the accepted finalist with the largest gain; empty if none was accepted.
        prune: tests of taking changes back, in order.
        pruned: values of the winner that were left, by option.
        confirm_looks: looks that the confirmation of the pruned configuration took; 0 if nothing was pruned.
        final_tests: tests of what the changes earn in the configuration that is handed over, in order.
        done: the study has come to its end.
    """

    plan: StudyKind = StudyKind.TUNE
    steps: tuple[StepTaken, ...] | None = None
    rungs: tuple[RungCheck, ...] | None = None
    trials: int | None = None
    stopped: SearchStop | None = None
    finalists: tuple[str, ...] | None = None
    verify_looks: int | None = None
    winner: str | None = None
    prune: tuple[PruneStep, ...] = ()
    pruned: Mapping[str, Value] | None = None
    confirm_looks: int | None = None
    final_tests: tuple[PruneStep, ...] = ()
    done: bool = False

    @classmethod
    def read(cls, study: Study) -> "Decisions":
        """Read the decisions of a study."""
        kept: dict[str, Any] = {
            name: value for name in cls.__dataclass_fields__ if (value := study.recall(name)) is not None
        }
        kept["plan"] = study.kind
        if "steps" in kept:
            kept["steps"] = tuple(StepTaken(**step) for step in kept["steps"])
        if "rungs" in kept:
            kept["rungs"] = tuple(RungCheck(**check) for check in kept["rungs"])
        if "stopped" in kept:
            kept["stopped"] = SearchStop(**kept["stopped"])
        if "finalists" in kept:
            kept["finalists"] = tuple(kept["finalists"])
        for tests in ("prune", "final_tests"):
            kept[tests] = tuple(PruneStep.from_json(step) for step in kept.get(tests, []))
        return cls(**kept)

    @property
    def winning_trial(self) -> str | None:
        """Arm of the trial of a search that was verified as the winner; None where there is none."""
        if self.plan is not StudyKind.TUNE or not self.winner or not self.finalists:
            return None
        return self.finalists[int(self.winner.rpartition("-")[2]) - 1]


def finalist(place: int) -> str:
    """Return the arm of the finalist at a place, from 1."""
    return f"finalist-{place}"
