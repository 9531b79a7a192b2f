"""All runs as columns, for what a reader chooses on the page: axes, brushes, Pareto fronts."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lsmtune.indicators import INDICATORS
from lsmtune.model import Purpose, Value
from lsmtune.report._values import format_option, label
from lsmtune.report.html._analysis_parts import strongest
from lsmtune.report.html._chart import Scale
from lsmtune.report.html._verified import VerifiedPoint, verified_points
from lsmtune.report.html._view import ReportView
from lsmtune.result import Counts

_SHOWN_AXES = 8
_LOG_RANGE = 50.0  # from this ratio of largest to least an axis of options is logarithmic
_DIGITS = 6
_CHOSEN = (Purpose.TRIAL, Purpose.SAMPLE, Purpose.TEST)


@dataclass(frozen=True)
class Column:
    """A column of the table of runs.

    Attributes:
        name: of an option or indicator, or ``"gain"``.
        title: the same in words.
        unit: of the values, as in the catalogues.
        group: ``"gain"``, ``"option"`` or ``"indicator"``.
        values: by run; of a category the place in `names`; None where it is not known.
        names: of the values of a category; empty for numbers.
        log: its axis is logarithmic.
        better: ``"higher"``, ``"lower"`` or None.
        noise: standard deviation of the logarithm of repeated runs of the reference; None where it is not known.
        reference: their geometric mean; None likewise.
    """

    name: str
    title: str
    unit: str
    group: str
    values: tuple[float | None, ...]
    names: tuple[str, ...] = ()
    log: bool = False
    better: str | None = None
    noise: float | None = None
    reference: float | None = None

    @property
    def varies(self) -> bool:
        """Whether there are two different values."""
        return len({value for value in self.values if value is not None}) > 1

    @property
    def scale(self) -> Scale:
        """How an indicator is printed on an axis, drawn here or by the page, which knows it again by its title."""
        return Scale.of(self.name, [value for value in self.values if value is not None])

    def to_json(self) -> dict[str, Any]:
        """Return the column as JSON values, numbers that are not whole with 6 digits; indicators with their scale."""
        told = {field: getattr(self, field) for field in self.__dataclass_fields__}
        if self.group == "indicator":
            told |= {"axis": self.scale.title, "factor": self.scale.factor}
        return {**told, "values": [None if value is None else _short(value) for value in self.values]}


@dataclass(frozen=True)
class RunColumns:
    """The runs of a search or design that a reader can choose from, column by column.

    Attributes:
        columns: the objective's gain where it is known, options that varied, indicators.
        runs: id, what it is, and how it ended, by run.
        usable: for each run whether all that it says counts.
        axes: names of the columns that parallel coordinates show at first.
        verified: the verified finalists of a front.
    """

    columns: tuple[Column, ...]
    runs: tuple[tuple[int, str, str], ...]
    usable: tuple[bool, ...]
    axes: tuple[str, ...]
    verified: tuple[VerifiedPoint, ...] = ()

    @classmethod
    def of(cls, view: ReportView) -> "RunColumns":
        """Return the columns of a study: of its trials and points of designs, else of all runs that ended."""
        ended = view.ended.runs
        runs = [stored for stored in ended if stored.run.purpose in _CHOSEN] or list(ended)
        gains = {each.stored.run.id: math.exp(each.log_gain or 0.0) for each in (*view.trials, *view.references)}
        gain = Column("gain", "gain", "x", "gain", tuple(gains.get(s.run.id) for s in runs), better="higher")
        settings = [view.values_of(stored.run) for stored in runs]
        names = dict.fromkeys(name for values in settings for name in values)
        options = [_option(name, [values.get(name) for values in settings], view) for name in names]
        indicators = [
            _indicator(name, [view.history.columns[name].get(s.run.id) for s in runs], view) for name in view.indicators
        ]
        columns = tuple(column for column in (gain, *options, *indicators) if column.varies)
        told = tuple((s.run.id, _named(str(s.run.purpose), s.run.arm), str(s.status)) for s in runs)
        usable = tuple(view.history.counts(stored) is Counts.ALL for stored in runs)
        return cls(columns, told, usable, _first_axes(view, columns), verified_points(view))

    @cached_property
    def judged(self) -> tuple[int, ...]:
        """Places of the indicators of which more or less is better."""
        return tuple(
            place for place, each in enumerate(self.columns) if each.group == "indicator" and each.better is not None
        )

    @cached_property
    def fronts(self) -> Mapping[tuple[int, int], tuple[int, ...]]:
        """By pair of places in `columns`, the rows on its Pareto front, in the order of the first."""
        return {
            pair: pareto_front(self.columns[pair[0]], self.columns[pair[1]], self.usable)
            for pair in itertools.combinations(self.judged, 2)
        }

    def to_json(self) -> dict[str, Any]:
        """Return all as JSON values."""
        return {
            "columns": [column.to_json() for column in self.columns],
            "runs": [list(run) for run in self.runs],
            "usable": [int(ok) for ok in self.usable],
            "axes": list(self.axes),
            "judged": list(self.judged),
            "verified": [each.to_json() for each in self.verified],
            "fronts": {f"{x},{y}": list(rows) for (x, y), rows in self.fronts.items()},
        }


def pareto_front(first: Column, second: Column, usable: Sequence[bool]) -> tuple[int, ...]:
    """Return the rows that no other row beats in both columns, in the order of the first column.

    Of rows that are equal in both, all are returned.
    """
    signs = [1.0 if column.better == "lower" else -1.0 for column in (first, second)]
    points = [
        (signs[0] * x, signs[1] * y, row)
        for row, (x, y) in enumerate(zip(first.values, second.values, strict=True))
        if usable[row] and x is not None and y is not None
    ]
    front: list[int] = []
    least, last = math.inf, (math.inf, math.inf)
    for x, y, row in sorted(points):
        if y < least or (x, y) == last:
            front.append(row)
            least, last = min(least, y), (x, y)
    return tuple(front)


def _option(name: str, values: Sequence[Value | None], view: ReportView) -> Column:
    unit = view.option_units.get(name, "")
    known = [value for value in values if value is not None]
    if any(isinstance(value, bool | str) for value in known):
        names = tuple(dict.fromkeys(format_option(value, unit) for value in sorted(known, key=_rank)))
        places = {word: float(place) for place, word in enumerate(names)}
        shown = tuple(None if value is None else places[format_option(value, unit)] for value in values)
        return Column(name, name, "", "option", shown, names=names)
    numbers = tuple(None if value is None else float(value) for value in values)
    there = [value for value in numbers if value is not None]
    log = bool(there) and min(there) > 0 and max(there) / min(there) >= _LOG_RANGE
    return Column(name, name, unit, "option", numbers, log=log)


def _indicator(name: str, values: Sequence[float | None], view: ReportView) -> Column:
    declared, floor = INDICATORS[name.partition("@")[0]], view.result.noise.get(name)
    finite = tuple(value if value is not None and math.isfinite(value) else None for value in values)
    column = Column(name, label(name), declared.unit, "indicator", finite, better=declared.better)
    return column if floor is None else replace(column, noise=floor.sd_log, reference=floor.mean)


def _first_axes(view: ReportView, columns: Sequence[Column]) -> tuple[str, ...]:
    """Choose what to show at first: the gain, the objective, and of the options those that changed or matter."""
    there = {column.name for column in columns}
    matters = strongest(view.analysis)
    changed = [change.option for change in view.result.changes]
    options = [name for name in dict.fromkeys([*changed, *matters]) if name in there]
    options += [column.name for column in columns if column.group == "option" and column.name not in options]
    ends = [name for name in ("gain", *view.result.rules.objective.weights) if name in there]
    return (*options[: max(1, _SHOWN_AXES - len(ends))], *ends)


def _named(purpose: str, arm: str) -> str:
    return arm if arm.startswith(purpose) else f"{purpose} {arm}".strip()


def _rank(value: Value) -> tuple[bool, float, str]:
    """Return what sorts the values of a category: numbers first, by size, and words by letter."""
    if isinstance(value, bool | str):
        return True, 0.0, format_option(value)
    return False, float(value), ""


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else float(f"{value:.{_DIGITS}g}")
