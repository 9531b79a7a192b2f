"""Compiling with numba, in one place."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

_F = TypeVar("_F", bound=Callable[..., Any])


def compiled(function: _F) -> _F:
    """Return the function as numba compiles it at its first call; it runs without Python's global lock.

    What was compiled is kept for later processes in the first folder of these that can be written: the one that
    NUMBA_CACHE_DIR names, the code's own, the user's cache. Where none can be, each process compiles anew.
    """
    try:
        made = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "cannot cache function ...: no locator available"
        made = njit(nogil=True)(function)
    return cast("_F", made)
