"""What a sampler is told of a study: each trial once, by the run of it with the most data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean

from lsmtune.model import WHOLE, Configuration, Purpose, Status
from lsmtune.result import (
    Ranked,
    Rules,
    Yardstick,
    fit_reference,
    noise_of_gain,
    noise_of_slacks,
    score,
    slacks_of_reference,
)
from lsmtune.samplers import Outlook, Prior, Trial
from lsmtune.space import WORKLOAD_PREFIX
from lsmtune.store import StoredRun
from lsmtune.study._runner import Runner

_AMPLIFICATION = frozenset({"waf", "waf_wal", "space_bytes", "space_amp"})
"""Indicators that less data tells well, as they follow from the shape of the tree."""


def trial_history(runner: Runner) -> list[Trial]:
    """Return all trials in the order in which they began, by what they measured.

    One that was run with less data alone has the response that its run predicts for a whole one, so that all rungs feed
    one model. One that others spoiled is left out: it says nothing of its configuration.
    """
    return [trial for trial, _ in _trials(runner)]


def briefing(runner: Runner, trials: int, prior: Prior | None = None) -> tuple[Outlook, list[Trial]]:
    """Return what a sampler is told of a search: what is known beside the trials, and the trials.

    A trial that cannot become a finalist, as a finding takes the meaning from its result, is told as one that breaks a
    guard with the code of the finding's rule. Otherwise a search would go on where only such trials are good.

    Args:
        runner: has measured the reference.
        trials: how many the search is likely to hold.
        prior: what recorded runs of other studies let expect.
    """
    of_gains = noise_of_gain(runner.history, runner.rules)
    noise = of_gains / math.sqrt(2) if of_gains else None
    told = _trials(runner)
    judged = [
        number
        for number, (trial, ranked) in enumerate(told)
        if trial.response is not None and ranked.stored.run.rung == WHOLE
    ]
    yardstick = Yardstick(runner.study, runner.history, runner.rules)
    at_reference, *slacks = yardstick.slacks([None, *(told[number][1].stored for number in judged)])
    known = dict(zip(judged, slacks, strict=True))
    outlook = Outlook(
        noise,
        noise_of_slacks(runner.history, runner.rules),
        trials,
        {**slacks_of_reference(runner.history, runner.rules), **at_reference},
        prior,
    )
    return outlook, [_with_slacks(trial, known.get(number, {})) for number, (trial, _) in enumerate(told)]


def _trials(runner: Runner) -> list[tuple[Trial, Ranked]]:
    """Return all trials but spoiled ones in the order in which they began, each with its run of the most data."""
    ranked = {key: each for key, each in rank_rungs(runner).items() if not is_spoiled(each)}
    links = {rung: _link(ranked, rung, runner.rules) for rung in {rung for _, rung in ranked} if rung != WHOLE}
    largest = dict(sorted(ranked, key=lambda key: key[1]))
    told = []
    for arm in dict.fromkeys(arm for arm, _ in ranked):
        rung = largest[arm]
        own = ranked[arm, rung]
        trial = trial_of(runner, own)
        told.append((trial if rung == WHOLE else _predicted(trial, own, links[rung], runner.rules), own))
    return told


def _with_slacks(trial: Trial, slacks: Mapping[str, float]) -> Trial:
    missed = sum(-slack for slack in slacks.values() if slack < 0)
    return replace(trial, violation=trial.violation + missed, slacks={**trial.slacks, **slacks})


def rank_rungs(runner: Runner) -> dict[tuple[str, Fraction], Ranked]:
    """Return the runs that stand for trials, by trial and rung, against the reference of its rung.

    The order is that in which they came to do so. A run that was disturbed and made again is not there.
    """
    history, rules = runner.history, runner.rules
    runs = [stored for run_key, stored in runner.runs_by_key.items() if is_trial(stored, rules)]
    references = {rung: fit_reference(history, rules, rung) for rung in {stored.run.rung for stored in runs}}
    return {
        (stored.run.arm, stored.run.rung): score(history, rules, references[stored.run.rung], stored) for stored in runs
    }


def trial_configurations(runner: Runner) -> dict[str, Configuration]:
    """Return the configurations of the trials that have ended, by trial."""
    runs = runner.runs_by_key.values()
    return {stored.run.arm: stored.run.configuration for stored in runs if is_trial(stored, runner.rules)}


def is_trial(stored: StoredRun, rules: Rules) -> bool:
    """Return whether a run is of a trial, whole or with less data."""
    run = stored.run
    return run.purpose is Purpose.TRIAL or (run.purpose is Purpose.RUNG and run.arm != rules.reference)


def is_spoiled(ranked: Ranked) -> bool:
    """Return whether others kept a run from its end each time that it was made."""
    return ranked.stored.status is Status.SPOILED


def trial_of(runner: Runner, ranked: Ranked) -> Trial:
    """Word a run for a sampler.

    A censored one has a bound where the objective is a time or a rate of all work: it took at least so many times the
    reference's time. Of anything else a run that was stopped says nothing, so that it counts as failed.
    """
    stored = ranked.stored
    values = {
        **stored.run.configuration.values,
        **{f"{WORKLOAD_PREFIX}{name}": value for name, value in stored.run.scenario},
    }
    bound = runner.log_bound(stored)
    if bound is not None and runner.rules.timed:
        return Trial(values, None, bound=bound)
    response = None if ranked.log_gain is None else -ranked.log_gain
    parts = {name: -gain for name, gain in ranked.parts.items()}
    return Trial(values, response, ranked.violation, ratios=ranked.ratios, parts=parts, slacks=ranked.slacks)


def low_fidelity_gain(ranked: Ranked, rules: Rules) -> float | None:
    """Return the log gain of a run with less data that predicts the whole run's; None where it gave nothing.

    What the objective weighs of write amplification and space tells it; where it weighs neither, the objective itself.
    """
    weights = rules.objective.weights
    shape = {name: weight for name, weight in weights.items() if name.partition("@")[0] in _AMPLIFICATION}
    if ranked.log_gain is None or not shape:
        return ranked.log_gain
    return sum(weight * ranked.parts[name] for name, weight in shape.items()) / sum(shape.values())


@dataclass(frozen=True)
class _Link:
    """The line from the low-fidelity gain of a run to the log gain of the whole run."""

    intercept: float
    slope: float

    def gain(self, predicted: float) -> float:
        return self.intercept + self.slope * predicted


def _link(ranked: Mapping[tuple[str, Fraction], Ranked], rung: Fraction, rules: Rules) -> _Link:
    """Fit the line by least squares over the trials that were run both ways; it never falls."""
    points = []
    for (arm, at), small in ranked.items():
        whole, predicted = ranked.get((arm, WHOLE)), low_fidelity_gain(small, rules)
        if at == rung and whole is not None and whole.log_gain is not None and predicted is not None:
            points.append((predicted, whole.log_gain))
    if len(points) < 3:
        return _Link(0.0, 1.0)
    middle, level = fmean(x for x, _ in points), fmean(y for _, y in points)
    spread = sum((x - middle) ** 2 for x, _ in points)
    slope = max(0.0, sum((x - middle) * (y - level) for x, y in points) / spread) if spread else 0.0
    return _Link(level - slope * middle, slope)


def _predicted(trial: Trial, small: Ranked, link: _Link, rules: Rules) -> Trial:
    predicted = low_fidelity_gain(small, rules)
    if predicted is None:
        return trial
    return replace(trial, response=-link.gain(predicted))
