"""A genetic algorithm with elitism, by Optuna."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsmtune.samplers._base import Trial, losses
from lsmtune.samplers._genetic import POPULATION, GeneticSampler, Judged, new_library_sampler

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class GaSampler(GeneticSampler):
    """Crosses the best trials of all generations before, with tournaments for parents and rare mutations.

    Deb et al., 2002, "A fast and elitist multiobjective genetic algorithm: NSGA-II", with one objective. Failures,
    censored trials and broken guards enter as `losses` orders them: tournaments and survival use the order alone, and
    with it a trial that breaks a guard loses against all that hold, as under the constrained domination of NSGA-II.

    Each proposal builds Optuna's study anew from the survivors alone, so its price does not grow with the number of
    trials. With one objective and elitism they are the best of all complete generations.
    """

    def _judged(self, trials: Sequence[Trial]) -> Sequence[Judged]:
        """Return the losses and trials of the best, as many as a population; of equal ones the earlier."""
        ordered = sorted(zip(losses(trials), trials, strict=True), key=lambda pair: pair[0])
        return [((loss,), trial) for loss, trial in ordered[:POPULATION]]

    def _library_sampler(self, objectives: int, seed: int, mutation_seed: int) -> "BaseSampler":
        del objectives  # one
        return new_library_sampler("NSGAIISampler", seed, mutation_seed)
