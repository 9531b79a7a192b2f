"""A front as a result: which verified finalists are better than the reference in something and beaten by no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from lsmtune.indicators import oriented_log_ratio
from lsmtune.result._history import History
from lsmtune.result._pairs import Contest
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison, paired_values
from lsmtune.stats import POCOCK_ALPHA, PairedComparison, compare_log_ratios, compare_pairs

_LEAST_PAIRS = 3


class Relation(StrEnum):
    """What the runs show of two finalists."""

    DOMINATES = "dominates"
    """The first is better in an indicator of the objective, and in no other worse by the minimum effect of interest."""
    DOMINATED = "dominated"
    """The same the other way round."""
    TRADE = "trade"
    """Each of the two is better in an indicator."""
    OPEN = "not told apart"
    """None of these is shown."""


@dataclass(frozen=True)
class Pairing:
    """Two accepted finalists against each other, in the blocks that have both.

    Attributes:
        arm: the first.
        against: the second.
        indicators: value of the first over that of the second, by indicator of the objective; those without a ratio are
            absent.
        relation: what is shown. It and the intervals are adjusted for the looks, and for the number of pairs of
            finalists and of indicators.
    """

    arm: str
    against: str
    indicators: Mapping[str, PairedComparison]
    relation: Relation


@dataclass(frozen=True)
class Front:
    """The accepted finalists among each other.

    Attributes:
        members: those that no other is shown to dominate, the largest weighted gain first.
        dominated: the others, each with the finalist that dominates it.
        pairings: every two of the accepted finalists, the one with the larger weighted gain first.
    """

    members: tuple[str, ...]
    dominated: Mapping[str, str]
    pairings: tuple[Pairing, ...]

    @property
    def chosen(self) -> str:
        """The member with the largest weighted gain; empty where there is none."""
        return self.members[0] if self.members else ""

    def choice(self) -> tuple[Pairing, ...]:
        """Return what was chosen against each other member."""
        others = self.members[1:]
        return tuple(each for each in self.pairings if each.arm == self.chosen and each.against in others)


def find_front(history: History, rules: Rules, contest: Contest, comparisons: Sequence[Comparison]) -> Front:
    """Return the front among the accepted candidates of a contest.

    Candidates are compared pair by pair within blocks, not by way of the reference, whose noise they share. Everything
    that is shown here is tested at Pocock's level divided by the number of pairs of candidates and of indicators, so
    that among candidates that are equal hardly any is called dominated.

    Args:
        history: the runs.
        rules: by what they are judged.
        contest: which arms were run against the reference.
        comparisons: of these arms with the reference, see `compare`.
    """
    accepted = sorted((each for each in comparisons if each.accepted), key=lambda each: -(each.claim.gain or 0.0))
    pairs = list(combinations([each.arm for each in accepted], 2))
    alpha = POCOCK_ALPHA / max(1, len(pairs) * len(rules.objective.weights))
    pairings = tuple(_pairing(history, rules, contest, pair, alpha) for pair in pairs)
    dominated: dict[str, str] = {}
    for each in pairings:
        if each.relation is Relation.DOMINATES:
            dominated.setdefault(each.against, each.arm)
        elif each.relation is Relation.DOMINATED:
            dominated.setdefault(each.arm, each.against)
    members = tuple(each.arm for each in accepted if each.arm not in dominated)
    return Front(members, dominated, pairings)


def _pairing(history: History, rules: Rules, contest: Contest, pair: tuple[str, str], alpha: float) -> Pairing:
    arm, against = pair
    found = paired_values(history, contest.purpose, arm, against)
    strict: list[PairedComparison] = []
    shown: dict[str, PairedComparison] = {}
    for name in rules.objective.weights:
        bases, values = found.get(name, ([], []))
        gains = [oriented_log_ratio(name, value, base) for base, value in zip(bases, values, strict=True)]
        known = [gain for gain in gains if gain is not None]
        if len(known) == len(gains) >= _LEAST_PAIRS:
            strict.append(compare_log_ratios(known, alpha))
            shown[name] = compare_pairs(values, bases, alpha)
    complete = len(shown) == len(rules.objective.weights)
    return Pairing(arm, against, shown, _relation(strict, rules.minimum_effect) if complete else Relation.OPEN)


def _relation(gains: Sequence[PairedComparison], minimum_effect: float) -> Relation:
    """Judge the gains of one finalist over another, one for each indicator; above 1 the first is better."""
    better, worse = any(each.low > 1 for each in gains), any(each.high < 1 for each in gains)
    if better and worse:
        return Relation.TRADE
    if better and all(each.low >= 1 / (1 + minimum_effect) for each in gains):
        return Relation.DOMINATES
    if worse and all(each.high <= 1 + minimum_effect for each in gains):
        return Relation.DOMINATED
    return Relation.OPEN
