"""Sets that nothing dominates, the volume that they dominate, and a few members that stand for the whole set.

All losses are to be made small. Optuna has these functions in a private module only; SciPy has none.
"""

from collections.abc import Sequence

import numpy as np

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import FloatArray


def non_dominated(losses: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return the rows that no other row dominates, in their order; of rows that are equal, all or none.

    A row dominates another one if it is at most as large in every column and smaller in one.

    Args:
        losses: rows of equal length, one column for each objective; less is better.

    Raises:
        StatisticsError: rows differ in length, a row is empty, or a value is not finite.
    """
    return tuple(_undominated(_table(losses)))


def hypervolume(losses: Sequence[Sequence[float]], corner: Sequence[float]) -> float:
    """Return the volume of all that lies between a row and `corner`, what several rows share counted once.

    The sum of exclusive volumes (While, Bradstreet and Barone 2012, IEEE Trans. Evol. Comput. 16): what a row adds to
    those after it is its box less what they dominate of it. A row that is beyond the corner in a column adds nothing.

    Args:
        losses: rows of equal length; less is better.
        corner: the worst value of each column.

    Raises:
        StatisticsError: rows or the corner differ in length or are empty, or a value is not finite.
    """
    array = _table([*losses, corner])
    return _volume(array[:-1], array[-1])


def representatives(losses: Sequence[Sequence[float]], most: int) -> tuple[int, ...]:
    """Return at most `most` of the rows that nothing dominates, so that they stand for all of them.

    First comes the best row of each column, then, one by one, the row that adds the largest hypervolume to those that
    were chosen, measured from the worst value of each column among the rows that nothing dominates. Scaling a column
    changes nothing. Where `most` is less than the number of columns, the hypervolume alone decides: a front that is cut
    down to less than its ends is told better by its middle. Of rows that add the same, the first is taken.

    Args:
        losses: rows of equal length; less is better.
        most: how many rows may be chosen, at least 1.

    Raises:
        StatisticsError: rows differ in length, a row is empty, a value is not finite, or `most` is below 1.
    """
    if most < 1:
        raise StatisticsError(f"{most} rows cannot stand for a front; choose at least 1")
    array = _table(losses)
    left = _undominated(array)
    if not left:
        return ()
    columns, corner = range(array.shape[1]), array[left].max(axis=0)
    ends = dict.fromkeys(min(left, key=lambda row: float(array[row, column])) for column in columns)
    chosen = list(ends) if most >= len(columns) else []
    left = [row for row in left if row not in chosen]
    while left and len(chosen) < most:
        best = max(left, key=lambda row: _added(array[row], array[chosen], corner))
        chosen.append(best)
        left.remove(best)
    return tuple(chosen)


def _table(losses: Sequence[Sequence[float]]) -> FloatArray:
    widths = {len(row) for row in losses}
    if len(widths) > 1 or 0 in widths:
        raise StatisticsError(f"rows of {sorted(widths)} losses cannot be compared; give each the same objectives")
    array = np.asarray(losses, dtype=np.float64).reshape(len(losses), max(widths, default=0))
    if not np.isfinite(array).all():
        raise StatisticsError("a loss is not finite; leave out what could not be measured")
    return array


def _undominated(array: FloatArray) -> list[int]:
    return [
        row for row, point in enumerate(array) if not ((array <= point).all(axis=1) & (array < point).any(axis=1)).any()
    ]


def _volume(array: FloatArray, corner: FloatArray) -> float:
    distinct = np.unique(array, axis=0)
    front = distinct[_undominated(distinct)]
    return sum(_added(point, front[place + 1 :], corner) for place, point in enumerate(front))


def _added(point: FloatArray, others: FloatArray, corner: FloatArray) -> float:
    """Return the volume that a point dominates and none of the others does."""
    box = float(np.prod(np.maximum(corner - point, 0.0)))
    return box - _volume(np.maximum(others, point), corner) if box and len(others) else box
