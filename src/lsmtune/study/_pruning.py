"""Takes changes of the winner back that earn nothing, so that what is handed over is as small as can be.

First an ablation: each change alone is put back, in blocks that share one run of the configuration as it stands. What a
change earned there is its evidence. Then all that earned less than the gain of interest are put back at once and
compared with the configuration as it stands, in fresh runs; if together they earned more after all, they are tried in
halves. The same is done with those that seem to earn more but are not shown to earn anything.

Halving from the start, without the ablation, was tried first and rejected: of twelve changes that a real tuning had
made, six and then three of them mattered together, so nothing was taken back and no change had evidence of its own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import (
    EVIDENCE_ALPHA,
    Contest,
    Decisions,
    PruneStep,
    Ranked,
    noise_of_gain,
    prune_gains,
    rank,
    retained_margin,
    troubles,
)
from lsmtune.space import Dimension, Space
from lsmtune.stats import compare_log_ratios
from lsmtune.store import JSON
from lsmtune.study._conductor import Conductor, Slot, mirrored_order

_LEAST_PAIRS, _MOST_PAIRS = 3, 8
_LOSS_SHARE = 0.5  # of the margin that a smaller configuration may lose, for all tests together: each errs a little


@dataclass(frozen=True)
class _Ablation:
    """Which changes are taken back alone, and in how many pairs; decided once.

    Attributes:
        first: number of its first test, whose "with" runs all of its tests share.
        names: the options, the least promising first.
        pairs: pairs of each test.
    """

    first: int
    names: tuple[str, ...]
    pairs: int

    @property
    def steps(self) -> list[PruneStep]:
        """Its tests, before their outcome is known."""
        return [
            PruneStep(self.first + place, (name,), accepted=False, control=self.first)
            for place, name in enumerate(self.names)
        ]


def prune(conductor: Conductor, space: Space, winner: Configuration, reserve: int) -> Configuration:
    """Return the winner without the changes that earn less than the gain of interest.

    Tests are made while they fit the budget less `reserve` runs; what was not tested stays. A change that has no
    effect any more, because the one that it depends on was taken back, goes with it. What would break a constraint
    of `space` is not tried.
    """
    decided = Decisions.read(conductor.study)
    if decided.pruned is not None:
        return Configuration.of(decided.pruned, winner.options_file)
    ablation = _planned(conductor, space, winner, reserve)
    steps = [step for step in decided.prune if step.number < ablation.first]
    steps += _ablate(conductor, space, winner, ablation)
    _remember(conductor, steps, decided)
    groups = _not_shown(conductor, steps[-len(ablation.names) :] if ablation.names else [])
    current = _take_back(conductor, space, winner, (groups, ablation.pairs, reserve), steps)
    conductor.study.remember("pruned", dict(current.values))
    return current


def open_changes(conductor: Conductor, winner: Configuration, reserve: int) -> bool:
    """Whether changes of the winner were never taken back alone, and the budget holds a test of one."""
    kept = conductor.study.recall("ablation")
    tested = isinstance(kept, Mapping) and kept["names"]
    changes = list(winner.changes_from(conductor.rules.start))
    return not tested and bool(changes) and _room(conductor, winner, reserve) >= 2 * _LEAST_PAIRS


def back_to_start(
    configuration: Configuration, start: Configuration, names: Sequence[str], space: Space
) -> Configuration:
    """Return the configuration with some options, and those that have no effect then, as they are at the start."""
    back = _with_start(configuration, start, names)
    return _with_start(back, start, [name for name in space.names if name not in space.active(back.values)])


def _with_start(configuration: Configuration, start: Configuration, names: Sequence[str]) -> Configuration:
    original: Mapping[str, Value] = {name: value for name, value in start.values.items() if name in names}
    return configuration.without(names).changed(original)


def _planned(conductor: Conductor, space: Space, winner: Configuration, reserve: int) -> _Ablation:
    """Return the ablation that an earlier process planned, or plan as many changes as the budget holds."""
    kept = conductor.study.recall("ablation")
    if isinstance(kept, Mapping) and kept["names"]:
        names = kept["names"]
        assert isinstance(names, Sequence)
        return _Ablation(int(str(kept["first"])), tuple(str(name) for name in names), int(str(kept["pairs"])))
    start, pairs = conductor.rules.start, _pairs_needed(conductor)
    possible = [
        name
        for name in _least_promising_first(conductor, space, winner)
        if not space.violations(back_to_start(winner, start, [name], space).values)
    ]
    room = _room(conductor, winner, reserve)
    pairs = max(_LEAST_PAIRS, min(pairs, room // (len(possible) + 1)))
    fitting = max(0, room // pairs - 1)
    if fitting < len(possible):
        conductor.listener.note(f"the budget holds tests of {fitting} of {len(possible)} changes; the others stay")
    first = len(Decisions.read(conductor.study).prune) + 1
    ablation = _Ablation(first, tuple(possible[:fitting]), pairs)
    conductor.study.remember("ablation", {"first": first, "names": list(ablation.names), "pairs": pairs})
    return ablation


def _ablate(conductor: Conductor, space: Space, winner: Configuration, ablation: _Ablation) -> list[PruneStep]:
    """Run each change taken back alone, and the winner, in blocks of random order, every second one backwards."""
    start = conductor.rules.start
    configurations = {f"{ablation.first}:with": winner} if ablation.names else {}
    for step in ablation.steps:
        configurations[step.arms[1]] = back_to_start(winner, start, step.removed, space)
    about = {step.arms[1]: f"without {step.removed[0]}" for step in ablation.steps}
    for block in range(ablation.pairs):
        for arm in mirrored_order(configurations, f"{conductor.study.description.name} ablation", block):
            what = about.get(arm, "with all changes")
            text = f"prune: {what}, pair {block + 1} of {ablation.pairs}"
            conductor.fill(Slot(Purpose.PRUNE, arm, block, load=f"ablation/{block}"), configurations[arm], text)
    return ablation.steps


def _not_shown(conductor: Conductor, steps: Sequence[PruneStep]) -> list[tuple[str, ...]]:
    """Return the options that are tried together, those that earned least first.

    The first group earned less than the gain of interest, the second more, but its intervals do not exclude nothing:
    of many changes that earn nothing, the noise lets some look as if they did. Fresh runs decide on both.
    """
    cheap: dict[str, float] = {}
    unsure: dict[str, float] = {}
    for step in steps:
        gains = prune_gains(conductor.history, conductor.rules, step)
        if len(gains) < _LEAST_PAIRS:
            continue
        earned = compare_log_ratios(gains, EVIDENCE_ALPHA)
        if earned.ratio < 1 + conductor.rules.interest:
            cheap[step.removed[0]] = earned.ratio
        elif earned.low <= 1:
            unsure[step.removed[0]] = earned.ratio
    return [tuple(sorted(group, key=lambda name: (group[name], name))) for group in (cheap, unsure) if group]


def _take_back(
    conductor: Conductor,
    space: Space,
    winner: Configuration,
    plan: tuple[list[tuple[str, ...]], int, int],
    steps: list[PruneStep],
) -> Configuration:
    """Put each group of changes back together, or in halves where together they earn too much."""
    groups, pairs, reserve = plan
    start, current = conductor.rules.start, winner
    decided = Decisions.read(conductor.study)
    queue = list(groups)
    lost, allowed = 0.0, _LOSS_SHARE * math.log(retained_margin(conductor.history, conductor.rules, decided))
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
        if known is None and not _fits(conductor, step, pairs, current, reserve):
            conductor.listener.note("the budget holds no further test of changes together; they stay")
            break
        step = known or _tested(conductor, (current, without), step, (pairs, allowed - lost))
        steps.append(step)
        _remember(conductor, steps, decided)
        if step.accepted:
            lost += max(0.0, _earned(conductor, step) or 0.0)
            current = without
        elif len(group) > 1:
            queue[:0] = _halves(group)
    return current


def _tested(
    conductor: Conductor,
    configurations: tuple[Configuration, Configuration],
    step: PruneStep,
    plan: tuple[int, float],
) -> PruneStep:
    """Compare two configurations, with and without a group of changes; `plan` is the pairs, and what may be lost.

    The group stays out where it earned less than what may be lost, as a log gain, and its runs went well.
    """
    pairs, allowed = plan
    for block in range(pairs):
        arms = list(zip(step.arms, configurations, strict=True))
        if (block + step.number) % 2:
            arms.reverse()
        for arm, configuration in arms:
            about = f"without {', '.join(step.removed)}" if arm == step.arms[1] else "with them"
            text = f"prune: {about}, pair {block + 1} of {pairs}"
            load = f"prune-{step.number}/{block}"
            conductor.fill(Slot(Purpose.PRUNE, arm, block, load=load), configuration, text)
    earned = _earned(conductor, step)
    contest = Contest(Purpose.PRUNE, step.arms[0], step.arms[1:])
    barred = troubles(conductor.history, conductor.rules, contest, step.arms[1]).bars
    return replace(step, accepted=earned is not None and earned <= allowed and not barred)


def _earned(conductor: Conductor, step: PruneStep) -> float | None:
    """Mean log gain of "with" over "without"; None below the least number of pairs."""
    gains = prune_gains(conductor.history, conductor.rules, step)
    return sum(gains) / len(gains) if len(gains) >= _LEAST_PAIRS else None


def _remember(conductor: Conductor, steps: Sequence[PruneStep], decided: Decisions) -> None:
    """Keep the tests so far, unless an earlier process had come further."""
    if len(steps) < len(decided.prune):
        return
    kept: list[JSON] = [
        {"number": step.number, "removed": list(step.removed), "accepted": step.accepted, "control": step.control}
        for step in steps
    ]
    conductor.study.remember("prune", kept)


def _fits(conductor: Conductor, step: PruneStep, pairs: int, current: Configuration, reserve: int) -> bool:
    missing = sum(
        conductor.filled(Slot(Purpose.PRUNE, arm, block)) is None for arm in step.arms for block in range(pairs)
    )
    return missing < 2 * pairs or _room(conductor, current, reserve) >= missing


def _room(conductor: Conductor, configuration: Configuration, reserve: int) -> int:
    """Return how many runs like those of `configuration` fit the budget less `reserve` runs of the reference."""
    times = [
        stored.elapsed_s
        for stored in conductor.history.runs
        if stored.run.configuration == configuration and stored.elapsed_s
    ]
    spending = conductor.spending()
    return spending.room(median(times) if times else spending.run_s, reserve)


def _pairs_needed(conductor: Conductor) -> int:
    """Pairs after which the standard error of a gain is about the gain of interest, within bounds."""
    spread = noise_of_gain(conductor.history, conductor.rules)
    wanted = _MOST_PAIRS if spread is None else math.ceil((spread / math.log1p(conductor.rules.interest)) ** 2)
    return max(_LEAST_PAIRS, min(_MOST_PAIRS, wanted))


def _least_promising_first(conductor: Conductor, space: Space, winner: Configuration) -> tuple[str, ...]:
    """Order the changes by how little the trials near the winner's value did better than the others."""
    ranked = [trial for trial in rank(conductor.history, conductor.rules) if trial.log_gain is not None]
    changes = list(winner.changes_from(conductor.rules.start))
    return tuple(sorted(changes, key=lambda name: (_promise(ranked, space, name, winner.values[name]), name)))


def _promise(ranked: Sequence[Ranked], space: Space, name: str, value: Value) -> float:
    """Mean gain of the trials nearer to `value` than to the start less that of the others; 0 where a side is empty.

    Comparing trials that changed an option with those that did not was rejected: a search changes nearly all in each.
    """
    near: list[float] = []
    far: list[float] = []
    for trial in ranked:
        tried = trial.stored.run.configuration.values.get(name, space.reference[name])
        (near if _is_nearer(space.by_name[name], tried, value, space.reference[name]) else far).append(
            trial.log_gain or 0.0
        )
    return sum(near) / len(near) - sum(far) / len(far) if near and far else 0.0


def _is_nearer(axis: Dimension, tried: Value, value: Value, start: Value) -> bool:
    if not all(axis.is_ordered(each) for each in (tried, value, start)):
        return tried == value
    place, wanted, original = (axis.to_unit(each) for each in (tried, value, start))
    return abs(place - wanted) < abs(place - original)


def _halves(names: Sequence[str]) -> list[tuple[str, ...]]:
    middle = (len(names) + 1) // 2
    return [part for part in (tuple(names[:middle]), tuple(names[middle:])) if part]
