"""The whole way of a tuning: baselines, search, verification, pruning, confirmation."""

from lsmtune.model import Configuration, Purpose
from lsmtune.result import Contest, Decisions, compare
from lsmtune.space import Space
from lsmtune.stats import LOOKS
from lsmtune.study._budget import check_room
from lsmtune.study._conductor import Conductor
from lsmtune.study._pruning import open_changes, prune
from lsmtune.study._search import SearchSettings, search
from lsmtune.study._stages import (
    choose_finalists,
    finalist_configurations,
    measure_baselines,
    shares,
)
from lsmtune.study._verification import CONFIRM_RUNS, FIRST_LOOK_RUNS, confirm, verify_finalists


def tune(conductor: Conductor, settings: SearchSettings) -> None:
    """Go through all stages; what was done by an earlier process is taken as it is.

    Raises:
        RunError: the reference cannot be run.
        UsageError: the budget is too small.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    if Decisions.read(conductor.study).done and not _reopened(conductor):
        conductor.listener.note("this study has come to its end; a larger budget needs a new study")
        return
    if not conductor.history.runs:
        check_room(conductor.spending().budget, settings.noise_runs)
    measure_baselines(conductor, settings.noise_runs)
    shared = shares(conductor)
    search(conductor, settings, shared)
    arms = choose_finalists(conductor, shared.finalists)
    if arms:
        finalists = finalist_configurations(conductor, arms)
        conductor.listener.stage("verify", f"{len(finalists)} finalists and the reference, fresh interleaved runs")
        winner = verify_finalists(conductor, list(finalists.values()), shared.after_verification)
        if winner:
            _prune_and_confirm(conductor, settings.space, winner, finalists[winner])
    else:
        conductor.listener.note("no trial looked better than the reference with its guards held; nothing to verify")
    conductor.study.remember("done", value=True)


def _reopened(conductor: Conductor) -> bool:
    """Open a finished study again whose changes were never tested alone, or whose winner was not run again for itself.

    The budget has to hold that now, and it has to have been out of budget before.
    """
    decided = Decisions.read(conductor.study)
    if not decided.winner or decided.confirm_looks is not None or not decided.finalists:
        return False
    if not _is_prunable(conductor, decided.winner):  # nor was it pruned before
        return False
    winner = finalist_configurations(conductor, decided.finalists)[decided.winner]
    if not open_changes(conductor, winner, CONFIRM_RUNS) and conductor.spending().left < FIRST_LOOK_RUNS:
        return False
    conductor.listener.note("the budget now holds more tests of what was found; the study goes on with them")
    for decision in ("pruned", "done"):
        conductor.study.remember(decision, None)
    return True


def _is_prunable(conductor: Conductor, winner: str) -> bool:
    """Whether what a change earns in the weighted gain says if it is needed; of a member of a front it need not."""
    rules, looks = conductor.rules, Decisions.read(conductor.study).verify_looks or 0
    if not rules.pareto or not looks:
        return True
    (compared,) = compare(conductor.history, rules, Contest(Purpose.VERIFY, rules.reference, (winner,)), looks)
    return compared.claim.low is not None and compared.claim.low > 1


def _prune_and_confirm(conductor: Conductor, space: Space, arm: str, winner: Configuration) -> None:
    smaller = None
    if _is_prunable(conductor, arm):
        conductor.listener.stage("prune", "changes that earn nothing are taken back")
        pruned = prune(conductor, space, winner, CONFIRM_RUNS)
        smaller = pruned if pruned not in (winner, conductor.rules.start) else None
        if pruned == conductor.rules.start:
            conductor.listener.note("no change earns the gain of interest; the winner is kept as it was verified")
    else:
        conductor.listener.note("the weighted gain of what was chosen may be none, so nothing is taken back by it")
    if conductor.rules.pareto and smaller is None:
        return  # what a front claims of its members, it claims in each indicator by itself
    arms = _confirmed_arms(conductor, 1 if smaller is None else 2)
    if arms:
        conductor.listener.stage("confirm", "what was chosen, in fresh interleaved runs that did not choose it")
        confirm(conductor, winner, smaller if arms == 2 else None)


def _confirmed_arms(conductor: Conductor, wanted: int) -> int:
    """Return how many configurations are run again, the winner first; 0 where the budget holds none. Decided once."""
    kept = conductor.study.recall("confirmed_arms")
    if isinstance(kept, int):
        return kept
    left = conductor.spending().left
    arms = wanted if left >= (1 + wanted) * LOOKS[0] else 1 if left >= FIRST_LOOK_RUNS else 0
    if arms:
        conductor.study.remember("confirmed_arms", arms)
    else:
        conductor.listener.note(
            f"the budget does not hold {FIRST_LOOK_RUNS} runs more, which would say how much the winner gains in runs "
            "that did not choose it; a larger one goes on with them"
        )
    return arms
