"""An additive Gaussian process, guards modelled by themselves, and a search around the best trials."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.samplers._additive import AdditiveProcess, Points, fit_additive
from lsmtune.samplers._axes import is_categorical
from lsmtune.samplers._base import Outlook, Sampler, Trial, plain_losses
from lsmtune.samplers._prior import FLAT, Floats, Trend, promising, trends
from lsmtune.samplers._sobol import spread_point
from lsmtune.samplers._view import View
from lsmtune.space import Space
from lsmtune.threads import one_thread

_MOST_SPREAD = 10
"""First proposals that are spread evenly, at most: the model learns from those that it chooses itself, too."""
_SHORT_SHARE, _SHORT_MOST = 0.25, 0.5
"""Of the options, that a first proposal changes where there will be fewer trials than options, and any one at most; all
have their turn."""
_LEAST_SPREAD = 5
"""First proposals that are spread evenly, at least; beside them, half of the trials are left to the model."""
_MODEL_TRIES = 4
"""Where all candidates are known already, later attempts are independent draws."""
_BASES = 3
_CHANGED = (1.0, 2.0, 4.0)
"""Options that a candidate changes, on average."""
_CHANGED_SHARE = 0.3
"""As before, as a share of all options."""
_STEP = 0.2
"""Standard deviation of a small change, as a share of an axis."""
_MARGIN = 0.7
"""What a guard's slack has to be, in standard deviations of one run's noise: verification must show that it holds."""
_MOST_TRIALS, _MOST_BEST = 200, 60


class _Walk(NamedTuple):
    """How many candidates are looked at: near to a base for each number of changes, and drawn; then in each round.

    A round goes on from the `kept` best, each with so many neighbours for each number of changes.
    """

    near: int
    far: int
    rounds: int
    kept: int
    neighbours: int


_WALK = _Walk(near=60, far=100, rounds=4, kept=10, neighbours=10)


class AgpSampler(Sampler):
    """Fits an additive Gaussian process to the response and one to the slack of each guard; see `AdditiveProcess`.

    The proposal has the largest expected improvement times the probability that all guards hold (Gardner et al., 2014,
    "Bayesian optimization with inequality constraints"). How near a trial came to breaking a guard is learnt from all
    of them, whereas a single number has to call those that broke it bad, even where they are the best seen otherwise.
    Candidates are the best trials with a few options changed (as in Regis and Shoemaker, 2013, "Combining radial basis
    function surrogates and dynamic coordinate search", for many dimensions and few runs), and some draws.

    The reference is known to the model of the response, with its log ratio of 0; the noise is half to twice what the
    outlook says. What is open is believed to come out as the model expects (the kriging believer of Ginsbourger, Le
    Riche and Carraro, 2010, "Kriging is well-suited to parallelize optimization"): the next proposal is drawn to where
    that tells little. A censored trial enters with its bound, see `AdditiveProcess.beyond`. A failed one has no
    response; a process over what failed and what did not gives the probability that a place does not fail, by which the
    expected improvement is multiplied, too. Neither tells anything of guards.

    Where there is a prior, the first five are draws that it prefers. Later it is the trend of the processes: half of
    what it expects, with a standard deviation of a half, of which the trials tell how much is true. Elsewhere half of
    the trials to be expected are left to the models, beside five that are spread evenly. Where there will be fewer
    trials than options, proposals change few options only: what is far from the reference in all of them breaks guards
    more often, and cannot be tested change by change afterwards. Of more than 200 trials the 60 best and the last 140
    are used.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the best new candidate, or a point of the Sobol sequence at first; late attempts are drawn."""
        if index < self._spread_trials or not self.trials or attempt >= _MODEL_TRIES:
            return self._spread(index, attempt)
        rng = np.random.default_rng([self.seed, index, attempt])
        with one_thread():
            candidates = self._candidates(rng)
        reference = View(self.space).places([{}])[0]
        found = (self._values(place, reference) for place in candidates)
        new = next((values for values in found if self.is_new(values)), None)
        return new or self._values(candidates[0], reference)

    def _values(self, place: Floats, reference: Floats) -> dict[str, Value]:
        """Return the values at a place; where it is that of the reference, the reference's own, on a grid or not."""
        axes = self.space.dimensions
        kept = [axis.name for axis, here, there in zip(axes, place, reference, strict=True) if here == there]
        return {**self.space.from_unit(place), **{name: self.space.reference[name] for name in kept}}

    @property
    def _is_short(self) -> bool:
        return self.outlook.trials is not None and self.outlook.trials < len(self.space)

    @property
    def _spread_trials(self) -> int:
        """How many proposals are spread evenly before the model is used."""
        usual, trials = min(self.startup, _MOST_SPREAD), self.outlook.trials
        if self.outlook.prior is not None:
            return min(usual, _LEAST_SPREAD)
        return usual if trials is None else min(usual, max(_LEAST_SPREAD, trials // 2))

    def _spread(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a draw that the prior prefers, or without one a point of the Sobol sequence.

        In a short search it is the reference with some options from there.
        """
        prior, values = self.outlook.prior, None
        if prior is not None:
            rng = np.random.default_rng([self.seed, index, attempt])
            values = promising(self.space, prior, self.outlook.slacks, rng)
        if values is None:
            values = self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        if not self._is_short:
            return values
        names = np.random.default_rng(self.seed).permutation(self.space.names).tolist()
        count = max(1, round(_SHORT_SHARE * len(names)))
        turn = count * (index + attempt) % len(names)
        return {name: values[name] for name in (names + names)[turn : turn + count]}

    def _candidates(self, rng: np.random.Generator) -> Floats:
        """Return places of candidates, the most promising first."""
        trials = _used(self.trials)
        view = View(self.space)
        places = view.places([{}, *(trial.values for trial in trials)])
        judge = self._judge(view, places, trials)
        shares = [changed / len(self.space) for changed in _CHANGED]
        bases = places[judge.order[:_BASES]]
        walk = _WALK
        axes = _Axes.of(self.space)
        near = [axes.changed(base, share, walk.near, rng) for base in bases for share in (*shares, _CHANGED_SHARE)]
        drawn = rng.random((walk.far, len(self.space)))
        found = judge.sorted(self._near_reference(np.concatenate([*near, drawn]), places[0], rng))
        for _ in range(walk.rounds):
            kept = self._feasible(found[: walk.kept], view, places[0])
            moved = [axes.changed(base, share, walk.neighbours, rng) for base in kept for share in shares]
            found = judge.sorted(self._near_reference(np.concatenate([kept, *moved]), places[0], rng))
        mended = judge.sorted(self._feasible(found[: walk.kept], view, places[0]))
        return np.concatenate([mended, found[walk.kept :]])

    def _feasible(self, places: Floats, view: View, reference: Floats) -> Floats:
        """Return what would be run where these places are proposed; those that cannot be mended are left out."""
        if not self.space.constraints:
            return places
        mended = [self.space.repair(self._values(place, reference)) for place in places]
        usable = [values for values in mended if values is not None]
        return view.places(usable) if usable else places

    def _judge(self, view: View, places: Floats, trials: Sequence[Trial]) -> "_Judge":
        """Return what models say that know the trials, at `places` behind the reference, and what is open."""
        judge = _Judge.fit(view, places, trials, self.outlook)
        return judge.believing(view.places(self.open_values)) if self.open_values else judge

    def _near_reference(self, places: Floats, reference: Floats, rng: np.random.Generator) -> Floats:
        """Put all but some of the changed options, by lot, back to the reference where the search is short."""
        if not self._is_short:
            return places
        most = max(1, round(_SHORT_MOST * len(self.space)))
        lots = np.where(places == reference, -1.0, rng.random(places.shape))
        kept = np.argsort(np.argsort(-lots, axis=1), axis=1) < most
        return np.where(kept, places, reference)


@dataclass(frozen=True)
class _Judge:
    """What models say of places.

    Attributes:
        view: what they see of places.
        response: model of the response.
        slacks: models of the guards.
        success: model of +1 where trials ran and -1 where they failed; None where none failed.
        best: the lowest response that the model knows of a trial, or of the reference, that probably holds all guards.
        order: of the reference and the trials, the most promising to start from first.
    """

    view: View
    response: AdditiveProcess
    slacks: tuple[AdditiveProcess, ...]
    success: AdditiveProcess | None
    best: float
    order: Sequence[int]

    @classmethod
    def fit(cls, view: View, places: Floats, trials: Sequence[Trial], outlook: Outlook) -> "_Judge":
        """Fit all models; `places` are those of the reference and the trials."""
        points = view.points(places)
        ran = np.array([True, *(trial.response is not None or trial.bound is not None for trial in trials)])
        trend, bounds = trends(view.space, outlook.prior)
        response = _response(points, ran, trials, outlook.noise, trend)
        slacks = tuple(_slack_models(points, trials, outlook, bounds))
        success = None if ran.all() else fit_additive(points, np.where(ran, 1.0, -1.0))
        means, _ = response.predict(points)
        held = np.where(ran, _log_held(slacks, points) + _log_success(success, points), -np.inf)
        held[0] = 0.0
        likely = held >= np.log(0.5)
        order = np.lexsort((np.where(likely, means, -held), ~likely))
        return cls(view, response, slacks, success, float(means[likely].min()), order.tolist())

    def sorted(self, places: Floats) -> Floats:
        """Return places, the most promising first."""
        return np.asarray(places[np.argsort(-self.log_acquisition(places), kind="stable")])

    def believing(self, places: Floats) -> "_Judge":
        """Return the same, certain that runs at some more places come out as it expects."""
        points = self.view.points(places)
        means, _ = self.response.predict(points)
        likely = _log_held(self.slacks, points) + _log_success(self.success, points) >= np.log(0.5)
        best = min([self.best, *means[likely].tolist()])
        return replace(self, response=self.response.believing(points), best=best)

    def log_acquisition(self, places: Floats) -> Floats:
        """Return the logarithm of the expected improvement times the probability that a run ends and guards hold.

        Its shape is (m,).
        """
        from scipy.special import ndtr

        points = self.view.points(places)
        means, deviations = self.response.predict(points)
        steps = (self.best - means) / deviations
        density = np.exp(-0.5 * steps**2) / np.sqrt(2 * np.pi)
        improvement = deviations * (steps * ndtr(steps) + density)
        sure = _log_held(self.slacks, points) + _log_success(self.success, points)
        return np.asarray(np.log(np.maximum(improvement, 1e-300)) + sure)


def _used(trials: Sequence[Trial]) -> Sequence[Trial]:
    """Return the trials that models are fitted to: all, or the best and the last of many."""
    if len(trials) <= _MOST_TRIALS:
        return trials
    early, late = trials[: _MOST_BEST - _MOST_TRIALS], trials[_MOST_BEST - _MOST_TRIALS :]
    order = np.argsort(plain_losses(trials)[: len(early)], kind="stable")[:_MOST_BEST]
    return [*(early[number] for number in sorted(order)), *late]


def _response(
    points: Points,
    ran: npt.NDArray[np.bool_],
    trials: Sequence[Trial],
    noise: float | None,
    trend: Trend,
) -> AdditiveProcess:
    """Fit the model of the response to the reference and the trials that did not fail; `ran` says which."""
    rows = np.flatnonzero(ran)
    told = [trials[row - 1] for row in rows[1:]]
    known = [trial.bound if trial.response is None else trial.response for trial in told]
    values = np.array([0.0, *(value for value in known if value is not None)])
    bounded = [number for number, trial in enumerate(told, start=1) if trial.response is None]
    return fit_additive(points.rows(rows.tolist()), values, noise, bounded, relevance=True, trend=trend)


def _slack_models(
    points: Points, trials: Sequence[Trial], outlook: Outlook, expected: Mapping[str, Trend]
) -> Iterator[AdditiveProcess]:
    """Yield a model for each guard, of its slacks and, where it is known, that of the reference."""
    told = {name: (numbers, values) for name, numbers, values in _slacks(trials)}
    for name in dict.fromkeys((*outlook.slacks, *told)):
        numbers, values = told.get(name, ([], np.empty(0)))
        rows = [number + 1 for number in numbers]
        if name in outlook.slacks:
            rows, values = [0, *rows], np.append(outlook.slacks[name], values)
        noise, trend = outlook.slack_noise.get(name), expected.get(name, FLAT)
        yield fit_additive(points.rows(rows), values, noise, trend=trend)


def _slacks(trials: Sequence[Trial]) -> list[tuple[str, list[int], Floats]]:
    """Return for each guard its indicator, the numbers of the trials that tell its slack, and the slacks.

    Where only the violation of a trial is known, it stands for a guard by itself.
    """
    broken = any(trial.violation > 0 and not trial.slacks for trial in trials)
    rest = [{"": -trial.violation} if broken and trial.response is not None else {} for trial in trials]
    told = [trial.slacks or other for trial, other in zip(trials, rest, strict=True)]
    rows = {
        name: [number for number, slacks in enumerate(told) if name in slacks]
        for name in dict.fromkeys(name for slacks in told for name in slacks)
    }
    return [(name, numbers, np.array([told[number][name] for number in numbers])) for name, numbers in rows.items()]


def _log_held(slacks: Sequence[AdditiveProcess], points: Points) -> Floats:
    """Return the logarithm of the probability that all guards hold, shape (m,)."""
    from scipy.special import log_ndtr

    total = np.zeros(len(points))
    for process in slacks:
        means, deviations = process.predict(points)
        total += log_ndtr((means - _MARGIN * process.noise) / deviations)
    return total


def _log_success(success: AdditiveProcess | None, points: Points) -> Floats:
    """Return the logarithm of the probability that a run does not fail, shape (m,)."""
    from scipy.special import log_ndtr

    if success is None:
        return np.zeros(len(points))
    means, deviations = success.predict(points)
    return np.asarray(log_ndtr(means / np.hypot(deviations, success.noise)))


@dataclass(frozen=True)
class _Axes:
    """What changing a place has to know of the options, read off once for the many changes of a proposal.

    Attributes:
        starts: where the range of each begins on its axis, behind its special values, shape (options,).
        ordered: whether it has an order, shape (options,).
    """

    starts: Floats
    ordered: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, space: Space) -> "_Axes":
        return cls(
            np.array([axis.special_share for axis in space.dimensions]),
            np.array([not is_categorical(axis) for axis in space.dimensions]),
        )

    def changed(self, base: Floats, share: float, count: int, rng: np.random.Generator) -> Floats:
        """Return copies of a place with a share of the options changed, at least one, shape (count, options).

        In half of the copies those with an order move a small step, along the range; all others are drawn anew.
        """
        moved = rng.random((count, len(base))) < share
        moved[np.arange(count), rng.integers(len(base), size=count)] |= ~moved.any(axis=1)
        small = (rng.random((count, 1)) < 0.5) & self.ordered & (base >= self.starts)
        near = np.clip(base + rng.normal(0.0, _STEP, (count, len(base))), self.starts, 1.0)
        return np.where(moved, np.where(small, near, rng.random((count, len(base)))), base)
