"""Ask for a configuration, tell what came of it; one way to search a file."""

from lsmtune.samplers._agp import AgpSampler
from lsmtune.samplers._anneal import AnnealSampler
from lsmtune.samplers._base import Outlook, Sampler, Trial, losses, plain_losses
from lsmtune.samplers._cmaes import CmaesSampler
from lsmtune.samplers._ga import GaSampler
from lsmtune.samplers._ga_jin2022 import (
    JIN2022_INDICATORS,
    GaJin2022Sampler,
    Jin2022Indicators,
    Parents,
    fitness_jin2022,
)
from lsmtune.samplers._gp import GpSampler
from lsmtune.samplers._grid import GridSampler
from lsmtune.samplers._nsga2 import Nsga2Sampler
from lsmtune.samplers._nsga3 import Nsga3Sampler
from lsmtune.samplers._prior import Columns, Expected, Floats, Prior
from lsmtune.samplers._random import RandomSampler
from lsmtune.samplers._registry import SAMPLERS, make_sampler
from lsmtune.samplers._smac import SmacSampler
from lsmtune.samplers._sobol import SobolSampler
from lsmtune.samplers._tpe import TpeSampler

__all__ = [
    "JIN2022_INDICATORS",
    "SAMPLERS",
    "AgpSampler",
    "AnnealSampler",
    "CmaesSampler",
    "Columns",
    "Expected",
    "Floats",
    "GaJin2022Sampler",
    "GaSampler",
    "GpSampler",
    "GridSampler",
    "Jin2022Indicators",
    "Nsga2Sampler",
    "Nsga3Sampler",
    "Outlook",
    "Parents",
    "Prior",
    "RandomSampler",
    "Sampler",
    "SmacSampler",
    "SobolSampler",
    "TpeSampler",
    "Trial",
    "fitness_jin2022",
    "losses",
    "make_sampler",
    "plain_losses",
]
