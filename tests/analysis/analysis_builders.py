"""Runs whose truth is known: a small space with every kind of factor, and responses computed from a formula."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lsmtune.analysis import RUN_COLUMNS, Runs
from lsmtune.model import Purpose, Status, Value
from lsmtune.space import Change, Factor, Kind
from lsmtune.testing import fake_table_facts

MIB = 1024.0**2
ARM = "stock"
"""The arm of the reference."""
BUNDLE = ("write_buffer_size", "level_base")
"""Tied by the constraint ``level_base >= write_buffer_size``."""
BLOCKS = 3
"""Runs of each repeated configuration."""
STUDY = replace(fake_table_facts("synthetic"), reference=ARM)

FACTORS = (
    Factor("write_buffer_size", Kind.INT, "B", 64 * 2**20, Change.ONLINE, log=True),
    Factor("level_base", Kind.INT, "B", 256 * 2**20, Change.ONLINE, log=True),
    Factor("trigger", Kind.INT, "files", 4, Change.ONLINE),
    Factor("multiplier", Kind.FLOAT, "", 10.0, Change.RESTART),
    Factor("bloom_bits", Kind.INT, "bits", 10, Change.REBUILD, specials=(0,)),
    Factor("direct_io", Kind.BOOL, "", False, Change.RESTART, choices=(False, True)),
    Factor("compression", Kind.CHOICE, "", "snappy", Change.REBUILD, choices=("none", "snappy", "zstd")),
    Factor("dictionary", Kind.BOOL, "", False, Change.REBUILD, False, (), (False, True), {"compression": ("zstd",)}),
    Factor("dictionary_bytes", Kind.INT, "B", 16384, Change.REBUILD, log=True, conditions={"dictionary": (True,)}),
    Factor("idle_1", Kind.FLOAT, "", 0.5, Change.ONLINE),
    Factor("idle_2", Kind.FLOAT, "", 0.5, Change.ONLINE),
)
"""`dictionary` acts only with zstd, and `dictionary_bytes` only with a dictionary."""

Truth = Callable[[Mapping[str, npt.NDArray[Any]]], npt.NDArray[np.float64]]


def synthetic_columns(n: int, rng: np.random.Generator, fillers: int = 0) -> dict[str, npt.NDArray[Any]]:
    """Draw values of all factors, independently but for the constraint of `BUNDLE`."""
    buffer, level = (np.round(2.0 ** rng.uniform(*ends, n) * MIB) for ends in ((0, 8), (2, 10)))
    return {
        "write_buffer_size": buffer.astype(np.int64),
        "level_base": np.maximum(level, buffer).astype(np.int64),
        "trigger": rng.integers(2, 21, n),
        "multiplier": rng.uniform(2, 20, n),
        "bloom_bits": np.where(rng.random(n) < 0.2, 0, rng.integers(4, 21, n)),
        "direct_io": rng.random(n) < 0.5,
        "compression": rng.choice(np.array(["none", "snappy", "zstd"], dtype=object), n),
        "dictionary": rng.random(n) < 0.5,
        "dictionary_bytes": np.round(2.0 ** rng.uniform(10, 20, n)).astype(np.int64),
        "idle_1": rng.random(n),
        "idle_2": rng.random(n),
        **{f"filler_{number}": rng.random(n) for number in range(1, fillers + 1)},
    }


def reference_columns(n: int, fillers: int = 0) -> dict[str, npt.NDArray[Any]]:
    """Return the reference `n` times."""
    return {factor.name: _repeated(factor.reference, n) for factor in _factors(fillers)}


def synthetic_runs(
    truth: Truth,
    n: int,
    seed: int,
    noise: float = 0.0,
    repeats: int = 0,
    tests: int = 0,
    *,
    anchors: int = 0,
    drift: float = 0.0,
    cap_s: float | None = None,
    indicator: str = "waf",
    fillers: int = 0,
) -> Runs:
    """Make runs in random order, with the reference among them.

    Args:
        truth: gives the natural logarithm of the indicator from the values of the factors by name.
        n: points of the design (SAMPLE, arms ``"point-1"``, ...).
        seed: of everything random.
        noise: standard deviation of the noise of a run, on the logarithm.
        repeats: how many configurations are run `BLOCKS` times: test points where there are any, else design points.
        tests: points of the test design (TEST).
        anchors: runs of the reference, evenly among the others; the first is a baseline. With them comes one
            baseline of another arm, ``"preset"``, whose values are random.
        drift: what the logarithm gains from the first run to the last.
        cap_s: where the indicator exceeds it, the run is censored with this bound.
        indicator: name of the indicator.
        fillers: number of further factors without effect, ``"filler_1"``, ...
    """
    rng = np.random.default_rng(seed)
    sample, test = synthetic_columns(n, rng, fillers), synthetic_columns(tests, rng, fillers)
    plan = _plan(Purpose.SAMPLE, n, 0 if tests else repeats) + _plan(Purpose.TEST, tests, repeats if tests else 0)
    plan = [plan[place] for place in rng.permutation(len(plan))]
    if anchors:
        plan = _with_reference(plan, anchors)
    sources = {Purpose.SAMPLE: sample, Purpose.TEST: test, **_reference_sources(rng, fillers)}
    factors = _factors(fillers)
    columns = {
        factor.name: np.array([sources[purpose][factor.name][row] for purpose, row, _ in plan]) for factor in factors
    }
    columns["compression"] = columns["compression"].astype(object)
    place = np.arange(len(plan)) / max(1, len(plan) - 1)
    values = np.exp(truth(columns) + drift * place + rng.normal(0, noise, len(plan)))
    censored = np.zeros(len(plan), bool) if cap_s is None else values > cap_s
    frame = pd.DataFrame(_facts_of(plan, censored, cap_s))
    for factor in factors:
        frame[factor.column] = columns[factor.name]
    frame[f"indicator.{indicator}"] = np.where(censored, np.nan, values)
    return Runs(factors, (BUNDLE,), STUDY, frame)


_Planned = tuple[Purpose, int, int]


def _plan(purpose: Purpose, n: int, repeats: int) -> list[_Planned]:
    return [(purpose, row, block) for row in range(n) for block in range(1, 1 + (BLOCKS if row < repeats else 1))]


def _with_reference(plan: list[_Planned], anchors: int) -> list[_Planned]:
    every = -(-len(plan) // max(1, anchors - 1))
    result: list[_Planned] = [(Purpose.BASELINE, 0, 1), (Purpose.BASELINE, 1, 1)]
    for number in range(1, anchors):
        result += [*plan[(number - 1) * every : number * every], (Purpose.ANCHOR, 0, number)]
    return result + plan[(anchors - 1) * every :]


def _reference_sources(rng: np.random.Generator, fillers: int) -> dict[Purpose, dict[str, npt.NDArray[Any]]]:
    preset = synthetic_columns(1, rng, fillers)
    return {
        Purpose.ANCHOR: reference_columns(1, fillers),
        Purpose.BASELINE: {
            name: np.concatenate([values, preset[name]]) for name, values in reference_columns(1, fillers).items()
        },
    }


def _facts_of(plan: list[_Planned], censored: npt.NDArray[np.bool_], cap_s: float | None) -> dict[str, list[Any]]:
    arms = {Purpose.SAMPLE: "point-{}", Purpose.TEST: "point-{}", Purpose.ANCHOR: ARM}
    names = [arms[purpose].format(row + 1) if purpose in arms else (ARM, "preset")[row] for purpose, row, _ in plan]
    numbers = list(range(1, len(plan) + 1))
    return dict(
        zip(
            RUN_COLUMNS,
            (
                numbers,
                [str(purpose) for purpose, _, _ in plan],
                names,
                [block for _, _, block in plan],
                [str(Status.CENSORED if late else Status.OK) for late in censored],
                numbers,
                ["2024-01-01T00:00:00Z"] * len(plan),
                [1.0] * len(plan),
                [cap_s if late else np.nan for late in censored],
                numbers,
                ["cap" if late else "" for late in censored],
                [
                    ARM if name == ARM else f"{purpose}-{name}"
                    for (purpose, _, _), name in zip(plan, names, strict=True)
                ],
                ["nothing" if late else "all" for late in censored],
                ["bench-1"] * len(plan),
            ),
            strict=True,
        )
    )


def _factors(fillers: int) -> tuple[Factor, ...]:
    return FACTORS + tuple(
        Factor(f"filler_{number}", Kind.FLOAT, "", 0.5, Change.RESTART) for number in range(1, fillers + 1)
    )


def _repeated(value: Value, n: int) -> npt.NDArray[Any]:
    return np.full(n, value, dtype=object if isinstance(value, str) else None)
