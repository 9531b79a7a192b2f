"""The genetic algorithm of Jin et al., 2022, as published."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from enum import StrEnum

import numpy as np

from lsmtune.errors import SamplerError
from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, Trial
from lsmtune.space import Space

_POPULATION = 8
_SURVIVORS = 4
_CROSSOVERS = 2
_MUTANTS = 2
_PARENT_TRIES, _CROSSOVER_TRIES = 8, 18
"""Where crossovers give what is known already: so many attempts of the parents, then of any survivors, then mutants."""


@dataclass(frozen=True)
class Jin2022Indicators:
    """Names of the four indicators of Eq. 2.

    The paper does not say whether it read WAF and SA before or after the compactions that the load left behind. The
    defaults are lsmtune's settled readings; `waf_load_end` and `space_load_end_bytes` are those at the end of the load.

    Attributes:
        waf: write amplification.
        space: bytes at the end, the paper's SA.
        time: of the load.
        rate: data processed in a second; the only one where more is better.

    Raises:
        SamplerError: a name is empty or given twice.
    """

    waf: str = "waf"
    space: str = "space_bytes"
    time: str = "load_time_s"
    rate: str = "throughput_bytes_s"

    def __post_init__(self) -> None:
        names = astuple(self)
        if not all(names) or len(set(names)) < len(names):
            raise SamplerError(f"the fitness of Jin et al. got the indicators {list(names)}; give four different names")


JIN2022_INDICATORS = Jin2022Indicators()
"""The settled readings."""


def fitness_jin2022(ratios: Mapping[str, float], indicators: Jin2022Indicators = JIN2022_INDICATORS) -> float | None:
    """Return the fitness of a configuration, higher is better, 0 for the reference.

    Jin et al., 2022, "Improvement of RocksDB Performance via Large-Scale Parameter Analysis and Optimization", Eq. 2:
    1000 (sum of (I_default - I) / I_default over WAF, SA and TIME, + (RATE - RATE_default) / RATE_default).

    Args:
        ratios: value of an indicator over that of the reference, by the indicator's name.
        indicators: which four are meant.

    Returns:
        None where one of the four is missing.
    """
    waf, space, time, rate = (ratios.get(name) for name in astuple(indicators))
    if waf is None or space is None or time is None or rate is None:
        return None
    return 1000 * ((1 - waf) + (1 - space) + (1 - time) + (rate - 1))


class Parents(StrEnum):
    """Which chromosomes of a generation are crossed."""

    TWO_BEST = "two-best"
    """The two best, as section 3.5 of the paper says."""
    SURVIVORS = "survivors"
    """Any two of the four that survive: section 4.5 says "parent chromosomes" and no more."""


class GaJin2022Sampler(Sampler):
    """The paper's genetic algorithm, kept for its reproduction; `ga` is the one to tune with.

    A population is 8 random chromosomes. In each generation the 4 worst by `fitness_jin2022` are discarded; 2 places
    are refilled by crossover of survivors without mutation, 2 by complete mutants, which are random chromosomes.
    When to stop is left to the caller. Of `startup` it makes no use: the first population is the paper's.

    Parents are the two best chromosomes (section 3.5), or any two survivors, each as likely as another (see `Parents`).
    How they are crossed the paper does not say: here each gene is from one of the two with even chance (uniform
    crossover).

    Three things go beyond the paper. A child that was run already is drawn anew, after 8 attempts of any two survivors,
    and after 18 becomes a mutant: two parents of four genes have 14 children at most.
    A trial that breaks a guard ranks behind all that hold. A trial without the four ratios ranks behind those that have
    them, by its response: where none has them, the response alone decides. Failed and censored trials rank last.

    Trials told without being asked take places in the first populations, in their order.

    Attributes:
        indicators: names of the ratios that enter the fitness.
        parents: which chromosomes are crossed.
    """

    def __init__(
        self,
        space: Space,
        seed: int,
        startup: int = 10,
        indicators: Jin2022Indicators = JIN2022_INDICATORS,
        parents: Parents = Parents.TWO_BEST,
    ) -> None:
        super().__init__(space, seed, startup)
        self.indicators = indicators
        self.parents = parents

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a crossover of parents or a random chromosome: crossovers come first in each generation."""
        rng = np.random.default_rng([self.seed, index, attempt])
        place = (index - _POPULATION) % (_CROSSOVERS + _MUTANTS)
        is_child = index >= _POPULATION and place < _CROSSOVERS and attempt < _CROSSOVER_TRIES
        mates = self._mates(index - place, attempt) if is_child else []
        if len(mates) < 2:
            return self.space.from_unit(rng.random(len(self.space)))
        chosen = rng.choice(len(mates), size=2, replace=False)
        parents = [{**self.space.reference, **mates[mate].values} for mate in chosen]
        picks = rng.integers(2, size=len(self.space))
        return {name: parents[pick][name] for name, pick in zip(self.space.names, picks, strict=True)}

    def _mates(self, born: int, attempt: int) -> list[Trial]:
        """Return those that may be crossed: of the first `born` trials told, the 2 best, or the 4 that survive."""
        count = 2 if self.parents is Parents.TWO_BEST and attempt < _PARENT_TRIES else _SURVIVORS
        return sorted(self.trials[:born], key=self._rank)[:count]

    def _rank(self, trial: Trial) -> tuple[bool, float, bool, float]:
        """Return what to sort by, best first."""
        if trial.response is None:
            return True, 0.0, True, 0.0
        fitness = fitness_jin2022(trial.ratios, self.indicators)
        return False, trial.violation, fitness is None, trial.response if fitness is None else -fitness
