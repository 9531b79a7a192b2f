"""Lets numeric libraries calculate with one thread."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Calculate with one thread: matrices are small, and sums do not depend on the number of cores.

    The libraries that are loaded are looked for again only after a module was loaded, since that takes some
    milliseconds, in a short search as long as a proposal itself.
    """
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return what limits the threads of the libraries that are loaded with so many modules."""
    del modules  # libraries are loaded by modules, so these tell whether there may be new ones
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
