"""How figures went over time, between the dumps of statistics or by the events, for the card and the page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lsmtune.production._over_time import OverTime, ShareOverTime
from lsmtune.production._repeated_hour import going_on
from lsmtune.production._service_log import Moment, Opening

_SHOWN_FAMILIES = 4
_MOST_BETWEEN = 120
"""Parts of the time that figures between dumps are given for, as those of events are."""
Level = Callable[[Moment, Moment], float | None]
"""A figure of the time between two dumps; None where they do not tell it."""


@dataclass(frozen=True)
class Trend:
    """How a figure went over time.

    Attributes:
        name: a word that stays.
        title: what it is.
        short: the same in two words or three.
        unit: ``B``, ``%``, or a word for what is counted.
        family: the column family; empty where it is of the whole database.
        times_s: ends of the parts of the time, in s since the epoch.
        values: in each part; None where it has none.
    """

    name: str
    title: str
    short: str
    unit: str
    family: str
    times_s: tuple[float, ...]
    values: tuple[float | None, ...]

    @property
    def known(self) -> list[float]:
        """The values that are there."""
        return [value for value in self.values if value is not None]


def trends_of(opening: Opening) -> tuple[Trend, ...]:
    """Return what is known over time of one opening, what never was above 0 left out."""
    found = [*_of_events(opening), *_of_dumps(opening)]
    return tuple(each for each in found if len(each.known) > 1 and max(each.known) > 0)


def _of_events(opening: Opening) -> Iterator[Trend]:
    yield _most(("l0-files", "Files of level 0", "L0 files"), "files", "", opening.events.l0_files)
    by_size = sorted(opening.events.families.items(), key=lambda item: item[1].written.file_bytes, reverse=True)[
        :_SHOWN_FAMILIES
    ]
    for name, family in by_size:
        yield _share(("deletions", "Deletions among what was written", "deletions"), name, family.deletions)
    for name, family in by_size:
        yield _most(("memtables", "Memtables that were flushed", "memtables"), "B", name, family.memtables)
    sizes = sorted(opening.sizes.items(), key=lambda item: _largest(item[1]), reverse=True)[:_SHOWN_FAMILIES]
    for name, line in sizes:
        yield _most(("sizes", "Size of tables", "tables"), "B", name, line)


def _of_dumps(opening: Opening) -> Iterator[Trend]:
    moments = going_on(opening.timed_moments)
    every = -(-len(moments) // _MOST_BETWEEN) or 1
    groups = [moments[at : at + every + 1] for at in range(0, len(moments) - 1, every)]
    times_s = tuple(group[-1].time_s for group in groups)
    peaks = (max((each.peak_bytes for each in group if each.peak_bytes is not None), default=None) for group in groups)
    yield Trend("space-peak", "Space with running compactions", "space at most", "B", "", times_s, tuple(peaks))
    levels: tuple[tuple[str, str, str, str, Level], ...] = (
        ("wal", "Write-ahead log", "WAL", "B/s", wal_rate),
        ("cache-hits", "Look-ups that found their block in the cache", "cache hits", "%", cache_hits),
        ("cache-used", "Used of the block caches", "cache used", "B", lambda _, later: later.cache_bytes),
        ("filters", "Look-ups of absent keys that filters answered", "filters", "%", filter_use),
        ("skipped", "Records that iterators skipped for each move", "skipped a move", "records", skipped_a_move),
    )
    for name, title, short, unit, level in levels:
        yield Trend(name, title, short, unit, "", times_s, tuple(level(group[0], group[-1]) for group in groups))


def cache_hits(earlier: Moment, later: Moment) -> float | None:
    """Return which share of the look-ups in the block cache found their block, in %."""
    hits, misses = _grown(earlier.cache_hits, later.cache_hits), _grown(earlier.cache_misses, later.cache_misses)
    return _percent(hits, None if hits is None or misses is None else hits + misses)


def filter_use(earlier: Moment, later: Moment) -> float | None:
    """Return of the look-ups of keys that a table does not have, which share its filter answered, in %."""
    useful = _grown(earlier.filter_useful, later.filter_useful)
    positive = _grown(earlier.filter_positive, later.filter_positive)
    true = _grown(earlier.filter_true, later.filter_true)
    if useful is None or positive is None or true is None:
        return None
    return _percent(useful, useful + max(0, positive - true))


def skipped_a_move(earlier: Moment, later: Moment) -> float | None:
    """Return how many deleted or overwritten records iterators skipped for each move."""
    skipped, moved = _grown(earlier.skipped, later.skipped), _grown(earlier.moved, later.moved)
    return None if skipped is None or not moved else skipped / moved


def wal_rate(earlier: Moment, later: Moment) -> float | None:
    """Return what the write-ahead log took, in B/s."""
    if earlier.wal_gb is None or later.wal_gb is None or later.uptime_s <= earlier.uptime_s:
        return None
    return max(0.0, later.wal_gb - earlier.wal_gb) * 2**30 / (later.uptime_s - earlier.uptime_s)


def _grown(earlier: int | None, later: int | None) -> int | None:
    """Return what a ticker counted in between; None where it is not told, or was set back."""
    return None if earlier is None or later is None or later < earlier else later - earlier


def _percent(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else 100 * part / whole


def _most(words: tuple[str, str, str], unit: str, family: str, line: OverTime) -> Trend:
    values = tuple(None if value is None else float(value) for value in line.most)
    return Trend(*words, unit, family, _ends(line.begin_s, line.width_s, len(values)), values)


def _share(words: tuple[str, str, str], family: str, line: ShareOverTime) -> Trend:
    values = tuple(None if value is None else 100 * value for value in line.shares)
    return Trend(*words, "%", family, _ends(line.begin_s, line.width_s, len(values)), values)


def _ends(begin_s: float | None, width_s: float, number: int) -> tuple[float, ...]:
    return tuple((begin_s or 0.0) + (place + 1) * width_s for place in range(number))


def _largest(line: OverTime) -> int:
    return max((value for value in line.most if value is not None), default=0)
