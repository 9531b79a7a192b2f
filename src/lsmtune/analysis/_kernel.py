"""Kernel ridge regression over encoded options: a linear trend and a smooth deviation from it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsmtune.analysis._encoding import FloatArray
from lsmtune.errors import StatisticsError

_LENGTHS = (0.5, 1.0, 2.0)
"""Lengths of the kernel to try, in units of the typical distance of two runs."""
_PENALTIES = np.logspace(-3, 3, 13)
_MOST_CENTRES = 500
_BLOCK = 20_000
"""Rows that are predicted at once: their kernel with all centres is held in memory."""


class KernelRidge:
    """Ridge regression on standardised features and on their Gaussian kernel (Saunders et al. 1998).

    Its predictions are those of a Gaussian process with a linear and a squared exponential covariance (Rasmussen and
    Williams 2006, chapter 2). One length serves all features, as one for each would need many more runs. Length and
    penalty minimise the leave-one-out error, which ridge regression has in closed form. With more than 500 runs the
    kernel is taken at 500 of them (Williams and Seeger 2001, Nystroem's method).
    """

    def __init__(self, seed: int) -> None:
        """`seed` decides which runs are centres where there are too many."""
        self._seed = seed
        self._fitted: _Fitted | None = None

    def fit(self, matrix: FloatArray, response: FloatArray) -> "KernelRidge":
        """Fit to features of shape (n, p) and a response of shape (n,)."""
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(matrix)
        scaled = scaler.transform(matrix)
        fits = [self._ridge(length, scaled, response) for length in _LENGTHS]
        kernel, ridge = max(fits, key=lambda fit: float(fit[1].best_score_))
        width = matrix.shape[1]
        self._fitted = _Fitted(
            scaler=scaler,
            slopes=_shrunken(ridge.coef_[:width], width),
            centres=kernel.components_,
            weights=kernel.normalization_.T @ ridge.coef_[width:],
            gamma=kernel.gamma,
            intercept=float(ridge.intercept_),
        )
        return self

    def predict(self, matrix: FloatArray) -> FloatArray:
        """Return the predicted response, shape (n,).

        Raises:
            StatisticsError: it was not fitted.
        """
        if self._fitted is None:
            raise StatisticsError("a kernel ridge regression predicts after it was fitted; fit it first")
        blocks = [self._fitted.predict(matrix[start : start + _BLOCK]) for start in range(0, len(matrix), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def _ridge(self, length: float, scaled: FloatArray, response: FloatArray) -> tuple[Any, Any]:
        """Return the kernel of a length at its centres, and the regression on the features and on it."""
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import RidgeCV

        width = max(1, scaled.shape[1])
        # Two standardised rows are sqrt(2 p) apart on average.
        kernel = Nystroem(
            gamma=1 / (4 * width * length**2), n_components=min(len(scaled), _MOST_CENTRES), random_state=self._seed
        )
        both = np.hstack([_shrunken(scaled, width), kernel.fit_transform(scaled)])
        # One decomposition serves all penalties; by default each of them multiplies all columns with each other.
        return kernel, RidgeCV(_PENALTIES / math.sqrt(width), gcv_mode="svd").fit(both, response)


@dataclass(frozen=True)
class _Fitted:
    """What predicts: the kernel's normalisation is a part of its weights, so that no row is multiplied with it.

    Attributes:
        scaler: standardises p features.
        slopes: of these, shape (p,).
        centres: rows of standardised features, shape (m, p).
        weights: of the kernel with each centre, shape (m,).
        gamma: of the kernel.
        intercept: is added.
    """

    scaler: Any
    slopes: FloatArray
    centres: FloatArray
    weights: FloatArray
    gamma: float
    intercept: float

    def predict(self, matrix: FloatArray) -> FloatArray:
        from sklearn.metrics.pairwise import rbf_kernel

        scaled = self.scaler.transform(matrix)
        curved = rbf_kernel(scaled, self.centres, gamma=self.gamma) @ self.weights
        return np.asarray(scaled @ self.slopes + curved + self.intercept)


def _shrunken(values: FloatArray, width: int) -> FloatArray:
    """Scale `width` standardised features, or their slopes, so that together they weigh as much as the kernel."""
    return values / math.sqrt(max(1, width))
