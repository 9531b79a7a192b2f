"""What changes over time, kept in a bounded number of equal parts of the time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

_BINS = 120
_Part = TypeVar("_Part")


@dataclass
class OverTime:
    """The largest value in each of at most 120 equal parts of the time; parts grow as time goes on.

    Attributes:
        begin_s: s since the epoch; None where there is nothing.
        width_s: of a part.
        most: by part; None where it has no value.
    """

    begin_s: float | None = None
    width_s: float = 1.0
    most: list[int | None] = field(default_factory=list)

    def put(self, time_s: float, value: int) -> None:
        """Take a value in; one from before the beginning counts at the beginning."""
        self.begin_s = time_s if self.begin_s is None else self.begin_s
        place, self.width_s, self.most = _placed(time_s - self.begin_s, self.width_s, self.most, _larger)
        self.most += [None] * (place + 1 - len(self.most))
        self.most[place] = _larger(self.most[place], value)

    def add(self, other: "OverTime") -> None:
        """Take in what another has."""
        for place, value in enumerate(other.most):
            if value is not None and other.begin_s is not None:
                self.put(other.begin_s + (place + 0.5) * other.width_s, value)


@dataclass
class ShareOverTime:
    """Which share something has of a whole in each of at most 120 equal parts of the time, as in `OverTime`.

    Attributes:
        begin_s, width_s: as in `OverTime`.
        sums: by part, the sums of what has the share and of the whole.
    """

    begin_s: float | None = None
    width_s: float = 1.0
    sums: list[tuple[int, int]] = field(default_factory=list)

    def put(self, time_s: float, part: int, whole: int) -> None:
        """Take both in; see `OverTime.put`."""
        self.begin_s = time_s if self.begin_s is None else self.begin_s
        place, self.width_s, self.sums = _placed(time_s - self.begin_s, self.width_s, self.sums, _both)
        self.sums += [(0, 0)] * (place + 1 - len(self.sums))
        self.sums[place] = _both(self.sums[place], (part, whole))

    def add(self, other: "ShareOverTime") -> None:
        """Take in what another has."""
        for place, (part, whole) in enumerate(other.sums):
            if whole and other.begin_s is not None:
                self.put(other.begin_s + (place + 0.5) * other.width_s, part, whole)

    @property
    def shares(self) -> list[float | None]:
        """The share in each part; None where there is no whole."""
        return [part / whole if whole else None for part, whole in self.sums]


def _placed(
    after_s: float, width_s: float, parts: list[_Part], join: Callable[[_Part, _Part], _Part]
) -> tuple[int, float, list[_Part]]:
    """Return the part that a time falls into, with the parts joined by twos until there are few enough."""
    place = max(0, int(after_s / width_s))
    while place >= _BINS:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = [join(pair[0], pair[1]) if len(pair) > 1 else pair[0] for pair in pairs]
        width_s *= 2
        place = max(0, int(after_s / width_s))
    return place, width_s, parts


def _larger(one: int | None, other: int | None) -> int | None:
    return max((value for value in (one, other) if value is not None), default=None)


def _both(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
