"""An additive Gaussian process, guards modelled by themselves, and a search around the best trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._additive import AdditiveProcess, Floats, fit_additive
from lsmtune.samplers._axes import is_categorical
from lsmtune.samplers._base import Sampler, Trial, plain_losses
from lsmtune.samplers._sobol import spread_point
from lsmtune.space import Dimension, Space

_MOST_SPREAD = 10
"""First proposals that are spread evenly, at most: the model learns from those that it chooses itself, too."""
_MODEL_TRIES = 4
"""Where all candidates are known already, later attempts are independent draws."""
_BASES, _NEAR, _FAR = 3, 60, 100
_CHANGED = (1.0, 2.0, 4.0)
"""Options that a candidate changes, on average."""
_CHANGED_SHARE = 0.3
"""As before, as a share of all options."""
_STEP = 0.2
"""Standard deviation of a small change, as a share of an axis."""
_ROUNDS, _KEPT, _NEIGHBOURS = 4, 10, 10
_CATEGORY = 0.7
"""Distance of a category from none; two of them are about as far from each other as the ends of an axis."""
_MARGIN = 0.7
"""What a guard's slack has to be, in standard deviations of one run's noise: verification must show that it holds."""
_MOST_TRIALS, _MOST_BEST = 400, 100


class AgpSampler(Sampler):
    """Fits an additive Gaussian process to the response and one to the slack of each guard; see `AdditiveProcess`.

    The proposal has the largest expected improvement times the probability that all guards hold (Gardner et al., 2014,
    "Bayesian optimization with inequality constraints"). How near a trial came to breaking a guard is learnt from all
    of them, whereas a single number has to call those that broke it bad, even where they are the best seen otherwise.
    Candidates are the best trials with a few options changed (as in Regis and Shoemaker, 2013, "Combining radial basis
    function surrogates and dynamic coordinate search", for many dimensions and few runs), and some draws.

    The reference is known to the model of the response, with its log ratio of 0. Failures and censored trials enter as
    `plain_losses` says and tell nothing of guards. Of more than 400 trials the 100 best and the last 300 are used.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the best new candidate, or a point of the Sobol sequence at first; late attempts are drawn."""
        if index < min(self.startup, _MOST_SPREAD) or not self.trials or attempt >= _MODEL_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        from threadpoolctl import threadpool_limits

        rng = np.random.default_rng([self.seed, index, attempt])
        with threadpool_limits(1):  # small matrices; and sums do not depend on the number of cores
            candidates = self._candidates(rng)
        found = (self.space.from_unit(place) for place in candidates)
        return next((values for values in found if self.is_new(values)), None) or self.space.from_unit(candidates[0])

    def _candidates(self, rng: np.random.Generator) -> Floats:
        """Return places of candidates, the most promising first."""
        trials = _used(self.trials)
        places = _places(self.space, [{}, *(trial.values for trial in trials)])
        judge = _Judge.fit(self.space, places, trials)
        shares = [changed / len(self.space) for changed in _CHANGED]
        bases = places[judge.order[:_BASES]]
        near = [_changed(self.space, base, share, _NEAR, rng) for base in bases for share in (*shares, _CHANGED_SHARE)]
        found = np.concatenate([*near, rng.random((_FAR, len(self.space)))])
        for _ in range(_ROUNDS):
            kept = found[np.argsort(-judge.promises(found), kind="stable")[:_KEPT]]
            moved = [_changed(self.space, base, share, _NEIGHBOURS, rng) for base in kept for share in shares]
            found = np.concatenate([kept, *moved])
        return np.asarray(found[np.argsort(-judge.promises(found), kind="stable")])


@dataclass(frozen=True)
class _Judge:
    """What models say of places.

    Attributes:
        space: of the places.
        response: model of the response.
        slacks: models of the guards.
        best: the lowest response that the model knows of a trial, or of the reference, that probably holds all guards.
        order: of the reference and the trials, the most promising to start from first.
    """

    space: Space
    response: AdditiveProcess
    slacks: tuple[AdditiveProcess, ...]
    best: float
    order: Sequence[int]

    @classmethod
    def fit(cls, space: Space, places: Floats, trials: Sequence[Trial]) -> "_Judge":
        """Fit all models; `places` are those of the reference and the trials."""
        points = _points(space, places)
        response = fit_additive(points, np.array([0.0, *plain_losses(trials)]))
        slacks = tuple(fit_additive(points[1:][rows], values) for rows, values in _slacks(trials))
        means, _ = response.predict(points)
        held = _log_held(slacks, points)
        held[0] = 0.0
        likely = held >= np.log(0.5)
        order = np.lexsort((np.where(likely, means, -held), ~likely))
        return cls(space, response, slacks, float(means[likely].min()), order.tolist())

    def promises(self, places: Floats) -> Floats:
        """Return the logarithm of the expected improvement times the probability that guards hold, shape (m,)."""
        from scipy.special import ndtr

        points = _points(self.space, places)
        means, deviations = self.response.predict(points)
        steps = (self.best - means) / deviations
        density = np.exp(-0.5 * steps**2) / np.sqrt(2 * np.pi)
        improvement = deviations * (steps * ndtr(steps) + density)
        return np.asarray(np.log(np.maximum(improvement, 1e-300)) + _log_held(self.slacks, points))


def _used(trials: Sequence[Trial]) -> Sequence[Trial]:
    """Return the trials that models are fitted to: all, or the best and the last of many."""
    if len(trials) <= _MOST_TRIALS:
        return trials
    early, late = trials[: _MOST_BEST - _MOST_TRIALS], trials[_MOST_BEST - _MOST_TRIALS :]
    order = np.argsort(plain_losses(trials)[: len(early)], kind="stable")[:_MOST_BEST]
    return [*(early[number] for number in sorted(order)), *late]


def _slacks(trials: Sequence[Trial]) -> list[tuple[list[int], Floats]]:
    """Return for each guard the numbers of the trials that tell its slack, and the slacks.

    Where only the violation of a trial is known, it stands for a guard by itself.
    """
    broken = any(trial.violation > 0 and not trial.slacks for trial in trials)
    rest = [{"": -trial.violation} if broken and trial.response is not None else {} for trial in trials]
    told = [trial.slacks or other for trial, other in zip(trials, rest, strict=True)]
    rows = {
        name: [number for number, slacks in enumerate(told) if name in slacks]
        for name in dict.fromkeys(name for slacks in told for name in slacks)
    }
    return [(numbers, np.array([told[number][name] for number in numbers])) for name, numbers in rows.items()]


def _log_held(slacks: Sequence[AdditiveProcess], points: Floats) -> Floats:
    """Return the logarithm of the probability that all guards hold, shape (m,)."""
    from scipy.special import log_ndtr

    total = np.zeros(len(points))
    for process in slacks:
        means, deviations = process.predict(points)
        total += log_ndtr((means - _MARGIN * process.noise) / deviations)
    return total


def _places(space: Space, configurations: Sequence[Mapping[str, Value]]) -> Floats:
    """Return places on the unit cube, shape (m, options); for a value without one the nearest, or the first."""
    known = [{**space.reference, **values} for values in configurations]
    return np.array([[_place(axis, values[axis.name]) for axis in space.dimensions] for values in known])


def _place(axis: Dimension, value: Value) -> float:
    return axis.to_unit(value) if axis.holds(value) or not (axis.choices or isinstance(value, str)) else 0.0


def _points(space: Space, places: Floats) -> Floats:
    """Return what models see of places: a column for each axis, but for categories one for each of them."""
    columns: list[Floats] = []
    for axis, column in zip(space.dimensions, places.T, strict=True):
        if not is_categorical(axis):
            columns.append(column)
            continue
        number = np.minimum((column * len(axis.choices)).astype(np.int64), len(axis.choices) - 1)
        columns.extend(_CATEGORY * (number == choice) for choice in range(len(axis.choices)))
    return np.column_stack(columns)


def _changed(space: Space, base: Floats, share: float, count: int, rng: np.random.Generator) -> Floats:
    """Return copies of a place with a share of the options changed, at least one, shape (count, options).

    In half of the copies those with an order move a small step; all others are drawn anew.
    """
    moved = rng.random((count, len(base))) < share
    moved[np.arange(count), rng.integers(len(base), size=count)] |= ~moved.any(axis=1)
    ordered = np.array([not is_categorical(axis) for axis in space.dimensions])
    small = (rng.random((count, 1)) < 0.5) & ordered
    near = np.clip(base + rng.normal(0.0, _STEP, (count, len(base))), 0.0, 1.0)
    return np.where(moved, np.where(small, near, rng.random((count, len(base)))), base)
