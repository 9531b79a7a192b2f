"""Stages that measure starting points and search. Each goes through its slots and may be entered again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lsmtune.errors import RunError
from lsmtune.model import Configuration, Purpose, Status, Value
from lsmtune.result import Decisions, Ranked, Rules, finalist, fit_reference, rank, score
from lsmtune.samplers import Sampler, Trial
from lsmtune.space import Space
from lsmtune.study._budget import Shares, share_out
from lsmtune.study._conductor import Conductor, Slot
from lsmtune.study._experiment_axes import PREFIX

_OTHER_BASELINE_RUNS = 2


@dataclass(frozen=True)
class SearchSettings:
    """How the search goes.

    Attributes:
        space: what is searched.
        sampler: makes a new sampler; it is told the whole history before each question.
        first: configurations that are tried before the sampler is asked.
        anchor_every: every so many runs one is the reference.
        noise_runs: repeats of the reference at the start.
    """

    space: Space
    sampler: Callable[[], Sampler]
    anchor_every: int
    noise_runs: int
    first: tuple[Mapping[str, Value], ...] = ()


def measure_baselines(conductor: Conductor, noise_runs: int) -> None:
    """Measure all starting points in turn: the reference `noise_runs` times, the others twice.

    Raises:
        RunError: the reference cannot be run, or never undisturbed; nothing can be compared with it.
    """
    rules = conductor.rules
    conductor.listener.stage("baseline", "the starting points, and how much this machine varies")
    for block in range(noise_runs):
        for name, start in rules.baselines.items():
            if name == rules.reference or block < _OTHER_BASELINE_RUNS:
                stored = conductor.fill(Slot(Purpose.BASELINE, name, block), start, f"baseline {name}")
                if name == rules.reference and stored.status in (Status.FAILED, Status.CENSORED):
                    raise RunError(f'the reference "{name}" cannot be run: {stored.reason}')
    if not conductor.history.select((Purpose.BASELINE,), rules.reference):
        raise RunError(
            f'no run of the reference "{rules.reference}" was undisturbed, so nothing can be compared with it: '
            f"{stored.reason}; end what else runs on this host and tune in a new study folder"
        )


def count_baselines(rules: Rules, noise_runs: int) -> int:
    """Return the number of runs that `measure_baselines` makes."""
    return noise_runs + min(noise_runs, _OTHER_BASELINE_RUNS) * (len(rules.baselines) - 1)


def shares(conductor: Conductor) -> Shares:
    """Share out the budget after the baseline, once; another budget is shared out anew while the search goes on.

    Raises:
        UsageError: the budget is too small.
    """
    spending = conductor.spending()
    budget = [spending.budget.time_s, spending.budget.runs]
    kept: Any = conductor.study.recall("shares")
    searched = conductor.study.recall("trials") is not None
    if kept is not None and kept["budget"] != budget and searched:
        conductor.listener.note("the search has ended; another budget changes only how long claims are tested")
    if kept is not None and (kept["budget"] == budget or searched):
        return Shares(kept["finalists"], kept["after_search"], kept["after_verification"])
    fresh = share_out(spending, conductor.rules.finalists)
    conductor.study.remember("shares", {"budget": budget, **asdict(fresh)})
    return fresh


def search(conductor: Conductor, settings: SearchSettings, shared: Shares) -> None:
    """Ask the sampler, run, tell it, until the search's share is spent; every few runs the reference is run again."""
    conductor.listener.stage("search", f"trials of {len(settings.space)} options; nothing here is a claim yet")
    remark = settings.sampler().remark
    if remark:
        conductor.listener.note(remark)
    number = 0
    while not _search_ended(conductor, settings, number, shared):
        number += 1
        slot = Slot(Purpose.TRIAL, f"trial-{number}")
        if conductor.filled(slot) is None:
            configuration = conductor.rules.start.changed(_next(conductor, settings, number))
            conductor.fill(slot, configuration, f"trial {number}")
        if _has_anchor(settings, number):
            anchor = Slot(Purpose.ANCHOR, conductor.rules.reference, number)
            conductor.fill(anchor, conductor.rules.start, "anchor")
    conductor.study.remember("trials", number)


def choose_finalists(conductor: Conductor, most: int) -> tuple[str, ...]:
    """Choose the trials that look better than the reference and hold its guards, each effective configuration once."""
    kept = Decisions.read(conductor.study).finalists
    if kept is not None:
        return kept
    history, rules = conductor.history, conductor.rules
    same = {stored.identity for stored in history.select((Purpose.BASELINE,), rules.reference)}
    chosen: dict[str, str] = {}
    for ranked in rank(history, rules):
        identity = ranked.stored.identity
        if ranked.log_gain is not None and ranked.log_gain > 0 and ranked.violation == 0 and identity not in same:
            chosen.setdefault(identity, ranked.stored.run.arm)
    arms = tuple(chosen.values())[:most]
    conductor.study.remember("finalists", list(arms))
    return arms


def finalist_configurations(conductor: Conductor, arms: Sequence[str]) -> dict[str, Configuration]:
    """Return the configurations of the finalists by the name of their arm in verification."""
    runs = {arm: conductor.filled(Slot(Purpose.TRIAL, arm)) for arm in arms}
    return {
        finalist(place): stored.run.configuration
        for place, (_, stored) in enumerate(runs.items(), start=1)
        if stored is not None
    }


def _search_ended(conductor: Conductor, settings: SearchSettings, number: int, shared: Shares) -> bool:
    """Whether the search ends after `number` trials: it was ended before, or the next one would pass its share."""
    ended = conductor.study.recall("trials")
    if isinstance(ended, int):
        return number >= ended
    if conductor.filled(Slot(Purpose.TRIAL, f"trial-{number + 1}")) is not None:
        return False
    return conductor.spending().left - shared.after_search < (2 if _has_anchor(settings, number + 1) else 1)


def _has_anchor(settings: SearchSettings, number: int) -> bool:
    return number % (settings.anchor_every - 1) == 0


def _next(conductor: Conductor, settings: SearchSettings, number: int) -> Mapping[str, Value]:
    return settings.first[number - 1] if number <= len(settings.first) else _ask(conductor, settings)


def _ask(conductor: Conductor, settings: SearchSettings) -> dict[str, Value]:
    sampler = settings.sampler()
    history, rules = conductor.history, conductor.rules
    reference = fit_reference(history, rules)
    for stored in history.runs:  # a contaminated one is told once: when it fills its slot
        if stored.run.purpose is Purpose.TRIAL and stored is conductor.filled(Slot(Purpose.TRIAL, stored.run.arm)):
            sampler.tell(trial_of(conductor, score(history, rules, reference, stored)))
    return sampler.ask()


def trial_of(conductor: Conductor, ranked: Ranked) -> Trial:
    """Word a run for a sampler. A censored one has a bound: it took at least so many times the reference's time."""
    stored = ranked.stored
    values = {**stored.run.configuration.values, **{f"{PREFIX}{name}": value for name, value in stored.run.scenario}}
    bound = conductor.log_bound(stored)
    if bound is not None:
        return Trial(values, None, bound=bound)
    response = None if ranked.log_gain is None else -ranked.log_gain
    parts = {name: -gain for name, gain in ranked.parts.items()}
    return Trial(values, response, ranked.violation, ratios=ranked.ratios, parts=parts)
