"""Ask for a configuration, tell what came of it; one way to search a file."""

from lsmtune.samplers._base import Sampler, Trial, losses
from lsmtune.samplers._random import RandomSampler
from lsmtune.samplers._registry import SAMPLERS, make_sampler
from lsmtune.samplers._sobol import SobolSampler
from lsmtune.samplers._tpe import TpeSampler

__all__ = [
    "SAMPLERS",
    "RandomSampler",
    "Sampler",
    "SobolSampler",
    "TpeSampler",
    "Trial",
    "losses",
    "make_sampler",
]
