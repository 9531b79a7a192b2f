"""Takes changes of the winner back that earn nothing, so that what is handed over is as small as can be.

The least promising half of the changes is put back at once and compared with the configuration as it stands, in fresh
interleaved pairs. If that costs less than the gain of interest the changes stay back; if it costs more the half is
halved. A single change that cannot be taken back stays, and the test is its evidence. One-by-one removal was rejected:
it takes a test for every change, most of which earn nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import (
    Decisions,
    PruneStep,
    Ranked,
    noise_of_gain,
    prune_arms,
    prune_gains,
    rank,
)
from lsmtune.space import Dimension, Space
from lsmtune.store import JSON
from lsmtune.study._conductor import Conductor, Slot

_LEAST_PAIRS, _MOST_PAIRS = 3, 8


@dataclass
class _State:
    """Where pruning stands: the configuration, and the groups of its changes that are still to be tried."""

    current: Configuration
    queue: list[tuple[str, ...]]


def prune(conductor: Conductor, space: Space, winner: Configuration, reserve: float) -> Configuration:
    """Return the winner without the changes that earn less than the gain of interest.

    Tests are made while they fit the budget less `reserve` runs; what was not tested stays. A change that has no
    effect any more, because the one that it depends on was taken back, goes with it. What would break a constraint
    of `space` is not tried.
    """
    start = conductor.rules.start
    decided = Decisions.read(conductor.study)
    if decided.pruned is not None:
        return Configuration.of(decided.pruned, winner.options_file)
    state = _State(winner, _halves(_least_promising_first(conductor, space, winner)))
    steps: list[PruneStep] = []
    pairs = _pairs_needed(conductor)
    while state.queue:
        group = tuple(name for name in state.queue.pop(0) if name in _changes(state.current, start))
        if not group:
            continue
        without = back_to_start(state.current, start, group, space)
        if space.violations(without.values):
            state.queue[:0] = _halves(group) if len(group) > 1 else []
            continue
        number = len(steps) + 1
        known = next((step for step in decided.prune if step.number == number), None)
        if known is None and not _fits(conductor, number, pairs, reserve):
            conductor.listener.note("the budget holds no further test of single changes; what was not tested stays")
            break
        step = known or _test(conductor, (state.current, without), group, number, pairs)
        steps.append(step)
        if known is None:
            _remember(conductor, steps)
        if step.accepted:
            state.current = without
        elif len(group) > 1:
            state.queue[:0] = _halves(group)
    conductor.study.remember("pruned", dict(state.current.values))
    return state.current


def back_to_start(
    configuration: Configuration, start: Configuration, names: Sequence[str], space: Space
) -> Configuration:
    """Return the configuration with some options, and those that have no effect then, as they are at the start."""
    back = _with_start(configuration, start, names)
    return _with_start(back, start, [name for name in space.names if name not in space.active(back.values)])


def _with_start(configuration: Configuration, start: Configuration, names: Sequence[str]) -> Configuration:
    original: Mapping[str, Value] = {name: value for name, value in start.values.items() if name in names}
    return configuration.without(names).changed(original)


def _changes(configuration: Configuration, start: Configuration) -> list[str]:
    return [name for name, value in configuration.values.items() if start.values.get(name) != value]


def _test(
    conductor: Conductor,
    configurations: tuple[Configuration, Configuration],
    group: tuple[str, ...],
    number: int,
    pairs: int,
) -> PruneStep:
    """Compare two configurations, with and without a group of changes."""
    with_arm, without_arm = prune_arms(number)
    for block in range(pairs):
        arms = list(zip((with_arm, without_arm), configurations, strict=True))
        if (block + number) % 2:
            arms.reverse()
        for arm, configuration in arms:
            about = f"without {', '.join(group)}" if arm == without_arm else "with all of its changes"
            conductor.fill(Slot(Purpose.PRUNE, arm, block), configuration, f"prune: {about}, pair {block + 1}")
    gains = prune_gains(conductor.history, conductor.rules, number)
    cheap = len(gains) >= _LEAST_PAIRS and sum(gains) / len(gains) < math.log1p(conductor.rules.interest)
    return PruneStep(number, group, accepted=cheap)


def _remember(conductor: Conductor, steps: Sequence[PruneStep]) -> None:
    kept: list[JSON] = [
        {"number": step.number, "removed": list(step.removed), "accepted": step.accepted} for step in steps
    ]
    conductor.study.remember("prune", kept)


def _fits(conductor: Conductor, number: int, pairs: int, reserve: float) -> bool:
    missing = sum(
        conductor.filled(Slot(Purpose.PRUNE, arm, block)) is None
        for arm in prune_arms(number)
        for block in range(pairs)
    )
    return missing < 2 * pairs or conductor.spending().left - reserve >= missing


def _pairs_needed(conductor: Conductor) -> int:
    """Pairs after which the standard error of a gain is about the gain of interest, within bounds."""
    spread = noise_of_gain(conductor.history, conductor.rules)
    wanted = _MOST_PAIRS if spread is None else math.ceil((spread / math.log1p(conductor.rules.interest)) ** 2)
    return max(_LEAST_PAIRS, min(_MOST_PAIRS, wanted))


def _least_promising_first(conductor: Conductor, space: Space, winner: Configuration) -> tuple[str, ...]:
    """Order the changes by how little the trials near the winner's value did better than the others."""
    ranked = [trial for trial in rank(conductor.history, conductor.rules) if trial.log_gain is not None]
    changes = _changes(winner, conductor.rules.start)
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
