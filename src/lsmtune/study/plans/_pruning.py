"""Takes changes of the winner back that earn nothing, so that what is handed over is as small as can be.

First an ablation: each change alone is put back, in blocks that share one run of the configuration as it stands. What a
change earned there is its evidence. Then all that earned less than the gain of interest are put back at once and
compared with the configuration as it stands, in fresh runs; if together they earned more after all, they are tried in
halves. The same is done with those that seem to earn more but are not shown to earn anything.

Halving from the start, without the ablation, was tried first and rejected: of twelve changes that a real tuning had
made, six and then three of them mattered together, so nothing was taken back and no change had evidence of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from lsmtune.model import Configuration, Purpose
from lsmtune.result import (
    EVIDENCE_ALPHA,
    Contest,
    Decisions,
    PruneStep,
    checkpoints,
    prune_gains,
    retained_margin,
    troubles,
    verified_winner,
)
from lsmtune.space import Space
from lsmtune.stats import compare_log_ratios
from lsmtune.study._runner import RunKey, Runner, RunRequest
from lsmtune.study.plans._ablation import LEAST_PAIRS, ablate, back_to_start, planned, room

_LOSS_SHARE = 0.5  # of the margin that a smaller configuration may lose, for all tests together: each errs a little


def prune(runner: Runner, space: Space, winner: Configuration, reserve: int) -> Configuration:
    """Return the winner without the changes that earn less than the gain of interest.

    Tests are made while they fit the budget less `reserve` runs; what was not tested stays. A change that has no
    effect any more, because the one that it depends on was taken back, goes with it. What would break a constraint
    of `space` is not tried.
    """
    decided = Decisions.read(runner.study)
    if decided.pruned is not None:
        return Configuration.of(decided.pruned, winner.options_file)
    ablation = planned(runner, space, winner, reserve)
    ablate(runner, space, ablation)
    steps = [*(step for step in decided.prune if step.number < ablation.first), *ablation.steps]
    _save(runner, steps, decided)
    groups = _not_shown(runner, ablation.steps)
    current = _take_back(runner, space, winner, (groups, ablation.pairs, reserve), steps)
    runner.study.save(checkpoints.PRUNED, current.values)
    return current


def open_changes(runner: Runner, winner: Configuration, reserve: int) -> bool:
    """Whether changes of the winner were never taken back alone, and the budget holds a test of one."""
    kept = runner.study.saved(checkpoints.ABLATION)
    tested = kept is not None and kept.names
    changes = list(winner.changes_from(runner.rules.start))
    return not tested and bool(changes) and room(runner, winner, reserve) >= 2 * LEAST_PAIRS


def _not_shown(runner: Runner, steps: Sequence[PruneStep]) -> list[tuple[str, ...]]:
    """Return the options that are tried together, those that earned least first.

    The first group earned less than the gain of interest, the second more, but its intervals do not exclude nothing:
    of many changes that earn nothing, the noise lets some look as if they did. Fresh runs decide on both.
    """
    cheap: dict[str, float] = {}
    unsure: dict[str, float] = {}
    for step in steps:
        gains = prune_gains(runner.history, runner.rules, step)
        if len(gains) < LEAST_PAIRS:
            continue
        earned = compare_log_ratios(gains, EVIDENCE_ALPHA)
        if earned.ratio < 1 + runner.rules.interest:
            cheap[step.removed[0]] = earned.ratio
        elif earned.low <= 1:
            unsure[step.removed[0]] = earned.ratio
    return [tuple(sorted(group, key=lambda name: (group[name], name))) for group in (cheap, unsure) if group]


def _take_back(
    runner: Runner,
    space: Space,
    winner: Configuration,
    plan: tuple[list[tuple[str, ...]], int, int],
    steps: list[PruneStep],
) -> Configuration:
    """Put each group of changes back together, or in halves where together they earn too much."""
    groups, pairs, reserve = plan
    start, current = runner.rules.start, winner
    decided = Decisions.read(runner.study)
    queue = list(groups)
    chosen = verified_winner(runner.history, runner.rules, decided)
    lost, allowed = 0.0, _LOSS_SHARE * math.log(retained_margin(runner.rules, chosen))
    while queue:
        group = tuple(name for name in queue.pop(0) if name in current.changes_from(start))
        if not group:
            continue
        without = back_to_start(current, start, group, space)
        if space.violations(without.values):
            queue[:0] = _halves(group) if len(group) > 1 else []
            continue
        step = PruneStep(len(steps) + 1, group, accepted=False)
        known = next((each for each in decided.prune if each.number == step.number), None)
        if known is None and not _fits(runner, step, pairs, current, reserve):
            runner.listener.note("the budget holds no further test of changes together; they stay")
            break
        step = known or _tested(runner, (current, without), step, pairs, allowed - lost)
        steps.append(step)
        _save(runner, steps, decided)
        if step.accepted:
            lost += max(0.0, _earned(runner, step) or 0.0)
            current = without
        elif len(group) > 1:
            queue[:0] = _halves(group)
    return current


def _tested(
    runner: Runner,
    configurations: tuple[Configuration, Configuration],
    step: PruneStep,
    pairs: int,
    allowed: float,
) -> PruneStep:
    """Compare two configurations, with and without a group of changes, in so many pairs.

    The group stays out where it earned less than what may be lost, the log gain `allowed`, and its runs went well.
    """
    requests = []
    for block in range(pairs):
        arms = list(zip(step.arms, configurations, strict=True))
        if (block + step.number) % 2:
            arms.reverse()
        for arm, configuration in arms:
            about = f"without {', '.join(step.removed)}" if arm == step.arms[1] else "with them"
            text = f"prune: {about}, pair {block + 1} of {pairs}"
            load = f"prune-{step.number}/{block}"
            requests.append(RunRequest(RunKey(Purpose.PRUNE, arm, block, load=load), configuration, text))
    runner.make_all(requests)
    earned = _earned(runner, step)
    contest = Contest(Purpose.PRUNE, step.arms[0], step.arms[1:])
    barred = troubles(runner.history, runner.rules, contest, step.arms[1]).bars
    return replace(step, accepted=earned is not None and earned <= allowed and not barred)


def _earned(runner: Runner, step: PruneStep) -> float | None:
    """Mean log gain of "with" over "without"; None below the least number of pairs."""
    gains = prune_gains(runner.history, runner.rules, step)
    return sum(gains) / len(gains) if len(gains) >= LEAST_PAIRS else None


def _save(runner: Runner, steps: Sequence[PruneStep], decided: Decisions) -> None:
    """Keep the tests so far, unless an earlier process had come further."""
    if len(steps) < len(decided.prune):
        return
    runner.study.save(checkpoints.PRUNE, tuple(steps))


def _fits(runner: Runner, step: PruneStep, pairs: int, current: Configuration, reserve: int) -> bool:
    missing = sum(
        runner.run_of(RunKey(Purpose.PRUNE, arm, block)) is None for arm in step.arms for block in range(pairs)
    )
    return missing < 2 * pairs or room(runner, current, reserve) >= missing


def _halves(names: Sequence[str]) -> list[tuple[str, ...]]:
    middle = (len(names) + 1) // 2
    return [part for part in (tuple(names[:middle]), tuple(names[middle:])) if part]
