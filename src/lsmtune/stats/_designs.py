"""Experimental designs: points of the unit cube that spread over it, or that screen its corners."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError

_LARGEST_SOBOL_DIMENSION = 21_201
# Plackett and Burman 1946, Biometrika 33: first rows of the cyclic designs; powers of 2 are Sylvester's matrices.
_FIRST_ROWS = {
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
    36: "-+-+++---+++++-+++--+----+-+-++--+-",
    44: "++--+-+--+++-+++++---+-+++-----+---++-+-++-",
}


def random_design(points: int, dimensions: int, seed: int) -> npt.NDArray[np.float64]:
    """Return points drawn evenly and independently, as Jin et al. did; shape (points, dimensions).

    Raises:
        StatisticsError: there are no points or no dimensions.
    """
    _check(points, dimensions)
    return np.random.default_rng(seed).random((points, dimensions))


def sobol_design(points: int, dimensions: int, seed: int) -> npt.NDArray[np.float64]:
    """Return the first points of a scrambled Sobol sequence (Owen 1998); shape (points, dimensions).

    Any number of points can be asked for; the balance is best at powers of 2.

    Raises:
        StatisticsError: there are no points, or none or too many dimensions.
    """
    _check(points, dimensions)
    if dimensions > _LARGEST_SOBOL_DIMENSION:
        raise StatisticsError(f"a Sobol design has at most {_LARGEST_SOBOL_DIMENSION} dimensions, not {dimensions}")
    sequence = scipy.stats.qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
    power = max(0, points - 1).bit_length()
    return sequence.random_base2(power)[:points]


def latin_hypercube(points: int, dimensions: int, seed: int) -> npt.NDArray[np.float64]:
    """Return a Latin hypercube with low centred discrepancy, by random swaps (Jin, Chen, Sudjianto 2005).

    Returns:
        Array of shape (points, dimensions), one point in each of `points` equal slices of each axis.

    Raises:
        StatisticsError: there are no points or no dimensions.
    """
    _check(points, dimensions)
    rng = np.random.default_rng(seed)
    if points == 1:  # nothing to swap
        return scipy.stats.qmc.LatinHypercube(dimensions, rng=rng).random(1)
    return scipy.stats.qmc.LatinHypercube(dimensions, optimization="random-cd", rng=rng).random(points)


def plackett_burman(dimensions: int, *, foldover: bool = True) -> npt.NDArray[np.bool_]:
    """Return a two-level screening design: for each run and factor whether it stands high.

    The least order with a column for each factor is taken. Its main effects are clear of each other, and with the
    foldover (the same runs with all levels exchanged) also of every interaction of two factors (Box and Wilson 1951).

    Returns:
        Array of shape (order, dimensions), or (2 * order, dimensions) with the foldover.

    Raises:
        StatisticsError: there are no dimensions, or more than 63.
    """
    _check(1, dimensions)
    order = next((order for order in sorted({*_FIRST_ROWS, 4, 8, 16, 32, 64}) if order > dimensions), None)
    if order is None:
        raise StatisticsError(f"a Plackett-Burman design here has at most 63 factors, not {dimensions}; take lhs")
    high = _matrix(order)[:, :dimensions]
    return np.vstack([high, ~high]) if foldover else high


POINT_DESIGNS: dict[str, Callable[[int, int, int], npt.NDArray[np.float64]]] = {
    "random": random_design,
    "sobol": sobol_design,
    "lhs": latin_hypercube,
}
"""Designs by name that give any number of points: called with points, dimensions and seed."""


def _matrix(order: int) -> npt.NDArray[np.bool_]:
    if order not in _FIRST_ROWS:
        return np.asarray(scipy.linalg.hadamard(order)[:, 1:] > 0)
    first = np.array([sign == "+" for sign in _FIRST_ROWS[order]])
    rows = [np.roll(first, shift) for shift in range(order - 1)]
    return np.vstack([*rows, np.zeros(order - 1, dtype=bool)])


def _check(points: int, dimensions: int) -> None:
    if points < 1 or dimensions < 1:
        raise StatisticsError(
            f"a design of {points} points in {dimensions} dimensions is none; give at least 1 of each"
        )
