"""What each step of a step-by-step tuning has shown."""

from dataclasses import dataclass

from lsmtune.model import Purpose
from lsmtune.result._decisions import Decisions
from lsmtune.result._history import History
from lsmtune.result._pairs import Contest
from lsmtune.result._rules import Rules
from lsmtune.result._verification import Comparison, compare
from lsmtune.result.checkpoints import StepTaken


@dataclass(frozen=True)
class StepResult:
    """A step with its evidence.

    Attributes:
        step: what was tried.
        comparison: with the change against without it, on top of what was kept before; None where it could not be run.
    """

    step: StepTaken
    comparison: Comparison | None


def step_contest(number: int) -> Contest:
    """Return the contest of the step with a number: with its change against without it."""
    return Contest(Purpose.STEP, f"step-{number}:before", (f"step-{number}",))


def step_results(history: History, rules: Rules, decisions: Decisions) -> tuple[StepResult, ...]:
    """Return all steps so far; empty where the study has none."""
    found = []
    for step in decisions.steps or ():
        compared = compare(history, rules, step_contest(step.number), step.looks) if step.looks else ()
        found.append(StepResult(step, compared[0] if compared else None))
    return tuple(found)
