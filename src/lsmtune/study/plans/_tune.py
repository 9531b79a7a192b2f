"""The whole way of a tuning: baselines, search, verification, elimination, confirmation, larger scales, ablation."""

from lsmtune.model import Configuration, StudyKind
from lsmtune.result import Decisions, checkpoints, verified_winner
from lsmtune.space import Space
from lsmtune.stats import LOOKS
from lsmtune.study._budget import CONFIRM_RUNS, FIRST_LOOK_RUNS, check_room
from lsmtune.study._runner import Runner
from lsmtune.study.plans._ablation import holds_retest, retest
from lsmtune.study.plans._backward_elimination import eliminate, open_changes
from lsmtune.study.plans._climb import announce, climb, reopens_climb
from lsmtune.study.plans._search import SearchSettings, search
from lsmtune.study.plans._single_runs import FIRST_BASELINES
from lsmtune.study.plans._stages import (
    choose_finalists,
    finalist_configurations,
    measure_baselines,
    other_starts,
    shares,
)
from lsmtune.study.plans._verification import confirm, verify_finalists
from lsmtune.units import plural

_NOTHING_FOUND = "no trial looked better than the reference with its guards held; nothing to verify"


def tune(runner: Runner, settings: SearchSettings) -> None:
    """Go through all stages; what was done by an earlier process is taken as it is.

    Raises:
        RunError: the reference cannot be run.
        UsageError: the budget is too small.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    if Decisions.read(runner.study).done and not _reopened(runner, settings.space):
        runner.listener.note("this study has come to its end; a larger budget needs a new study")
        return
    runner.study.begin(StudyKind.TUNE)
    climbing = runner.rules.climbing
    if climbing is not None:
        runner.keep_back(climbing.share)
    if not runner.history.runs:
        check_room(runner.spending().budget, settings.noise_runs)
    first, searched = min(FIRST_BASELINES, settings.noise_runs), runner.study.saved(checkpoints.TRIALS) is not None
    everywhere = not searched and not settings.rungs  # runs with less data have their reference at home
    hosts = measure_baselines(runner, first, settings.noise_runs, everywhere=everywhere)
    repeats = hosts.repeats(settings.noise_runs)
    spread = range(FIRST_BASELINES, repeats)
    due = [run_key for host in hosts.there for run_key in hosts.missing(host, spread)]
    due += [run_key for run_key in other_starts(runner, spread, repeats) if not runner.is_taken(run_key)]
    shared = shares(runner, len(due))
    announce(runner)
    search(runner, settings, shared, hosts)
    arms = choose_finalists(runner, shared.finalists)
    if arms:
        finalists = finalist_configurations(runner, arms)
        several = plural(len(finalists), "finalist")
        runner.listener.stage("verify", f"{several} and the reference, fresh interleaved runs")
        winner = verify_finalists(runner, list(finalists.values()), shared.after_verification)
        if winner:
            _eliminate_and_confirm(runner, settings.space, finalists[winner])
            runner.keep_back(0.0)
            climb(runner)
            if _allows_elimination(runner):
                retest(runner, settings.space)
    else:
        rest = f", and what is left holds no further trial with the {FIRST_LOOK_RUNS} runs of a first look at it"
        decided = Decisions.read(runner.study)
        ended_early = decided.stopped is not None or decided.all_trials
        runner.listener.note(f"{_NOTHING_FOUND}{'' if ended_early else rest}")
    runner.study.save(checkpoints.DONE, value=True)


def _reopened(runner: Runner, space: Space) -> bool:
    """Open a finished study again if its budget now holds tests of what it found that it did not hold before.

    Those are of single changes, of the winner for itself, and of changes in the final configuration. What was confirmed
    is made no smaller any more.
    """
    decided = Decisions.read(runner.study)
    if not decided.winner or not decided.finalists or not _allows_elimination(runner):
        return False
    eliminates_again = decided.confirm_looks is None and not decided.climb and _holds_more(runner, decided)
    climbs_again = reopens_climb(runner)
    if not eliminates_again and not climbs_again and not holds_retest(runner, space):
        return False
    runner.listener.note("the budget now holds more tests of what was found; the study goes on with them")
    if eliminates_again:
        runner.study.save(checkpoints.SMALLER, None)
    runner.study.save(checkpoints.FINAL_ABLATION, None)
    runner.study.save(checkpoints.DONE, None)
    return True


def _holds_more(runner: Runner, decided: Decisions) -> bool:
    """Whether the budget holds an ablation or a confirmation of a winner that had neither."""
    winner = finalist_configurations(runner, decided.finalists or ())[decided.winner or ""]
    return open_changes(runner, winner, CONFIRM_RUNS) or runner.spending().left >= FIRST_LOOK_RUNS


def _allows_elimination(runner: Runner) -> bool:
    """Whether the effect of a change on the weighted gain says if it is needed; of a member of a front it need not."""
    if not runner.rules.pareto:
        return True
    chosen = verified_winner(runner.history, runner.rules, Decisions.read(runner.study))
    return chosen is not None and chosen.claim.low is not None and chosen.claim.low > 1


def _eliminate_and_confirm(runner: Runner, space: Space, winner: Configuration) -> None:
    smaller = None
    if _allows_elimination(runner):
        runner.listener.stage("prune", "backward elimination: changes without an effect are reverted")
        kept = eliminate(runner, space, winner, CONFIRM_RUNS)
        smaller = kept if kept not in (winner, runner.rules.start) else None
        if kept == runner.rules.start:
            runner.listener.note("no change has the minimum effect of interest; the winner is kept as it was verified")
    else:
        runner.listener.note("the weighted gain of what was chosen may be none, so nothing is reverted by it")
    if runner.rules.pareto and smaller is None:
        return  # what a front claims of its members, it claims in each indicator by itself
    arms = _confirmed_arms(runner, 1 if smaller is None else 2)
    if arms:
        runner.listener.stage("confirm", "what was chosen, in fresh interleaved runs that did not choose it")
        confirm(runner, winner, smaller if arms == 2 else None)


def _confirmed_arms(runner: Runner, wanted: int) -> int:
    """Return how many configurations are run again, the winner first; 0 where the budget holds none. Decided once."""
    kept = runner.study.saved(checkpoints.CONFIRMED_ARMS)
    if kept is not None:
        return kept
    left = runner.spending().left
    arms = wanted if left >= (1 + wanted) * LOOKS[0] else 1 if left >= FIRST_LOOK_RUNS else 0
    if arms:
        runner.study.save(checkpoints.CONFIRMED_ARMS, arms)
    else:
        runner.listener.note(
            f"the budget does not hold {FIRST_LOOK_RUNS} runs more, which would tell how much the winner gains in "
            "runs that did not choose it; a larger budget goes on with them"
        )
    return arms
