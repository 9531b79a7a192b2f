"""A Gaussian process and expected improvement, made of the pieces of the package smac."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lsmtune.samplers._smac import SurrogateSampler

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace
    from smac.acquisition.function import AbstractAcquisitionFunction
    from smac.model import AbstractModel

_FIT_STEPS = 30


class GpSampler(SurrogateSampler):
    """A Gaussian process with expected improvement, as SMAC's facade for black boxes.

    Snoek, Larochelle and Adams, 2012, "Practical Bayesian optimization of machine learning algorithms". The kernel is
    a Matern 5/2 over places times a Hamming kernel over choices (Hutter, 2009, "Automated configuration of algorithms
    for solving hard computational problems"), with a length for each option and a learnt noise. Costs are what `losses`
    says, standardised. Kernel and share of random proposals are the facade's (version 2.4); the likelihood is climbed
    for 30 steps at most, since the facade climbs to the top, which takes most of a proposal's time.
    """

    random_share = 0.08447232371720552

    def _fitted(
        self, twin: "ConfigurationSpace", seed: int, rows: npt.NDArray[np.float64], order: npt.NDArray[np.float64]
    ) -> "tuple[AbstractModel, AbstractAcquisitionFunction]":
        from smac import BlackBoxFacade, Scenario
        from smac.acquisition.function import EI
        from smac.model.gaussian_process import GaussianProcess

        class _Process(GaussianProcess):
            def _optimize(self) -> npt.NDArray[np.float64]:
                from scipy.optimize import fmin_l_bfgs_b

                kernel = self._gp.kernel
                best, _, _ = fmin_l_bfgs_b(self._nll, kernel.theta, bounds=kernel.bounds, maxiter=_FIT_STEPS)
                return np.asarray(best, dtype=np.float64)

        kernel = BlackBoxFacade.get_kernel(Scenario(twin, deterministic=True, seed=seed))
        process = _Process(twin, kernel, normalize_y=True, seed=seed)
        process.train(rows, order[:, np.newaxis])
        return process, EI()
