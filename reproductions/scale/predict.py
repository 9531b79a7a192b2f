"""Predict what twelve configurations come to at larger scales, from runs at smaller ones, before those are run.

Usage: python predict.py [--host HOST.toml] [--to 1/4,1/1] [--to-file predictions.csv] SMALLER/runs.parquet...

Five ways, for each configuration and indicator:

- carried: what the largest of the smaller scales measured; space in proportion of the data.
- closed: closed forms of write amplification and space (lsmtune.lsm_model, decision 0016).
- model: the model of a tree with costs of another machine and build, from what the engine's rules say.
- calibrated: the same with what lsmtune calibrate measured here.
- learnt: the same, times what it was off by at the largest of the smaller scales.

Intervals are for 90 %. Those of the model and the calibrated one are as `lsmtune predict` prints them. That of the
learnt one is as wide as its own errors where it predicts the largest of the smaller scales from one that is as many
times smaller as the target is larger, or the nearest to that: their 90 % quantile over the configurations. The others
have none.
"""

import argparse
import csv
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from lsmtune.analysis import Runs
from lsmtune.backends.registry import backend_for, memory_model_of
from lsmtune.forecast import Calibration, predicted
from lsmtune.lsm_model import TREE_OPTIONS, tree_features
from lsmtune.lsm_model.tree import Costs, Machine, run_phases
from lsmtune.memory_model import Load, Options
from lsmtune.model import Status, Value, Workload
from lsmtune.space import read_value, scale_values

HERE = Path(__file__).parent
RATE, MEMORY = "throughput_settled_ops_s", "memory_peak_bytes"
INDICATORS = ("waf", "space_bytes", "space_peak_bytes", RATE, MEMORY)
IN_PROPORTION = frozenset({"space_bytes", "space_peak_bytes"})
COLUMNS = ("scale", "configuration", "style", "indicator", "way", "value", "low", "high")


@dataclass(frozen=True)
class Study:
    """What was measured at one scale: geometric means by configuration and indicator."""

    scale: Fraction
    measured: Mapping[str, Mapping[str, float]]
    workload: Workload
    cores: int
    reference: Mapping[str, Value]

    @classmethod
    def read(cls, path: Path) -> "Study":
        """Return what a table of runs holds."""
        runs = Runs.read(path)
        frame = runs.frame[runs.frame["status"] == Status.OK]
        means: dict[str, dict[str, float]] = {}
        for name, rows in frame.groupby("variant.configuration"):
            means[str(name)] = {
                indicator: float(np.exp(np.log(rows[f"indicator.{indicator}"]).mean())) for indicator in INDICATORS
            }
        facts = runs.facts
        return cls(facts.scale, means, facts.asked.workload(), facts.cores, dict(facts.reference_values))


def configurations(reference: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
    """Return the values of each configuration, at full size."""
    table = tomllib.loads((HERE / "configurations.toml").read_text())
    options = backend_for("db_bench", "rocksdb").catalogue("rocksdb").options
    return {
        each["name"]: {
            **reference,
            **{name: read_value(options[name], value) for name, value in each["set"].items()},
        }
        for each in table["sweep"]["variants"]["configuration"]
    }


def modelled(values: Mapping[str, Value], study: Study, scale: Fraction, costs: Costs) -> dict[str, tuple[float, ...]]:
    """Return value, low and high by indicator, of values at full size."""
    backend = backend_for("db_bench", "rocksdb")
    scaled, _ = scale_values(backend.catalogue("rocksdb").options, dict(values), scale)
    found = predicted(scaled, backend.tree_writes(study.workload, scale), costs, study.cores)
    said = {each.name: (each.value, each.low, each.high) for each in found.quantities}
    model = memory_model_of("rocksdb")
    load = Load.of(study.workload, scale, reads=False, writes=True)
    need = model.need({"default": Options(scaled, model.defaults)}, load, 1, False).total_bytes
    return {**said, MEMORY: (need, math.nan, math.nan)}


def stalls(values: Mapping[str, Value], study: Study, scale: Fraction, costs: Costs) -> bool:
    """Return whether the model says that writes are held back or stopped, as fast as db_bench writes."""
    backend = backend_for("db_bench", "rocksdb")
    scaled, _ = scale_values(backend.catalogue("rocksdb").options, dict(values), scale)
    return run_phases(scaled, backend.tree_writes(study.workload, scale), costs, Machine(study.cores)).stalls


def closed(values: Mapping[str, Value], study: Study, scale: Fraction) -> dict[str, float]:
    """Return what closed forms say."""
    columns = {name: np.array([values.get(name, study.reference.get(name))]) for name in TREE_OPTIONS}
    scaled = {name: column for name, column in columns.items() if column[0] is not None}
    found = tree_features(study.workload, study.reference, study.cores, float(scale))(scaled)
    return {
        "waf": float(np.exp(found["writes keeping up"][0])),
        "space_bytes": float(np.exp(found["tree size"][0])) * float(scale),
    }


def rows(studies: list[Study], targets: Iterable[Fraction], costs: Costs) -> list[dict[str, object]]:
    """Return every prediction."""
    studies = sorted(studies, key=lambda study: study.scale)
    largest = studies[-1]
    known = configurations(largest.reference)
    said = {
        (name, study.scale): modelled(values, study, study.scale, costs)
        for name, values in known.items()
        for study in studies
    }
    found: list[dict[str, object]] = []
    for target in targets:
        times = target / largest.scale
        basis = min(studies[:-1], key=lambda study: abs(math.log(largest.scale / study.scale / times)))
        for name, values in known.items():
            style = str(values.get("compaction_style", "level"))
            here = modelled(values, largest, target, costs)
            elsewhere = modelled(values, largest, target, Costs())
            forms = closed(values, largest, target)
            for indicator in INDICATORS:
                measured = largest.measured[name][indicator]
                carried = measured * (float(times) if indicator in IN_PROPORTION else 1.0)
                off = measured / said[name, largest.scale][indicator][0]
                half = learnt_half(indicator, known, basis, largest, said)
                value = here[indicator][0] * off
                ways = {
                    "carried": (carried, math.nan, math.nan),
                    "closed": (forms.get(indicator, math.nan), math.nan, math.nan),
                    "model": elsewhere[indicator],
                    "calibrated": here[indicator],
                    "learnt": (value, value * math.exp(-half), value * math.exp(half)),
                }
                common = {"scale": str(target), "configuration": name, "style": style, "indicator": indicator}
                for way, (value, low, high) in ways.items():
                    found.append({**common, "way": way, "value": value, "low": low, "high": high})
            sure = float(stalls(values, largest, target, costs))
            common = {"scale": str(target), "configuration": name, "style": style, "indicator": "stalls"}
            found.append({**common, "way": "calibrated", "value": sure, "low": math.nan, "high": math.nan})
    return found


def learnt_half(
    indicator: str,
    known: Mapping[str, Mapping[str, Value]],
    basis: Study,
    largest: Study,
    said: Mapping[tuple[str, Fraction], Mapping[str, tuple[float, ...]]],
) -> float:
    """Return half the width of the interval of learnt predictions, in logarithms."""
    errors = [
        abs(
            math.log(largest.measured[name][indicator] / said[name, largest.scale][indicator][0])
            - math.log(basis.measured[name][indicator] / said[name, basis.scale][indicator][0])
        )
        for name in known
    ]
    return float(np.quantile(errors, 0.9))


def main() -> None:
    """Write the predictions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("smaller", nargs="+", type=Path)
    parser.add_argument("--host", type=Path, required=True)
    parser.add_argument("--to", default="1/4,1")
    parser.add_argument("--to-file", type=Path, default=HERE / "predictions.csv")
    words = parser.parse_args()
    costs = Calibration.read(words.host).costs
    targets = [Fraction(text) for text in words.to.split(",")]
    made = rows([Study.read(path) for path in words.smaller], targets, costs)
    with words.to_file.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for row in made:
            table.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})
    print(f"{len(made)} predictions in {words.to_file}")


if __name__ == "__main__":
    main()
