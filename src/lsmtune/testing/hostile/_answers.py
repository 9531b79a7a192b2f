"""Answers the questions of a world from what a study says, held against the truth of the fake engine.

Of several intervals that answer one question, one is drawn by the study's seed: studies are independent of each other,
intervals of one study are not, and the bounds of the table count studies.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np

from lsmtune.analysis import PairwiseComparison
from lsmtune.indicators import oriented_log_ratio
from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import Comparison, Standing, TuneResult
from lsmtune.testing._builders import FakeStudy
from lsmtune.testing.hostile._questions import Kind, Question
from lsmtune.testing.hostile._worlds import MARGIN, RATE, HostileWorld

_VERIFIED = (Purpose.VERIFY, Purpose.CONFIRM)
_NOTHING = 1e-9


@dataclass
class Answers:
    """What one study answered.

    Attributes:
        shares: yes or no by question.
        lost, gained: true log gain that backward elimination lost, and that of the winner as it was verified.
        problem: with what lsmtune ended the study; empty where it came to its end.
    """

    shares: dict[Question, bool] = field(default_factory=dict)
    lost: float | None = None
    gained: float | None = None
    problem: str = ""

    def note(self, question: Question, *, yes: bool) -> None:
        """Keep the answer to a question."""
        self.shares[question] = yes

    def only(self, asked: AbstractSet[Question], kind: Kind) -> "Answers":
        """Return the answers to the questions that are asked of a kind of study."""
        shares = {each: yes for each, yes in self.shares.items() if each in asked and each.asked_of(kind)}
        if Question.LOST not in asked:
            return Answers(shares, problem=self.problem)
        return Answers(shares, self.lost, self.gained, self.problem)


@dataclass(frozen=True)
class _Claim:
    """What a study says of a configuration against another one.

    Attributes:
        after, before: values of the two.
        comparison: what was shown.
        accepted: whether the study calls it better, with its guards held.
        is_step: of a list of steps.
    """

    after: Configuration
    before: Configuration
    comparison: Comparison
    accepted: bool
    is_step: bool = False


@dataclass(frozen=True)
class _Judge:
    """Holds what is called better against the truth."""

    world: HostileWorld
    struck: AbstractSet[tuple[tuple[str, Value], ...]]
    reference: Mapping[str, Value]

    def was_struck(self, configuration: Configuration) -> bool:
        """Whether a fresh run of it stalled or was in trouble."""
        return _key({**self.reference, **configuration.values}) in self.struck

    def is_false(self, after: Configuration, before: Configuration) -> bool:
        """Whether it must not be called better."""
        if self.world.struck_only:
            return self.was_struck(after)
        return self.world.log_gain(after.values, before.values) <= _NOTHING

    def is_broken(self, claim: _Claim) -> bool:
        """Whether its guard is truly broken."""
        return _worsening(self.world, claim.after, claim.before, self.world.guarded) > MARGIN


def of_result(world: HostileWorld, study: FakeStudy, result: TuneResult) -> Answers:
    """Answer from a tuning, a comparison or a list of steps."""
    answers = Answers()
    claims = list(_claims(study, result))
    _note_verdicts(answers, world, study, claims, result)
    rng = np.random.default_rng([study.plan.seed, 2])
    _note_gains(answers, world, claims, result, rng)
    _note_indicators(answers, world, claims, rng)
    _note_effects(answers, world, study, result, rng)
    floor = result.noise.get(RATE)
    if floor is not None:
        answers.note(Question.FLOOR, yes=floor.sd_low <= world.noise.rate <= floor.sd_high)
    if result.improved and result.decisions.winning_trial is not None:
        _note_elimination(answers, world, result)
    return answers


def of_sweep(world: HostileWorld, study: FakeStudy, found: Sequence[PairwiseComparison], competing: str) -> Answers:
    """Answer from the pairwise comparisons of a sweep."""
    answers = Answers()
    struck = _struck(study, (Purpose.SAMPLE,))
    reference = study.plan.space.reference
    gains = {Question.CLAIM: list[bool](), Question.GAIN: list[bool]()}
    false = False
    for compared in found:
        if compared.lead is None or compared.second is None:
            continue
        winner = {**compared.where, competing: compared.winner}
        gain = world.log_gain(winner, {**compared.where, competing: compared.second})
        held = compared.lead.low <= math.exp(gain) <= compared.lead.high
        gains[Question.GAIN].append(held)
        if compared.certain:
            gains[Question.CLAIM].append(held)
            false |= _key({**reference, **winner}) in struck if world.struck_only else gain <= _NOTHING
    if struck or not world.struck_only:
        answers.note(Question.FALSE, yes=false)
    rng = np.random.default_rng([study.plan.seed, 2])
    for question, held_by_cell in gains.items():
        _note_one(answers, question, held_by_cell, rng)
    return answers


def _claims(study: FakeStudy, result: TuneResult) -> Iterator[_Claim]:
    """Everything that a study says of fresh runs of one configuration against another one."""
    start = result.rules.start
    for each in result.verified:  # of the winner the runs that repeated it have a say, too
        if each.arm not in result.candidates:  # none of its runs went well
            continue
        held = each.arm != result.decisions.winner or result.standing is Standing.ACCEPTED
        yield _Claim(result.candidates[each.arm], start, each, each.accepted and held)
    again = result.repetition
    if again is not None and again.winner is not None:  # says how much it gains, not that it does
        yield _Claim(result.candidates[result.decisions.winner or ""], start, again.winner, accepted=False)
    if result.confirmed is not None and result.decisions.smaller is not None:
        smaller = Configuration.of(result.decisions.smaller, start.options_file)
        yield _Claim(smaller, start, result.confirmed, result.is_smaller)
    ran = {stored.run.arm: stored.run.configuration for stored in study.history.runs if stored.run.block is not None}
    for step in result.steps:
        if step.comparison is not None:
            arm = step.comparison.arm
            yield _Claim(ran[arm], ran[f"{arm}:before"], step.comparison, step.step.kept, is_step=True)


def _note_verdicts(
    answers: Answers, world: HostileWorld, study: FakeStudy, claims: Sequence[_Claim], result: TuneResult
) -> None:
    """What is called better, held against the truth: every arm, and what the study hands over."""
    struck = _struck(study, _VERIFIED)
    judge = _Judge(world, struck, study.plan.space.reference)
    handed = [claim for claim in claims if not claim.is_step]
    called = [(claim.after, claim.before) for claim in handed if claim.accepted]
    if result.standing is Standing.ACCEPTED:
        called.append((result.final, result.rules.start))
    false = [judge.is_false(after, before) for after, before in called]
    if struck or not world.struck_only:
        answers.note(Question.FALSE, yes=any(false))
    broken = [judge.is_broken(claim) for claim in handed if claim.accepted]
    answers.note(Question.BROKEN, yes=any(broken))
    for question in (Question.SHOWN, Question.PASSED):
        answers.note(question, yes=bool(called) and not any(false) and not any(broken))
    ill = {stored.run.arm for stored in study.history.runs if stored.run.id in study.executor.struck}
    judge = _Judge(world, _struck(study, (Purpose.STEP,)), study.plan.space.reference)
    tried = [each for each in claims if each.is_step and (not world.struck_only or each.comparison.arm in ill)]
    wrong = [each.accepted and (judge.is_false(each.after, each.before) or judge.is_broken(each)) for each in tried]
    _note_one(answers, Question.STEP, wrong, np.random.default_rng([study.plan.seed, 3]))


def _note_gains(
    answers: Answers, world: HostileWorld, claims: Sequence[_Claim], result: TuneResult, rng: np.random.Generator
) -> None:
    held = [
        (claim, low <= math.exp(world.log_gain(claim.after.values, claim.before.values)) <= high)
        for claim in claims
        if (low := claim.comparison.claim.low) is not None and (high := claim.comparison.claim.high) is not None
    ]
    _note_one(answers, Question.GAIN, [yes for _, yes in held], rng)
    said = [yes for claim, yes in held if claim.comparison is result.verdict]
    kept = [yes for claim, yes in held if claim.accepted]
    _note_one(answers, Question.CLAIM, (said or kept) if result.improved else [], rng)


def _note_indicators(answers: Answers, world: HostileWorld, claims: Sequence[_Claim], rng: np.random.Generator) -> None:
    guards, indicators = [], []
    for claim in claims:
        for name, guard in claim.comparison.guards.items():
            if guard.low is not None and guard.high is not None:
                guards.append(guard.low <= _worsening(world, claim.after, claim.before, name) <= guard.high)
        for name, pairs in claim.comparison.indicators.items():
            truth = math.exp(world.log_ratio(name, claim.after.values, claim.before.values))
            indicators.append(pairs.low <= truth <= pairs.high)
    _note_one(answers, Question.GUARD, guards, rng)
    _note_one(answers, Question.INDICATOR, indicators, rng)


def _note_effects(
    answers: Answers, world: HostileWorld, study: FakeStudy, result: TuneResult, rng: np.random.Generator
) -> None:
    runs = study.history.select((Purpose.PRUNE,))
    ran = {stored.run.arm: stored.run.configuration.values for stored in runs}
    stayed = [change.evidence.about for change in result.changes if change.evidence is not None]
    tested, stays = [], []
    for test in result.tests:
        if test.effect is None:
            continue
        after, before = (ran[arm] for arm in test.about.arms)
        held = test.effect.low <= math.exp(world.log_gain(after, before)) <= test.effect.high
        tested.append(held)
        if test.about in stayed:
            stays.append(held)
    _note_one(answers, Question.TESTED, tested, rng)
    _note_one(answers, Question.STAYS, stays, rng)


def _note_elimination(answers: Answers, world: HostileWorld, result: TuneResult) -> None:
    start = result.rules.start.values
    winner = result.candidates[result.decisions.winner or ""]
    shown = next(each.claim.gain or 1.0 for each in result.verified if each.arm == result.decisions.winner)
    answers.gained = world.log_gain(winner.values, start)
    answers.lost = answers.gained - world.log_gain(result.final.values, start)
    margin = max(math.log1p(result.rules.minimum_effect), 0.25 * math.log(shown))
    answers.note(Question.KEPT, yes=answers.lost <= margin)


def _worsening(world: HostileWorld, after: Configuration, before: Configuration, name: str) -> float:
    log = world.log_ratio(name, after.values, before.values)
    return math.exp(-(oriented_log_ratio(name, math.exp(log), 1.0) or 0.0))


def _struck(study: FakeStudy, purposes: tuple[Purpose, ...]) -> set[tuple[tuple[str, Value], ...]]:
    """Return the configurations of which a run for one of the purposes stalled or was in trouble."""
    reference = study.plan.space.reference
    return {
        _key({**reference, **stored.run.configuration.values})
        for stored in study.history.runs
        if stored.run.purpose in purposes and stored.run.id in study.executor.struck
    }


def _key(values: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(values.items()))


def _note_one(answers: Answers, question: Question, held: Sequence[bool], rng: np.random.Generator) -> None:
    """Keep one of several answers; none where there are none."""
    if held:
        answers.note(question, yes=held[int(rng.integers(len(held)))])
