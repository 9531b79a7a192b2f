"""Tree-structured Parzen estimator, by Optuna."""

from typing import TYPE_CHECKING

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, losses
from lsmtune.samplers._optuna import SEED_LIMIT, distributions, quiet, to_params, to_values
from lsmtune.samplers._sobol import spread_point

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

_MODEL_TRIES = 10
"""Where the estimator keeps to what is known already, later attempts are independent draws."""


class TpeSampler(Sampler):
    """Models where good and bad trials lie, for each option by itself, and proposes where good ones are likelier.

    Bergstra et al., 2011, "Algorithms for hyper-parameter optimization"; Optuna's `TPESampler` with multivariate=False.
    The first `startup` proposals are points of a scrambled Sobol sequence. Options without an effect are left out of
    a trial, so an option is judged by those trials in which it counted. Failures, censored trials and broken
    guards enter as `losses` orders them, since the estimator uses the order alone. What is open enters as a running
    trial, which Optuna takes for a bad one (its constant liar), so that its neighbourhood is left alone meanwhile.

    Each proposal builds Optuna's study anew from the trials told, some 30 ms at 100 trials of 28 options, in exchange
    for a state that cannot differ after a resume.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the estimator's proposal, or a point of the Sobol sequence during startup; late attempts are drawn."""
        if index < self.startup or not self.trials or attempt >= _MODEL_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        import optuna

        axes = distributions(self.space)
        seed = int(np.random.default_rng([self.seed, index, attempt]).integers(SEED_LIMIT))
        with quiet():
            sampler = optuna.samplers.TPESampler(multivariate=False, n_startup_trials=0, constant_liar=True, seed=seed)
            study = optuna.create_study(direction="minimize", sampler=sampler)
            study.add_trials(self._frozen_trials(axes))
            params = study.ask(axes).params
        return to_values(self.space, params)

    def _frozen_trials(self, axes: "dict[str, BaseDistribution]") -> "list[FrozenTrial]":
        from optuna.trial import TrialState, create_trial

        frozen = []
        for trial, loss in zip(self.trials, losses(self.trials), strict=True):
            params = to_params(self.space, trial.values)
            frozen.append(create_trial(value=loss, params=params, distributions={name: axes[name] for name in params}))
        for values in self.open_values:
            params = to_params(self.space, values)
            known = {name: axes[name] for name in params}
            frozen.append(create_trial(state=TrialState.RUNNING, params=params, distributions=known))
        return frozen
