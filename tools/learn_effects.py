"""Learn what single options did in recorded runs: the table that samplers of later studies start from.

    python tools/learn_effects.py writes=RUNS.parquet,RUNS.parquet mixed=RUNS.parquet,RUNS.parquet

Each argument is a kind of workload ("writes": nothing is read while it is measured) and the tables of runs that stand
for it. For each table and indicator an additive process is fitted to the log ratios to the reference; the effect of a
value is by how much the process expects the mean over all recorded configurations to move if the option has this value
instead of the reference's (partial dependence: Friedman, 2001, "Greedy function approximation: a gradient boosting
machine"). Tables of a kind are averaged, each over the options that it varied. Takes about a minute.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from lsmtune.analysis import Response, Runs, response
from lsmtune.model import Purpose, Value
from lsmtune.samplers import Floats
from lsmtune.samplers._additive import AdditiveProcess, fit_additive
from lsmtune.samplers._view import View
from lsmtune.space import Dimension, Space
from lsmtune.space._effects import Curve, curve_of
from lsmtune.study import space_of

INDICATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "throughput_ops_s": ("throughput_ops_s",),
        "throughput_settled_ops_s": ("throughput_settled_ops_s",),
        "waf": ("waf", "waf_table"),
        "space_bytes": ("space_bytes",),
        "latency_p99_s": ("latency_p99_s", "read_latency_p99_s"),
    }
)
"""What is learnt, and the indicators that tell it: the first that a table has."""
_DESIGN = [str(purpose) for purpose in (Purpose.SAMPLE, Purpose.TEST, Purpose.TRIAL)]
_KNOTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Places along a range at which the effect is kept; between them it is interpolated."""

Effects: TypeAlias = Mapping[tuple[str, str, Value], float]
"""ln ratio by indicator, option and value."""


def effects_of(path: Path, indicators: Sequence[str] = tuple(INDICATORS)) -> Effects:
    """Return the effects on some indicators that one table of runs tells."""
    runs = Runs.read(path)
    runs = runs.where(runs.frame["counts"].notna().to_numpy())
    space = space_of(runs)
    found: dict[tuple[str, str, Value], float] = {}
    for indicator in indicators:
        told = next((name for name in INDICATORS[indicator] if name in runs.indicators), None)
        if told is not None:
            found |= {(indicator, *key): effect for key, effect in _effects(runs, space, response(runs, told))}
    return found


def _effects(runs: Runs, space: Space, answer: Response) -> Iterator[tuple[tuple[str, Value], float]]:
    design = runs.frame["purpose"].isin(_DESIGN).to_numpy(dtype=bool)
    rows = np.flatnonzero(design & (answer.known | (answer.bounded & (answer.sign != 0))))
    sign = answer.sign or 1
    values = sign * np.where(answer.known, answer.log_ratio, answer.log_bound)[rows]
    bounded = np.flatnonzero(~answer.known[rows]).tolist()
    columns = {name: runs.values(name) for name in space.names}
    view = View(space)
    places = view.places([space.canonical({name: column[row] for name, column in columns.items()}) for row in rows])
    process = fit_additive(view.points(places), values, answer.noise(), bounded)
    for number, axis in enumerate(space.dimensions):
        values_here = _values(axis)
        alone = view.places([{axis.name: value} for value in (axis.default, *values_here)])[:, number]
        base, *means = (_mean_at(process, view, places, number, place) for place in alone.tolist())
        yield from (((axis.name, value), sign * (mean - base)) for value, mean in zip(values_here, means, strict=True))


def _mean_at(process: AdditiveProcess, view: View, places: Floats, axis: int, place: float) -> float:
    moved = places.copy()
    moved[:, axis] = place
    return float(process.predict(view.points(moved))[0].mean())


def _values(axis: Dimension) -> list[Value]:
    if axis.choices:
        return [*axis.specials, *axis.choices]
    start = axis.special_share
    spread = (axis.from_unit(start + (1.0 - start) * knot) for knot in _KNOTS)
    return list(dict.fromkeys([*axis.specials, *spread]))


def averaged(tables: Sequence[Effects]) -> Effects:
    """Return the mean effect over the tables that know an option, at the values of all of them."""
    found = {}
    curves = [_curves(table) for table in tables]
    for indicator, option, value in dict.fromkeys(key for table in tables for key in table):
        own = [each[indicator, option] for each in curves if (indicator, option) in each]
        asked = np.array([value], dtype=object)
        told = [curve.at(asked, 0)[0] for curve in own if not curve.words or value in curve.words]
        found[indicator, option, value] = sum(told) / len(told)
    return found


def _curves(table: Effects) -> Mapping[tuple[str, str], Curve]:
    told: dict[tuple[str, str], dict[str, Floats]] = {}
    for (indicator, option, value), effect in table.items():
        told.setdefault((indicator, option), {})[_text(value)] = np.array([effect])
    return {key: curve_of(effects) for key, effects in told.items()}


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def main(arguments: list[str]) -> None:
    """Learn and print."""
    kinds = dict(argument.split("=", 1) for argument in arguments)
    learned = {kind: averaged([effects_of(Path(path)) for path in paths.split(",")]) for kind, paths in kinds.items()}
    heads = [(kind, indicator) for kind in kinds for indicator in INDICATORS]
    sys.stdout.write("\t".join(["option", "value", *(f"{kind} {indicator}" for kind, indicator in heads)]) + "\n")
    rows = dict.fromkeys((option, value) for table in learned.values() for _, option, value in table)
    for option, value in sorted(rows, key=lambda row: (row[0], isinstance(row[1], str), row[1])):
        cells = [learned[kind].get((indicator, option, value)) for kind, indicator in heads]
        shown = ["" if cell is None else f"{cell:.3f}" for cell in cells]
        sys.stdout.write("\t".join([option, _text(value), *shown]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
