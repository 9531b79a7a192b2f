"""Claims: fresh runs in randomised blocks, compared pair by pair."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from lsmtune.errors import StatisticsError
from lsmtune.indicators import AT_FULL_SIZE, Guard, Limit, Objective, indicator
from lsmtune.model import Configuration, Purpose
from lsmtune.result._decisions import Decisions, finalist
from lsmtune.result._history import History
from lsmtune.result._on_hosts import OnHosts, agreed, on_hosts
from lsmtune.result._pairs import Contest, Troubles, pair_gains, pair_stability, troubles
from lsmtune.result._rules import Rules
from lsmtune.stats import (
    LOOKS,
    POCOCK_ALPHA,
    Claim,
    ClaimResult,
    Decision,
    GuardResult,
    GuardVerdict,
    LimitResult,
    PairedComparison,
    Stability,
    compare_pairs,
    decide,
    left_open,
    limit_left_open,
    non_inferior,
    non_inferior_amounts,
    widened,
    widened_limit,
    within,
)

_Family: TypeAlias = Mapping[str, tuple[str, Rules]]  # by claim, the arm that is to be better, and by which rules
_STEADY_PAIRS = LOOKS[1]  # that a candidate needs which is less stable than the reference


class Standing(StrEnum):
    """Whether a candidate is exported."""

    ACCEPTED = "accepted"
    """Shown to be better, with every guard and limit shown to hold."""
    UNDECIDED = "guard undecided"
    """Shown to be better, but of a guard or limit the runs do not tell whether it holds."""
    UNSTABLE = "unstable"
    """Shown to be better, but less stable than the reference and seen in too few pairs."""
    REFUSED = "refused"
    """Not shown to be better, a guard or limit is broken, or runs failed."""


@dataclass(frozen=True)
class LimitSeen:
    """An absolute bound, and what the candidate's runs say of it."""

    limit: Limit
    seen: LimitResult


@dataclass(frozen=True)
class Comparison:
    """A candidate against the reference (or what else it is compared with), from fresh interleaved runs.

    Attributes:
        arm: name of the candidate among the runs.
        claim: the verdict on the objective; where the result is a front, see `parts`, the verdict on "better in at
            least one indicator", with the weighted gain, which is no claim then, but whose interval has their level.
        indicators: value of candidate over value of reference, by indicator, with interval, adjusted for looks and
            arms, of a front for the indicators of the objective, too: at the level of each claim.
        levels: means of the reference and of the candidate, by indicator.
        guards: by indicator, whether the guard held.
        limits: absolute bounds, and whether they hold.
        gains: log gain of each pair in the objective, in order of the blocks.
        parts: where the result is a front, the verdict on each indicator of the objective; else empty.
        troubles: what went wrong in its runs.
        stability: how steady its runs are beside the reference's; None below 3 pairs.
        scaled: of bounds that are held at full size, what the runs themselves show, by indicator.
        beyond_runs: indicators with a bound that the extrapolation to full size leaves open, however many runs there
            are.
        hosts: what each host says of it; None where all pairs are from one.
        parts_on_hosts: where the result is a front, the same of each indicator of the objective; empty where all pairs
            are from one.
    """

    arm: str
    claim: ClaimResult
    indicators: Mapping[str, PairedComparison]
    levels: Mapping[str, tuple[float, float]]
    guards: Mapping[str, GuardResult]
    limits: tuple[LimitSeen, ...]
    gains: tuple[float, ...]
    parts: Mapping[str, ClaimResult] = field(default_factory=dict)
    troubles: Troubles = field(default_factory=Troubles)
    stability: Stability | None = None
    scaled: Mapping[str, GuardResult | LimitResult] = field(default_factory=dict)
    beyond_runs: tuple[str, ...] = ()
    hosts: OnHosts | None = None
    parts_on_hosts: Mapping[str, OnHosts] = field(default_factory=dict)

    @property
    def bounds(self) -> frozenset[GuardVerdict]:
        """What was found of guards and limits, each verdict once."""
        return frozenset(
            (*(each.verdict for each in self.guards.values()), *(each.seen.verdict for each in self.limits))
        )

    @property
    def awaits_runs(self) -> bool:
        """Whether a guard or limit is open that more runs may decide."""
        verdicts = [(name, guard.verdict) for name, guard in self.guards.items()]
        verdicts += [(each.limit.indicator, each.seen.verdict) for each in self.limits]
        return any(verdict is GuardVerdict.INCONCLUSIVE and name not in self.beyond_runs for name, verdict in verdicts)

    @property
    def is_unsteady(self) -> bool:
        """Whether it is less stable than the reference, and was seen in too few pairs for that."""
        return self.stability is not None and self.stability.less_stable and self.stability.n < _STEADY_PAIRS

    @property
    def standing(self) -> Standing:
        """Whether it is exported."""
        improved = self.claim.decision is Decision.IMPROVED
        if not improved or self.troubles.bars or GuardVerdict.BROKEN in self.bounds:
            return Standing.REFUSED
        if GuardVerdict.INCONCLUSIVE in self.bounds:
            return Standing.UNDECIDED
        return Standing.UNSTABLE if self.is_unsteady else Standing.ACCEPTED

    @property
    def accepted(self) -> bool:
        """Whether it is shown to be better, with every guard and limit shown to hold."""
        return self.standing is Standing.ACCEPTED

    @property
    def is_open(self) -> bool:
        """Whether more runs may still decide."""
        undecided = not self.claim.settled or self.standing is Standing.UNSTABLE
        undecided = undecided or (self.standing is Standing.UNDECIDED and self.awaits_runs)
        return undecided and not self.troubles.bars

    @property
    def contradicted(self) -> Mapping[str, OnHosts]:
        """By indicator of a front, else by arm, what hosts say that keep a difference from being shown by its sign."""
        judged = {self.arm: (self.claim, self.hosts)}
        if self.parts:
            judged = {name: (part, self.parts_on_hosts.get(name)) for name, part in self.parts.items()}
        return {
            name: on
            for name, (claim, on) in judged.items()
            if on is not None and on.opposite and claim.low is not None and claim.high is not None
            if not claim.low <= 1 <= claim.high
        }


def compare(history: History, rules: Rules, contest: Contest, looks_done: int) -> tuple[Comparison, ...]:
    """Return the comparison of each candidate of a contest after `looks_done` looks, judged look by look.

    Only the pairs of a look's blocks count at that look, for claims as for guards, limits and stability, so that the
    answer does not depend on when it is asked for: within a look that has begun it is that of the look before.
    Where the result is a front, each candidate has a claim for each indicator of the objective, all in one family, and
    its claim sums them up. Where hosts contradict a claim that was shown at an earlier look, its numbers are of all
    pairs: those made since were to tell whether they agree. On a front each of its indicators is such a claim: of what
    gives up one for the other, the weighted gain may well change its sign from host to host.
    """
    judged = _judged(history, rules, contest, looks_done)
    seen = until(history, contest.purpose, LOOKS[looks_done - 1]) if looks_done else history
    compared = (
        replace(_comparison(seen, rules, contest, claim), parts=parts, parts_on_hosts=hosts)
        for claim, parts, hosts in judged
    )
    return tuple(_on_all_hosts(each, rules, looks_done) for each in compared)


def verified_contest(rules: Rules, decisions: Decisions) -> Contest:
    """Return the contest of the finalists; without arms where none were chosen."""
    arms = tuple(finalist(place) for place in range(1, len(decisions.finalists or ()) + 1))
    return Contest(Purpose.VERIFY, rules.reference, arms)


def verified_winner(history: History, rules: Rules, decisions: Decisions) -> Comparison | None:
    """Return the winner in the runs that chose it; None where there is none."""
    return winner_of(
        compare(history, rules, verified_contest(rules, decisions), decisions.verify_looks or 0), decisions
    )


def winner_of(verified: Sequence[Comparison], decisions: Decisions) -> Comparison | None:
    """Return the winner's among the comparisons of finalists; None where there is none."""
    return next((each for each in verified if each.arm == decisions.winner), None)


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
) -> Sequence[tuple[ClaimResult, Mapping[str, ClaimResult], Mapping[str, OnHosts]]]:
    """Return the verdict on each candidate; where the result is a front, those on each indicator and what hosts say."""
    if not (rules.pareto and contest.purpose is Purpose.VERIFY) or not looks_done:
        family = {arm: (arm, rules) for arm in contest.arms}
        return [(claim, {}, {}) for claim in _look_by_look(history, rules, family, contest, looks_done)]
    alone = {name: replace(rules, objective=Objective({name: 1.0})) for name in rules.objective.weights}
    family = {f"{arm}/{name}": (arm, judged) for arm in contest.arms for name, judged in alone.items()}
    found = {claim.name: claim for claim in _look_by_look(history, rules, family, contest, looks_done)}
    seen, last = until(history, contest.purpose, LOOKS[looks_done - 1]), looks_done - 1
    judged = []
    for arm in contest.arms:
        asked = {name: on_hosts(seen, judged_by, contest, arm) for name, judged_by in alone.items()}
        parts = {
            name: _as_hosts_agree(
                found[f"{arm}/{name}"],
                pair_gains(seen, judged_by, contest.purpose, arm, contest.against),
                asked[name],
                judged_by,
                looks_done,
            )
            for name, judged_by in alone.items()
        }
        gains = pair_gains(seen, rules, contest.purpose, arm, contest.against)
        (weighted,) = decide([Claim(arm, gains)], last, rules.minimum_effect, family=len(found))
        hosts = {name: each for name, each in asked.items() if each is not None}
        judged.append((_summed_up(weighted, list(parts.values())), parts, hosts))
    return judged


def _look_by_look(
    history: History, rules: Rules, family: _Family, contest: Contest, looks_done: int
) -> tuple[ClaimResult, ...]:
    """Judge one family of claims after each look."""
    results: tuple[ClaimResult, ...] = ()
    for look in range(looks_done):
        seen = until(history, contest.purpose, LOOKS[look])
        claims = [
            Claim(name, pair_gains(seen, judged_by, contest.purpose, arm, contest.against))
            for name, (arm, judged_by) in family.items()
        ]
        results = decide(claims, look, rules.minimum_effect, results, len(claims) + contest.others)
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
    looks = max(part.looks for part in parts)
    untested = replace(weighted, p=None, p_adjusted=None, wilcoxon_p=None, looks=looks)
    return replace(untested, decision=decision, equivalence=equivalence, settled=settled)


def _on_all_hosts(found: Comparison, rules: Rules, looks_done: int) -> Comparison:
    """Return a comparison with its claim as hosts allow it; of a front each part is one, and the weighted gain none."""
    if found.parts:
        return found
    return replace(found, claim=_as_hosts_agree(found.claim, found.gains, found.hosts, rules, looks_done))


def _as_hosts_agree(
    claim: ClaimResult, gains: Sequence[float], hosts: OnHosts | None, rules: Rules, looks_done: int
) -> ClaimResult:
    """Return a claim as hosts allow it; where they contradict it, its numbers are of all pairs."""
    allowed = agreed(claim, hosts, looks_done)
    if allowed.decision is claim.decision:
        return claim
    (of_all,) = decide([Claim(claim.name, tuple(gains))], looks_done - 1, rules.minimum_effect, family=claim.family)
    return replace(of_all, decision=allowed.decision, settled=allowed.settled)


def _comparison(history: History, rules: Rules, contest: Contest, claim: ClaimResult) -> Comparison:
    pairs = paired_values(history, contest.purpose, claim.name, contest.against)
    indicators: dict[str, PairedComparison] = {}
    for name, (reference, candidate) in pairs.items():
        if name in AT_FULL_SIZE.values() and name not in rules.shown:
            continue  # computed: the spread of the runs is not how far it is off
        try:
            indicators[name] = compare_pairs(candidate, reference, POCOCK_ALPHA / claim.family)
        except StatisticsError:
            continue  # fewer than two pairs, or a zero among them: no ratio
    seen = troubles(history, rules, contest, claim.name)
    judge = _Judge(rules, pairs, _configurations(history, contest, claim.name), stopped=seen.stopped)
    guards = {guard.indicator: judge.guard(guard) for guard in rules.guards}
    limits = tuple(LimitSeen(limit, judge.limit(limit)) for limit in rules.limits)
    return Comparison(
        arm=claim.name,
        claim=claim,
        indicators=indicators,
        levels={name: (_mean(reference), _mean(candidate)) for name, (reference, candidate) in pairs.items()},
        guards=guards,
        limits=limits,
        gains=pair_gains(history, rules, contest.purpose, claim.name, contest.against),
        troubles=seen,
        stability=pair_stability(history, rules, contest, claim.name),
        scaled=judge.scaled,
        beyond_runs=tuple(judge.beyond_runs),
        hosts=on_hosts(history, rules, contest, claim.name),
    )


def _configurations(history: History, contest: Contest, arm: str) -> tuple[Configuration, ...]:
    """Return the configurations of a candidate and of what it is compared with, as far as they were run."""
    blocks = history.attempts(contest.purpose).values()
    ran = {name: block[name].run.configuration for block in blocks for name in (arm, contest.against) if name in block}
    return tuple(ran[name] for name in (arm, contest.against) if name in ran)


@dataclass
class _Judge:
    """Judges guards and limits of a candidate, those on memory and space at full size.

    A bound does not hold where runs were stopped, of which nobody knows what they would have come to.

    Attributes:
        rules: by which is judged.
        pairs: values of the reference and of the candidate by indicator.
        configurations: of the candidate, then of what it is compared with.
        stopped: runs of the candidate that the cap stopped.
        scaled: of what was judged at full size, what the runs themselves show, by indicator.
        beyond_runs: indicators of bounds that no number of runs decides.
    """

    rules: Rules
    pairs: Mapping[str, tuple[list[float], list[float]]]
    configurations: tuple[Configuration, ...]
    stopped: int
    scaled: dict[str, GuardResult | LimitResult] = field(default_factory=dict)
    beyond_runs: list[str] = field(default_factory=list)

    def guard(self, guard: Guard) -> GuardResult:
        """Judge a guard."""
        name = self._held_by(guard.indicator)
        seen = self._seen_guard(guard, name)
        if name != guard.indicator:
            self.scaled[guard.indicator] = self._seen_guard(guard, guard.indicator)
            half = self._half_width(name, *self.configurations)
            seen = widened(seen, half)
            if left_open(seen, half):
                self.beyond_runs.append(guard.indicator)
        unsure = self.stopped and seen.verdict is GuardVerdict.HELD
        return replace(seen, verdict=GuardVerdict.INCONCLUSIVE) if unsure else seen

    def limit(self, limit: Limit) -> LimitResult:
        """Judge a limit."""
        name = self._held_by(limit.indicator)
        seen = within(self._of_candidate(name), limit.relation, limit.value)
        if name != limit.indicator:
            own = self._of_candidate(limit.indicator)
            self.scaled.setdefault(limit.indicator, within(own, limit.relation, limit.value))
            half = self._half_width(name, *self.configurations[:1])
            seen = widened_limit(seen, limit.relation, limit.value, half)
            if limit_left_open(seen, limit.relation, limit.value, half):
                self.beyond_runs.append(limit.indicator)
        unsure = self.stopped and seen.verdict is GuardVerdict.HELD
        return replace(seen, verdict=GuardVerdict.INCONCLUSIVE) if unsure else seen

    def _held_by(self, name: str) -> str:
        """Return what a bound is held by: what stands for its indicator at full size, where each pair has it."""
        held = self.rules.bounded_by(name)
        (own, _), (full, _) = (self.pairs.get(each, ([], [])) for each in (name, held))
        return held if full and len(full) >= len(own) else name

    def _half_width(self, name: str, *configurations: Configuration) -> float:
        held = self.rules.full_size
        return 0.0 if held is None else held.log_half_width(name, *configurations)

    def _of_candidate(self, name: str) -> list[float]:
        return self.pairs.get(name, ([], []))[1]

    def _seen_guard(self, guard: Guard, name: str) -> GuardResult:
        reference, candidate = self.pairs.get(name, ([], []))
        lower = indicator(guard.indicator).better == "lower"
        worse, base = (candidate, reference) if lower else (reference, candidate)
        if all(value > 0 for value in (*worse, *base)):
            logs = [math.log(base_value / value) for value, base_value in zip(worse, base, strict=True)]
            return non_inferior(logs, guard.at_most_worse)
        return non_inferior_amounts(worse, base, guard.at_most_worse)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def until(history: History, purpose: Purpose, blocks: int) -> History:
    """Return the history without the blocks of a purpose that come after the first so many."""
    runs = tuple(
        stored
        for stored in history.runs
        if stored.run.purpose is not purpose or (stored.run.block is not None and stored.run.block < blocks)
    )
    return replace(history, runs=runs)
