"""Ask for a configuration, tell what came of it; one way to search a file."""

from lsmtune.samplers._base import Sampler, Trial, losses
from lsmtune.samplers._ga import GaSampler
from lsmtune.samplers._ga_jin2022 import JIN2022_INDICATORS, GaJin2022Sampler, Jin2022Indicators, fitness_jin2022
from lsmtune.samplers._random import RandomSampler
from lsmtune.samplers._registry import SAMPLERS, make_sampler
from lsmtune.samplers._sobol import SobolSampler
from lsmtune.samplers._tpe import TpeSampler

__all__ = [
    "JIN2022_INDICATORS",
    "SAMPLERS",
    "GaJin2022Sampler",
    "GaSampler",
    "Jin2022Indicators",
    "RandomSampler",
    "Sampler",
    "SobolSampler",
    "TpeSampler",
    "Trial",
    "fitness_jin2022",
    "losses",
    "make_sampler",
]
