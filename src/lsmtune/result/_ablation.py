"""The ablation effect of each change: pairs of runs with and without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsmtune.model import Configuration, Purpose
from lsmtune.result._decisions import Decisions
from lsmtune.result._history import History
from lsmtune.result._pairs import pair_gains
from lsmtune.result._rules import Rules
from lsmtune.result.checkpoints import EliminationTest
from lsmtune.stats import SharedComparison, many_to_one

EVIDENCE_ALPHA = 0.05
"""Two-sided level at which a change is tried together with others that seem to have no effect."""
_LEAST_PAIRS = 2


@dataclass(frozen=True)
class Evidence:
    """What is known of one test of reverting changes.

    Attributes:
        about: the test.
        effect: gain of the configuration with the changes over that without; None below 2 pairs, or where it has too
            few blocks in common with the other tests. Those of single changes share their runs with all changes, so
            their intervals hold together at 95 %, and their estimates are drawn towards each other, see `many_to_one`.
        tested: the configuration that the changes were reverted in; None where it was never run.
    """

    about: EliminationTest
    effect: SharedComparison | None
    tested: Configuration | None = None

    @property
    def shown(self) -> bool:
        """Whether the changes are shown to have an effect: the interval lies above 1."""
        return self.effect is not None and self.effect.low > 1


def elimination_gains(history: History, rules: Rules, test: EliminationTest) -> tuple[float, ...]:
    """Return the log gain of "with" over "without" for each pair of a test."""
    with_arm, without_arm = test.arms
    return pair_gains(history, rules, Purpose.PRUNE, with_arm, without_arm)


def evidence(history: History, rules: Rules, decisions: Decisions) -> tuple[Evidence, ...]:
    """Return what every test of reverting changes has shown."""
    effects: dict[EliminationTest, SharedComparison] = {}
    tests = (*decisions.elimination, *decisions.final_tests)
    for control in dict.fromkeys(test.arms[0] for test in tests):
        effects |= _effects(history, rules, [test for test in tests if test.arms[0] == control])
    ran = {stored.run.arm: stored.run.configuration for stored in history.runs if stored.run.purpose is Purpose.PRUNE}
    return tuple(Evidence(test, effects.get(test), ran.get(test.arms[0])) for test in tests)


def _effects(
    history: History, rules: Rules, tests: Sequence[EliminationTest]
) -> dict[EliminationTest, SharedComparison]:
    """Return the effects of tests with one shared arm, in the blocks that hold all that can be judged.

    Where these are too few, tests are left out until they are not, first the one without which most blocks are left.
    """
    levels = _levels(history, rules)
    shared = levels.get(tests[0].arms[0], {})
    known = {test: levels.get(test.arms[1], {}) for test in sorted(tests, key=lambda test: len(test.removed) > 1)}
    usable = {test: own for test, own in known.items() if len(own.keys() & shared.keys()) >= _LEAST_PAIRS}
    while usable and len(_common(shared, usable)) < _LEAST_PAIRS:
        del usable[max(usable, key=lambda test: len(_common(shared, usable, without=test)))]
    if not usable:
        return {}
    blocks = _common(shared, usable)
    arms = [[own[block] for block in blocks] for own in usable.values()]
    single = sum(len(test.removed) == 1 for test in usable)
    found = many_to_one([shared[block] for block in blocks], arms, alike=single)
    return dict(zip(usable, found, strict=True))


def _common(
    shared: Mapping[int, float],
    arms: Mapping[EliminationTest, Mapping[int, float]],
    without: EliminationTest | None = None,
) -> list[int]:
    """Return the blocks that the shared arm and those of all tests hold, of one of them left out."""
    return sorted(set(shared).intersection(*(own for test, own in arms.items() if test != without)))


def _levels(history: History, rules: Rules) -> dict[str, dict[int, float]]:
    """Return the log level of the objective, larger is better, of each run that took changes back, by arm and block."""
    found: dict[str, dict[int, float]] = {}
    for block, arms in history.blocks(Purpose.PRUNE).items():
        for arm, stored in arms.items():
            level = rules.objective.log_level(history.indicators(stored.run.id))
            if level is not None:
                found.setdefault(arm, {})[block] = level
    return found


def evidence_by_option(found: Sequence[Evidence], start: Configuration, final: Configuration) -> Mapping[str, Evidence]:
    """Return, for each change of the final configuration, the test that took back this change alone.

    That is the last one of the final configuration itself; else of one that had all of its changes, and more; one with
    too few pairs only where there is no other. Options without one are absent: the effect of a change where others are
    missing says nothing of its effect beside them.
    """
    last: dict[str, Evidence] = {}
    for item in sorted(found, key=lambda item: (item.effect is not None, item.tested == final)):
        if len(item.about.removed) == 1 and taken_back_since(item, start, final) is not None:
            last[item.about.removed[0]] = item
    return {name: last[name] for name in final.changes_from(start) if name in last}


def taken_back_since(test: Evidence, start: Configuration, final: Configuration) -> int | None:
    """Return how many changes more the tested configuration had than the final one; None where it lacked some."""
    if test.tested is None or test.tested.options_file != final.options_file:
        return None
    had, has = test.tested.changes_from(start), final.changes_from(start)
    return len(had) - len(has) if had.items() >= has.items() else None
