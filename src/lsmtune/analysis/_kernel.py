"""Kernel ridge regression over encoded options: a linear trend and a smooth deviation from it."""

import math
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
        self._model: Any = None

    def fit(self, matrix: FloatArray, response: FloatArray) -> "KernelRidge":
        """Fit to features of shape (n, p) and a response of shape (n,)."""
        models = [self._pipeline(length, matrix).fit(matrix, response) for length in _LENGTHS]
        self._model = max(models, key=lambda model: float(model[-1].best_score_))
        return self

    def predict(self, matrix: FloatArray) -> FloatArray:
        """Return the predicted response, shape (n,).

        Raises:
            StatisticsError: it was not fitted.
        """
        if self._model is None:
            raise StatisticsError("a kernel ridge regression predicts after it was fitted; fit it first")
        blocks = [self._model.predict(matrix[start : start + _BLOCK]) for start in range(0, len(matrix), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def _pipeline(self, length: float, matrix: FloatArray) -> Any:
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import RidgeCV
        from sklearn.pipeline import make_pipeline, make_union
        from sklearn.preprocessing import FunctionTransformer, StandardScaler

        features = max(1, matrix.shape[1])
        # Two standardised rows are sqrt(2 p) apart on average.
        kernel = Nystroem(
            gamma=1 / (4 * features * length**2),
            n_components=min(len(matrix), _MOST_CENTRES),
            random_state=self._seed,
        )
        linear = FunctionTransformer(_shrunken)
        return make_pipeline(StandardScaler(), make_union(linear, kernel), RidgeCV(_PENALTIES / math.sqrt(features)))


def _shrunken(matrix: FloatArray) -> FloatArray:
    """Scale standardised features so that together they weigh as much as the kernel."""
    return matrix / math.sqrt(max(1, matrix.shape[1]))
