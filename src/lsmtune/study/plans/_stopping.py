"""An early end of a search: where the trials so far leave little chance for a better one."""

import math

from lsmtune.model import WHOLE
from lsmtune.result import SearchStop, checkpoints, noise_of_gain
from lsmtune.stats import chance_of_more
from lsmtune.study._runner import Runner
from lsmtune.study.plans._trials import is_spoiled, rank_rungs
from lsmtune.units import format_percent

_ACCEPTED_CHANCE = 0.1


def early_end(runner: Runner, startup: int, further: int) -> SearchStop | None:
    """Return why the search should end; None where it should go on.

    Args:
        runner: has made the trials.
        startup: first trials, which the sampler spread evenly.
        further: trials that the search's share of the budget still holds.
    """
    spread = noise_of_gain(runner.history, runner.rules)
    if spread is None or further < 1:
        return None
    minimum_effect = runner.rules.minimum_effect
    chance = chance_of_more(_gains(runner), spread / math.sqrt(2), further, minimum_effect, startup)
    return None if chance is None or chance > _ACCEPTED_CHANCE else SearchStop(further, chance)


def remember_end(runner: Runner, number: int, stopped: SearchStop | None) -> None:
    """Keep that the search ended after `number` trials, and why; say so where that was early."""
    if stopped is not None:
        runner.listener.note(
            f"the search ends after {number} trials: {stopped.further} more have a chance of "
            f"{format_percent(stopped.chance)} to find something more than "
            f"{format_percent(runner.rules.minimum_effect)} better, judged by the trials; "
            "the rest of the budget goes to verification and backward elimination"
        )
    asked = runner.budget.trials
    if asked is not None:
        runner.study.save(checkpoints.ALL_TRIALS, number >= asked)
    runner.study.save(checkpoints.STOPPED, stopped)
    runner.study.save(checkpoints.TRIALS, number)


def _gains(runner: Runner) -> list[float]:
    """Return the log gain of each whole trial in order; nan where there is none or a guard or limit is missed."""
    gains = [
        None if ranked.violation > 0 else ranked.log_gain
        for (_, rung), ranked in rank_rungs(runner).items()
        if rung == WHOLE and not is_spoiled(ranked)
    ]
    return [math.nan if gain is None else gain for gain in gains]
