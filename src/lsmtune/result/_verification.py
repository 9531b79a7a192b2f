"""Claims: fresh runs in randomised blocks, compared pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from lsmtune.errors import StatisticsError
from lsmtune.indicators import Limit, Objective, oriented_log_ratio
from lsmtune.model import Purpose
from lsmtune.result._history import History
from lsmtune.result._rules import Rules
from lsmtune.stats import (
    LOOKS,
    POCOCK_ALPHA,
    Claim,
    ClaimResult,
    Decision,
    GuardResult,
    GuardVerdict,
    PairedComparison,
    compare_pairs,
    decide,
    non_inferior,
)

_Family: TypeAlias = Mapping[str, tuple[str, Rules]]  # by claim, the arm that is to be better, and by which rules


@dataclass(frozen=True)
class Contest:
    """Which arms were run against which other one, in fresh interleaved runs.

    Attributes:
        purpose: of the runs.
        against: the arm that all others are compared with.
        arms: the candidates.
    """

    purpose: Purpose
    against: str
    arms: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """A candidate against the reference (or what else it is compared with), from fresh interleaved runs.

    Attributes:
        arm: name of the candidate among the runs.
        claim: the verdict on the objective; where the result is a front, see `parts`, the verdict on "better in at
            least one indicator", with the weighted gain, which is no claim then.
        indicators: value of candidate over value of reference, with interval, by indicator.
        levels: means of the reference and of the candidate, by indicator.
        guards: by indicator, whether the guard held.
        broken_limits: sentences about absolute bounds that the candidate's mean breaks.
        gains: log gain of each pair in the objective, in order of the blocks.
        parts: where the result is a front, the verdict on each indicator of the objective; else empty.
    """

    arm: str
    claim: ClaimResult
    indicators: Mapping[str, PairedComparison]
    levels: Mapping[str, tuple[float, float]]
    guards: Mapping[str, GuardResult]
    broken_limits: tuple[str, ...]
    gains: tuple[float, ...]
    parts: Mapping[str, ClaimResult] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether it is shown to be better, with no guard broken and no limit passed."""
        broken = any(guard.verdict is GuardVerdict.BROKEN for guard in self.guards.values())
        return self.claim.decision is Decision.IMPROVED and not broken and not self.broken_limits


def pair_gains(history: History, rules: Rules, purpose: Purpose, arm: str, against: str) -> tuple[float, ...]:
    """Return the objective's log gain of `arm` over `against` in each block of `purpose` where both are OK."""
    gains = []
    for _, block in sorted(history.blocks(purpose).items()):
        if arm in block and against in block:
            candidate = history.indicators(block[arm].run.id)
            gain = rules.objective.log_gain(candidate, history.indicators(block[against].run.id))
            if gain is not None:
                gains.append(gain)
    return tuple(gains)


def judge(history: History, rules: Rules, contest: Contest, looks_done: int) -> tuple[ClaimResult, ...]:
    """Judge the claims of all candidates of a contest after `looks_done` looks, look by look.

    Only the pairs of a look's blocks count at that look, so that the answer does not depend on when it is asked for.
    Where the result is a front, each candidate has a claim for each indicator of the objective, all in one family, and
    what is returned sums them up.
    """
    return tuple(claim for claim, _ in _judged(history, rules, contest, looks_done))


def compare(history: History, rules: Rules, contest: Contest, looks_done: int) -> tuple[Comparison, ...]:
    """Return the full comparison of each candidate of a contest after `looks_done` looks."""
    judged = _judged(history, rules, contest, looks_done)
    return tuple(replace(_comparison(history, rules, contest, claim), parts=parts) for claim, parts in judged)


def paired_values(
    history: History, purpose: Purpose, arm: str, against: str
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the values of `against` and of `arm` by indicator, of the blocks that have both."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for _, block in sorted(history.blocks(purpose).items()):
        if arm not in block or against not in block:
            continue
        for name, column in history.columns.items():
            base, value = column.get(block[against].run.id), column.get(block[arm].run.id)
            if base is not None and value is not None:
                bases, values = found.setdefault(name, ([], []))
                bases.append(base)
                values.append(value)
    return found


def _judged(
    history: History, rules: Rules, contest: Contest, looks_done: int
) -> Sequence[tuple[ClaimResult, Mapping[str, ClaimResult]]]:
    """Return the verdict on each candidate, and that on each indicator where the result is a front."""
    if not (rules.pareto and contest.purpose is Purpose.VERIFY) or not looks_done:
        family = {arm: (arm, rules) for arm in contest.arms}
        return [(claim, {}) for claim in _look_by_look(history, rules, family, contest, looks_done)]
    alone = {name: replace(rules, objective=Objective({name: 1.0})) for name in rules.objective.weights}
    family = {f"{arm}/{name}": (arm, judged) for arm in contest.arms for name, judged in alone.items()}
    found = {claim.name: claim for claim in _look_by_look(history, rules, family, contest, looks_done)}
    within, last = _until(history, contest.purpose, LOOKS[looks_done - 1]), looks_done - 1
    judged = []
    for arm in contest.arms:
        parts = {name: found[f"{arm}/{name}"] for name in alone}
        gains = pair_gains(within, rules, contest.purpose, arm, contest.against)
        (weighted,) = decide([Claim(arm, gains)], last, rules.interest)
        judged.append((_summed_up(weighted, list(parts.values())), parts))
    return judged


def _look_by_look(
    history: History, rules: Rules, family: _Family, contest: Contest, looks_done: int
) -> tuple[ClaimResult, ...]:
    """Judge one family of claims after each look."""
    results: tuple[ClaimResult, ...] = ()
    for look in range(looks_done):
        within = _until(history, contest.purpose, LOOKS[look])
        claims = [
            Claim(name, pair_gains(within, judged_by, contest.purpose, arm, contest.against))
            for name, (arm, judged_by) in family.items()
        ]
        results = decide(claims, look, rules.interest, results)
    return results


def _summed_up(weighted: ClaimResult, parts: Sequence[ClaimResult]) -> ClaimResult:
    """Return the verdict on all indicators of a candidate, with its weighted gain, which itself is not tested."""
    decisions = {part.decision for part in parts}
    decision, equivalence = Decision.INCONCLUSIVE, None
    if decisions == {Decision.NO_DIFFERENCE}:
        decision = Decision.NO_DIFFERENCE
        equivalence = max(part.equivalence or 0.0 for part in parts)
    for shown in (Decision.WORSE, Decision.IMPROVED):
        decision = shown if shown in decisions else decision
    settled = all(part.settled for part in parts)
    untested = replace(weighted, p=None, p_holm=None, wilcoxon_p=None)
    return replace(untested, decision=decision, equivalence=equivalence, settled=settled)


def _comparison(history: History, rules: Rules, contest: Contest, claim: ClaimResult) -> Comparison:
    pairs = paired_values(history, contest.purpose, claim.name, contest.against)
    indicators: dict[str, PairedComparison] = {}
    for name, (reference, candidate) in pairs.items():
        try:
            indicators[name] = compare_pairs(candidate, reference, POCOCK_ALPHA)
        except StatisticsError:
            continue  # fewer than two pairs, or a zero among them: no ratio
    return Comparison(
        arm=claim.name,
        claim=claim,
        indicators=indicators,
        levels={name: (_mean(reference), _mean(candidate)) for name, (reference, candidate) in pairs.items()},
        guards={guard.indicator: _guard(pairs, guard.indicator, guard.at_most_worse) for guard in rules.guards},
        broken_limits=tuple(text for limit in rules.limits if (text := _broken(limit, pairs))),
        gains=pair_gains(history, rules, contest.purpose, claim.name, contest.against),
    )


def _guard(pairs: Mapping[str, tuple[list[float], list[float]]], name: str, at_most_worse: float) -> GuardResult:
    reference, candidate = pairs.get(name, ([], []))
    gains = [oriented_log_ratio(name, value, base) for base, value in zip(reference, candidate, strict=True)]
    return non_inferior([gain for gain in gains if gain is not None], at_most_worse)


def _broken(limit: Limit, pairs: Mapping[str, tuple[list[float], list[float]]]) -> str:
    values = pairs.get(limit.indicator, ([], []))[1]
    mean = _mean(values) if values else None
    if mean is None or not limit.excess({limit.indicator: mean}):
        return ""
    return f"{limit.indicator} is {mean:.4g}, not {limit.relation} {limit.value:.4g}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _until(history: History, purpose: Purpose, blocks: int) -> History:
    runs = tuple(
        stored
        for stored in history.runs
        if stored.run.purpose is purpose and stored.run.block is not None and stored.run.block < blocks
    )
    return replace(history, runs=runs)
