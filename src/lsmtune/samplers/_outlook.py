"""What a search can still expect of one more trial."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.samplers._base import Trial, losses
from lsmtune.space import Space

LEAST_TRIALS = 20
"""Below so many trials a model says nothing about what is left to find."""

_TREES = 200
_DRAWS, _LEADERS, _NEIGHBOURS, _WIDTH = 500, 5, 40, 0.1


def expected_gain(space: Space, trials: Sequence[Trial], seed: int) -> float | None:
    """Return the largest expected improvement of a further trial over the best one, as a log gain.

    A forest of extremely randomised trees is fitted to what the trials gave (`losses`); the spread of its trees stands
    for what it does not know. Over random points of the space and neighbours of the best trials the expected
    improvement (Jones, Schonlau and Welch 1998, J. Global Optim. 13) is taken against the best *prediction* at a trial,
    since the best single run looks better than it is. Trees know too little beyond the trials, so with few of them the
    number is rather too small than too large.

    Args:
        space: where the search goes on.
        trials: all that were told.
        seed: of the forest and the points.

    Returns:
        The log gain; None below `LEAST_TRIALS` trials.
    """
    if len(trials) < LEAST_TRIALS:
        return None
    from sklearn.ensemble import ExtraTreesRegressor

    rng = np.random.default_rng([seed, len(trials)])
    places = np.array([space.to_unit(trial.values) for trial in trials])
    found = np.array(losses(trials))
    forest = ExtraTreesRegressor(_TREES, min_samples_leaf=2, max_features=0.5, random_state=seed).fit(places, found)
    points = _points(space, places[np.argsort(found)[:_LEADERS]], rng)
    each = np.array([tree.predict(points) for tree in forest.estimators_])
    mean, spread = each.mean(axis=0), each.std(axis=0) + 1e-12
    ahead = forest.predict(places).min() - mean
    z = ahead / spread
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return float(np.max(ahead * scipy.special.ndtr(z) + spread * density))


def _points(space: Space, leaders: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return feasible points of the unit cube, shape (n, len(space)): drawn ones, and neighbours of the leaders."""
    drawn = rng.random((_DRAWS, len(space)))
    near = np.repeat(leaders, _NEIGHBOURS, axis=0)
    moved = np.where(rng.random(near.shape) < 0.3, near + rng.normal(0, _WIDTH, near.shape), near)
    repaired = (space.repair(space.from_unit(place)) for place in np.clip(np.vstack([drawn, moved]), 0, 1))
    return np.array([space.to_unit(values) for values in repaired if values is not None])
