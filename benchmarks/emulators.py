"""Say how well models of recorded runs predict configurations that they have not seen, to stand in for an engine.

Usage: python benchmarks/emulators.py RUNS.parquet INDICATOR [INDICATOR...]

Learnt are the logarithms of the ratios to the reference, with the reference's own runs among them. In each of five
folds some configurations are left out with all of their repeats. Printed for each model: the share of the variance of
unseen runs that it explains, their own noise included (so that 1 is out of reach), and by how much it misses the runs
that it learnt from, over the noise of repeats: a model that repeats each run, with its noise, has 0, and the truth 1.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from lsmtune.analysis import Runs, response
from lsmtune.analysis._emulator import WithinLearnt
from lsmtune.analysis._encoding import Encoder, columns_of
from lsmtune.analysis._kernel import KernelRidge
from lsmtune.analysis._sample import grouped_folds
from lsmtune.analysis._surrogate import MeanOfModels

MODELS: dict[str, Callable[[], Any]] = {
    "trees, leaves of one run": lambda: _trees(1),
    "trees, leaves of three runs": lambda: _trees(3),
    "kernel ridge": lambda: KernelRidge(0),
    "trees of one run, and kernel": lambda: MeanOfModels(_trees(1), KernelRidge(0)),
    "trees of three runs, and kernel": lambda: MeanOfModels(_trees(3), KernelRidge(0)),
    "the same, the kernel bounded": lambda: MeanOfModels(_trees(3), WithinLearnt(KernelRidge(0))),
}


def _trees(leaf: int) -> ExtraTreesRegressor:
    return ExtraTreesRegressor(300, min_samples_leaf=leaf, random_state=0)


def compare(runs: Runs, indicator: str) -> None:
    """Print what each model explains of an indicator."""
    answer = response(runs, indicator)
    part, answer = runs.where(answer.known), answer.where(answer.known)
    columns = columns_of(part)
    matrix, values, groups = Encoder.fit(part.factors, columns).encode(columns), answer.log_ratio, answer.groups
    is_reference = part.frame["purpose"].isin(["baseline", "anchor"]).to_numpy(dtype=bool)
    design, reference = np.flatnonzero(~is_reference), np.flatnonzero(is_reference)
    noise = answer.where(design).noise()
    if noise is None:
        sys.exit(f"{indicator}: too few configurations were run twice")
    print(f"{indicator}: noise {noise:.3f}, spread {values[design].std():.3f} in the logarithm, {len(design)} runs")
    for name, make in MODELS.items():
        missed = np.empty(len(design))
        for held in grouped_folds(groups[design], 5, 0):
            rows = np.concatenate([np.delete(design, held), reference])
            predicted = make().fit(matrix[rows], values[rows]).predict(matrix[design[held]])
            missed[held] = values[design[held]] - predicted
        everything = make().fit(matrix, values).predict(matrix[design])
        learnt = float(np.sqrt(np.mean((values[design] - everything) ** 2))) / noise
        print(f"  {name:32} {1 - np.mean(missed**2) / values[design].var():.2f}  {learnt:.2f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    recorded = Runs.read(Path(sys.argv[1]))
    for asked in sys.argv[2:]:
        compare(recorded, asked)
