"""What every sampler is: it is asked for a configuration and told what came of it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lsmtune.errors import SamplerError
from lsmtune.model import Value
from lsmtune.samplers._prior import Prior
from lsmtune.space import Space

_TRIES = 20

_Key: TypeAlias = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class Trial:
    """A configuration that was run, and what came of it.

    Attributes:
        values: of options, at full size; those left out stood at the reference.
        response: log ratio to the reference, lower is better; None where the run failed or was censored. Without a
            bound, too, the trial failed.
        violation: 0 where all guards hold, else the sum of the log ratios by which they were missed.
        bound: for a censored run, a log ratio that the response would at least have reached; else None.
        ratios: by the name of an indicator, its value over the reference's at that moment, for samplers that look at
            several indicators; what was not measured is left out, and it may be empty.
        parts: by an indicator that the objective weighs, its log ratio turned so that lower is better, for samplers
            with several objectives; as for `ratios`, some or all may be left out.
        slacks: by the indicator of a guard or limit, how far it is from being broken, below 0 where it is, for samplers
            that model guards by themselves; a log ratio, or a share of the limit. By the code of its rule also how far
            the trial is from a finding that takes the meaning from its result. Some or all may be left out.

    Raises:
        SamplerError: a number is not finite, the violation is negative, response and bound are both given, or a
            ratio is not above 0.
    """

    values: Mapping[str, Value]
    response: float | None
    violation: float = 0.0
    bound: float | None = None
    ratios: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    slacks: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("response", "violation", "bound"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise SamplerError(f"a trial has {name} {number}; give a finite number, or None for a failed run")
        if self.violation < 0:
            raise SamplerError(f"a trial has violation {self.violation}; give 0 where all guards hold")
        if self.response is not None and self.bound is not None:
            raise SamplerError("a trial has a response and a bound; give the bound for a censored run alone")
        for name, ratio in self.ratios.items():
            if not 0 < ratio < math.inf:
                raise SamplerError(
                    f'a trial has ratio {ratio} of "{name}"; give a finite number above 0, or leave it out'
                )
        for what, numbers in (("part", self.parts), ("slack", self.slacks)):
            for name, number in numbers.items():
                if not math.isfinite(number):
                    raise SamplerError(
                        f'a trial has {what} {number} of "{name}"; give a finite number, or leave it out'
                    )


@dataclass(frozen=True)
class Outlook:
    """What is known of a search beside its trials.

    Attributes:
        noise: standard deviation of a response between runs of one configuration; None where it was not measured.
        slack_noise: the same of a slack, by the indicator of its guard or limit; what was not measured is absent.
        trials: how many trials the search is likely to hold in all; None where nobody knows.
        slacks: how far the reference is from breaking each guard or limit, or from a finding, as in a trial; some may
            be left out.
        prior: what is expected of configurations before any is run; None where nothing is.

    Raises:
        SamplerError: a noise is not a finite number above 0, or the number of trials is negative.
    """

    noise: float | None = None
    slack_noise: Mapping[str, float] = field(default_factory=dict)
    trials: int | None = None
    slacks: Mapping[str, float] = field(default_factory=dict)
    prior: Prior | None = None

    def __post_init__(self) -> None:
        for noise in (self.noise, *self.slack_noise.values()):
            if noise is not None and not 0 < noise < math.inf:
                raise SamplerError(f"an outlook has noise {noise}; give a finite number above 0, or leave it out")
        if self.trials is not None and self.trials < 0:
            raise SamplerError(f"an outlook has {self.trials} trials; give a number of at least 0, or None")


class Sampler(ABC):
    """Proposes configurations of a space, given what came of earlier ones.

    Call order: `ask`, run, `tell`, again and again; several may be asked before they are told, in any order. Each
    configuration that was asked has to be told, a failed run as a trial without response. Trials that nobody asked
    for (presets, an earlier study) may be told while nothing is asked. Before any question `expect` may say what is
    known beside the trials; what it said last holds.

    Determinism: space, seed, the outlook and the trials told, in their order, decide the next proposal. So a study is
    resumed with a new sampler of the same seed that is told all trials again. Randomness comes from (seed, index of the
    proposal, try) alone; subclasses keep no generator between calls.

    A sampler belongs to one thread. It owns nothing outside of the process.

    Subclasses implement `propose`. What it returns is repaired, brought into canonical form, and drawn again, up to
    20 times, where it cannot be repaired, is the reference itself or was told or asked already.

    Attributes:
        space: where it searches.
        seed: decides all randomness.
        startup: number of first proposals that are spread evenly, before a model of the responses is used.
        outlook: what is known beside the trials; nothing at first.

    Raises:
        SamplerError: the seed or the startup is negative.
    """

    def __init__(self, space: Space, seed: int, startup: int = 10) -> None:
        if seed < 0 or startup < 0:
            raise SamplerError(f"a sampler has seed {seed} and startup {startup}; give numbers of at least 0")
        self.space = space
        self.seed = seed
        self.startup = startup
        self.outlook = Outlook()
        self._told: list[Trial] = []
        self._told_keys: set[_Key] = {()}
        self._asked_keys: list[_Key] = []

    @abstractmethod
    def propose(self, index: int, attempt: int) -> Mapping[str, Value]:
        """Return values for the options of the space, feasible or not.

        Args:
            index: number of trials told and of configurations asked but not told yet.
            attempt: 0 at first; counts up while the proposals cannot be used.
        """

    @property
    def remark(self) -> str:
        """A sentence that a user should read before the search begins; empty where there is nothing to say."""
        return ""

    @property
    def trials(self) -> Sequence[Trial]:
        """The trials told so far, in order."""
        return tuple(self._told)

    @property
    def open_values(self) -> list[dict[str, Value]]:
        """The configurations that were asked and are not told yet, the oldest first."""
        return [dict(key) for key in self._asked_keys]

    def expect(self, outlook: Outlook) -> None:
        """Take in what is known beside the trials."""
        self.outlook = outlook

    def ask(self) -> dict[str, Value]:
        """Return a feasible configuration as its least difference from the reference of the space.

        Where 20 proposals were all known already, the last one is returned again.

        Raises:
            SamplerError: none of 20 proposals could be made feasible.
        """
        index = len(self._told) + len(self._asked_keys)
        found: dict[str, Value] | None = None
        proposed: list[Mapping[str, Value]] = []
        for attempt in range(_TRIES):
            proposed.append(self.propose(index, attempt))
            usable = self._usable(proposed[-1])
            found = found if usable is None else usable
            if usable is not None and not self._is_known(usable):
                break
        if found is None:
            raise SamplerError(
                f"none of {_TRIES} proposals could be made feasible; for example {self.space.most_broken(proposed)}; "
                "loosen a constraint or change the ranges"
            )
        self._asked_keys.append(_key(found))
        return found

    def hold(self, values: Mapping[str, Value]) -> None:
        """Take note of a configuration that is being run: it was asked of an earlier sampler and is not told yet."""
        self._asked_keys.append(_key(self.space.canonical(values)))

    def is_new(self, values: Mapping[str, Value]) -> bool:
        """Return whether a proposal would be run: it can be repaired, and what it comes to was not told or asked.

        For samplers that have several proposals in hand and want to return the best that can be used.
        """
        usable = self._usable(values)
        return usable is not None and not self._is_known(usable)

    def tell(self, trial: Trial) -> None:
        """Take in what came of a configuration.

        Where the values are not those asked (the engine rewrote some), the oldest one asked counts as told.
        """
        key = _key(self.space.canonical(trial.values))
        if key in self._asked_keys:
            self._asked_keys.remove(key)
        elif self._asked_keys:
            self._asked_keys.pop(0)
        self._told.append(trial)
        self._told_keys.add(key)

    def _usable(self, values: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the feasible configuration that a proposal comes to; None where it cannot be repaired."""
        repaired = self.space.repair(values)
        return None if repaired is None else self.space.canonical(repaired)

    def _is_known(self, usable: Mapping[str, Value]) -> bool:
        key = _key(usable)
        return key in self._told_keys or key in self._asked_keys


def losses(trials: Sequence[Trial]) -> list[float]:
    """Return one number for each trial, lower is better, for models that know neither failures nor guards.

    The response itself where guards hold; for a censored trial the mean of what was seen beyond its bound, or the bound
    where nothing was; for a failed one the worst. A trial that breaks a guard is worse than all that hold, in the order
    of the violations. Only the order is meant to be used.
    """
    plain = plain_losses(trials)
    held = [loss for loss, trial in zip(plain, trials, strict=True) if trial.violation == 0]
    limit = max(held, default=0.0)
    return [
        loss if trial.violation == 0 else limit + trial.violation for loss, trial in zip(plain, trials, strict=True)
    ]


def plain_losses(trials: Sequence[Trial]) -> list[float]:
    """Return the same as `losses` without a look at guards: all that is not a measured response is an estimate."""
    measured = [trial.response for trial in trials if trial.response is not None]
    return [_plain_loss(trial, measured) for trial in trials]


def _plain_loss(trial: Trial, measured: Sequence[float]) -> float:
    if trial.response is not None:
        return trial.response
    bound = trial.bound
    if bound is None:
        return max(measured, default=0.0)
    beyond = [response for response in measured if response > bound]
    return sum(beyond) / len(beyond) if beyond else bound


def _key(values: Mapping[str, Value]) -> _Key:
    return tuple(sorted(values.items()))
