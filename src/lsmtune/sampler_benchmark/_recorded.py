"""Recorded points as an engine that runs nothing else: what is proposed is carried out at the nearest point left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.analysis import Emulator, Runs, response
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose, Value
from lsmtune.space import Space

FloatArray: TypeAlias = npt.NDArray[np.float64]

_LEAST_POINTS = 60
_DESIGN = (Purpose.SAMPLE, Purpose.TEST, Purpose.TRIAL)
_OTHER_VALUE = 0.5
"""Way between two values without an order, as a share of an axis."""

_Key: TypeAlias = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class RecordedPoints:
    """The configurations that were run, with what was measured of them; made by `recorded_points`.

    No model stands between a sampler and the runs, so that none can be its own judge. What it costs: a proposal is
    carried out at the nearest point that was not run yet, which in many dimensions is far away.

    Attributes:
        space: where the points lie.
        indicators: k names, in the order of all arrays.
        points: n configurations, each as its least difference from the reference.
        ratios: mean log ratios to the reference over the runs of each, shape (n, k).
        levels: the reference's own value by indicator, in its unit.
        residuals: by how much repeats of a configuration differed, shape (m, k).
    """

    space: Space
    indicators: tuple[str, ...]
    points: tuple[Mapping[str, Value], ...]
    ratios: FloatArray
    levels: Mapping[str, float]
    residuals: FloatArray

    def log_ratios(self, configurations: Sequence[Mapping[str, Value]]) -> FloatArray:
        """Return the log ratios to the reference of points, shape (len(configurations), k); 0 of the reference.

        Raises:
            KeyError: one is not among the points.
        """
        nothing = np.zeros(len(self.indicators))
        found = [self.ratios[self._rows[key]] if (key := _key(each)) else nothing for each in configurations]
        return np.array(found).reshape(len(configurations), len(self.indicators))

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return what one run adds to its log ratios, shape (k,): that of a recorded repeat."""
        return np.asarray(self.residuals[rng.integers(len(self.residuals))])

    def values(self, log_ratios: FloatArray) -> dict[str, float]:
        """Return the indicators of one run, in their units, from its log ratios of shape (k,)."""
        return {
            name: self.levels[name] * float(np.exp(ratio))
            for name, ratio in zip(self.indicators, log_ratios, strict=True)
        }

    def nearest(self, values: Mapping[str, Value], taken: Sequence[Mapping[str, Value]]) -> Mapping[str, Value]:
        """Return the point nearest to a configuration that is not taken yet; of all that are, the nearest."""
        gaps = np.abs(self._places - self.space.to_unit(values))
        ways = np.where(self._unordered, _OTHER_VALUE * (gaps > 0), gaps).sum(axis=1)
        ways[[self._rows[_key(each)] for each in taken]] += len(self.space)
        return self.points[int(np.argmin(ways))]

    @cached_property
    def _rows(self) -> Mapping[_Key, int]:
        return {_key(point): row for row, point in enumerate(self.points)}

    @cached_property
    def _places(self) -> FloatArray:
        return np.array([self.space.to_unit(point) for point in self.points])

    @cached_property
    def _unordered(self) -> npt.NDArray[np.bool_]:
        return np.array([any(isinstance(one, bool | str) for one in axis.choices) for axis in self.space.dimensions])


Truth: TypeAlias = Emulator | RecordedPoints
"""What stands for the engine."""


def recorded_points(runs: Runs, space: Space, emulator: Emulator) -> RecordedPoints:
    """Return the recorded configurations of a space of which all indicators were measured.

    Configurations that break a relation of the space are left out, and so are runs that were stopped or failed: nothing
    says what they would have measured. So are runs in which something outside of the space differs from the reference,
    like the workload.

    Args:
        runs: recorded runs.
        space: where they lie, with the bounds that samplers are held to.
        emulator: of the same runs; gives levels and noise.

    Raises:
        StatisticsError: fewer than 60 are left.
    """
    logs = np.column_stack([response(runs, name).log_ratio for name in emulator.indicators])
    is_design = runs.frame["purpose"].isin([str(purpose) for purpose in _DESIGN]).to_numpy(dtype=bool)
    for factor in runs.factors:
        if factor.name not in space.names:
            at_reference = [_plain(value) == factor.reference for value in runs.values(factor.name)]
            is_design = is_design & np.array(at_reference)
    columns = {name: runs.values(name) for name in space.names}
    measured: dict[_Key, list[FloatArray]] = {}
    for row in np.flatnonzero(is_design & np.isfinite(logs).all(axis=1)):
        values = {name: _plain(column[row]) for name, column in columns.items()}
        changed = space.canonical(values)
        holds = all(axis.holds(changed[axis.name]) for axis in space.dimensions if axis.name in changed)
        if holds and not space.violations(changed):
            measured.setdefault(_key(changed), []).append(logs[row])
    measured.pop((), None)
    if len(measured) < _LEAST_POINTS:
        raise StatisticsError(
            f"{len(measured)} recorded configurations can be searched as they are; {_LEAST_POINTS} are needed, so take "
            "the emulator, or record more"
        )
    means = np.array([np.mean(each, axis=0) for each in measured.values()])
    points = tuple(dict(key) for key in measured)
    return RecordedPoints(space, emulator.indicators, points, means, emulator.levels, emulator.residuals)


def _plain(value: object) -> Value:
    """Return a value of a column as options have it; whole numbers are ints, as in a space."""
    plain = value.item() if isinstance(value, np.generic) else value
    assert isinstance(plain, bool | int | float | str)
    return plain


def _key(values: Mapping[str, Value]) -> _Key:
    return tuple(sorted(values.items()))
