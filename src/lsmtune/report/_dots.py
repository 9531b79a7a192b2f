"""The gain of every pair as a dot on an axis, in characters."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 1000.0)
_MOST_TICKS = 6
_TALLEST = 5
_HIGHEST = 14.0  # no tick beyond exp(14), about a million
_LABEL_WIDTH = 9
_LEAST_SPAN = 0.02  # of a log axis, so that equal pairs do not fill it


@dataclass(frozen=True)
class _Marks:
    dot: str
    left: str
    right: str
    line: str
    middle: str
    axis: str
    tick: str
    one: str


_UNICODE = _Marks("●", "├", "┤", "─", "┼", "─", "┴", "│")
_ASCII = _Marks("o", "[", "]", "-", "+", "-", "+", "|")


@dataclass(frozen=True)
class _Axis:
    """A log axis over `width` columns."""

    low: float
    high: float
    width: int

    def column(self, log_gain: float) -> int:
        share = (min(max(log_gain, self.low), self.high) - self.low) / (self.high - self.low)
        return round(share * (self.width - 1))


def dots(
    log_gains: Sequence[float], interval: tuple[float, float, float] | None, width: int, *, ascii_only: bool = False
) -> Text:
    """Draw the gains of pairs on a logarithmic axis around 1.0x.

    Rows, from above: a dot for each pair (a ``+`` stands for more than fit), the interval, the axis, its labels.

    Args:
        log_gains: natural log of the gain of each pair, at least one.
        interval: low end, mean and high end of the gain as ratios; None leaves its row out.
        width: columns of the picture.
        ascii_only: use no character outside of ASCII.
    """
    marks, axis = _ASCII if ascii_only else _UNICODE, _axis_for(log_gains, interval, width)
    rows = _dot_rows(log_gains, axis, marks)
    if interval is not None:
        rows.append(_interval_row(interval, axis, marks))
    rows += _axis_rows(axis, marks)
    return Text("\n".join(row.rstrip() for row in rows), no_wrap=True)


def _axis_for(log_gains: Sequence[float], interval: tuple[float, float, float] | None, width: int) -> _Axis:
    ends = [math.log(end) for end in interval or () if 0 < end < math.inf]
    points = [0.0, *log_gains, *ends]
    low, high = min(points), max(points)
    padding = max(0.06 * (high - low), (_LEAST_SPAN - (high - low)) / 2)
    return _Axis(low - padding, high + padding, width)


def _dot_rows(log_gains: Sequence[float], axis: _Axis, marks: _Marks) -> list[str]:
    heights = [0] * axis.width
    for gain in log_gains:
        heights[axis.column(gain)] += 1
    one, rows = axis.column(0.0), []
    for level in range(min(max(heights), _TALLEST), 0, -1):
        cells = [
            ("+" if level == _TALLEST and height > _TALLEST else marks.dot) if height >= level else " "
            for height in heights
        ]
        if cells[one] == " ":
            cells[one] = marks.one
        rows.append("".join(cells))
    return rows


def _interval_row(interval: tuple[float, float, float], axis: _Axis, marks: _Marks) -> str:
    low, mean, high = (axis.column(math.log(end) if end > 0 else -math.inf) for end in interval)
    cells = [" "] * axis.width
    cells[axis.column(0.0)] = marks.one
    cells[low : high + 1] = [marks.line] * (high + 1 - low)
    cells[low], cells[high] = marks.left, marks.right
    cells[mean] = marks.middle
    return "".join(cells)


def _axis_rows(axis: _Axis, marks: _Marks) -> list[str]:
    line, labels = [marks.axis] * axis.width, [" "] * axis.width
    for tick, text in _ticks(axis):
        column = axis.column(math.log(tick))
        line[column] = marks.tick
        start = min(max(0, column - len(text) // 2), axis.width - len(text))
        labels[start : start + len(text)] = text
    return ["".join(line), "".join(labels)]


def _ticks(axis: _Axis) -> list[tuple[float, str]]:
    """Ticks at round ratios, 1 among them, far enough apart for their labels."""
    ticks = [1.0]
    step = 1.0
    for step in _STEPS:
        first = math.ceil((math.exp(axis.low) - 1) / step)
        last = math.floor((math.exp(min(axis.high, _HIGHEST)) - 1) / step)
        if last - first >= _MOST_TICKS * 4:
            continue
        ticks = [1 + number * step for number in range(first, last + 1) if 1 + number * step > 0]
        columns = [axis.column(math.log(tick)) for tick in ticks]
        gaps = [right - left for left, right in itertools.pairwise(columns)]
        if len(ticks) <= _MOST_TICKS and all(gap >= _LABEL_WIDTH for gap in gaps):
            break
    decimals = 3 if step < 0.01 else 2
    return [(tick, f"{tick:.{decimals}f}x") for tick in ticks]
