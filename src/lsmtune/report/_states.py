"""What a tuning study has come to, as one of a few states. What is true was decided in `lsmtune.stats`."""

from enum import StrEnum

from lsmtune.model import Purpose, StudyKind
from lsmtune.result import Comparison, Standing, TuneResult
from lsmtune.stats import LOOKS, Decision, GuardVerdict


class State(StrEnum):
    """What a tuning study has come to."""

    RUNNING = "still going on"
    IMPROVED = "improved"
    GUARD_UNDECIDED = "improved, guard undecided"
    """The runs do not tell whether a guard or limit holds."""
    UNSTABLE = "improved but unstable"
    """Less stable than the reference, and seen in too few pairs for that."""
    FAILED_RUNS = "runs failed"
    """Fresh runs of the candidate failed, or were stopped where that says nothing of the objective."""
    NOT_CONFIRMED = "not confirmed"
    """Runs that did not choose the winner show that it is worse, or breaks a guard or limit."""
    LOST_LARGER = "lost at a larger scale"
    """What won at the scale of the study is shown to be worse at a larger one, or breaks a guard or limit there."""
    GUARD_BROKEN = "guard broken"
    LIMIT_PASSED = "limit passed"
    NO_FINALISTS = "no finalists"
    """No trial of the search looked better than the reference, or no step was shown to be better."""
    NO_DIFFERENCE = "no difference"
    FUTILE = "nothing better found"
    """Verification stopped early, as it was not going to show a gain."""
    WORSE = "worse"
    BUDGET_ENDED = "budget ended"
    """The budget held no further look."""
    INCONCLUSIVE = "inconclusive"
    UNKNOWN = "too few pairs"
    """The runs of the verification failed, so that there is no estimate."""


_IMPROVED = {
    Standing.ACCEPTED: State.IMPROVED,
    Standing.UNDECIDED: State.GUARD_UNDECIDED,
    Standing.UNSTABLE: State.UNSTABLE,
}
_DECIDED = {Decision.WORSE: State.WORSE, Decision.NO_DIFFERENCE: State.NO_DIFFERENCE}


def state_of(result: TuneResult) -> State:
    """Return what a study has come to."""
    if not result.decisions.done:
        return State.RUNNING
    if result.improved:
        return _IMPROVED[result.standing]
    if result.climb is not None and not result.climb.taken:
        return State.LOST_LARGER
    if result.verdict is None:
        return State.UNKNOWN if result.decisions.finalists else State.NO_FINALISTS
    if result.repetition is not None and result.repetition.contradicts and not result.verdict.troubles.bars:
        return State.NOT_CONFIRMED
    return _state_of(result.verdict)


def stage_of(result: TuneResult) -> str:
    """Name the stage in which a study stands that is not done."""
    decisions = result.decisions
    if decisions.finalists is None and decisions.plan is StudyKind.STEPS:
        return f"step {len(decisions.steps or ()) + 1}" if result.noise else "baseline"
    if decisions.finalists is None:
        return "search" if result.summary.count(purpose=Purpose.TRIAL) else "baseline"
    if decisions.winner is None:
        return "verify"
    return _after_verification(result)


def _after_verification(result: TuneResult) -> str:
    decisions = result.decisions
    if result.summary.count(purpose=Purpose.CLIMB) and (result.climb is None or not result.climb.is_over):
        return "climb"
    if result.climb is not None:
        return "retest"
    if decisions.smaller is None:
        return "prune"
    return "confirm" if decisions.confirm_looks is None else "retest"


def guards_with(comparison: Comparison, verdict: GuardVerdict) -> list[str]:
    """Return the indicators whose guard has this verdict."""
    return [name for name, guard in comparison.guards.items() if guard.verdict is verdict]


def _state_of(best: Comparison) -> State:
    """Return the state of a finished study that accepted nothing, from its best finalist."""
    claim = best.claim
    if best.troubles.bars:
        return State.FAILED_RUNS
    if claim.gain is None:
        return State.UNKNOWN
    if claim.decision is Decision.IMPROVED:
        return State.GUARD_BROKEN if guards_with(best, GuardVerdict.BROKEN) else State.LIMIT_PASSED
    if claim.decision is Decision.INCONCLUSIVE:
        if not claim.settled:
            return State.BUDGET_ENDED
        return State.FUTILE if claim.looks < len(LOOKS) else State.INCONCLUSIVE
    return _DECIDED[claim.decision]
