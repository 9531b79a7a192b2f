"""Tree-structured Parzen estimator, by Optuna."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, losses
from lsmtune.samplers._sobol import spread_point
from lsmtune.space import Dimension

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

_SEED_LIMIT = 2**31
_MODEL_TRIES = 10
"""Where the estimator keeps to what is known already, later attempts are independent draws."""


class TpeSampler(Sampler):
    """Models where good and bad trials lie, for each option by itself, and proposes where good ones are likelier.

    Bergstra et al., 2011, "Algorithms for hyper-parameter optimization"; Optuna's `TPESampler` with multivariate=False.
    The first `startup` proposals are points of a scrambled Sobol sequence. Options without an effect are left out of
    a trial, so an option is judged by those trials in which it counted. Failures, censored trials and broken
    guards enter as `losses` orders them, since the estimator uses the order alone.

    Each proposal builds Optuna's study anew from the trials told, some 30 ms at 100 trials of 28 options, in exchange
    for a state that cannot differ after a resume.
    """

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the estimator's proposal, or a point of the Sobol sequence during startup; late attempts are drawn."""
        if index < self.startup or not self.trials or attempt >= _MODEL_TRIES:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        import optuna

        distributions = {axis.name: _distribution(axis) for axis in self.space.dimensions}
        seed = int(np.random.default_rng([self.seed, index, attempt]).integers(_SEED_LIMIT))
        with _quiet():
            sampler = optuna.samplers.TPESampler(multivariate=False, n_startup_trials=0, seed=seed)
            study = optuna.create_study(direction="minimize", sampler=sampler)
            study.add_trials(self._frozen_trials(distributions))
            params = study.ask(distributions).params
        return {axis.name: _to_value(axis, params[axis.name]) for axis in self.space.dimensions}

    def _frozen_trials(self, distributions: "dict[str, BaseDistribution]") -> "list[FrozenTrial]":
        from optuna.trial import create_trial

        frozen = []
        for trial, loss in zip(self.trials, losses(self.trials), strict=True):
            active = self.space.active(trial.values)
            known = {**self.space.reference, **trial.values}
            params = {
                axis.name: _to_param(axis, known[axis.name])
                for axis in self.space.dimensions
                if axis.name in active and axis.holds(known[axis.name])
            }
            used = {name: distributions[name] for name in params}
            frozen.append(create_trial(value=loss, params=params, distributions=used))
        return frozen


def _distribution(axis: Dimension) -> "BaseDistribution":
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if _is_categorical(axis):
        return CategoricalDistribution(range(len(axis.choices)))
    return FloatDistribution(0.0, 1.0)


def _is_categorical(axis: Dimension) -> bool:
    """Return whether the values have no order; a list of numbers has one and is searched along it."""
    return any(isinstance(choice, bool | str) for choice in axis.choices)


def _to_param(axis: Dimension, value: Value) -> float:
    return axis.choices.index(value) if _is_categorical(axis) else axis.to_unit(value)


def _to_value(axis: Dimension, param: Any) -> Value:
    return axis.choices[param] if _is_categorical(axis) else axis.from_unit(param)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Optuna from writing to the terminal, which belongs to the progress display."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
