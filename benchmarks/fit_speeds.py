"""Fit what work costs, the speeds of the simulated load, to recorded runs of RocksDB.

Usage: python benchmarks/fit_speeds.py RUNS.parquet [evaluations]

Learns from the runs of the sample that ended, never from test points, and says how well the simulation with these
speeds, and nothing else, tells both. Prints the values for `Speeds` in `lsmtune.backends.rocksdb`. The fit is a simplex
search (Nelder and Mead 1965) over the logarithms of the speeds for the least squared error of the logarithms of WAF,
load time and total time; errors above 1.5 count as 1.5.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from lsmtune.analysis import Runs, columns_of
from lsmtune.lsm_model._simulated_features import Simulated, Speeds
from lsmtune.lsm_model._tree_known import Known
from lsmtune.model import Purpose, Status

FITTED = ("write_us", "merge_ns", "flush_ns", "flush_us", "job_us", "file_us", "overlap", "delay", "effort")
CODECS = ("lz4", "snappy", "zstd", "lz4hc", "zlib", "bzip2")
INDICATORS = {"waf": 0, "load_time_s": 1, "total_time_s": 2}
WEIGHTS = {"waf": 3.0, "load_time_s": 0.7, "total_time_s": 0.7}
LARGEST = 1.5

Floats = npt.NDArray[np.float64]


class Measured:
    """The runs of one purpose: their configurations and the logarithms of what was measured."""

    def __init__(self, runs: Runs, purpose: Purpose) -> None:
        frame = runs.frame
        ended = frame["purpose"].eq(purpose) & frame["status"].eq(Status.OK) & frame["block"].eq(0)
        for name in INDICATORS:
            ended &= frame[f"indicator.{name}"].notna()
        part = runs.where(ended.to_numpy())
        facts = runs.facts
        self._known = Known(facts.asked.workload(), facts.reference_values, columns_of(part))
        self._cores, self._scale = facts.cores, float(facts.scale)
        self._logs = {name: np.log(part.frame[f"indicator.{name}"].to_numpy(dtype=float)) for name in INDICATORS}

    def errors(self, speeds: Speeds) -> dict[str, Floats]:
        """Return measured less simulated logarithms by indicator, times in s."""
        found = Simulated(self._cores, self._scale, speeds).outcomes(self._known).copy()
        found[:, 1:3] *= 1e-6
        return {name: self._logs[name] - np.log(found[:, column]) for name, column in INDICATORS.items()}

    def loss(self, speeds: Speeds) -> float:
        """Return the weighted mean squared error."""
        errors = self.errors(speeds)
        return float(sum(w * np.mean(np.minimum(abs(errors[name]), LARGEST) ** 2) for name, w in WEIGHTS.items()))

    def explained(self, speeds: Speeds) -> str:
        """Return R² by indicator in words."""
        errors = self.errors(speeds)
        shares = {name: 1 - np.mean(errors[name] ** 2) / np.var(self._logs[name]) for name in INDICATORS}
        return ", ".join(f"{name} {share:.3f}" for name, share in shares.items()) + f" ({len(self._logs['waf'])} runs)"


def speeds_at(point: Floats) -> Speeds:
    """Return the speeds whose logarithms are `point`."""
    values = np.exp(point)
    codecs = dict(zip(CODECS, values[len(FITTED) :].tolist(), strict=True))
    return Speeds(**dict(zip(FITTED, values.tolist(), strict=False)), codec_ns={"none": 0.0, **codecs})


def point_of(speeds: Speeds) -> Floats:
    """Return the logarithms of the speeds."""
    return np.log([*(getattr(speeds, name) for name in FITTED), *(speeds.codec_ns[codec] for codec in CODECS)])


def main(path: Path, evaluations: int) -> None:
    """Fit and print."""
    runs = Runs.read(path)
    sample, test = Measured(runs, Purpose.SAMPLE), Measured(runs, Purpose.TEST)
    start = point_of(Speeds())
    simplex = np.vstack([start, start + 0.3 * np.eye(len(start))])
    options = {"maxfev": evaluations, "adaptive": True, "initial_simplex": simplex}
    settings: dict[str, Any] = {"method": "Nelder-Mead", "options": options}

    def loss_at(point: Floats) -> float:
        return sample.loss(speeds_at(point))

    best = minimize(loss_at, list(start), **settings)
    for words, speeds in (("before", Speeds()), ("fitted", speeds_at(best.x))):
        print(f"{words}: R² on the sample {sample.explained(speeds)}; on the test {test.explained(speeds)}")
    print(speeds_at(best.x))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600)
