"""Kernel ridge regression against scikit-learn's parts, put together as it was defined."""

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from lsmtune.analysis._kernel import KernelRidge
from lsmtune.errors import StatisticsError

LENGTHS = (0.5, 1.0, 2.0)


@pytest.mark.parametrize("runs", [30, 700])
def test_it_predicts_what_its_definition_says(runs: int) -> None:
    rng = np.random.default_rng(runs)
    matrix, asked = (rng.normal(3.0, 2.0, size=(n, 6)) for n in (runs, 50))
    response = matrix[:, 0] + np.sin(matrix[:, 1]) * matrix[:, 2] + rng.normal(0, 0.1, runs)
    models = []
    for length in LENGTHS:
        linear = FunctionTransformer(lambda values: values / np.sqrt(6))
        kernel = Nystroem(gamma=1 / (4 * 6 * length**2), n_components=min(runs, 500), random_state=1)
        ridge = RidgeCV(np.logspace(-3, 3, 13) / np.sqrt(6))
        models.append(make_pipeline(StandardScaler(), make_union(linear, kernel), ridge).fit(matrix, response))
    best = max(models, key=lambda model: float(model[-1].best_score_))
    found = KernelRidge(1).fit(matrix, response).predict(asked)
    assert found == pytest.approx(best.predict(asked), abs=1e-8)
    assert np.std(found) > 1.0


def test_it_predicts_after_it_was_fitted() -> None:
    with pytest.raises(StatisticsError, match="predicts after it was fitted; fit it first"):
        KernelRidge(0).predict(np.ones((2, 3)))
