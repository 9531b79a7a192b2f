"""Terms of a linear model: a factor as columns, and the groups that its runs fall into."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.space import Factor
from lsmtune.units import format_bytes, format_count

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]

MOST_LEVELS = 4
"""A number with more distinct values than this, specials aside, gets a curve and no level for each value."""
_RANK_TOLERANCE = 1e-7
_GROUP_LEVELS, _GROUP_BINS = 8, 5


class Shape(StrEnum):
    """How a term follows its factor."""

    LEVELS = "levels"
    """Each value has a mean of its own (sum coding)."""
    SPLINE = "spline"
    """A natural cubic spline; special values have means of their own beside it."""
    BINS = "bins"
    """Groups of equal size by value, each with a mean; special values as with the spline."""
    PRODUCT = "product"
    """An interaction: products of the columns of two terms."""


@dataclass(frozen=True)
class Term:
    """Columns of a linear model that stand or fall together.

    Attributes:
        name: of the factor, or of two joined by ``" x "``.
        factors: names of the one or two factors.
        shape: see `Shape`.
        matrix: shape (n, df); the columns of a factor have mean 0 over the runs in which it is active and are 0
            elsewhere.
    """

    name: str
    factors: tuple[str, ...]
    shape: Shape
    matrix: FloatArray

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or not np.isfinite(self.matrix).all():
            raise StatisticsError(f'the columns of the term "{self.name}" are not finite numbers; check its values')

    @property
    def df(self) -> int:
        """Number of its columns."""
        return int(self.matrix.shape[1])

    @property
    def varies(self) -> bool:
        """Whether it says anything: its factor took two values where it has an effect."""
        return bool(self.matrix.any())


@dataclass(frozen=True)
class Dropped:
    """A term that the model could not hold, and why, in words."""

    name: str
    reason: str


@dataclass(frozen=True)
class Grouping:
    """Runs by the value of a factor.

    Attributes:
        labels: of the groups, in the order of the values.
        index: group of each run, shape (n,); -1 where the factor has no effect.
        shape: `Shape.LEVELS` for one group a value, `Shape.BINS` for groups of equal size.
    """

    labels: tuple[str, ...]
    index: IntArray
    shape: Shape


def factor_term(factor: Factor, values: npt.NDArray[Any], active: BoolArray, shape: Shape, curve_df: int) -> Term:
    """Turn a factor into a term.

    A conditional factor is nested: its columns are 0 where it has no effect and have mean 0 where it has one, so that
    they speak of differences among the runs in which it acts; what the condition itself does is left to the factor
    that switches it.

    Args:
        factor: what varied.
        values: of all runs, shape (n,).
        active: where the factor has an effect, shape (n,).
        shape: of a number with more than `MOST_LEVELS` distinct values.
        curve_df: its columns, special values aside.
    """
    chosen, columns = _columns(factor, values[active], shape, curve_df)
    matrix = np.zeros((len(values), columns.shape[1]))
    matrix[active] = columns - columns.mean(axis=0) if len(columns) else columns
    return Term(factor.name, (factor.name,), chosen, matrix)


def interaction_term(one: Term, other: Term) -> Term:
    """Return the term of what two factors do only together: all products of their columns."""
    products = one.matrix[:, :, None] * other.matrix[:, None, :]
    matrix = products.reshape(len(one.matrix), -1)
    return Term(f"{one.name} x {other.name}", one.factors + other.factors, Shape.PRODUCT, matrix)


def independent_terms(terms: Sequence[Term]) -> tuple[tuple[Term, ...], tuple[Dropped, ...], tuple[str, ...]]:
    """Keep of each term the columns that the constant and the terms before it do not determine.

    Returns:
        The terms with columns left; those without, with the reason; a warning for each that lost some of its columns.
    """
    kept: list[Term] = []
    dropped: list[Dropped] = []
    warnings: list[str] = []
    base = np.full((len(terms[0].matrix), 1), len(terms[0].matrix) ** -0.5) if terms else np.empty((0, 1))
    for term in terms:
        if not term.varies:
            dropped.append(Dropped(term.name, "it never varied where it has an effect"))
            continue
        norms = np.linalg.norm(term.matrix, axis=0)
        scaled = term.matrix / np.where(norms > 0, norms, 1.0)
        rest = scaled - base @ (base.T @ scaled)
        rest -= base @ (base.T @ rest)  # once more: one pass loses digits where little is left
        basis, upper, order = scipy.linalg.qr(rest, mode="economic", pivoting=True)
        rank = int(np.count_nonzero(np.abs(np.diag(upper)) > _RANK_TOLERANCE))
        if rank == 0:
            dropped.append(Dropped(term.name, "its columns follow from those of the terms before it"))
            continue
        if rank < term.df:
            warnings.append(f'"{term.name}" keeps {rank} of {term.df} columns; terms before it determine the others')
        base = np.column_stack([base, basis[:, :rank]])
        kept.append(Term(term.name, term.factors, term.shape, term.matrix[:, np.sort(order[:rank])]))
    return tuple(kept), tuple(dropped), tuple(warnings)


def grouping(factor: Factor, values: npt.NDArray[Any], active: BoolArray) -> Grouping:
    """Return groups of runs by the value of a factor, for means and one-way tests.

    Numbers with at most 8 distinct values have one group a value; others 5 groups of equal size, as far as ties allow,
    and one for each special value.

    Args:
        factor: what varied.
        values: of all runs, shape (n,).
        active: where the factor has an effect, shape (n,).
    """
    index = np.full(len(values), -1, dtype=np.intp)
    chosen = values[active]
    special = _special(factor, chosen)
    if factor.is_category or len(np.unique(chosen[~special])) <= _GROUP_LEVELS:
        levels, codes = _levels(factor, chosen)
        index[active] = codes
        return Grouping(tuple(_label(factor, level) for level in levels), index, Shape.LEVELS)
    specials, codes = np.unique(chosen[special], return_inverse=True)
    bins = _equal_frequency(chosen[~special].astype(np.float64), _GROUP_BINS)
    within = np.empty(len(chosen), dtype=np.intp)
    within[special], within[~special] = codes, bins + len(specials)
    index[active] = within
    ranges = (chosen[~special][bins == number] for number in range(int(bins.max()) + 1))
    labels = [_label(factor, level) for level in specials]
    labels += [f"{_label(factor, part.min())} to {_label(factor, part.max())}" for part in ranges]
    return Grouping(tuple(labels), index, Shape.BINS)


def natural_spline(axis: FloatArray, df: int) -> FloatArray:
    """Return a basis of the natural cubic splines without the constant, shape (n, df).

    The columns are cardinal splines (each 1 at one knot and 0 at the others) for df + 1 knots at quantiles of the
    distinct values, the ends included (Hastie, Tibshirani and Friedman 2009, The Elements of Statistical Learning,
    section 5.2.1). Knots at quantiles of all values would fall together where one value is frequent.

    Args:
        axis: at least df + 1 distinct numbers, shape (n,).
        df: number of columns.
    """
    scaled = (axis - axis.min()) / np.ptp(axis)
    knots = np.quantile(np.unique(scaled), np.linspace(0, 1, df + 1))
    spline = scipy.interpolate.CubicSpline(knots, np.eye(df + 1), bc_type="natural")
    return np.asarray(spline(scaled)[:, 1:])


def _columns(factor: Factor, values: npt.NDArray[Any], shape: Shape, curve_df: int) -> tuple[Shape, FloatArray]:
    special = _special(factor, values)
    if factor.is_category or len(np.unique(values[~special])) <= MOST_LEVELS:
        levels, codes = _levels(factor, values)
        return Shape.LEVELS, _sum_coded(codes, len(levels))
    axis = _axis(factor, values[~special])
    if shape is Shape.SPLINE:
        curve = natural_spline(axis, curve_df)
    else:
        bins = _equal_frequency(axis, curve_df + 1)
        curve = _sum_coded(bins, int(bins.max()) + 1)
    columns = np.zeros((len(values), curve.shape[1]))
    columns[~special] = curve - curve.mean(axis=0)
    own = [(values == level).astype(np.float64) for level in np.unique(values[special])]
    return shape, np.column_stack([*own, columns])


def _axis(factor: Factor, values: npt.NDArray[Any]) -> FloatArray:
    numbers = values.astype(np.float64)
    return np.log2(numbers) if factor.log and (numbers > 0).all() else numbers


def _special(factor: Factor, values: npt.NDArray[Any]) -> BoolArray:
    if factor.is_category or not factor.specials:
        return np.zeros(len(values), dtype=np.bool_)
    return np.isin(values.astype(np.float64), np.array([float(value) for value in factor.specials]))


def _levels(factor: Factor, values: npt.NDArray[Any]) -> tuple[list[Any], IntArray]:
    """Return the values that occur, in their order, and for each run the place of its value among them."""
    present = list(dict.fromkeys(values.tolist()))
    known = {choice: place for place, choice in enumerate(factor.choices)} if factor.is_category else {}
    present.sort(key=lambda value: (known.get(value, len(known)), str(value) if factor.is_category else float(value)))
    place_of = {value: place for place, value in enumerate(present)}
    return present, np.array([place_of[value] for value in values.tolist()], dtype=np.intp)


def _sum_coded(codes: IntArray, levels: int) -> FloatArray:
    """Return columns whose coefficients are differences from the mean over levels, shape (n, levels - 1)."""
    if levels < 2:
        return np.empty((len(codes), 0))
    return np.vstack([np.eye(levels - 1), -np.ones(levels - 1)])[codes]


def _equal_frequency(values: FloatArray, bins: int) -> IntArray:
    """Return the number of the group of each value, from 0; equal values share one, so there may be fewer groups."""
    edges = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
    return np.unique(np.searchsorted(edges, values, side="right"), return_inverse=True)[1].astype(np.intp)


def _label(factor: Factor, value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if factor.unit == "B":
        return format_bytes(float(value))
    text = format_count(value) if float(value).is_integer() else f"{value:.4g}"
    return f"{text} {factor.unit}".rstrip()
