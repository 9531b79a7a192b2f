"""NSGA-II over the indicators of the objective, by Optuna."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsmtune.samplers._base import Trial, losses
from lsmtune.samplers._genetic import GeneticSampler, Judged, new_library_sampler

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Nsga2Sampler(GeneticSampler):
    """Spreads over the trade-offs between the indicators of the objective instead of weighing them.

    Deb et al., 2002, "A fast and elitist multiobjective genetic algorithm: NSGA-II". Each indicator that the objective
    weighs (`Trial.parts`) is an objective of its own; survivors are chosen by non-domination and crowding. Where fewer
    than two indicators are known of all measured trials, the response is the only objective, as for `ga`.

    Without ``pareto`` in the experiment, what a study verifies is still chosen by its weighed objective: this sampler
    finds the front from which the weights choose, and pays for its width with fewer trials near the weighed optimum.

    A failed or censored trial has the worst loss of each objective; one that breaks a guard is worse than all that hold
    in each, in the order of the violations, which is the constrained domination of NSGA-II.

    Each proposal tells Optuna all generations again, so its price grows with the number of trials.
    """

    def _judged(self, trials: Sequence[Trial]) -> Sequence[Judged]:
        """Return all trials in their order with a loss for each objective."""
        names = _objectives(trials)
        columns = [losses([_seen_by(name, trial) for trial in trials]) for name in names] or [losses(trials)]
        return list(zip(zip(*columns, strict=True), trials, strict=True))

    def _library_sampler(self, objectives: int, seed: int, mutation_seed: int) -> "BaseSampler":
        del objectives  # NSGA-II takes what the study has
        return new_library_sampler("NSGAIISampler", seed, mutation_seed)


def _objectives(trials: Sequence[Trial]) -> list[str]:
    """Return the indicators that all measured trials have, in alphabetical order; none where there is just one."""
    measured = [set(trial.parts) for trial in trials if trial.response is not None]
    names = sorted(set.intersection(*measured)) if measured else []
    return names if len(names) > 1 else []


def _seen_by(name: str, trial: Trial) -> Trial:
    """Return the trial with one part of its response in the place of the whole."""
    return trial if trial.response is None else replace(trial, response=trial.parts[name])
