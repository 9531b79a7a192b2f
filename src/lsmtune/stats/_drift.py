"""Anchors: repeated runs of the reference that show how the machine drifts during a study."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import RESOLUTION, FloatArray, finite, logs_of, ratio_of
from lsmtune.stats._noise import NoiseFloor
from lsmtune.stats._spread import neighbour_freedom, neighbour_variance

_LEAST_FOR_DRIFT = 3


@dataclass(frozen=True)
class Anchors:
    """The level of the reference over a study, from its anchor runs; made by `fit_anchors`.

    Plain interpolation between anchors subtracts the noise of one or two anchor runs from every trial between
    them: without drift it makes the responses noisier and, worse, moves neighbouring trials together. So the
    interpolated level is shrunk towards the overall mean, to the share of the anchors' variance that is drift.
    That share follows from von Neumann (1941, Ann. Math. Statist. 12): half the mean squared difference of
    neighbours estimates the variance of the noise alone, because a slow drift hardly moves neighbours apart.

    Attributes:
        order: positions of the anchors in run order, rising.
        log_values: natural logarithms of their values.
        drift_share: share of the variance that is drift, 0 to 1; None below 3 anchors, where it cannot be
            told from noise and the level is taken as constant.
    """

    order: tuple[float, ...]
    log_values: tuple[float, ...]
    drift_share: float | None

    @property
    def n(self) -> int:
        """Number of anchors."""
        return len(self.order)

    @property
    def drift_total(self) -> float | None:
        """Fitted level in the last third of the anchors over that in the first third; None below 3 anchors."""
        if self.drift_share is None:
            return None
        third = max(1, self.n // 3)
        change = float(np.mean(self.log_values[-third:]) - np.mean(self.log_values[:third]))
        return ratio_of(self.drift_share * change)

    def log_reference_at(self, order: float) -> float:
        """Return the log level of the reference at a position in run order.

        Before the first and after the last anchor the level stays at theirs.

        Raises:
            StatisticsError: the position is not finite.
        """
        if not math.isfinite(order):
            raise StatisticsError(f"position {order:g} in run order is not a number; give the run's place in the study")
        mean = self._mean
        if self.drift_share is None:
            return mean
        return mean + self.drift_share * (float(np.interp(order, self.order, self.log_values)) - mean)

    @cached_property
    def _mean(self) -> float:
        return float(np.mean(self.log_values))


def fit_anchors(order: Sequence[float], values: Sequence[float]) -> Anchors:
    """Build `Anchors` from positions in run order and the positive values measured there.

    Args:
        order: positions, in any order, each once.
        values: the values of the reference, same length.

    Raises:
        StatisticsError: no anchors, lengths differ, a position twice, or a value not positive and finite.
    """
    if len(order) != len(values):
        raise StatisticsError(f"{len(order)} anchor positions do not fit {len(values)} values; give one for each")
    positions, logs = finite(order, "anchor positions"), logs_of(values, "anchors", 1)
    rising = np.argsort(positions)
    positions, logs = positions[rising], logs[rising]
    repeated = positions[1:][np.diff(positions) == 0]
    if repeated.size:
        raise StatisticsError(f"two anchors stand at position {repeated[0]:g} of the run order; each run has its own")
    return Anchors(
        order=tuple(positions.tolist()),
        log_values=tuple(logs.tolist()),
        drift_share=_drift_share(logs) if logs.size >= _LEAST_FOR_DRIFT else None,
    )


@dataclass(frozen=True)
class Scatter:
    """How much anchors differ from their neighbours, against the noise floor; made by `scatter_of`.

    Attributes:
        sd_log: standard deviation of the anchors' logarithms without slow drift.
        base: that of the noise floor.
        p: probability that noise as large as the floor's gives so much larger a scatter by chance.
    """

    sd_log: float
    base: float
    p: float


def scatter_of(anchors: Anchors, floor: NoiseFloor) -> Scatter | None:
    """Compare the scatter of anchors with the noise floor; None below 3 anchors.

    The variance of the anchors is that of neighbours, which a slow drift hardly moves. Its ratio to the floor's
    variance is judged by the F distribution with its degrees of freedom, see `neighbour_freedom`.
    """
    if anchors.n < _LEAST_FOR_DRIFT:
        return None
    variance = neighbour_variance(np.asarray(anchors.log_values))
    if variance <= RESOLUTION**2:
        return Scatter(math.sqrt(variance), floor.sd_log, 1.0)
    freedom = neighbour_freedom(anchors.n)
    base = max(floor.sd_log, RESOLUTION) ** 2
    p = float(scipy.special.fdtrc(freedom, floor.freedom, variance / base))
    return Scatter(math.sqrt(variance), floor.sd_log, p)


def _drift_share(logs: FloatArray) -> float:
    total = float(logs.var(ddof=1))
    if total <= RESOLUTION**2:
        return 0.0
    return min(1.0, max(0.0, 1 - neighbour_variance(logs) / total))
