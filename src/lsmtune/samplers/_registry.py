"""The samplers by the name that an experiment file uses."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from lsmtune.errors import UsageError
from lsmtune.samplers._base import Sampler
from lsmtune.samplers._ga import GaSampler
from lsmtune.samplers._ga_jin2022 import GaJin2022Sampler
from lsmtune.samplers._random import RandomSampler
from lsmtune.samplers._sobol import SobolSampler
from lsmtune.samplers._tpe import TpeSampler
from lsmtune.space import Space

SAMPLERS: Mapping[str, Callable[[Space, int, int], Sampler]] = MappingProxyType(
    {
        "random": RandomSampler,
        "sobol": SobolSampler,
        "tpe": TpeSampler,
        "ga": GaSampler,
        "ga-jin2022": GaJin2022Sampler,
    }
)
"""Factory by name; it takes the space, the seed and the number of startup proposals."""


def make_sampler(name: str, space: Space, seed: int, startup: int = 10) -> Sampler:
    """Return a new sampler.

    Args:
        name: one of `SAMPLERS`.
        space: where it searches.
        seed: at least 0; the same seed and the same trials give the same proposals.
        startup: number of first proposals that are spread evenly.

    Raises:
        UsageError: there is no sampler of this name.
        SamplerError: the seed or the startup is negative.
    """
    factory = SAMPLERS.get(name)
    if factory is None:
        raise UsageError(f'there is no sampler "{name}"; choose from {", ".join(SAMPLERS)}')
    return factory(space, seed, startup)
