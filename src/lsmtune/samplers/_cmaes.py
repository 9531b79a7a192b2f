"""Covariance matrix adaptation, by the package cmaes."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.samplers._axes import places
from lsmtune.samplers._base import Sampler, losses
from lsmtune.samplers._optuna import SEED_LIMIT
from lsmtune.samplers._sobol import spread_point

if TYPE_CHECKING:
    from cmaes import SepCMA

_SIGMA = 0.2
"""First step size, as a share of an axis."""
_MODEL_TRIES = 10
"""Where draws of the distribution round to what is known already, later attempts are independent draws."""


class CmaesSampler(Sampler):
    """Moves and reshapes a normal distribution over the unit cube towards the better half of each generation.

    Ros and Hansen, 2008, "A simple modification in CMA-ES achieving linear time and space complexity": the covariance
    is a diagonal, which is learnt some (n + 2) / 3 times faster than a full matrix of n options, and a full one takes
    more trials than a study has. The first `startup` proposals are points of a scrambled Sobol sequence; the best of
    them is the first mean. After them each 4 + floor(3 ln n) trials told are a generation. Failures, censored trials
    and broken guards enter as `losses` orders them, since the strategy uses the order alone.

    The order of an axis is taken as it is: choices without one are crossed as if they had it. A generation is told
    with the values that were run, repaired and rounded; an option without an effect stands at the mean, so that it
    pulls nowhere.

    Each proposal goes through all generations again; that takes milliseconds.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a draw of the distribution, or a point of the Sobol sequence at first; late attempts are drawn."""
        if index < self.startup or not self.trials or attempt >= _MODEL_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        strategy = self._strategy()
        strategy.reseed_rng(int(np.random.default_rng([self.seed, index, attempt]).integers(SEED_LIMIT)))
        drawn: npt.NDArray[np.float64] = strategy.ask()
        return self.space.from_unit(drawn[: len(self.space)])

    def _strategy(self) -> "SepCMA":
        """Return the strategy after all complete generations."""
        from cmaes import SepCMA

        size = max(2, len(self.space))  # the package wants two dimensions; a second one without an effect does no harm
        strategy = SepCMA(self._first_mean(size), _SIGMA, np.tile([0.0, 1.0], (size, 1)))
        order = losses(self.trials)
        popsize = strategy.population_size
        for start in range(self.startup, len(self.trials) - popsize + 1, popsize):
            generation = range(start, start + popsize)
            strategy.tell([(self._point(number, strategy.mean), order[number]) for number in generation])
        return strategy

    def _first_mean(self, size: int) -> npt.NDArray[np.float64]:
        """Return the place of the best of the first trials, shape (size,)."""
        order = losses(self.trials)
        first = range(min(max(1, self.startup), len(order)))
        return self._point(min(first, key=lambda number: (order[number], number)), np.full(size, 0.5))

    def _point(self, number: int, elsewhere: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the place of a trial, shape as `elsewhere`, which fills in where an option had none."""
        known = places(self.space, self.trials[number].values)
        point = elsewhere.copy()
        for column, name in enumerate(self.space.names):
            point[column] = known.get(name, point[column])
        return point
