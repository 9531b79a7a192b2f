"""SMAC: a random forest and expected improvement, made of the pieces of the package smac."""

import logging
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lsmtune.model import Value
from lsmtune.samplers._base import Sampler, losses
from lsmtune.samplers._configspace import ConfigSpaceWords
from lsmtune.samplers._optuna import SEED_LIMIT
from lsmtune.samplers._sobol import spread_point
from lsmtune.threads import one_thread

if TYPE_CHECKING:
    from ConfigSpace import Configuration, ConfigurationSpace
    from smac.acquisition.function import AbstractAcquisitionFunction
    from smac.acquisition.maximizer import LocalAndSortedRandomSearch
    from smac.model import AbstractModel

_CANDIDATES = 1000
_LOCAL_SEARCHES = 5
_PLATEAU_STEPS = 5
_MOST_ROUNDS = 30
_TREES = 10
_TINY = 1e-10


class SurrogateSampler(Sampler):
    """Fits a model to the trials and proposes where it expects the largest improvement, by SMAC's search for it.

    That search takes random candidates and walks from the best of them and of the trials told to better neighbours; it
    is shorter than in SMAC's facades. Of what it finds, the best that is new after repair is proposed. The first
    `startup` proposals are points of a scrambled Sobol sequence, and so is a share of the later ones, so that a wrong
    model does not last. What is open enters with the mean of the trials told (the constant liar).

    SMAC's facade is not used: it writes a folder for each optimisation, asks for repeats of good configurations, which
    are the study's to decide, and reads its own folder again to resume. Here the model is fitted anew to the trials
    told, whoever asked for them.

    Attributes:
        random_share: share of independent proposals after the first ones.
    """

    random_share: float

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        """Return the best new candidate, or a point of the Sobol sequence; later attempts are drawn."""
        rng = np.random.default_rng([self.seed, index, attempt])
        by_chance = rng.random() < self.random_share
        if index < self.startup or not self.trials or attempt > 0 or by_chance:
            return self.space.from_unit(spread_point(len(self.space), self.seed, index, attempt))
        with _quiet(), one_thread():
            best = self._best_candidate(int(rng.integers(SEED_LIMIT)))
        return best or self.space.from_unit(rng.random(len(self.space)))

    @abstractmethod
    def _fitted(
        self, twin: "ConfigurationSpace", seed: int, rows: npt.NDArray[np.float64], order: npt.NDArray[np.float64]
    ) -> "tuple[AbstractModel, AbstractAcquisitionFunction]":
        """Return a model that was fitted to the trials, and how it judges candidates.

        Args:
            twin: the space in ConfigSpace.
            seed: decides all randomness.
            rows: shape (trials, options), as `ConfigSpaceWords.rows`.
            order: shape (trials,), lower is better.
        """

    def _best_candidate(self, seed: int) -> dict[str, Value] | None:
        words = ConfigSpaceWords(self.space, seed)
        rows = words.rows([*(trial.values for trial in self.trials), *self.open_values])
        told = losses(self.trials)
        order = np.array([*told, *[fmean(told)] * len(self.open_values)])
        model, acquisition = self._fitted(words.twin, seed, rows, order)
        acquisition.update(model=model, eta=float(model.predict_marginalized(rows)[0].min()))
        maximizer = _maximizer(words.twin, acquisition, seed)
        candidates = (words.values(each) for each in maximizer.maximize(words.configurations(rows)))
        return next((values for values in candidates if self.is_new(values)), None)


class SmacSampler(SurrogateSampler):
    """A random forest with log expected improvement, as SMAC's facade for hyperparameter optimisation.

    Hutter, Hoos and Leyton-Brown, 2011, "Sequential model-based optimization for general algorithm configuration";
    Lindauer et al., 2022, "SMAC3: a versatile Bayesian optimization package for hyperparameter optimization". The
    forest, the log-scaled costs and the share of random proposals are the facade's (version 2.4).

    Costs are what `losses` says: SMAC's own cost of a crash is infinite, and its model leaves such trials out, so it
    would propose their neighbours again.
    """

    random_share = 0.2

    def _fitted(
        self, twin: "ConfigurationSpace", seed: int, rows: npt.NDArray[np.float64], order: npt.NDArray[np.float64]
    ) -> "tuple[AbstractModel, AbstractAcquisitionFunction]":
        from smac.acquisition.function import EI
        from smac.model.random_forest import RandomForest

        forest = RandomForest(
            twin,
            log_y=True,
            n_trees=_TREES,
            ratio_features=1.0,
            min_samples_split=2,
            min_samples_leaf=1,
            # A tree has no more leaves than trials. SMAC's 2**20 lets scikit-learn reserve 100 MB for each tree.
            max_leaf_nodes=max(2, len(rows)),
            n_jobs=1,
            seed=seed,
        )
        forest.train(rows, _log_scaled(order)[:, np.newaxis])
        return forest, EI(log=True)


def _log_scaled(order: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the costs as SMAC's `RunHistoryLogScaledEncoder` does, shape (trials,): at most 0, low ones spread out."""
    low = float(order.min())
    floor = low - (float(np.percentile(order, 5)) - low) - _TINY
    scaled: npt.NDArray[np.float64] = np.log((order - floor) / (float(order.max()) - floor))
    return scaled


def _maximizer(
    twin: "ConfigurationSpace", acquisition: "AbstractAcquisitionFunction", seed: int
) -> "LocalAndSortedRandomSearch":
    from smac.acquisition.maximizer import LocalAndSortedRandomSearch, LocalSearch

    class _OrderedLocalSearch(LocalSearch):
        """SMAC takes its starting points out of a set of hashed text, whose order differs between processes."""

        def _get_initial_points(self, *args: Any, **kwargs: Any) -> "list[Configuration]":
            return sorted(super()._get_initial_points(*args, **kwargs), key=_sort_key)

    class _OrderedSearch(LocalAndSortedRandomSearch):
        def __init__(self) -> None:
            super().__init__(twin, challengers=_CANDIDATES, local_search_iterations=_LOCAL_SEARCHES, seed=seed)
            self._local_search = _OrderedLocalSearch(
                twin, max_steps=_MOST_ROUNDS, n_steps_plateau_walk=_PLATEAU_STEPS, seed=seed
            )

    search = _OrderedSearch()
    search.acquisition_function = acquisition
    return search


def _sort_key(configuration: "Configuration") -> list[float]:
    row: list[float] = np.nan_to_num(configuration.get_array(), nan=-1.0).tolist()
    return row


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep SMAC from writing to the terminal, which belongs to the progress display."""
    log = logging.getLogger("smac")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)
