"""Independent draws: the yardstick for every other sampler."""

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler


class RandomSampler(Sampler):
    """Draws each configuration evenly over the unit cube, whatever it was told."""

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the draw that belongs to (seed, index, attempt)."""
        rng = np.random.default_rng([self.seed, index, attempt])
        return self.space.from_unit(rng.random(len(self.space)))
