"""Annealing: draws around good trials from an ever smaller neighbourhood."""

from collections.abc import Sequence

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._axes import is_categorical, places
from lsmtune.samplers._base import Sampler, losses
from lsmtune.samplers._sobol import spread_point
from lsmtune.space import Dimension

_MEAN_RANK = 2.0
"""Mean of the geometric distribution over the ranks of the trials, best first: 1 would always take the best."""
_SHRINKING = 0.1
"""The neighbourhood is 1 / (1 + 0.1 trials) of an axis."""
_ANNEAL_TRIES = 10
"""Where draws equal what is known already, later attempts are independent draws."""


class AnnealSampler(Sampler):
    """Draws each option from a neighbourhood of its value in a good trial; the neighbourhood shrinks with the trials.

    The algorithm `anneal` of hyperopt, which NNI offers under this name: Bergstra et al., 2013, "Making a science of
    model search". For each option by itself, the trial whose value is kept near is drawn by its rank among those in
    which the option had an effect, geometrically with mean 2. A number is drawn evenly from an interval around it, a
    choice or a special value is kept but for the share of the interval, with which it is drawn anew from the whole
    axis. The first `startup` proposals are points of a scrambled Sobol sequence. Failures, censored trials and broken
    guards enter as `losses` orders them.

    There is no model: a proposal takes a millisecond, and options are never seen together.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a draw around good trials, or a point of the Sobol sequence at first; late attempts are drawn."""
        if index < self.startup or not self.trials or attempt >= _ANNEAL_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        rng = np.random.default_rng([self.seed, index, attempt])
        width = 1 / (1 + _SHRINKING * len(self.trials))
        order = losses(self.trials)
        ranked = sorted(range(len(order)), key=lambda number: order[number])
        known = [places(self.space, self.trials[number].values) for number in ranked]
        return {
            axis.name: _drawn(axis, [each[axis.name] for each in known if axis.name in each], width, rng)
            for axis in self.space.dimensions
        }


def _drawn(axis: Dimension, ranked: Sequence[float], width: float, rng: np.random.Generator) -> Value:
    """Return a value near to a good one.

    Args:
        axis: of the option.
        ranked: its places in the trials, best first; where there are none, the whole axis is drawn from.
        width: of the neighbourhood, as a share of the axis.
        rng: decides.
    """
    anywhere = float(rng.random())
    rank, kept, shift = int(rng.geometric(1 / _MEAN_RANK)) - 1, rng.random() >= width, float(rng.random()) - 0.5
    if not ranked:
        return axis.from_unit(anywhere)
    place = ranked[min(rank, len(ranked) - 1)]
    value = axis.from_unit(place)
    if is_categorical(axis) or value in axis.specials:
        return value if kept else axis.from_unit(anywhere)
    middle = min(max(place, width / 2), 1 - width / 2)
    return axis.from_unit(middle + width * shift)
