"""The samplers by the name that an experiment file uses."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from lsmtune.errors import SamplerError, UsageError
from lsmtune.extras import need
from lsmtune.samplers._agp import AgpSampler
from lsmtune.samplers._anneal import AnnealSampler
from lsmtune.samplers._base import Sampler
from lsmtune.samplers._cmaes import CmaesSampler
from lsmtune.samplers._ga import GaSampler
from lsmtune.samplers._ga_jin2022 import GaJin2022Sampler
from lsmtune.samplers._gp import GpSampler
from lsmtune.samplers._grid import GridSampler
from lsmtune.samplers._nsga2 import Nsga2Sampler
from lsmtune.samplers._nsga3 import Nsga3Sampler
from lsmtune.samplers._random import RandomSampler
from lsmtune.samplers._smac import SmacSampler
from lsmtune.samplers._sobol import SobolSampler
from lsmtune.samplers._tpe import TpeSampler
from lsmtune.space import Space

SAMPLERS: Mapping[str, Callable[[Space, int, int], Sampler]] = MappingProxyType(
    {
        "random": RandomSampler,
        "sobol": SobolSampler,
        "grid": GridSampler,
        "tpe": TpeSampler,
        "smac": SmacSampler,
        "agp": AgpSampler,
        "gp": GpSampler,
        "cmaes": CmaesSampler,
        "anneal": AnnealSampler,
        "ga": GaSampler,
        "ga-jin2022": GaJin2022Sampler,
        "nsga2": Nsga2Sampler,
        "nsga3": Nsga3Sampler,
    }
)
"""Factory by name; it takes the space, the seed and the number of startup proposals."""

_MODULES: Mapping[str, str] = MappingProxyType(
    {
        "tpe": "optuna",
        "smac": "smac.facade",
        "gp": "smac.facade",
        "cmaes": "cmaes",
        "ga": "optuna",
        "nsga2": "optuna",
        "nsga3": "optuna",
    }
)
"""What a sampler imports beyond the core: tried before the first run, not after the first ten."""


def make_sampler(name: str, space: Space, seed: int, startup: int = 10) -> Sampler:
    """Return a new sampler.

    Args:
        name: one of `SAMPLERS`.
        space: where it searches.
        seed: at least 0; the same seed and the same trials give the same proposals.
        startup: number of first proposals that are spread evenly.

    Raises:
        UsageError: there is no sampler of this name.
        MissingLibraryError: the sampler's library is not installed.
        SamplerError: the seed or the startup is negative, or the library cannot be imported.
    """
    factory = SAMPLERS.get(name)
    if factory is None:
        raise UsageError(f'there is no sampler "{name}"; choose from {", ".join(SAMPLERS)}')
    if name in _MODULES:
        _import(name, _MODULES[name])
    return factory(space, seed, startup)


def _import(name: str, module: str) -> None:
    package = module.partition(".")[0]
    need(f"the sampler {name}", package)
    try:
        import_module(module)
    except ImportError as error:
        raise SamplerError(
            f"the sampler {name} needs {package}, which cannot be imported ({error}); install it anew or choose "
            'sampler = "agp"'
        ) from None
