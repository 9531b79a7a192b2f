"""The search: trials that a sampler proposes, and the reference among them.

The next run follows from the slots that are filled, so that a search that was stopped goes on as if it had not been.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lsmtune.errors import SamplerError
from lsmtune.model import Configuration, Purpose, Value
from lsmtune.result import checkpoints
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.space import Space
from lsmtune.study._budget import FIRST_LOOK_RUNS, Shares
from lsmtune.study._conductor import Conductor, Slot
from lsmtune.study._ladder import Ladder, slot_of
from lsmtune.study._stages import FIRST_BASELINES, possible_finalists
from lsmtune.study._stopping import early_end, remember_end
from lsmtune.study._trials import is_trial, outlook, told_trials

_MOST_NEEDED = 2
"""Whole runs that one step takes at most: a trial, and the run of the reference that is due after it."""


@dataclass(frozen=True)
class SearchSettings:
    """How the search goes.

    Attributes:
        space: what is searched.
        sampler: makes a new sampler; it is told the whole history before each question.
        first: configurations that are tried before the sampler is asked.
        anchor_every: every so many runs one is the reference.
        noise_runs: repeats of the reference: three at the start, the others before every second of the first trials.
        rungs: parts of the study's scale at which trials are run before a whole run, rising; empty for none.
        stop: whether the search ends where the trials leave little chance for a better one.
    """

    space: Space
    sampler: Callable[[], Sampler]
    anchor_every: int
    noise_runs: int
    first: tuple[Mapping[str, Value], ...] = ()
    rungs: tuple[Fraction, ...] = ()
    stop: bool = False


@dataclass(frozen=True)
class _Step:
    """A run to be made; `needs` is how many whole runs the budget has to hold for it.

    What a new trial runs is asked of the sampler only once the run is made: `configuration` is None until then.
    """

    slot: Slot
    configuration: Configuration | None
    about: str
    needs: int = 1


def search(conductor: Conductor, settings: SearchSettings, shared: Shares) -> None:
    """Ask the sampler, run, tell it, until the search's share is spent or the rest of it would be in vain.

    While no trial may become a finalist there is nothing to spend the later shares on: the search goes on into them as
    long as the budget holds a first look beside the next trial. Every few runs the reference is run again.
    """
    conductor.listener.stage("search", f"trials of {len(settings.space)} options; nothing here is a claim yet")
    if conductor.study.saved(checkpoints.TRIALS) is not None:
        return
    remark = settings.sampler().remark
    if remark:
        conductor.listener.note(remark)
    ladder = Ladder(conductor, settings.rungs, settings.anchor_every)
    ladder.open(conductor.spending().left - shared.after_search)
    step, stopped = _next_step(conductor, settings, ladder), None
    while _room(conductor, shared) >= step.needs and stopped is None:
        conductor.fill(step.slot, step.configuration or _proposed(conductor, settings, shared), step.about)
        step = _next_step(conductor, settings, ladder)
        if settings.stop and step.slot.arm != conductor.rules.reference:
            further = _further_trials(conductor, settings, _room(conductor, shared))
            stopped = early_end(conductor, settings.sampler().startup, further)
    remember_end(conductor, _whole_trials(conductor), stopped)


def _room(conductor: Conductor, shared: Shares) -> float:
    """Return how many whole runs the search may still make."""
    left = conductor.spending().left
    room = left - shared.after_search
    if room >= _MOST_NEEDED or possible_finalists(conductor):
        return room
    return left - FIRST_LOOK_RUNS


def _further_trials(conductor: Conductor, settings: SearchSettings, room: float) -> int:
    """Return how many trials some whole runs hold beside the runs of the reference."""
    rest = room - len(_open_baselines(conductor, settings.noise_runs))
    return max(0, int(rest * (1 - 1 / settings.anchor_every)))


def _next_step(conductor: Conductor, settings: SearchSettings, ladder: Ladder) -> _Step:
    rules, whole = conductor.rules, _whole_trials(conductor)
    anchor = Slot(Purpose.ANCHOR, rules.reference, whole, load=_load_of(settings, whole))
    if whole and _has_anchor(settings, whole) and conductor.filled(anchor) is None:
        return _Step(anchor, rules.start, "anchor")
    baseline = _due_baseline(conductor, settings, whole)
    if baseline is not None:
        return _Step(baseline, rules.start, "baseline of the reference")
    slot = ladder.waiting()
    if slot is not None and slot.arm == rules.reference:
        return _Step(slot, rules.start, f"the reference with {slot.rung} of the data")
    configurations = _trial_configurations(conductor)
    slot = slot or slot_of(f"trial-{len(configurations) + 1}", ladder.start)
    slot = replace(slot, load=_load_of(settings, int(slot.arm.rpartition("-")[2])))
    configuration, about = configurations.get(slot.arm), slot.arm.replace("-", " ")
    if slot.purpose is Purpose.RUNG:
        return _Step(slot, configuration, f"{about} with {slot.rung} of the data")
    return _Step(slot, configuration, about, _MOST_NEEDED if _has_anchor(settings, whole + 1) else 1)


def _due_baseline(conductor: Conductor, settings: SearchSettings, whole: int) -> Slot | None:
    """Return the baseline run that is due after so many whole trials.

    Runs that follow each other at once are steadier than runs that are minutes apart; the noise is that of the latter.
    """
    due = min(settings.noise_runs, FIRST_BASELINES + (whole + 1) // 2)
    return next(iter(_open_baselines(conductor, due)), None)


def _open_baselines(conductor: Conductor, wanted: int) -> list[Slot]:
    """Return which of so many runs of the reference are not yet made, those at the start left out."""
    slots = [Slot(Purpose.BASELINE, conductor.rules.reference, block) for block in range(FIRST_BASELINES, wanted)]
    return [slot for slot in slots if conductor.filled(slot) is None]


def _trial_configurations(conductor: Conductor) -> dict[str, Configuration]:
    """Return the configurations of the trials so far, by trial."""
    runs = conductor.filled_slots.values()
    return {stored.run.arm: stored.run.configuration for stored in runs if is_trial(stored, conductor.rules)}


def _whole_trials(conductor: Conductor) -> int:
    return sum(slot.purpose is Purpose.TRIAL for slot in conductor.filled_slots)


def _has_anchor(settings: SearchSettings, number: int) -> bool:
    return number % (settings.anchor_every - 1) == 0


def _load_of(settings: SearchSettings, number: int) -> str:
    """Name the load of a trial by its number: the trials between two anchors, and the anchor after them, share it."""
    return f"search/{(number - 1) // (settings.anchor_every - 1)}"


def _proposed(conductor: Conductor, settings: SearchSettings, shared: Shares) -> Configuration:
    """Return the configuration of the next new trial."""
    number = len(_trial_configurations(conductor)) + 1
    return conductor.rules.start.changed(_next_values(conductor, settings, shared, number))


def _next_values(conductor: Conductor, settings: SearchSettings, shared: Shares, number: int) -> Mapping[str, Value]:
    if number <= len(settings.first):
        return settings.first[number - 1]
    sampler = settings.sampler()
    # What a search can count on is its own share: whether it goes on into the later ones nobody knows before its end.
    room = conductor.spending().left - shared.after_search
    sampler.expect(outlook(conductor, number - 1 + _further_trials(conductor, settings, room)))
    try:
        return _asked(conductor, sampler)
    except SamplerError:
        raise
    except Exception as error:  # whatever a library raises: the trials so far and the rest of the budget are worth more
        conductor.listener.note(
            f"{type(sampler).__name__} failed ({type(error).__name__}: {error}), so trial {number} is a random draw; "
            "where that goes on, end the search and choose another sampler"
        )
        return _asked(conductor, make_sampler("random", settings.space, sampler.seed))


def _asked(conductor: Conductor, sampler: Sampler) -> Mapping[str, Value]:
    for trial in told_trials(conductor):
        sampler.tell(trial)
    return sampler.ask()
