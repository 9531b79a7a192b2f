"""Takes changes of a configuration back one by one, in blocks that share its own runs: the effect of each."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import (
    AblationPlan,
    Decisions,
    EliminationTest,
    Ranked,
    checkpoints,
    evidence,
    evidence_by_option,
    final_configuration,
    noise_of_gain,
    rank,
)
from lsmtune.space import Dimension, Space
from lsmtune.study._runner import RunKey, Runner, RunRequest, mirrored_order

LEAST_PAIRS = 3
"""Pairs below which a test is not made."""
_MOST_PAIRS = 8
_TAKING_BACK = 2  # arms whose runs a first ablation leaves over: what has little effect is then reverted together


@dataclass(frozen=True)
class Ablation:
    """Which changes of a configuration are reverted, and in how many pairs; decided once.

    Attributes:
        tested: the configuration.
        first: number of its first test, whose "with" runs all of its tests share.
        names: the options that are reverted alone.
        together: those that are reverted together, in one arm more; may be empty.
        pairs: pairs of each test.
        final: of the configuration that is handed over.
    """

    tested: Configuration
    first: int
    names: tuple[str, ...]
    together: tuple[str, ...]
    pairs: int
    final: bool

    @property
    def tests(self) -> list[EliminationTest]:
        """Its tests; what they revert is not yet accepted."""
        removed = [(name,) for name in self.names] + ([self.together] if self.together else [])
        return [
            EliminationTest(self.first + place, each, accepted=False, control=self.first, final=self.final)
            for place, each in enumerate(removed)
        ]


def planned(runner: Runner, space: Space, tested: Configuration, reserve: int = 0, *, final: bool = False) -> Ablation:
    """Return the ablation that an earlier process planned, or plan as many changes as the budget less `reserve` holds.

    In a final one those that were never tested alone come first; what does not fit of them is reverted together.
    """
    checkpoint, rules = checkpoints.FINAL_ABLATION if final else checkpoints.ABLATION, runner.rules
    kept = runner.study.saved(checkpoint)
    if kept is not None and kept.tests:
        if final and kept.tested is not None:
            tested = Configuration.of(kept.tested, rules.start.options_file)
        return Ablation(tested, kept.first, kept.names, kept.together, kept.pairs, final)
    names, new = _open_finally(runner, space, tested) if final else (_possible(runner, space, tested), [])
    runs = room(runner, tested, reserve)
    kept_free = 1 if final else 1 + _TAKING_BACK
    pairs = max(LEAST_PAIRS, min(_pairs_needed(runner), runs // (len(names) + kept_free)))
    arms = max(0, runs // pairs - kept_free)
    together = _together(space, (tested, rules.start), new, arms) if arms < len(new) else ()
    alone = [name for name in names[: arms - bool(together)] if name not in together]
    if len(alone) < len(names):
        what, held = ("changes of the final configuration", "") if final else ("changes", "; the others stay")
        held = f", and one of {len(together)} others together" if together else held
        runner.listener.note(f"the budget holds tests of {len(alone)} of {len(names)} {what}{held}")
    decided = Decisions.read(runner.study)
    first = len(decided.final_tests if final else decided.elimination) + 1
    ablation = Ablation(tested, first, tuple(alone), together, pairs, final)
    plan = AblationPlan(first, ablation.names, pairs, together, tested.values)
    runner.study.save(checkpoint, plan)
    return ablation


def ablate(runner: Runner, space: Space, ablation: Ablation) -> None:
    """Run the configuration and what each test leaves of it, in blocks of random order, every second one backwards."""
    tested, start, tests = ablation.tested, runner.rules.start, ablation.tests
    configurations = {tests[0].arms[0]: tested} if tests else {}
    for test in tests:
        configurations[test.arms[1]] = back_to_start(tested, start, test.removed, space)
    about = {test.arms[1]: f"without {', '.join(test.removed)}" for test in tests}
    name = f"ablation of final-{ablation.first}" if ablation.final else "ablation"
    stage = "retest" if ablation.final else "prune"
    runner.make_all(
        [
            RunRequest(
                RunKey(Purpose.PRUNE, arm, block, load=f"{name}/{block}"),
                configurations[arm],
                f"{stage}: {about.get(arm, 'with all changes')}, pair {block + 1} of {ablation.pairs}",
            )
            for block in range(ablation.pairs)
            for arm in mirrored_order(configurations, f"{runner.study.description.name} {name}", block)
        ]
    )


def retest(runner: Runner, space: Space) -> None:
    """Take changes of the final configuration back, as many as the budget holds, to say their effect there.

    That decides nothing: the configuration was verified and confirmed as it is.
    """
    decided = Decisions.read(runner.study)
    tested = final_configuration(runner.history, runner.rules, decided)
    ablation = planned(runner, space, tested, final=True)
    if not ablation.tests:
        return
    runner.listener.stage("retest", "ablation of the changes in the final configuration; it stays as it is")
    ablate(runner, space, ablation)
    tests = [*(test for test in decided.final_tests if test.number < ablation.first), *ablation.tests]
    runner.study.save(checkpoints.FINAL_TESTS, tuple(tests))


def holds_retest(runner: Runner, space: Space) -> bool:
    """Whether the budget holds a test of a change that was not yet reverted alone from the final configuration."""
    tested = final_configuration(runner.history, runner.rules, Decisions.read(runner.study))
    names, _ = _open_finally(runner, space, tested)
    return bool(names) and room(runner, tested, 0) >= 2 * LEAST_PAIRS


def _possible(runner: Runner, space: Space, tested: Configuration) -> list[str]:
    """Return the changes that can be reverted alone without breaking a constraint, the least promising first."""
    start = runner.rules.start
    return [
        name
        for name in _least_effect_in_trials_first(runner, space, tested)
        if not space.violations(back_to_start(tested, start, [name], space).values)
    ]


def _open_finally(runner: Runner, space: Space, tested: Configuration) -> tuple[list[str], list[str]]:
    """Return the changes that were not yet reverted alone from exactly this configuration, and those from none.

    Both begin with the most promising ones, the first with the second.
    """
    start = runner.rules.start
    tests = evidence(runner.history, runner.rules, Decisions.read(runner.study))
    here = {test.about.removed for test in tests if test.tested == tested}
    anywhere = {name for name, test in evidence_by_option(tests, start, tested).items() if test.effect is not None}
    names = [name for name in _possible(runner, space, tested)[::-1] if (name,) not in here]
    new = [name for name in names if name not in anywhere]
    return [*new, *(name for name in names if name in anywhere)], new


def _together(
    space: Space, configurations: tuple[Configuration, Configuration], new: Sequence[str], arms: int
) -> tuple[str, ...]:
    """Return which of the changes that were never tested alone share the last of so many arms; empty where none can.

    Taking all changes back would compare what the verdict compares; then the most promising one stays.
    """
    tested, start = configurations
    group = new[max(0, arms - 1) :] if arms else []
    if arms == 1 and back_to_start(tested, start, group, space) == start:
        group = new[1:]
    without = back_to_start(tested, start, group, space)
    return tuple(group) if len(group) > 1 and without != start and not space.violations(without.values) else ()


def back_to_start(
    configuration: Configuration, start: Configuration, names: Sequence[str], space: Space
) -> Configuration:
    """Return the configuration with some options, and those that have no effect then, as they are at the start."""
    back = _with_start(configuration, start, names)
    return _with_start(back, start, [name for name in space.names if name not in space.active(back.values)])


def _with_start(configuration: Configuration, start: Configuration, names: Sequence[str]) -> Configuration:
    original: Mapping[str, Value] = {name: value for name, value in start.values.items() if name in names}
    return configuration.without(names).changed(original)


def room(runner: Runner, configuration: Configuration, reserve: int) -> int:
    """Return how many runs like those of `configuration` fit the budget less `reserve` runs of the reference."""
    times = [
        stored.elapsed_s
        for stored in runner.history.runs
        if stored.run.configuration == configuration and stored.elapsed_s
    ]
    spending = runner.spending()
    return spending.room(median(times) if times else spending.run_s, reserve)


def _pairs_needed(runner: Runner) -> int:
    """Pairs after which the standard error of a gain is about the minimum effect of interest, within bounds."""
    spread = noise_of_gain(runner.history, runner.rules)
    wanted = _MOST_PAIRS if spread is None else math.ceil((spread / math.log1p(runner.rules.minimum_effect)) ** 2)
    return max(LEAST_PAIRS, min(_MOST_PAIRS, wanted))


def _least_effect_in_trials_first(runner: Runner, space: Space, winner: Configuration) -> tuple[str, ...]:
    """Order the changes by how little the trials near the winner's value did better than the others."""
    ranked = [trial for trial in rank(runner.history, runner.rules) if trial.log_gain is not None]
    changes = list(winner.changes_from(runner.rules.start))
    return tuple(sorted(changes, key=lambda name: (_effect_in_trials(ranked, space, name, winner.values[name]), name)))


def _effect_in_trials(ranked: Sequence[Ranked], space: Space, name: str, value: Value) -> float:
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
