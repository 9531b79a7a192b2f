"""Verification at larger scales than the study's: what was chosen against the reference, the smallest of them first.

Each scale is a verification like that at the study's own: fresh interleaved runs in randomised blocks, new loads, looks
at a corrected level. What is shown to be worse there, or breaks a guard, is no winner, and the next finalist climbs.
Finalists after the first climb as they were verified: the runs here are fresh and did not choose them, and one that is
only tried because another one lost is not worth a backward elimination before it is known to hold.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from statistics import median

from lsmtune.model import WHOLE, Configuration, Purpose, Status
from lsmtune.result import (
    AtScale,
    Climbing,
    ClimbOutcome,
    ClimbStep,
    Decisions,
    at_scale_words,
    checkpoints,
    climbers,
    compare_at,
    final_configuration,
    first_block,
    outcome_of,
    scenario_of,
)
from lsmtune.stats import LOOKS
from lsmtune.study._budget import FIRST_LOOK_RUNS
from lsmtune.study._runner import RunKey, Runner
from lsmtune.study.plans._stages import DOUBT_OF_ONE_RUN, finalist_configurations, fixed_s
from lsmtune.study.plans._verification import Match, blocks_of, look_by_look
from lsmtune.units import format_percent, format_seconds

_ENDED = (Status.OK, Status.DISTURBED)


def climb(runner: Runner) -> None:
    """Verify what was chosen at larger scales, and the next finalists where it loses; nothing where none are wanted.

    What did not fit the budget is kept as such, so that it is said.
    """
    climbing = runner.rules.climbing
    decided = replace(Decisions.read(runner.study), climb=())
    chosen = final_configuration(runner.history, runner.rules, decided)
    if climbing is None or not decided.winner or chosen == runner.rules.start:
        return
    order = climbers(runner.history, runner.rules, decided)
    scales = ", ".join(map(str, climbing.scales))
    runner.listener.stage("climb", f"what was chosen, in fresh interleaved runs at larger scales: {scales}")
    verified = finalist_configurations(runner, decided.finalists or ())
    for place, arm in enumerate(order):
        configuration = chosen if place == 0 else verified[arm]
        if _Climber(runner, climbing, order, arm, configuration).ascend() is not ClimbOutcome.LOST:
            return


def announce(runner: Runner) -> None:
    """Say before the search how long a first look at each larger scale takes about, and which of them the share holds.

    It is said once.
    """
    climbing = runner.rules.climbing
    if climbing is None or any(key.purpose is Purpose.TRIAL for key in runner.runs_by_key):
        return
    times = {scale: run_time_s(runner, climbing, scale) for scale in climbing.scales}
    looks = ", ".join(f"{format_seconds(FIRST_LOOK_RUNS * run_s)} at {scale}" for scale, run_s in times.items())
    taken = sum(FIRST_LOOK_RUNS / max(1.0, allowance(runner, climbing, run_s)) for run_s in times.values())
    held = "holds them" if taken <= 1 else "does not hold all of them"
    runner.listener.note(
        f"first looks at larger scales take about {looks}, if time follows the data; [verify] share, "
        f"{format_percent(climbing.share)} of the budget, {held}"
    )


def reopens_climb(runner: Runner) -> bool:
    """Whether the climb ended where the budget did not hold a first look that it holds now; then it may go on."""
    climbing, steps = runner.rules.climbing, Decisions.read(runner.study).climb
    if climbing is None or not steps or steps[-1].looks:
        return False
    run_s = run_time_s(runner, climbing, Fraction(steps[-1].scale))
    if allowance(runner, climbing, run_s) < steps[-1].needed:
        return False
    runner.study.save(checkpoints.CLIMB, steps[:-1])
    return True


def run_time_s(runner: Runner, climbing: Climbing, scale: Fraction) -> float:
    """Estimate the time of a run at a larger scale in s.

    It is that of the runs there, where there are any; else that at the largest scale below it, the study's own if need
    be, in proportion of the data, but for what a run takes beside its work.
    """
    rung, fixed = climbing.rung(scale), fixed_s(runner)
    times: dict[Fraction, list[float]] = {}
    for stored in runner.history.runs:
        if stored.run.purpose is Purpose.CLIMB and stored.status in _ENDED and stored.elapsed_s is not None:
            times.setdefault(stored.run.rung, []).append(stored.elapsed_s)
    below = max((known for known in times if known <= rung), default=WHOLE)
    known_s = median(times[below]) if below in times else runner.spending().run_s
    return fixed + float(rung / below) * max(0.0, known_s - fixed)


def allowance(runner: Runner, climbing: Climbing, run_s: float) -> float:
    """Return how many runs of `run_s` seconds the climb may still take: of its share, and of what is left at all."""
    budget, spending = runner.budget, runner.spending()
    climbed = (stored.elapsed_s for stored in runner.history.runs if stored.run.purpose is Purpose.CLIMB)
    spent = [elapsed_s for elapsed_s in climbed if elapsed_s is not None]
    left = [math.inf]
    if budget.time_s is not None:
        left.append(min(climbing.share * budget.time_s - sum(spent), budget.time_s - spending.spent_s) / run_s)
    if budget.runs is not None:
        left.append(min(climbing.share * budget.runs - len(spent), budget.runs - spending.spent_runs))
    return min(left)


@dataclass(frozen=True)
class _Climber:
    """A finalist on its way up."""

    runner: Runner
    climbing: Climbing
    order: tuple[str, ...]
    arm: str
    configuration: Configuration

    def ascend(self) -> ClimbOutcome:
        """Verify at each scale while it holds, and return what came of it in the end."""
        outcome = ClimbOutcome.HOLDS
        for scale in self.climbing.scales:
            step = self._kept(scale) or self._taken(scale)
            at_scale = self._seen(step, scale)
            outcome = at_scale.outcome
            if outcome is not ClimbOutcome.HOLDS:
                break
        return outcome

    def _kept(self, scale: Fraction) -> ClimbStep | None:
        steps = Decisions.read(self.runner.study).climb
        return next((step for step in steps if (step.arm, step.scale) == (self.arm, str(scale))), None)

    def _taken(self, scale: Fraction) -> ClimbStep:
        step = self._verified(scale)
        self.runner.study.save(checkpoints.CLIMB, (*Decisions.read(self.runner.study).climb, step))
        self.runner.listener.note(f"{self.arm} at {scale}: {at_scale_words(self._seen(step, scale))}")
        return step

    def _verified(self, scale: Fraction) -> ClimbStep:
        """Verify at a scale, if the first look is held: by what is estimated, and again as the first run takes it."""
        runner, match = self.runner, self._match(scale)
        first_look = blocks_of(runner, match, [self.arm], range(LOOKS[0]))
        begun = any(runner.run_of(run_key) is not None for run_key in first_look)
        step = self._planned(scale, first_look, DOUBT_OF_ONE_RUN if begun else 0.0)
        if not begun and step.held >= step.needed:
            runner.make_all([match.request(first_look[0], LOOKS[0])])
            step = self._planned(scale, first_look, DOUBT_OF_ONE_RUN)
        if step.needed >= len(first_look) - 1 and step.held < step.needed:
            return step
        looks = look_by_look(runner, match, partial(self._still_open, scale), lambda _: self._allowance(scale))
        return replace(step, looks=looks)

    def _planned(self, scale: Fraction, first_look: Sequence[RunKey], doubt: float) -> ClimbStep:
        needed = sum(self.runner.run_of(run_key) is None for run_key in first_look)
        run_s, held = run_time_s(self.runner, self.climbing, scale), self._allowance(scale) / (1 - doubt)
        return ClimbStep(self.arm, str(scale), 0, run_s, min(held, float(needed)), needed)

    def _still_open(self, scale: Fraction, looks: int) -> tuple[list[str], bool]:
        found = compare_at(self.runner.history, self.runner.rules, self.order, self.arm, scale, looks)
        lost = outcome_of(found) is ClimbOutcome.LOST
        return [self.arm] if found.is_open and not lost else [], found.accepted

    def _seen(self, step: ClimbStep, scale: Fraction) -> AtScale:
        runner, order = self.runner, self.order
        found = compare_at(runner.history, runner.rules, order, self.arm, scale, step.looks) if step.looks else None
        return AtScale(step, scale, found)

    def _match(self, scale: Fraction) -> Match:
        rules, climbing = self.runner.rules, self.climbing
        return Match(
            f"climb-{self.arm}-{scale}",
            rules.start,
            rules.reference,
            {self.arm: self.configuration},
            Purpose.CLIMB,
            climbing.rung(scale),
            scenario_of(climbing),
            first_block(self.arm),
        )

    def _allowance(self, scale: Fraction) -> float:
        return allowance(self.runner, self.climbing, run_time_s(self.runner, self.climbing, scale))
