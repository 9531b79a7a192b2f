"""What the stages of a study decided so far, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.model import StudyKind, Value
from lsmtune.result import checkpoints
from lsmtune.result.checkpoints import ClimbStep, EliminationTest, RungCheck, SearchStop, StepTaken
from lsmtune.store import Study


@dataclass(frozen=True)
class Decisions:
    """All decisions so far; None and empty where a stage has not decided yet.

    Attributes:
        plan: what the study goes through.
        steps: the changes that were tried, in order; None where that is not the plan.
        rungs: the checks of runs with less data, the least data first; empty where the budget held none. None where
            there was none to make, or not yet.
        trials: number of trials when the search ended.
        all_trials: whether these were all that were asked for.
        stopped: why it ended early; None where its share of the budget, or all that was asked for, was spent.
        finalists: what is verified: arms of trials, or names of configurations; the arm of the i-th in verification
            is ``finalist-<i>``.
        verify_looks: looks that verification took.
        winner: arm of the accepted finalist with the largest gain, or of one that is better but open where none was
            accepted; empty if there is neither.
        elimination: test of reverting changes, in order.
        smaller: values of the winner that were left, by option.
        confirm_looks: looks that the confirmation took; 0 if nothing was reverted.
        climb: what was verified at larger scales, in order.
        final_tests: tests of the ablation effects in the configuration that is handed over, in order.
        done: the study has come to its end.
    """

    plan: StudyKind = StudyKind.TUNE
    steps: tuple[StepTaken, ...] | None = None
    rungs: tuple[RungCheck, ...] | None = None
    trials: int | None = None
    all_trials: bool = False
    stopped: SearchStop | None = None
    finalists: tuple[str, ...] | None = None
    verify_looks: int | None = None
    winner: str | None = None
    elimination: tuple[EliminationTest, ...] = ()
    smaller: Mapping[str, Value] | None = None
    confirm_looks: int | None = None
    climb: tuple[ClimbStep, ...] = ()
    final_tests: tuple[EliminationTest, ...] = ()
    done: bool = False

    @classmethod
    def read(cls, study: Study) -> "Decisions":
        """Read the decisions of a study."""
        return cls(
            plan=study.kind,
            steps=study.saved(checkpoints.STEPS),
            rungs=study.saved(checkpoints.RUNGS),
            trials=study.saved(checkpoints.TRIALS),
            all_trials=study.saved(checkpoints.ALL_TRIALS) or False,
            stopped=study.saved(checkpoints.STOPPED),
            finalists=study.saved(checkpoints.FINALISTS),
            verify_looks=study.saved(checkpoints.VERIFY_LOOKS),
            winner=study.saved(checkpoints.WINNER),
            elimination=study.saved(checkpoints.ELIMINATION) or (),
            smaller=study.saved(checkpoints.SMALLER),
            confirm_looks=study.saved(checkpoints.CONFIRM_LOOKS),
            climb=study.saved(checkpoints.CLIMB) or (),
            final_tests=study.saved(checkpoints.FINAL_TESTS) or (),
            done=study.saved(checkpoints.DONE) or False,
        )

    @property
    def winning_trial(self) -> str | None:
        """Arm of the trial of a search that was verified as the winner; None where there is none."""
        if self.plan is not StudyKind.TUNE or not self.winner or not self.finalists:
            return None
        return self.finalists[place_of(self.winner) - 1]


def finalist(place: int) -> str:
    """Return the arm of the finalist at a place, from 1."""
    return f"finalist-{place}"


def place_of(arm: str) -> int:
    """Return the place, from 1, of the finalist with an arm."""
    return int(arm.rpartition("-")[2])
