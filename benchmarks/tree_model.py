"""How far the model of a tree is off on recorded runs, with constants as they stand and nothing learnt.

Usage: python benchmarks/tree_model.py [--host CALIBRATION.toml] RUNS.parquet...

For each indicator and style of compaction: how many runs, the median of measured over modelled, the median and the 90 %
quantile of the absolute error of the logarithm, R² of the logarithms as it is and without the constant factor, and
Spearman's rank correlation. Runs of phases that the model does not describe are counted and left out.
"""

import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from lsmtune.analysis import Runs
from lsmtune.backends.registry import backend_for
from lsmtune.errors import UsageError
from lsmtune.forecast import Calibration
from lsmtune.lsm_model.tree import Costs, Machine, Outcome, models, run_phases
from lsmtune.model import Status
from lsmtune.space import scale_values

SAID = {
    "waf": lambda of: of.waf,
    "space_bytes": lambda of: of.space_bytes,
    "space_peak_bytes": lambda of: of.space_peak_bytes,
    "load_time_s": lambda of: of.load_s,
    "total_time_s": lambda of: of.total_s,
}
LARGEST = 3.0
"""An error of the logarithm above this counts as this."""


def outcomes(path: Path, costs: Costs) -> tuple[list[tuple[str, int, Outcome]], dict[str, np.ndarray], int]:
    """Return (style, row, outcome) of each run that is described, what was measured, and how many are not."""
    runs = Runs.read(path)
    facts = runs.facts
    backend = backend_for(facts.asked.workload().tool, facts.engine)
    options = backend.catalogue(facts.engine).options
    found, left = [], 0
    for row in range(len(runs)):
        if runs.frame["status"].iloc[row] != Status.OK:
            continue
        values, fields = dict(facts.reference_values), {}
        for factor in runs.factors:
            value = np.asarray(runs.values(factor.name))[row]
            value = value.item() if hasattr(value, "item") else value
            name = factor.name
            if name.startswith("workload."):
                fields[name.removeprefix("workload.")] = value
            else:
                values[name] = value
        try:
            phases = backend.tree_writes(replace(facts.asked.workload(), **fields), facts.scale)
        except UsageError as error:
            print(f"# {path}: {error}")
            return [], {}, len(runs)
        scaled, _ = scale_values(options, values, facts.scale)
        if not (models(scaled) and phases):
            left += 1
            continue
        found.append(
            (
                str(scaled.get("compaction_style", "level")),
                row,
                run_phases(scaled, phases, costs, Machine(facts.cores)),
            )
        )
    measured = {name: runs.indicator(name) for name in SAID if name in runs.indicators}
    return found, measured, left


def main(words: list[str]) -> None:
    costs = Costs()
    if words[0] == "--host":
        costs, words = Calibration.read(Path(words[1])).costs, words[2:]
    errors: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for path in map(Path, words):
        began = time.process_time()
        found, measured, left = outcomes(path, costs)
        used = time.process_time() - began
        print(f"# {path}: {len(found)} runs, {left} not described, {used / max(1, len(found)) * 1e3:.1f} ms each")
        for style, row, outcome in found:
            for name, column in measured.items():
                said = SAID[name](outcome)
                if np.isfinite(column[row]) and column[row] > 0 and not outcome.is_stuck:
                    errors[(style, name)].append((column[row], said))
    names = ("runs", "factor", "median", "90 %", "R2", "R2 -k", "rank")
    print(f"{'style':<10}{'indicator':<18}" + "".join(f"{name:>8}" for name in names))
    for (style, name), pairs in sorted(errors.items()):
        real, said = np.log(np.array(pairs)).T
        off = np.clip(real - said, -LARGEST, LARGEST)
        spread = real.var() or np.nan
        rank = spearmanr(real, said)[0] if len(set(real)) > 1 and len(set(said)) > 1 else np.nan
        explained = 1 - (off**2).mean() / spread, 1 - off.var() / spread
        figures = (np.exp(np.median(off)), np.median(abs(off)), np.quantile(abs(off), 0.9), *explained, rank)
        print(f"{style:<10}{name:<18}{len(pairs):>8}" + "".join(f"{figure:>8.3f}" for figure in figures))


if __name__ == "__main__":
    main(sys.argv[1:])
