"""What the genetic samplers by Optuna have in common."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, Trial
from lsmtune.samplers._optuna import SEED_LIMIT, distributions, quiet, to_params, to_values
from lsmtune.samplers._sobol import spread_point

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

POPULATION = 10
_GENETIC_TRIES = 10
"""Where children equal what is known already, later attempts are independent draws."""

Judged: TypeAlias = tuple[Sequence[float], Trial]
"""The losses of a trial, one for each objective, and the trial."""


class GeneticSampler(Sampler):
    """Crosses the best trials of all generations before, with tournaments for parents and rare mutations.

    The first `startup` proposals, and as many as it takes for a population of 10, are points of a scrambled Sobol
    sequence. Numbers are crossed by simulated binary crossover (Deb and Agrawal, 1995), choices gene by gene. Each
    proposal builds Optuna's study anew. Genes without an effect in a parent are drawn anew.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a child of the survivors, or a point of the Sobol sequence at first; late attempts are drawn."""
        complete = len(self.trials) // POPULATION * POPULATION
        if index < self.startup or complete == 0 or attempt >= _GENETIC_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        import optuna

        judged = self._judged(self.trials[:complete])
        axes = distributions(self.space)
        seeds = np.random.default_rng([self.seed, index, attempt]).integers(SEED_LIMIT, size=2)
        with quiet():
            sampler = self._library_sampler(len(judged[0][0]), int(seeds[0]), int(seeds[1]))
            study = optuna.create_study(directions=["minimize"] * len(judged[0][0]), sampler=sampler)
            for numbers, trial in judged:
                study.enqueue_trial(to_params(self.space, trial.values))
                asked = study.ask(axes)
                _ = asked.relative_params  # when this is read, Optuna notes to which generation the trial belongs
                study.tell(asked, list(numbers))
            params = study.ask(axes).params
        return to_values(self.space, params)

    @abstractmethod
    def _judged(self, trials: Sequence[Trial]) -> Sequence[Judged]:
        """Return the trials of complete generations from which the survivors are chosen, at least one population."""

    @abstractmethod
    def _library_sampler(self, objectives: int, seed: int, mutation_seed: int) -> "BaseSampler":
        """Return a new sampler of Optuna, made by `new_library_sampler`."""


def new_library_sampler(name: str, seed: int, mutation_seed: int, **settings: Any) -> "BaseSampler":
    """Return one of Optuna's genetic samplers whose mutations have a seed of their own.

    Optuna seeds crossover and mutation alike. That is harmless over the life of a study, but here each proposal begins
    anew: the value of a mutated gene would be the number by which its crossover was decided.
    """
    from optuna import samplers
    from optuna.exceptions import ExperimentalWarning
    from optuna.samplers.nsgaii import SBXCrossover

    mutants = samplers.RandomSampler(seed=mutation_seed)

    def sample_independent(_: "BaseSampler", *args: Any, **kwargs: Any) -> Any:
        return mutants.sample_independent(*args, **kwargs)

    seeded = type("Seeded", (getattr(samplers, name),), {"sample_independent": sample_independent})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)  # the crossover since 2022, NSGA-III since 2023
        made: BaseSampler = seeded(population_size=POPULATION, crossover=SBXCrossover(), seed=seed, **settings)
    return made
