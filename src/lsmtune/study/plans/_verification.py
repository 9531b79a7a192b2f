"""Fresh runs that decide: candidates against what they have to beat, in randomised blocks, look by look."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lsmtune.model import Configuration, Purpose
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


def verify(runner: Runner, match: Match, reserve: float) -> int:
    """Run a match in randomised blocks, look by look; return the number of looks taken.

    A further look is taken while a claim, a guard or a limit is open and its runs fit the budget, less `reserve` runs
    once an improvement is shown with its bounds. A look that has begun is finished.
    """

    def still_open(looks: int) -> tuple[list[str], bool]:
        compared = compare(runner.history, runner.rules, match.contest, looks)
        return [each.arm for each in compared if each.is_open], any(each.accepted for each in compared)

    return _look_by_look(runner, match, reserve, still_open)


def confirm(runner: Runner, winner: Configuration, smaller: Configuration | None) -> int:
    """Run the winner again, and what is left of it where changes were taken back; return the number of looks taken.

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

    return _look_by_look(runner, match, 0.0, still_open)


def _look_by_look(
    runner: Runner, match: Match, reserve: float, still_open: Callable[[int], tuple[list[str], bool]]
) -> int:
    """Run the blocks of a match.

    `still_open` says after so many looks which arms go on, and whether one of them is accepted.
    """
    checkpoint = checkpoints.looks_at(match.name)
    kept = runner.study.saved(checkpoint)
    if kept is not None:
        return kept
    open_arms, looks, shown = list(match.candidates), 0, False
    for look, blocks in enumerate(LOOKS):
        first = LOOKS[look - 1] if look else 0
        run_keys = _blocks(runner, match, open_arms, range(first, blocks))
        begun = any(runner.run_of(run_key) is not None for run_key in run_keys)
        if look and not begun and runner.spending().left - (reserve if shown else 0) < len(run_keys):
            note = f"the budget holds no further look of {len(run_keys)} runs; the claims stay as they are"
            runner.listener.note(note)
            break
        runner.make_all(
            [
                RunRequest(
                    run_key,
                    match.candidates.get(run_key.arm, match.base),
                    f"{match.purpose} {run_key.arm}, pair {(run_key.block or 0) + 1} of {blocks}",
                )
                for run_key in run_keys
            ]
        )
        looks = look + 1
        open_arms, shown = still_open(looks)
        if not open_arms:
            break
    runner.study.save(checkpoint, looks)
    return looks


def verify_finalists(runner: Runner, configurations: Sequence[Configuration], reserve: float) -> str:
    """Run configurations against the reference; return the arm of the winner, empty where none was accepted.

    Where the result is a front, the winner is its member with the largest weighted gain.
    """
    rules = runner.rules
    candidates = {finalist(place): each for place, each in enumerate(configurations, start=1)}
    match = Match(checkpoints.VERIFICATION, rules.start, rules.reference, candidates, Purpose.VERIFY)
    looks = verify(runner, match, reserve)
    kept = Decisions.read(runner.study).winner
    if kept is None:
        compared = compare(runner.history, rules, match.contest, looks)
        front = find_front(runner.history, rules, match.contest, compared) if rules.pareto else None
        kept = choose_winner(compared) if front is None else front.chosen
        runner.study.save(checkpoints.WINNER, kept)
    return kept


def _blocks(runner: Runner, match: Match, arms: Sequence[str], blocks: range) -> list[RunKey]:
    """Run keys of `blocks` in running order: a random order of the arms, then the same backwards, and so on (ABBA)."""
    key = f"{runner.study.description.name} {match.name}"
    arms = [match.base_arm, *arms]
    return [
        RunKey(match.purpose, arm, block, load=f"{match.name}/{block}")
        for block in blocks
        for arm in mirrored_order(arms, key, block)
    ]
