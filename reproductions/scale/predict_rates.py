"""Predict whether writes are held back at offered rates, before they are offered.

Usage: python predict_rates.py [--host HOST.toml] [--scale 1/32] [--rates 30000,60000,90000,120000] SMALLER/runs.parquet

For each configuration and rate: the probability that `lsmtune predict --rate` prints, from costs that `lsmtune
calibrate` measured here. The runs are read for what was asked and for the reference; nothing of what they measured is
used.
"""

import argparse
import csv
from fractions import Fraction
from pathlib import Path

from predict import HERE, Study, configurations

from lsmtune.backends.registry import backend_for
from lsmtune.forecast import Calibration, predicted
from lsmtune.space import scale_values


def main() -> None:
    """Write the probabilities."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("smaller", type=Path)
    parser.add_argument("--host", type=Path, default=HERE / "host.toml")
    parser.add_argument("--scale", type=Fraction, default=Fraction(1, 32))
    parser.add_argument("--rates", default="30000,60000,90000,120000")
    parser.add_argument("--to-file", type=Path, default=HERE / "rates.csv")
    words = parser.parse_args()
    study, costs = Study.read(words.smaller), Calibration.read(words.host).costs
    backend = backend_for("db_bench", "rocksdb")
    phases = backend.tree_writes(study.workload, words.scale)
    with words.to_file.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["scale", "configuration", "target", "sustained", "held_back"])
        for name, values in configurations(study.reference).items():
            scaled, _ = scale_values(backend.catalogue("rocksdb").options, dict(values), words.scale)
            for rate in words.rates.split(","):
                found = predicted(scaled, phases, costs, study.cores, float(rate))
                sustained = found["sustained_ops_s"].value
                table.writerow([str(words.scale), name, rate, f"{sustained:.6g}", f"{found.stalls:.4g}"])


if __name__ == "__main__":
    main()
