"""Step-by-step tuning as people do it: an ordered list of changes, each kept if it is shown to be better."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.experiment import NamedChange
from lsmtune.model import Configuration, Purpose, StudyKind
from lsmtune.result import Decisions, StepTaken, checkpoints, compare, step_contest
from lsmtune.space import Space
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.study._runner import Runner
from lsmtune.study.plans._stages import measure_baselines
from lsmtune.study.plans._verification import Match, verify, verify_finalists


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


def tune_by_steps(runner: Runner, settings: NamedChanges) -> None:
    """Try each step on top of those kept before it, then all that were kept against the reference.

    What was done by an earlier process is taken as it is. A step that the budget does not hold ends the list.

    Raises:
        RunError: the reference cannot be run.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    study = runner.study
    if Decisions.read(study).done:
        runner.listener.note("this study has come to its end; other steps, or a larger budget, need a new study")
        return
    study.begin(StudyKind.STEPS)
    measure_baselines(runner, settings.noise_runs)
    kept = _walk(runner, settings)
    names = [step.name for step in Decisions.read(study).steps or () if step.kept]
    study.save(checkpoints.FINALISTS, (" + ".join(names),) if names else ())
    if names:
        runner.listener.stage("verify", "all steps that were kept against the reference, fresh interleaved runs")
        verify_finalists(runner, [kept], 0.0)
    else:
        runner.listener.note("no step was shown to be better with its guards held; nothing to verify")
    study.save(checkpoints.DONE, value=True)


def _walk(runner: Runner, settings: NamedChanges) -> Configuration:
    """Go through the steps and return the reference with those that were kept.

    Once it was decided what is verified, no further one is tried: the runs of the verification are of that.
    """
    decided = Decisions.read(runner.study)
    taken = list(decided.steps or ())
    current = runner.rules.start
    for number, step in enumerate(settings.changes, start=1):
        changed = _on_top(runner, settings.space, current, step)
        if number > len(taken) and decided.finalists is not None:
            return current
        if number > len(taken):
            outcome = _try(runner, settings.space, number, step, current, changed)
            if outcome is None:
                return current
            taken.append(outcome)
            runner.study.save(checkpoints.STEPS, tuple(taken))
        if taken[number - 1].kept:
            current = changed
    return current


def _try(
    runner: Runner, space: Space, number: int, change: NamedChange, current: Configuration, changed: Configuration
) -> StepTaken | None:
    """Compare without and with the change of a step; None where the budget does not hold its first look."""
    contest, listener = step_contest(number), runner.listener
    listener.stage(f"step {number}", f"{change.name}: with the change against without it, fresh interleaved runs")
    broken = space.violations(changed.values)
    unchanged = changed == current
    if broken or unchanged:
        listener.note(f'"{change.name}" is left out: {broken[0] if broken else "it changes nothing here"}')
        return StepTaken(number, change.name, change.because, change.values, looks=0, kept=False)
    match = Match(f"step-{number}", current, contest.against, {contest.arms[0]: changed}, Purpose.STEP)
    begun = runner.history.select((Purpose.STEP,), contest.against)
    if not begun and runner.spending().left < 2 * FIRST_LOOK_RUNS:
        listener.note(
            f'the budget does not hold the {FIRST_LOOK_RUNS} runs of "{change.name}" and the {FIRST_LOOK_RUNS} that '
            "verify all that is kept; a larger one needs a new study"
        )
        return None
    looks = verify(runner, match, FIRST_LOOK_RUNS, FIRST_LOOK_RUNS)
    (comparison,) = compare(runner.history, runner.rules, contest, looks)
    return StepTaken(number, change.name, change.because, change.values, looks, comparison.accepted)


def _on_top(runner: Runner, space: Space, current: Configuration, step: NamedChange) -> Configuration:
    start = runner.rules.start
    return start.changed(space.canonical({**current.changes_from(start), **step.values}))
