"""A scrambled Sobol sequence: spreads over the space more evenly than chance does."""

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler


class SobolSampler(Sampler):
    """Walks along a scrambled Sobol sequence, whatever it was told.

    With k trials told and none open, the next configuration is point k. Where that point cannot be used, independent
    draws take its place: points further on are left to the proposals that they belong to.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return point `index` of the sequence, or for later attempts the draw of (seed, index, attempt)."""
        return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))


def spread_point(dimensions: int, seed: int, index: int, attempt: int) -> npt.NDArray[np.float64]:
    """Return a point of the unit cube, shape (dimensions,): of the Sobol sequence, or drawn where `attempt` > 0.

    Owen, 1998, "Scrambling Sobol' and Niederreiter-Xing points", as in `scipy.stats.qmc.Sobol`.
    """
    rng = np.random.default_rng([seed, index, attempt])
    if attempt > 0:
        return rng.random(dimensions)
    from scipy.stats import qmc

    sequence = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
    if index > 0:  # SciPy overflows on 0
        sequence.fast_forward(index)
    return np.asarray(sequence.random(1)[0], dtype=np.float64)
