"""Clocks that are set back by up to an hour, as where daylight saving ends: a time of the LOG comes twice then."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from lsmtune.production._service_log import Moment

_HOUR_S = 3600.0


def set_back(moments: Iterable[Moment]) -> list[float]:
    """Return what the clock showed whenever it was set back by up to an hour while the database stayed open."""
    return [
        earlier.time_s
        for earlier, later in pairwise(moments)
        if _is_again(earlier, later) and later.uptime_s > earlier.uptime_s
    ]


def going_on(moments: Iterable[Moment]) -> list[Moment]:
    """Return the moments without those whose time has been before, up to an hour ago.

    The two around them are further apart than others. What is told between dumps is told by how long the database was
    open, so it stays right; the most that was stored meanwhile is that of the first of the two.
    """
    found: list[Moment] = []
    for each in moments:
        if found and _is_again(found[-1], each):
            peaks = [peak for peak in (found[-1].peak_bytes, each.peak_bytes) if peak is not None]
            found[-1] = replace(found[-1], peak_bytes=max(peaks, default=None))
        else:
            found.append(each)
    return found


def _is_again(earlier: Moment, later: Moment) -> bool:
    return 0 < earlier.time_s - later.time_s <= _HOUR_S
