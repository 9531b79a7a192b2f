"""Up to which scale an improvement holds: finalists verified again at larger scales, each from the smallest upwards.

A finalist goes on to the next scale only where it is shown to be better with its guards held at the one before. So of
one finalist the claims are tested in a fixed order, each only after all before it were shown, and together they err no
more often than one of them (Maurer, Hothorn and Lehmacher 1995, "Multiple comparisons in drug clinical trials and
preclinical assays: a-priori ordered hypotheses"). Finalists share the level in equal parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from lsmtune.model import FULL_SIZE_OPTIONS, Purpose, Value
from lsmtune.result._decisions import Decisions, place_of
from lsmtune.result._history import History
from lsmtune.result._pairs import Contest
from lsmtune.result._rules import Climbing, Rules, Shrink
from lsmtune.result._verification import Comparison, Standing, compare, verified_contest
from lsmtune.result.checkpoints import ClimbStep
from lsmtune.stats import LOOKS, Decision, GuardVerdict


class ClimbOutcome(StrEnum):
    """What came of a finalist at a larger scale."""

    HOLDS = "holds"
    """Shown to be better, with every guard and limit shown to hold."""
    OPEN = "open"
    """Neither shown to be better with all guards, nor shown to be worse."""
    LOST = "lost"
    """Shown to be worse, a guard or limit is broken, or runs failed: it is no winner."""
    UNPAID = "not verified"
    """The budget did not hold a first look."""


@dataclass(frozen=True)
class AtScale:
    """A finalist at a larger scale.

    Attributes:
        step: what was decided.
        scale: the larger one.
        comparison: the finalist against the reference there; None where no look was made.
    """

    step: ClimbStep
    scale: Fraction
    comparison: Comparison | None

    @property
    def outcome(self) -> ClimbOutcome:
        """What came of it."""
        return ClimbOutcome.UNPAID if self.comparison is None else outcome_of(self.comparison)


@dataclass(frozen=True)
class Climb:
    """All that was verified at larger scales.

    Attributes:
        climbing: what the experiment asks for.
        order: the finalists that may climb, what was chosen first.
        seen: what came of each at each scale that it reached, in order.
    """

    climbing: Climbing
    order: tuple[str, ...]
    seen: tuple[AtScale, ...]

    def of(self, arm: str) -> tuple[AtScale, ...]:
        """Return what came of a finalist, from the smallest scale upwards."""
        return tuple(each for each in self.seen if each.step.arm == arm)

    @property
    def lost(self) -> tuple[AtScale, ...]:
        """Where finalists lost that were winners at the study's own scale."""
        return tuple(each for each in self.seen if each.outcome is ClimbOutcome.LOST)

    @property
    def taken(self) -> str:
        """The finalist that is the winner: the first that did not lose; empty where all did."""
        lost = {each.step.arm for each in self.lost}
        return next((arm for arm in self.order if arm not in lost), "")

    @property
    def is_over(self) -> bool:
        """Whether nothing more is climbed."""
        last = self.seen[-1]
        if last.outcome is ClimbOutcome.HOLDS:
            return last.scale == self.climbing.scales[-1]
        return last.outcome is not ClimbOutcome.LOST or not self.taken

    @property
    def holds_to(self) -> Fraction:
        """The largest scale at which the winner is shown to be better; the study's own where that is at no other."""
        held = [each.scale for each in self.of(self.taken) if each.outcome is ClimbOutcome.HOLDS]
        return max(held, default=self.climbing.start)


def climb_of(history: History, rules: Rules, decisions: Decisions) -> Climb | None:
    """Return what was verified at larger scales; None where nothing was."""
    if rules.climbing is None or not decisions.climb:
        return None
    order = climbers(history, rules, decisions)
    seen = []
    for step in decisions.climb:
        scale = Fraction(step.scale)
        found = compare_at(history, rules, order, step.arm, scale, step.looks) if step.looks else None
        seen.append(AtScale(step, scale, found))
    return Climb(rules.climbing, order, tuple(seen))


def climbers(history: History, rules: Rules, decisions: Decisions) -> tuple[str, ...]:
    """Return the finalists that may climb: the winner, then the others that were shown to be better, the best first."""
    contest = verified_contest(rules, decisions)
    shown = [
        each
        for each in compare(history, rules, contest, decisions.verify_looks or 0)
        if each.standing is not Standing.REFUSED
    ]
    ordered = sorted(shown, key=lambda each: (each.arm != decisions.winner, not each.accepted, -(each.claim.gain or 0)))
    return tuple(each.arm for each in ordered)


def compare_at(
    history: History, rules: Rules, order: Sequence[str], arm: str, scale: Fraction, looks: int
) -> Comparison:
    """Return a finalist against the reference at a larger scale after so many looks, judged as in verification.

    Args:
        history: of the study.
        rules: of the study; they climb.
        order: the finalists that may climb, which share the level.
        arm: one of them.
        scale: the larger one.
        looks: that were made there, at least one.
    """
    assert rules.climbing is not None
    rung, first = rules.climbing.rung(scale), first_block(arm)
    runs = tuple(
        replace(stored, run=replace(stored.run, block=stored.run.block - first))
        for stored in history.runs
        if stored.run.purpose is Purpose.CLIMB
        and stored.run.rung == rung
        and stored.run.block is not None
        and first <= stored.run.block < first + LOOKS[-1]
    )
    contest = Contest(Purpose.CLIMB, rules.reference, (arm,), len(order) - 1)
    (found,) = compare(replace(history, runs=runs), rules, contest, looks)
    return found


def first_block(arm: str) -> int:
    """Return the number of the first block of a finalist: each has the reference beside it in blocks of its own."""
    return (place_of(arm) - 1) * LOOKS[-1]


def outcome_of(seen: Comparison) -> ClimbOutcome:
    """Return what came of a finalist at a scale where it was run."""
    if seen.accepted:
        return ClimbOutcome.HOLDS
    lost = seen.claim.decision is Decision.WORSE or seen.troubles.bars or GuardVerdict.BROKEN in seen.bounds
    return ClimbOutcome.LOST if lost else ClimbOutcome.OPEN


def scenario_of(climbing: Climbing) -> tuple[tuple[str, Value], ...]:
    """Return what of the workload differs in runs at larger scales."""
    return ((FULL_SIZE_OPTIONS, True),) if climbing.shrink is Shrink.DATA else ()


def after_climb(decisions: Decisions, climb: Climb | None) -> Decisions:
    """Return the decisions with the winner that the larger scales left; the next finalist stays as it was verified."""
    if climb is None or climb.taken == decisions.winner:
        return decisions
    return replace(decisions, winner=climb.taken, elimination=(), smaller=None, confirm_looks=None)
