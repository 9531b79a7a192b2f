"""Effect curves: what becomes of the prediction when one factor is set to each of its values."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.analysis._encoding import FloatArray, active
from lsmtune.analysis._players import Player, eligible, players_of
from lsmtune.analysis._sample import Folds, IntArray
from lsmtune.errors import StatisticsError
from lsmtune.model import Value
from lsmtune.space import Factor

_BAND = (0.1, 0.9)


class CurveMethod(StrEnum):
    """How an effect curve is computed."""

    PARTIAL_DEPENDENCE = "partial dependence"
    """Every run with the factor set to each value."""
    ACCUMULATED = "accumulated local effects"
    """Only small steps from where each run is; for factors that a constraint ties to others."""


@dataclass(frozen=True)
class EffectCurve:
    """The response by the value of one factor, as ratio to its response at `relative_to`.

    Attributes:
        name: of the factor.
        method: how it is computed.
        values: of the factor, ascending, special ones last; g of them. Accumulated effects have no special values,
            as no small step leads to them.
        special: for each value whether it has a meaning outside of the order of the others.
        ratio: geometric mean over the runs, shape (g,).
        low, high: ends of its 95 % jackknife interval, shape (g,).
        band_low, band_high: between them lie 80 % of the runs' own ratios, shape (g,); nan for accumulated effects,
            which are not known run by run. A wide band means interaction.
        relative_to: the value whose ratio is 1, the reference; None where accumulated effects do not reach it, then
            the mean over the runs is 1.
        rug: observed values of the runs in which it is active, shape (n,).
        tied: a constraint ties it to other factors; partial dependence then leaves where runs were made.
    """

    name: str
    method: CurveMethod
    values: tuple[Value, ...]
    special: tuple[bool, ...]
    ratio: FloatArray
    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    relative_to: Value | None
    rug: npt.NDArray[Any]
    tied: bool


def effect_curve(folds: Folds, name: str, *, seed: int, points: int = 12, rows: int = 200) -> EffectCurve:
    """Compute the effect curve of a factor from models of a log response.

    Partial dependence (Friedman 2001, Ann. Stat. 29, section 8.2) with each run's curve taken relative to its value
    at the reference (centred ICE of Goldstein et al. 2015, J. Comput. Graph. Stat. 24). For a number that a constraint
    ties to others, accumulated local effects (Apley and Zhu 2020, J. R. Stat. Soc. B 82), since partial dependence
    would ask the model about configurations that cannot exist. A conditional factor is looked at in the runs
    in which it is active. The interval is the delete-a-group jackknife over the fold models (Kott 2001, J. Off. Stat.
    17): it tells how much the curve hangs on which runs were made.

    Do not trust it where the rug is thin, nor for the mean where the band is wide: then it depends on other factors.
    With 5 folds the interval is rough.

    Args:
        folds: models of the logarithm of an indicator.
        name: of the factor.
        seed: of the choice of runs.
        points: largest number of values, besides special ones and the reference.
        rows: largest number of runs that are moved.

    Raises:
        StatisticsError: the factor did not vary, or not while it was active.
    """
    sample = folds.sample
    factor = sample.factor(name)
    activity = active(sample.factors, sample.columns)
    places = np.flatnonzero(eligible(Player(name, (name,)), sample.factors, activity))
    observed = sample.columns[name][places]
    regular, specials = _grid(factor, observed, points)
    if len(regular) + len(specials) < 2:
        raise StatisticsError(
            f'"{name}" has fewer than two values in the {len(places)} runs where it is active; sample a wider range'
        )
    chosen = np.random.default_rng(seed).permutation(places)[:rows]
    tied = any(player.tied and player.name == name for player in players_of(sample.factors, sample.bundles))
    inside = chosen if factor.is_category else chosen[~_is_special(factor, sample.columns[name][chosen])]
    steps, _ = _grid(factor, sample.columns[name][inside], points)
    if tied and not factor.is_category and len(steps) > 1:
        raw = _accumulated(folds, factor, steps, inside)
    else:
        raw = _partial_dependence(folds, factor, regular, specials, chosen)
    middle, half = _jackknife(raw.curves)
    return EffectCurve(
        name=name,
        method=raw.method,
        values=tuple(raw.values.tolist()),
        special=tuple(place >= raw.regular for place in range(len(raw.values))),
        ratio=np.exp(middle),
        low=np.exp(middle - half),
        high=np.exp(middle + half),
        band_low=np.exp(raw.band[0]),
        band_high=np.exp(raw.band[1]),
        relative_to=raw.relative_to,
        rug=observed,
        tied=tied,
    )


class _Raw(NamedTuple):
    """Log curves of the fold models, shape (models, g), their band over the runs, (2, g), and what they are of."""

    method: CurveMethod
    values: npt.NDArray[Any]
    regular: int
    curves: FloatArray
    band: FloatArray
    relative_to: Value | None


def _grid(factor: Factor, observed: npt.NDArray[Any], points: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return observed regular values, evenly by rank and with the reference where it lies among them; and specials."""
    if factor.is_category:
        seen = set(observed.tolist())
        order = [*factor.choices, *sorted(seen - set(factor.choices), key=str)]
        return np.array([value for value in order if value in seen], dtype=observed.dtype), observed[:0]
    special = _is_special(factor, observed)
    regular, specials = np.sort(observed[~special]), np.unique(observed[special])
    distinct = np.unique(regular)
    if len(distinct) > points:
        distinct = np.unique(regular[np.linspace(0, len(regular) - 1, points).round().astype(np.intp)])
    if len(distinct) and distinct[0] < factor.reference < distinct[-1] and factor.reference not in factor.specials:
        distinct = np.union1d(distinct, [factor.reference])
    return distinct, specials


def _is_special(factor: Factor, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.isin(values.astype(np.float64), np.array(factor.specials, dtype=np.float64))


def _partial_dependence(
    folds: Folds, factor: Factor, regular: npt.NDArray[Any], specials: npt.NDArray[Any], rows: IntArray
) -> _Raw:
    """Set the factor of all runs to each value, as log ratio to each run's prediction at the reference."""
    grid = np.concatenate([regular, specials])
    columns = {name: np.tile(values, 1 + len(grid)) for name, values in folds.sample.columns_at(rows).items()}
    reference = np.array([factor.reference], dtype=object if grid.dtype == object else None)
    columns[factor.name] = np.repeat(np.concatenate([reference, grid]), len(rows))
    predictions = np.array([model.predict(columns) for model in folds.models])
    by_value = predictions.reshape(len(folds.models), 1 + len(grid), len(rows))
    by_run = by_value[:, 1:] - by_value[:, :1]
    band = np.quantile(by_run.mean(axis=0), _BAND, axis=1)
    curves = by_run.mean(axis=2)
    return _Raw(CurveMethod.PARTIAL_DEPENDENCE, grid, len(regular), curves, band, factor.reference)


def _accumulated(folds: Folds, factor: Factor, edges: npt.NDArray[Any], rows: IntArray) -> _Raw:
    """Add up over the steps between `edges` what the step does to the runs that lie in it."""
    columns = folds.sample.columns_at(rows)
    at = columns[factor.name]
    # A run belongs to the step that ends at its value; those at the lowest value to the first step.
    step = np.maximum(np.searchsorted(edges, at), 1)
    moved = {name: np.tile(values, 2) for name, values in columns.items()}
    moved[factor.name] = np.concatenate([edges[step - 1], edges[step]])
    predictions = np.array([model.predict(moved) for model in folds.models])
    local = predictions[:, len(rows) :] - predictions[:, : len(rows)]
    counts = np.bincount(step, minlength=len(edges))[1:]
    sums = np.array([np.bincount(step, weights=effects, minlength=len(edges))[1:] for effects in local])
    # A step without runs, next to a reference that no run has, is flat.
    heights = np.concatenate([np.zeros((len(local), 1)), np.cumsum(sums / np.maximum(counts, 1), axis=1)], axis=1)
    at_reference = np.flatnonzero(edges == factor.reference)
    if len(at_reference):
        zero = heights[:, at_reference]
    else:
        zero = np.array([[np.interp(at, edges.astype(np.float64), height).mean()] for height in heights])
    relative_to = factor.reference if len(at_reference) else None
    band = np.full((2, len(edges)), np.nan)
    return _Raw(CurveMethod.ACCUMULATED, edges, len(edges), heights - zero, band, relative_to)


def _jackknife(curves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean curve and half the width of its interval from curves of delete-a-fold models."""
    models = len(curves)
    middle = curves.mean(axis=0)
    error = np.sqrt((models - 1) / models * ((curves - middle) ** 2).sum(axis=0))
    return middle, float(scipy.special.stdtrit(models - 1, 0.975)) * error
