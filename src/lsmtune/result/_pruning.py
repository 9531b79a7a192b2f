"""What each change earned: pairs of runs with and without it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev

from lsmtune.model import Purpose
from lsmtune.result._decisions import Decisions, PruneStep
from lsmtune.result._history import History
from lsmtune.result._pairs import pair_gains
from lsmtune.result._ranking import REFERENCE_PURPOSES, fit_reference, score
from lsmtune.result._rules import Rules
from lsmtune.stats import SharedComparison, many_to_one

EVIDENCE_ALPHA = 0.05
"""Two-sided level at which a change is tried together with others that seem to earn nothing."""
_LEAST_FOR_SPREAD = 3
_LEAST_PAIRS = 2


@dataclass(frozen=True)
class Evidence:
    """What is known of one test of taking changes back.

    Attributes:
        step: the test.
        earned: gain of the configuration with the changes over that without; None below 2 pairs. The tests of single
            changes share their runs with all changes, so their intervals hold together at 95 %, and their estimates
            are drawn towards each other, see `many_to_one`.
    """

    step: PruneStep
    earned: SharedComparison | None

    @property
    def shown(self) -> bool:
        """Whether the changes are shown to earn something: the interval lies above 1."""
        return self.earned is not None and self.earned.low > 1


def prune_gains(history: History, rules: Rules, step: PruneStep) -> tuple[float, ...]:
    """Return the log gain of "with" over "without" for each pair of a test."""
    with_arm, without_arm = step.arms
    return pair_gains(history, rules, Purpose.PRUNE, with_arm, without_arm)


def evidence(history: History, rules: Rules, decisions: Decisions) -> tuple[Evidence, ...]:
    """Return what every test of taking changes back has shown."""
    earned: dict[int, SharedComparison | None] = {}
    for control in dict.fromkeys(step.control or step.number for step in decisions.prune):
        steps = [step for step in decisions.prune if (step.control or step.number) == control]
        earned |= _earned(history, rules, steps)
    return tuple(Evidence(step, earned.get(step.number)) for step in decisions.prune)


def _earned(history: History, rules: Rules, steps: Sequence[PruneStep]) -> dict[int, SharedComparison | None]:
    """Return what the changes of tests with one shared arm earned, in the blocks that hold all that can be judged."""
    levels = _levels(history, rules)
    shared = levels.get(steps[0].arms[0], {})
    known = {step.number: levels.get(step.arms[1], {}) for step in steps}
    usable = {number: own for number, own in known.items() if len(own.keys() & shared.keys()) >= _LEAST_PAIRS}
    blocks = sorted(set(shared).intersection(*usable.values())) if usable else []
    if len(blocks) < _LEAST_PAIRS:
        return {}
    arms = [[own[block] for block in blocks] for own in usable.values()]
    return dict(zip(usable, many_to_one([shared[block] for block in blocks], arms), strict=True))


def _levels(history: History, rules: Rules) -> dict[str, dict[int, float]]:
    """Return the log level of the objective, larger is better, of each run that took changes back, by arm and block."""
    unit = dict.fromkeys(rules.objective.weights, 1.0)
    found: dict[str, dict[int, float]] = {}
    for block, arms in history.blocks(Purpose.PRUNE).items():
        for arm, stored in arms.items():
            level = rules.objective.log_gain(history.indicators(stored.run.id), unit)
            if level is not None:
                found.setdefault(arm, {})[block] = level
    return found


def evidence_by_option(found: tuple[Evidence, ...]) -> Mapping[str, Evidence]:
    """Return, for each option that stayed, the test that took back this option alone; others are absent."""
    return {item.step.removed[0]: item for item in found if len(item.step.removed) == 1 and not item.step.accepted}


def noise_of_gain(history: History, rules: Rules) -> float | None:
    """Return the standard deviation of a log gain between two runs of one configuration; None below 3 runs."""
    reference = fit_reference(history, rules)
    runs = history.select(REFERENCE_PURPOSES, rules.reference)
    gains = [score(history, rules, reference, stored).log_gain for stored in runs]
    known = [gain for gain in gains if gain is not None]
    return math.sqrt(2) * stdev(known) if len(known) >= _LEAST_FOR_SPREAD else None
