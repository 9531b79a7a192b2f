"""NSGA-III over the indicators of the objective, by Optuna."""

import math
from typing import TYPE_CHECKING

from lsmtune.samplers._genetic import POPULATION, new_library_sampler
from lsmtune.samplers._nsga2 import Nsga2Sampler

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Nsga3Sampler(Nsga2Sampler):
    """As NSGA-II, with survivors near to reference directions instead of far from one another; for three and more.

    Deb and Jain, 2014, "An evolutionary many-objective optimization algorithm using reference-point-based nondominated
    sorting approach, part I". There are as many directions as a population can serve (Das and Dennis, 1998): 10 for
    two and for three objectives, 10 for four, 5 for five.
    """

    def _library_sampler(self, objectives: int, seed: int, mutation_seed: int) -> "BaseSampler":
        settings = {"dividing_parameter": _divisions(objectives)}
        return new_library_sampler("NSGAIIISampler", seed, mutation_seed, **settings)


def _divisions(objectives: int) -> int:
    """Return the most divisions of each objective with which directions do not outnumber a population; at least 1."""
    if objectives == 1:
        return 1
    fitting = (
        count for count in range(1, POPULATION) if math.comb(count + objectives - 1, objectives - 1) <= POPULATION
    )
    return max(fitting, default=1)
