"""A genetic algorithm with elitism, by Optuna."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, Trial, losses
from lsmtune.samplers._optuna import SEED_LIMIT, distributions, quiet, to_params, to_values
from lsmtune.samplers._sobol import spread_point

if TYPE_CHECKING:
    from optuna.samplers import NSGAIISampler

_POPULATION = 10
_GENETIC_TRIES = 10
"""Where children equal what is known already, later attempts are independent draws."""


class GaSampler(Sampler):
    """Crosses the best trials of all generations before, with tournaments for parents and rare mutations.

    Deb et al., 2002, "A fast and elitist multiobjective genetic algorithm: NSGA-II", with one objective; numbers are
    crossed by simulated binary crossover (Deb and Agrawal, 1995), choices gene by gene. Optuna's `NSGAIISampler`. The
    first `startup` proposals, and as many as it takes for a population of 10, are points of a scrambled Sobol
    sequence. Failures, censored trials and broken guards enter as `losses` orders them: tournaments and survival
    use the order alone, and with it a trial that breaks a guard loses against all that hold, as under the constrained
    domination of NSGA-II.

    Each proposal builds Optuna's study anew from the survivors alone, so its price does not grow with the number of
    trials. With one objective and elitism they are the best of all complete generations. Genes without an effect in a
    survivor are drawn anew.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return a child of the survivors, or a point of the Sobol sequence at first; late attempts are drawn."""
        complete = len(self.trials) // _POPULATION * _POPULATION
        if index < self.startup or complete == 0 or attempt >= _GENETIC_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        import optuna

        axes = distributions(self.space)
        seeds = np.random.default_rng([self.seed, index, attempt]).integers(SEED_LIMIT, size=2)
        with quiet():
            sampler = _library_sampler(int(seeds[0]), int(seeds[1]))
            study = optuna.create_study(direction="minimize", sampler=sampler)
            for loss, survivor in _survivors(self.trials[:complete]):
                study.enqueue_trial(to_params(self.space, survivor.values))
                asked = study.ask(axes)
                _ = asked.relative_params  # when this is read, Optuna notes to which generation the trial belongs
                study.tell(asked, loss)
            params = study.ask(axes).params
        return to_values(self.space, params)


def _survivors(trials: Sequence[Trial]) -> list[tuple[float, Trial]]:
    """Return the losses and trials of the best, as many as a population; of equal ones the earlier."""
    return sorted(zip(losses(trials), trials, strict=True), key=lambda pair: pair[0])[:_POPULATION]


def _library_sampler(seed: int, mutation_seed: int) -> "NSGAIISampler":
    from optuna.exceptions import ExperimentalWarning
    from optuna.samplers import NSGAIISampler, RandomSampler
    from optuna.samplers.nsgaii import SBXCrossover

    mutants = RandomSampler(seed=mutation_seed)

    class _Nsga2(NSGAIISampler):
        """Optuna seeds crossover and mutation alike. That is harmless over the life of a study, but here each proposal
        begins anew: the value of a mutated gene would be the number by which its crossover was decided.
        """

        def sample_independent(self, *args: Any, **kwargs: Any) -> Any:
            return mutants.sample_independent(*args, **kwargs)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)  # the crossover, since 2022
        crossover = SBXCrossover()
    return _Nsga2(population_size=_POPULATION, crossover=crossover, seed=seed)
