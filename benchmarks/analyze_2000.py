"""Analyse 2,000 synthetic runs of 30 options for 4 indicators: everything that `lsmtune analyze` computes.

Usage: python benchmarks/analyze_2000.py [runs]

A tenth of the runs are test points, 60 further runs repeat 30 of these, every 20th is the reference, and the slowest
runs are stopped, so that every step has something to do. Imports are measured too. Goal: <= 60 s of wall time for
2,000 runs on 2 cores. Exit code 1 if it is missed.
"""

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lsmtune.analysis import Analysis, AnalysisPlan, Runs, analyse
from lsmtune.model import Purpose, Status
from lsmtune.space import Change, Factor, Kind
from lsmtune.testing import fake_table_facts

GOAL_S = 60.0
OPTIONS = 30
REPEATED = 30
CAP_S = 240.0
CHOICES = ("none", "snappy", "lz4", "zlib", "zstd", "bzip2")
NOISE = {"waf": 0.03, "space_bytes": 0.01, "throughput_settled_ops_s": 0.1, "total_time_s": 0.1}

Columns = dict[str, npt.NDArray[Any]]


def make_factors() -> tuple[Factor, ...]:
    """Return 12 sizes, 8 counts, 4 bools, 3 choices and 3 options that act only with one value of a choice."""
    sizes = [Factor(f"size_{n}", Kind.INT, "B", 1 << 26, Change.ONLINE, log=True) for n in range(12)]
    counts = [Factor(f"count_{n}", Kind.INT, "", 4, Change.ONLINE) for n in range(8)]
    bools = [Factor(f"bool_{n}", Kind.BOOL, "", False, Change.RESTART, choices=(False, True)) for n in range(4)]
    choices = [Factor(f"choice_{n}", Kind.CHOICE, "", "none", Change.REBUILD, choices=CHOICES) for n in range(3)]
    inner = [
        Factor(f"inner_{n}", Kind.INT, "", 4, Change.REBUILD, conditions={"choice_0": ("zstd", "zlib")})
        for n in range(3)
    ]
    return (*sizes, *counts, *bools, *choices, *inner)


def draw(factors: tuple[Factor, ...], n: int, rng: np.random.Generator) -> Columns:
    """Return random values of all factors; ``size_1`` is never below ``size_0``."""
    columns: Columns = {}
    for factor in factors:
        if factor.is_category:
            values = np.array(factor.choices, dtype=object)[rng.integers(len(factor.choices), size=n)]
            columns[factor.name] = values.astype(bool) if factor.kind is Kind.BOOL else values
        elif factor.log:
            columns[factor.name] = np.round(2 ** rng.uniform(20, 30, n)).astype(np.int64)
        else:
            columns[factor.name] = rng.integers(2, 33, n)
    columns["size_1"] = np.maximum(columns["size_0"], columns["size_1"])
    return columns


def logarithms(columns: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.float64]]:
    """Return the noise-free natural logarithms of the indicators: curves, categories, products of options."""
    size = {n: (np.log2(columns[f"size_{n}"].astype(float)) - 26) / 4 for n in range(12)}
    count = {n: columns[f"count_{n}"].astype(float) / 32 for n in range(8)}
    slow = (columns["choice_0"] == "bzip2").astype(float)
    packed = np.isin(columns["choice_0"].astype(str), ["zlib", "zstd", "bzip2"]).astype(float)
    waf = 2 - 0.3 * size[0] + 0.2 * size[1] ** 2 + 0.4 * count[0] * size[2] - 0.2 * packed + 0.1 * count[1]
    space = 20 - 0.7 * packed * count[2] + 0.1 * size[0] - 0.2 * columns["bool_0"].astype(float)
    seconds = 4 + 1.5 * slow * count[2] + 0.3 * (waf - 2) + 0.2 * count[3] - 0.3 * columns["bool_1"].astype(float)
    return {
        "waf": waf,
        "space_bytes": space,
        "throughput_settled_ops_s": 16 - seconds,
        "total_time_s": seconds,
    }


def make_runs(total: int, seed: int = 1) -> Runs:
    """Return `total` runs of designs and, beside them, repeats and the reference."""
    rng = np.random.default_rng(seed)
    factors = make_factors()
    tests = total // 10
    plan = [("sample", n, 0) for n in range(total - tests)] + [("test", n, 0) for n in range(tests)]
    plan += [("test", n, block) for n in range(min(REPEATED, tests)) for block in (1, 2)]
    plan = [plan[place] for place in rng.permutation(len(plan))]
    for place in range(0, len(plan), 20):
        plan.insert(place, ("anchor", 0, place))
    sources = {"sample": draw(factors, total - tests, rng), "test": draw(factors, tests, rng)}
    sources["anchor"] = {
        factor.name: np.array([factor.reference], dtype=object if factor.kind is Kind.CHOICE else None)
        for factor in factors
    }
    columns = {
        factor.name: np.array(
            [sources[purpose][factor.name][row] for purpose, row, _ in plan],
            dtype=object if factor.kind is Kind.CHOICE else None,
        )
        for factor in factors
    }
    logs = logarithms(columns)
    values = {name: np.exp(log + rng.normal(0, NOISE[name], len(plan))) for name, log in logs.items()}
    late = values["total_time_s"] > CAP_S
    numbers = np.arange(1, len(plan) + 1)
    frame = pd.DataFrame(
        {
            "run": numbers,
            "purpose": [str(Purpose(purpose)) for purpose, _, _ in plan],
            "arm": ["reference" if purpose == "anchor" else f"{purpose}-{row}" for purpose, row, _ in plan],
            "block": [block for _, _, block in plan],
            "status": [str(Status.CENSORED if stopped else Status.OK) for stopped in late],
            "order": numbers,
            "started_at": numbers.astype(float),
            "elapsed_s": np.minimum(values["total_time_s"], CAP_S),
            "bound_s": np.where(late, CAP_S, np.nan),
            "seed": numbers,
            "reason": "",
            "effective": "",
            "counts": np.where(late, "nothing", "all"),
            "host": "",
            **{factor.column: columns[factor.name] for factor in factors},
            **{f"indicator.{name}": np.where(late, np.nan, column) for name, column in values.items()},
        }
    )
    return Runs(factors, (("size_0", "size_1"),), fake_table_facts("synthetic"), frame)


def tell_times(begin: float) -> Any:
    """Return a listener that prints when each step begins."""
    return lambda what, _done: print(f"  {time.perf_counter() - begin:5.1f} s  {what}", flush=True)


def report(found: Analysis) -> None:
    for one in found.indicators:
        best = one.trust.best
        assert best is not None
        print(f"{one.indicator}: {one.trust.learner}, R² {best.r2.value:.3f}, matters: {', '.join(one.matters)}")
        for sentence in one.missing:
            print(f"  not computed: {sentence}")


def main(total: int) -> int:
    """Analyse, print the figures; return the exit code."""
    runs = make_runs(total)
    stopped = int(runs.ended(Status.CENSORED).sum())
    begin = time.perf_counter()
    found = analyse(runs, tuple(NOISE), plan=AnalysisPlan(interactions=3, one_way=True), tell=tell_times(begin))
    elapsed_s = time.perf_counter() - begin
    report(found)
    print(f"{len(runs)} runs ({stopped} stopped) x {OPTIONS} options x {len(NOISE)} indicators: {elapsed_s:.1f} s")
    print(f"{elapsed_s / GOAL_S:.2f} of the goal of {GOAL_S:.0f} s")
    return int(elapsed_s > GOAL_S)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
