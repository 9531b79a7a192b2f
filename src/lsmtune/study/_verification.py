"""Fresh runs that decide: candidates against what they have to beat, in randomised blocks, look by look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.model import Configuration, Purpose
from lsmtune.result import Contest, Decisions, choose_winner, compare, finalist, find_front, judge
from lsmtune.stats import LOOKS, ClaimResult, Decision
from lsmtune.study._conductor import Conductor, Slot, mirrored_order

FIRST_LOOK_RUNS = 2 * LOOKS[0]
"""Runs that the first look at one candidate takes."""


@dataclass(frozen=True)
class Match:
    """A contest with its configurations.

    Attributes:
        name: unique in the study; decides the order of runs and is what its looks are kept under.
        base: the configuration that all candidates are compared with.
        base_arm: its arm.
        candidates: configuration by arm.
        purpose: of the runs.
    """

    name: str
    base: Configuration
    base_arm: str
    candidates: Mapping[str, Configuration]
    purpose: Purpose

    @property
    def contest(self) -> Contest:
        """The contest as results speak of it."""
        return Contest(self.purpose, self.base_arm, tuple(self.candidates))


def verify(conductor: Conductor, match: Match, reserve: float) -> int:
    """Run a match in randomised blocks, look by look; return the number of looks taken.

    A further look is taken while a claim is open and its runs fit the budget, less `reserve` runs once an improvement
    is shown. A look that has begun is finished.
    """
    key = f"{match.name}_looks"
    kept = conductor.study.recall(key)
    if isinstance(kept, int):
        return kept
    open_arms, looks = list(match.candidates), 0
    results: tuple[ClaimResult, ...] = ()
    for look, blocks in enumerate(LOOKS):
        first = LOOKS[look - 1] if look else 0
        slots = _blocks(conductor, match, open_arms, range(first, blocks))
        begun = any(conductor.filled(slot) is not None for slot in slots)
        shown = any(result.decision is Decision.IMPROVED for result in results)
        if look and not begun and conductor.spending().left - (reserve if shown else 0) < len(slots):
            note = f"the budget holds no further look of {len(slots)} runs; the claims stay as they are"
            conductor.listener.note(note)
            break
        for slot in slots:
            configuration = match.candidates.get(slot.arm, match.base)
            conductor.fill(slot, configuration, f"{match.purpose} {slot.arm}, pair {(slot.block or 0) + 1} of {blocks}")
        looks = look + 1
        results = judge(conductor.history, conductor.rules, match.contest, looks)
        open_arms = [result.name for result in results if not result.settled]
        if not open_arms:
            break
    conductor.study.remember(key, looks)
    return looks


def verify_finalists(conductor: Conductor, configurations: Sequence[Configuration], reserve: float) -> str:
    """Run configurations against the reference; return the arm of the winner, empty where none was accepted.

    Where the result is a front, the winner is its member with the largest weighted gain.
    """
    rules = conductor.rules
    candidates = {finalist(place): each for place, each in enumerate(configurations, start=1)}
    match = Match("verify", rules.start, rules.reference, candidates, Purpose.VERIFY)
    looks = verify(conductor, match, reserve)
    kept = Decisions.read(conductor.study).winner
    if kept is None:
        compared = compare(conductor.history, rules, match.contest, looks)
        front = find_front(conductor.history, rules, match.contest, compared) if rules.pareto else None
        kept = choose_winner(compared) if front is None else front.chosen
        conductor.study.remember("winner", kept)
    return kept


def _blocks(conductor: Conductor, match: Match, arms: Sequence[str], blocks: range) -> list[Slot]:
    """Slots of `blocks` in running order: a random order of the arms, then the same backwards, and so on (ABBA)."""
    key = f"{conductor.study.description.name} {match.name}"
    arms = [match.base_arm, *arms]
    return [Slot(match.purpose, arm, block) for block in blocks for arm in mirrored_order(arms, key, block)]
