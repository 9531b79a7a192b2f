"""Step-by-step tuning as people do it: an ordered list of changes, each kept if it is shown to be better."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.experiment import NamedChange
from lsmtune.model import Configuration, Purpose, StudyKind
from lsmtune.result import Decisions, StepTaken, checkpoints, compare, step_contest
from lsmtune.space import Space
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.study._conductor import Conductor
from lsmtune.study._stages import measure_baselines
from lsmtune.study._verification import Match, verify, verify_finalists


@dataclass(frozen=True)
class NamedChanges:
    """What a step-by-step tuning or a comparison goes through.

    Attributes:
        space: says what has no effect, and which relations have to hold.
        changes: the steps in their order, or the configurations, each as what it sets.
        noise_runs: repeats of the reference at the start.
        spaces: the spaces of those configurations, by name, that run on a build of their own.
    """

    space: Space
    changes: tuple[NamedChange, ...]
    noise_runs: int
    spaces: Mapping[str, Space] = field(default_factory=dict)

    def space_of(self, change: NamedChange) -> Space:
        """Return the space that a change is made in."""
        return self.spaces.get(change.name, self.space)


def tune_by_steps(conductor: Conductor, settings: NamedChanges) -> None:
    """Try each step on top of those kept before it, then all that were kept against the reference.

    What was done by an earlier process is taken as it is. A step that the budget does not hold ends the list.

    Raises:
        RunError: the reference cannot be run.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    study = conductor.study
    if Decisions.read(study).done:
        conductor.listener.note("this study has come to its end; other steps need a new study")
        return
    study.begin(StudyKind.STEPS)
    measure_baselines(conductor, settings.noise_runs)
    kept = _walk(conductor, settings)
    names = [step.name for step in Decisions.read(study).steps or () if step.kept]
    study.save(checkpoints.FINALISTS, (" + ".join(names),) if names else ())
    if names:
        conductor.listener.stage("verify", "all steps that were kept against the reference, fresh interleaved runs")
        verify_finalists(conductor, [kept], 0.0)
    else:
        conductor.listener.note("no step was shown to be better with its guards held; nothing to verify")
    study.save(checkpoints.DONE, value=True)


def _walk(conductor: Conductor, settings: NamedChanges) -> Configuration:
    """Go through the steps and return the reference with those that were kept."""
    taken = list(Decisions.read(conductor.study).steps or ())
    current = conductor.rules.start
    for number, step in enumerate(settings.changes, start=1):
        changed = _on_top(conductor, settings.space, current, step)
        if number > len(taken):
            outcome = _try(conductor, settings.space, (number, step), (current, changed))
            if outcome is None:
                return current
            taken.append(outcome)
            conductor.study.save(checkpoints.STEPS, tuple(taken))
        if taken[number - 1].kept:
            current = changed
    return current


def _try(
    conductor: Conductor, space: Space, step: tuple[int, NamedChange], pair: tuple[Configuration, Configuration]
) -> StepTaken | None:
    """Compare without and with the change of a step; None where the budget does not hold its first look."""
    (number, change), (current, changed) = step, pair
    contest, listener = step_contest(number), conductor.listener
    listener.stage(f"step {number}", f"{change.name}: with the change against without it, fresh interleaved runs")
    broken = space.violations(changed.values)
    unchanged = changed == current
    if broken or unchanged:
        listener.note(f'"{change.name}" is left out: {broken[0] if broken else "it changes nothing here"}')
        return StepTaken(number, change.name, change.because, change.values, looks=0, kept=False)
    match = Match(f"step-{number}", current, contest.against, {contest.arms[0]: changed}, Purpose.STEP)
    begun = conductor.history.select((Purpose.STEP,), contest.against)
    if not begun and conductor.spending().left < FIRST_LOOK_RUNS:
        listener.note(f'the budget does not hold the {FIRST_LOOK_RUNS} runs of "{change.name}"; a larger one goes on')
        return None
    looks = verify(conductor, match, 0.0)
    (comparison,) = compare(conductor.history, conductor.rules, contest, looks)
    return StepTaken(number, change.name, change.because, change.values, looks, comparison.accepted)


def _on_top(conductor: Conductor, space: Space, current: Configuration, step: NamedChange) -> Configuration:
    start = conductor.rules.start
    return start.changed(space.canonical({**current.changes_from(start), **step.values}))
