"""What each change earned: pairs of runs with and without it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import stdev

from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose
from lsmtune.result._decisions import Decisions, PruneStep
from lsmtune.result._history import History
from lsmtune.result._pairs import pair_gains
from lsmtune.result._ranking import REFERENCE_PURPOSES, fit_reference, score
from lsmtune.result._rules import Rules
from lsmtune.stats import PairedComparison, compare_log_ratios

EVIDENCE_ALPHA = 0.05
"""Two-sided level of the intervals of what changes earned; not corrected for their number."""
_LEAST_FOR_SPREAD = 3


@dataclass(frozen=True)
class Evidence:
    """What is known of one test of taking changes back.

    Attributes:
        step: the test.
        earned: gain of the configuration with the changes over that without, at 95 %; None below 2 pairs.
    """

    step: PruneStep
    earned: PairedComparison | None


def prune_gains(history: History, rules: Rules, step: PruneStep) -> tuple[float, ...]:
    """Return the log gain of "with" over "without" for each pair of a test."""
    with_arm, without_arm = step.arms
    return pair_gains(history, rules, Purpose.PRUNE, with_arm, without_arm)


def evidence(history: History, rules: Rules, decisions: Decisions) -> tuple[Evidence, ...]:
    """Return what every test of taking changes back has shown."""
    found = []
    for step in decisions.prune:
        try:
            earned = compare_log_ratios(prune_gains(history, rules, step), EVIDENCE_ALPHA)
        except StatisticsError:
            earned = None
        found.append(Evidence(step, earned))
    return tuple(found)


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
