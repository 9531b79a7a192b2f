"""Backward elimination: takes changes without an effect back, so that what is handed over is as small as can be.

First an ablation: each change alone is reverted, in blocks that share one run of the configuration as it stands. The
effect of a change there is its evidence. Then all below the minimum effect of interest are reverted at once and
compared with the configuration as it stands, in fresh runs; if together they have more effect after all, they are
tried in halves. The same is done with those that seem to have more but are not shown to have any.

Halving from the start, without the ablation, was tried first and rejected: of twelve changes that a real tuning had
made, six and then three of them mattered together, so nothing was reverted and no change had evidence of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsmtune.model import Configuration, Purpose
from lsmtune.result import (
    EVIDENCE_ALPHA,
    Contest,
    Decisions,
    EliminationTest,
    checkpoints,
    elimination_gains,
    retained_margin,
    troubles,
    verified_winner,
)
from lsmtune.space import Space
from lsmtune.stats import compare_log_ratios
from lsmtune.study._runner import RunKey, Runner, RunRequest
from lsmtune.study.plans._ablation import LEAST_PAIRS, ablate, back_to_start, planned, room

_LOSS_SHARE = 0.5  # of the margin that a smaller configuration may lose, for all tests together: each errs a little


def eliminate(runner: Runner, space: Space, winner: Configuration, reserve: int) -> Configuration:
    """Return the winner without the changes whose effect is below the minimum effect of interest.

    Tests are made while they fit the budget less `reserve` runs; what was not tested stays. A change that has no
    effect any more, because the one that it depends on was reverted, goes with it. What would break a constraint
    of `space` is not tried.
    """
    decided = Decisions.read(runner.study)
    if decided.smaller is not None:
        return Configuration.of(decided.smaller, winner.options_file)
    ablation = planned(runner, space, winner, reserve)
    ablate(runner, space, ablation)
    tests = [*(test for test in decided.elimination if test.number < ablation.first), *ablation.tests]
    elimination = _BackwardElimination(runner, space, ablation.pairs, reserve, tests)
    elimination.save()
    current = elimination.take_back(winner, _not_shown(runner, ablation.tests))
    runner.study.save(checkpoints.SMALLER, current.values)
    return current


def open_changes(runner: Runner, winner: Configuration, reserve: int) -> bool:
    """Whether changes of the winner were never reverted alone, and the budget holds a test of one."""
    kept = runner.study.saved(checkpoints.ABLATION)
    tested = kept is not None and kept.names
    changes = list(winner.changes_from(runner.rules.start))
    return not tested and bool(changes) and room(runner, winner, reserve) >= 2 * LEAST_PAIRS


def _not_shown(runner: Runner, tests: Sequence[EliminationTest]) -> list[tuple[str, ...]]:
    """Return the options that are tried together, those of the least effect first.

    The effect of the first group is below the minimum effect of interest, that of the second above, but its intervals
    do not exclude nothing: of many changes without an effect, the noise lets some look as if they had one. Fresh runs
    decide on both.
    """
    cheap: dict[str, float] = {}
    unsure: dict[str, float] = {}
    for test in tests:
        gains = elimination_gains(runner.history, runner.rules, test)
        if len(gains) < LEAST_PAIRS:
            continue
        effect = compare_log_ratios(gains, EVIDENCE_ALPHA)
        if effect.ratio < 1 + runner.rules.minimum_effect:
            cheap[test.removed[0]] = effect.ratio
        elif effect.low <= 1:
            unsure[test.removed[0]] = effect.ratio
    return [tuple(sorted(group, key=lambda name: (group[name], name))) for group in (cheap, unsure) if group]


@dataclass
class _BackwardElimination:
    """Puts groups of changes back, one after the other, each where together they have little effect.

    Attributes:
        runner: makes the runs.
        space: what no configuration may break.
        pairs: of each test.
        reserve: runs that have to be left in the end.
        tests: all tests so far; those that follow are added.
    """

    runner: Runner
    space: Space
    pairs: int
    reserve: int
    tests: list[EliminationTest]

    def __post_init__(self) -> None:
        self._decided = Decisions.read(self.runner.study)

    def take_back(self, winner: Configuration, groups: Sequence[tuple[str, ...]]) -> Configuration:
        """Put each group of changes back together, or in halves where together they have too much."""
        runner, start, current = self.runner, self.runner.rules.start, winner
        queue = list(groups)
        chosen = verified_winner(runner.history, runner.rules, self._decided)
        lost, allowed = 0.0, _LOSS_SHARE * math.log(retained_margin(runner.rules, chosen))
        while queue:
            group = tuple(name for name in queue.pop(0) if name in current.changes_from(start))
            if not group:
                continue
            without = back_to_start(current, start, group, self.space)
            if self.space.violations(without.values):
                queue[:0] = _halves(group) if len(group) > 1 else []
                continue
            test = EliminationTest(len(self.tests) + 1, group, accepted=False)
            known = next((each for each in self._decided.elimination if each.number == test.number), None)
            if known is None and not self._fits(test, current):
                runner.listener.note("the budget holds no further test of changes together; they stay")
                break
            test = known or self._tested(test, current, without, allowed - lost)
            self.tests.append(test)
            self.save()
            if test.accepted:
                lost += max(0.0, self._effect(test) or 0.0)
                current = without
            elif len(group) > 1:
                queue[:0] = _halves(group)
        return current

    def save(self) -> None:
        """Keep the tests so far, unless an earlier process had come further."""
        if len(self.tests) >= len(self._decided.elimination):
            self.runner.study.save(checkpoints.ELIMINATION, tuple(self.tests))

    def _tested(
        self, test: EliminationTest, current: Configuration, without: Configuration, allowed: float
    ) -> EliminationTest:
        """Compare a configuration with and without a group of changes.

        The group stays out where its effect is below what may be lost, the log gain `allowed`, and its runs went well.
        """
        runner, requests = self.runner, []
        for block in range(self.pairs):
            arms = list(zip(test.arms, (current, without), strict=True))
            if (block + test.number) % 2:
                arms.reverse()
            for arm, configuration in arms:
                about = f"without {', '.join(test.removed)}" if arm == test.arms[1] else "with them"
                text = f"prune: {about}, pair {block + 1} of {self.pairs}"
                load = f"prune-{test.number}/{block}"
                requests.append(RunRequest(RunKey(Purpose.PRUNE, arm, block, load=load), configuration, text))
        runner.make_all(requests)
        effect = self._effect(test)
        contest = Contest(Purpose.PRUNE, test.arms[0], test.arms[1:])
        barred = troubles(runner.history, runner.rules, contest, test.arms[1]).bars
        return replace(test, accepted=effect is not None and effect <= allowed and not barred)

    def _effect(self, test: EliminationTest) -> float | None:
        """Mean log gain of "with" over "without"; None below the least number of pairs."""
        gains = elimination_gains(self.runner.history, self.runner.rules, test)
        return sum(gains) / len(gains) if len(gains) >= LEAST_PAIRS else None

    def _fits(self, test: EliminationTest, current: Configuration) -> bool:
        keys = [RunKey(Purpose.PRUNE, arm, block) for arm in test.arms for block in range(self.pairs)]
        missing = sum(self.runner.run_of(key) is None for key in keys)
        return missing < len(keys) or room(self.runner, current, self.reserve) >= missing


def _halves(names: Sequence[str]) -> list[tuple[str, ...]]:
    middle = (len(names) + 1) // 2
    return [part for part in (tuple(names[:middle]), tuple(names[middle:])) if part]
