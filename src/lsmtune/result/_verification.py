"""Claims: fresh runs in randomised blocks, compared pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.errors import StatisticsError
from lsmtune.indicators import Limit, oriented_log_ratio
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
        claim: the verdict on the objective.
        indicators: value of candidate over value of reference, with interval, by indicator.
        levels: means of the reference and of the candidate, by indicator.
        guards: by indicator, whether the guard held.
        broken_limits: sentences about absolute bounds that the candidate's mean breaks.
        gains: log gain of each pair in the objective, in order of the blocks.
    """

    arm: str
    claim: ClaimResult
    indicators: Mapping[str, PairedComparison]
    levels: Mapping[str, tuple[float, float]]
    guards: Mapping[str, GuardResult]
    broken_limits: tuple[str, ...]
    gains: tuple[float, ...]

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
    """
    results: tuple[ClaimResult, ...] = ()
    for look in range(looks_done):
        within = _until(history, contest.purpose, LOOKS[look])
        claims = [Claim(arm, pair_gains(within, rules, contest.purpose, arm, contest.against)) for arm in contest.arms]
        results = decide(claims, look, rules.interest, results)
    return results


def compare(history: History, rules: Rules, contest: Contest, looks_done: int) -> tuple[Comparison, ...]:
    """Return the full comparison of each candidate of a contest after `looks_done` looks."""
    claims = judge(history, rules, contest, looks_done)
    return tuple(_comparison(history, rules, contest, claim) for claim in claims)


def _comparison(history: History, rules: Rules, contest: Contest, claim: ClaimResult) -> Comparison:
    pairs = _pairs(history, contest, claim.name)
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


def _pairs(history: History, contest: Contest, arm: str) -> dict[str, tuple[list[float], list[float]]]:
    """Values of what `arm` is compared with and of `arm` by indicator, of the blocks that have both."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for _, block in sorted(history.blocks(contest.purpose).items()):
        if arm not in block or contest.against not in block:
            continue
        for name, column in history.columns.items():
            base, value = column.get(block[contest.against].run.id), column.get(block[arm].run.id)
            if base is not None and value is not None:
                reference, candidate = found.setdefault(name, ([], []))
                reference.append(base)
                candidate.append(value)
    return found


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
    return History(runs, history.columns)
