"""A chart as a value: what is drawn, in words that a drawing library and a reader without pictures both get."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from lsmtune.errors import UsageError
from lsmtune.indicators import indicator
from lsmtune.report._values import label

_LONGEST_NAME = 42
_MOST_ROWS = 60  # of the table beside a chart; larger charts have the table of all runs


CELL_WIDTH, CELL_HEIGHT = 0.94, 0.92
"""Of a cell of a map, whose places are 1 apart."""


class Mark(StrEnum):
    """How points look: each has its own shape or dashes, so that a chart reads without colour."""

    DOT = "dot"
    CROSS = "cross"
    """What broke a bound."""
    REFERENCE = "reference"
    """A run of the reference."""
    ESTIMATE = "estimate"
    """A mean with its interval."""
    STAR = "star"
    """What was chosen."""
    VERIFIED = "verified"
    """A mean of fresh runs with its intervals."""
    LINE = "line"
    STEP = "step"
    """A line that keeps its level until the next point."""
    DASHED = "dashed"
    DOTTED = "dotted"
    BAR_THIN = "bar-thin"
    BAR = "bar"
    BAR_THICK = "bar-thick"
    """Pieces of a line that None sets apart: periods, the thicker the more."""
    DASHDOT = "dashdot"
    CELL_1 = "cell-1"
    """A shaded cell of a map, whose text says what it is; the four shades differ in lightness too."""
    CELL_2 = "cell-2"
    CELL_3 = "cell-3"
    CELL_4 = "cell-4"
    CELL_OPEN = "cell-open"
    """A cell without a shade."""
    FAINT = "faint"
    """Many thin lines, the background of others."""


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        title: what it shows, with its unit in brackets.
        labels: names of the places 0, 1, ...; empty for numbers.
        every: of so many names one is written beside the axis, from the first on.
        log: logarithmic.
        suffix: follows each number.
        ends: of an axis of numbers; None where it fits its points.
    """

    title: str
    labels: tuple[str, ...] = ()
    log: bool = False
    suffix: str = ""
    ends: tuple[float, float] | None = None
    every: int = 1

    @property
    def written(self) -> tuple[str, ...]:
        """The names as they stand beside the axis: empty where there is no room for one."""
        return tuple(name if place % self.every == 0 else "" for place, name in enumerate(self.labels))


@dataclass(frozen=True)
class Series:
    """Points of one kind.

    Attributes:
        name: in the legend.
        mark: see `Mark`.
        x, y: places, of equal length; None breaks a line.
        x_span, y_span: ends (low, high) of an interval around each point, nan where it has none; empty without any.
        notes: what a pointer over a point shows; empty without any.
        texts: what stands on each point, in lines; empty without any.

    Raises:
        UsageError: the lengths differ.
    """

    name: str
    mark: Mark
    x: tuple[float | None, ...]
    y: tuple[float | None, ...]
    x_span: tuple[tuple[float, float], ...] = ()
    y_span: tuple[tuple[float, float], ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        parts = (self.x_span, self.y_span, self.notes, self.texts)
        sizes = {len(self.x), len(self.y), *(len(part) for part in parts if part)}
        if len(sizes) > 1:
            raise UsageError(f'series "{self.name}" has parts of {sorted(sizes)} points; give each of them all parts')


@dataclass(frozen=True)
class Level:
    """A dashed line across a chart at `at` of an axis, ``"x"`` or ``"y"``, with a name."""

    axis: str
    at: float
    name: str


@dataclass(frozen=True)
class Chart:
    """A chart.

    Attributes:
        name: of its file, unique in a report.
        title: what it shows, in a few words.
        alt: what it says, in a sentence, for those who do not see it.
        x, y: the axes.
        series: what is drawn; a later one covers an earlier one.
        levels: lines across.
        height: in CSS pixels.
        legend: whether names of several series stand above; False where the axis names them.
    """

    name: str
    title: str
    alt: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    levels: tuple[Level, ...] = ()
    height: int = 320
    legend: bool = True

    @property
    def has_cells(self) -> bool:
        """Whether it is a map, whose points are cells with a text."""
        return any(series.texts for series in self.series)

    def table(self) -> tuple[tuple[str, ...], ...]:
        """Return all points as rows of words under a first row of headers; empty where they are too many to read."""
        points = sum(len(series.x) for series in self.series)
        if not 0 < points <= _MOST_ROWS or any(series.mark is Mark.FAINT for series in self.series):
            return ()
        told = self.has_cells
        rows = [
            (series.name, *_cells(series, place, (self.x, self.y)), *_words(series, place, told=told))
            for series in self.series
            for place in range(len(series.x))
        ]
        return (("", self.x.title, self.y.title, *(("",) if told else ())), *rows)


@dataclass(frozen=True)
class Scale:
    """Prints numbers of an indicator on an axis: divided by `factor`, under `title`."""

    title: str
    factor: float

    @classmethod
    def of(cls, name: str, values: Sequence[float]) -> "Scale":
        """Return the scale of an indicator that suits its values."""
        unit, most = indicator(name).unit, max((abs(value) for value in values), default=0.0)
        factor, words = _UNITS_OF[unit](most) if unit in _UNITS_OF else (1.0, "")
        return cls(f"{label(name)} [{words}]" if words else label(name), factor)


def shortened(name: str) -> str:
    """Return a name that has a place beside an axis."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 2]}…"


def _bytes_unit(most: float) -> tuple[float, str]:
    steps = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
    return next(((float(size), word) for size, word in steps if most >= size), (1.0, "B"))


def _rate_unit(most: float) -> tuple[float, str]:
    return next(((size, word) for size, word in ((1e6, "Mops/s"), (1e3, "kops/s")) if most >= size), (1.0, "ops/s"))


def _byte_rate_unit(most: float) -> tuple[float, str]:
    factor, words = _bytes_unit(most)
    return factor, f"{words}/s"


def _seconds_unit(most: float) -> tuple[float, str]:
    steps = ((1.0, "s"), (1e-3, "ms"))
    return next(((size, word) for size, word in steps if most >= size), (1e-6, "us"))


_UNITS_OF = {"B": _bytes_unit, "ops/s": _rate_unit, "B/s": _byte_rate_unit, "s": _seconds_unit}


def _words(series: Series, place: int, *, told: bool) -> tuple[str, ...]:
    """Return the text of a point as a cell, where any point of the chart has one."""
    return (series.texts[place].replace("\n", " ") if series.texts else "",) if told else ()


def _cells(series: Series, place: int, axes: tuple[Axis, Axis]) -> tuple[str, str]:
    ends = (series.x_span, series.y_span)
    values = (series.x[place], series.y[place])
    found = []
    for axis, value, spans in zip(axes, values, ends, strict=True):
        if value is None:
            found.append("")
            continue
        if axis.labels:
            found.append(axis.labels[min(max(round(value), 0), len(axis.labels) - 1)])
            continue
        low, high = spans[place] if spans else (math.nan, math.nan)
        found.append(f"{value:.4g}{axis.suffix}{'' if math.isnan(low) else f' [{low:.4g}, {high:.4g}]'}")
    return found[0], found[1]
