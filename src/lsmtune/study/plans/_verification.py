"""Fresh runs that decide: candidates against what they have to beat, in randomised blocks, look by look."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lsmtune.model import WHOLE, Configuration, Purpose, Value
from lsmtune.result import (
    SMALLER,
    WINNER,
    Contest,
    Decisions,
    checkpoints,
    choose_winner,
    compare,
    finalist,
    find_front,
    repeat,
    verified_winner,
)
from lsmtune.stats import LOOKS
from lsmtune.study._runner import RunKey, Runner, RunRequest, mirrored_order


@dataclass(frozen=True)
class Match:
    """A contest with its configurations.

    Attributes:
        name: unique in the study; decides the order of runs and is what its looks are kept under.
        base: the configuration that all candidates are compared with.
        base_arm: its arm.
        candidates: configuration by arm.
        purpose: of the runs.
        rung: see `lsmtune.model.Run`.
        scenario: see `lsmtune.model.Run`.
        first: number of the first block.
    """

    name: str
    base: Configuration
    base_arm: str
    candidates: Mapping[str, Configuration]
    purpose: Purpose
    rung: Fraction = WHOLE
    scenario: tuple[tuple[str, Value], ...] = ()
    first: int = 0

    @property
    def contest(self) -> Contest:
        """The contest as results speak of it."""
        return Contest(self.purpose, self.base_arm, tuple(self.candidates))

    def request(self, run_key: RunKey, blocks: int) -> RunRequest:
        """Return the request for a run of the first so many blocks."""
        about = f"{self.purpose} {run_key.arm}, pair {(run_key.block or 0) - self.first + 1} of {blocks}"
        return RunRequest(run_key, self.candidates.get(run_key.arm, self.base), about)


def verify(runner: Runner, match: Match, reserve: float, while_open: float = 0.0) -> int:
    """Run a match in randomised blocks, look by look; return the number of looks taken.

    A further look is taken while a claim, a guard or a limit is open and its runs fit the budget, less `reserve` runs
    once an improvement is shown with its bounds, and less `while_open` before. A look that has begun is finished.
    """

    def still_open(looks: int) -> tuple[list[str], bool]:
        compared = compare(runner.history, runner.rules, match.contest, looks)
        return [each.arm for each in compared if each.is_open], any(each.accepted for each in compared)

    def left(shown: bool) -> float:
        return runner.spending().left - (reserve if shown else while_open)

    return look_by_look(runner, match, still_open, left)


def confirm(runner: Runner, winner: Configuration, smaller: Configuration | None) -> int:
    """Run the winner again, and what is left of it where changes were reverted; return the number of looks taken.

    The runs of verification chose the winner, so its gain is read from these, which did not. Without a smaller
    configuration there is one look, and more while a guard is open. A smaller one gets more looks while it is open
    whether it is as good as the winner.
    """
    rules = runner.rules
    candidates = {WINNER: winner} | ({} if smaller is None else {SMALLER: smaller})
    match = Match(checkpoints.CONFIRMATION, rules.start, rules.reference, candidates, Purpose.CONFIRM)

    chosen = verified_winner(runner.history, rules, Decisions.read(runner.study))

    def still_open(looks: int) -> tuple[list[str], bool]:
        kept = repeat(runner.history, rules, chosen, looks)
        return list(candidates) if kept is not None and kept.is_open else [], False

    return look_by_look(runner, match, still_open, lambda _: runner.spending().left)


def look_by_look(
    runner: Runner,
    match: Match,
    still_open: Callable[[int], tuple[list[str], bool]],
    left: Callable[[bool], float],
) -> int:
    """Run the blocks of a match, look by look, and return the number of looks taken, which is decided once.

    Args:
        runner: of the study.
        match: what is run.
        still_open: says after so many looks which arms go on, and whether one of them is accepted.
        left: says how many runs may still be made, given whether an arm is accepted; it is not asked before the first
            look.
    """
    checkpoint = checkpoints.looks_at(match.name)
    kept = runner.study.saved(checkpoint)
    if kept is not None:
        return kept
    open_arms, looks, shown = list(match.candidates), 0, False
    for look, blocks in enumerate(LOOKS):
        first = LOOKS[look - 1] if look else 0
        run_keys = blocks_of(runner, match, open_arms, range(first, blocks))
        begun = any(runner.run_of(run_key) is not None for run_key in run_keys)
        if look and not begun and left(shown) < len(run_keys):
            note = f"the budget holds no further look of {len(run_keys)} runs; the claims stay as they are"
            runner.listener.note(note)
            break
        runner.make_all([match.request(run_key, blocks) for run_key in run_keys])
        looks = look + 1
        open_arms, shown = still_open(looks)
        if not open_arms:
            break
    runner.study.save(checkpoint, looks)
    return looks


def verify_finalists(runner: Runner, configurations: Sequence[Configuration], reserve: float) -> str:
    """Run configurations against the reference; return the arm of the winner, see `choose_winner`.

    Where the result is a front, the winner is its member with the largest weighted gain; a front without members leaves
    its place to what is better but open, too.
    """
    rules = runner.rules
    candidates = {finalist(place): each for place, each in enumerate(configurations, start=1)}
    match = Match(checkpoints.VERIFICATION, rules.start, rules.reference, candidates, Purpose.VERIFY)
    looks = verify(runner, match, reserve)
    kept = Decisions.read(runner.study).winner
    if kept is None:
        compared = compare(runner.history, rules, match.contest, looks)
        front = find_front(runner.history, rules, match.contest, compared) if rules.pareto else None
        kept = (front.chosen if front is not None else "") or choose_winner(compared)
        runner.study.save(checkpoints.WINNER, kept)
    return kept


def blocks_of(runner: Runner, match: Match, arms: Sequence[str], blocks: range) -> list[RunKey]:
    """Return the run keys of `blocks` in running order: arms in random order, then the same backwards (ABBA)."""
    key = f"{runner.study.description.name} {match.name}"
    arms = [match.base_arm, *arms]
    return [
        RunKey(match.purpose, arm, match.first + block, match.scenario, match.rung, f"{match.name}/{block}")
        for block in blocks
        for arm in mirrored_order(arms, key, block)
    ]
