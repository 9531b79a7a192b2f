"""What the model of a tree predicts at full size: the reference beside the result, and how each change moves it."""

from collections.abc import Iterator, Mapping
from math import log
from types import MappingProxyType

from lsmtune.forecast import Prediction
from lsmtune.report._prediction import quantity_name, quantity_words, reads_sentences
from lsmtune.report._values import format_option
from lsmtune.report.html._blocks import Bullets, Fold, Grid, Heading, Paragraph, Part, Picture, rows_of
from lsmtune.report.html._chart import Axis, Chart, Mark, Series
from lsmtune.report.html._view import ReportView, WhatIfCurve
from lsmtune.units import format_percent

_LEAST_CHANGE = 0.02
"""Of a figure along a curve, below which it has no line."""
_LINES: Mapping[str, Mark] = MappingProxyType(
    {
        "waf": Mark.LINE,
        "space_bytes": Mark.DASHED,
        "memory_peak_bytes": Mark.DOTTED,
        "cache_misses": Mark.DASHDOT,
    }
)
_MISSES = "blocks of a read that the cache lacks"


def what_if_parts(view: ReportView) -> Iterator[Part]:
    """Yield the predictions at full size; nothing where the model does not describe the workload."""
    what_if = view.what_if
    if what_if is None:
        return
    yield Paragraph(_extrapolation(what_if.reference), "note")
    yield _table(what_if.reference, what_if.result)
    for name, prediction in (("The reference", what_if.reference), ("The result", what_if.result)):
        if prediction is not None and prediction.levels:
            yield Paragraph(f"{name}: {' '.join(reads_sentences(prediction))}")
    curves = sorted(what_if.curves, key=_moved, reverse=True)
    charts = [chart for curve in curves if (chart := _chart(curve, view.option_units)) is not None]
    if charts:
        yield Heading("What another value would do")
        yield Paragraph(
            "Each figure against that of the result, as one option alone takes other values; the mark of the reference "
            "is what putting this option back would do. Those that move most are first; options that move nothing by "
            f"{format_percent(_LEAST_CHANGE)} are left out.",
        )
    yield from map(Picture, charts)
    if what_if.without_curve:
        names = ", ".join(what_if.without_curve)
        yield Paragraph(f"Without a curve, as it takes long at this size: {names}; see lsmtune predict --vary.", "note")
    last = what_if.result or what_if.reference
    yield Fold("Assumptions, and what is not predicted", (Bullets((*last.assumptions, *last.unknown)),))


def _extrapolation(reference: Prediction) -> str:
    times = f"{reference.extrapolates:,.3g} times"
    return (
        "Nothing of this was measured: it comes from a model of the tree, which has the engine's own rules. The "
        f"intervals of 90 % are as wide as its errors on recorded runs; the data here is {times} theirs."
    )


def _table(reference: Prediction, result: Prediction | None) -> Grid:
    rows = []
    for each in reference.quantities:
        cells = [quantity_name(each.name), *_cells(reference, each.name)]
        if result is not None:
            told = any(other.name == each.name for other in result.quantities)
            cells += [*(_cells(result, each.name) if told else ("?", "")), _ratio(reference, result, each.name)]
        rows.append(cells)
    for name, of in (
        ("blocks of a lookup", _blocks),
        ("hits of the block cache", _hits),
        ("blocks from the device", _device),
    ):
        if of(reference):
            rows.append([name, of(reference), "", *([of(result) or "?", "", ""] if result is not None else [])])
    beside = ("result", "90 %", "ratio") if result is not None else ()
    return rows_of("At full size, predicted", ("", "reference", "90 %", *beside), rows, range(1, 3 + len(beside)))


def _cells(prediction: Prediction, name: str) -> tuple[str, str]:
    each = prediction[name]
    low, high = quantity_words(name, each.low), quantity_words(name, each.high)
    return quantity_words(name, each.value), f"[{low}, {high}]"


def _ratio(reference: Prediction, result: Prediction, name: str) -> str:
    if not any(each.name == name for each in result.quantities) or reference[name].value <= 0:
        return "?"
    return f"{result[name].value / reference[name].value:.2f}x"


def _blocks(prediction: Prediction) -> str:
    return f"{prediction.lookup_blocks[0]:.2f}" if prediction.quantities else ""


def _hits(prediction: Prediction) -> str:
    reads = prediction.reads
    return "" if reads is None or reads.hit_share is None else format_percent(reads.hit_share)


def _device(prediction: Prediction) -> str:
    reads = prediction.reads
    return "" if reads is None or reads.device_reads is None else f"{reads.device_reads:.2f}"


def _figure(prediction: Prediction, name: str) -> float | None:
    """Return a figure of a prediction; None where it is not told."""
    if name == "cache_misses":
        return None if prediction.reads is None else prediction.reads.cache_misses
    return next((each.value for each in prediction.quantities if each.name == name), None)


def _chart(curve: WhatIfCurve, units: Mapping[str, str]) -> Chart | None:
    """Return the chart of an option; None where nothing that is told depends on it."""
    values = [value for value, _ in curve.points]
    is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    unit = units.get(curve.option, "")
    labels = tuple(format_option(value, unit) for value in values)
    at = values.index(curve.result)
    lines, marks = [], []
    for name, mark in _LINES.items():
        ratios = _ratios(curve, name, at)
        if ratios is None:
            continue
        words = _MISSES if name == "cache_misses" else quantity_name(name)
        lines.append(Series(words, mark, tuple(map(float, range(len(values)))), ratios))
        marks.append(ratios[values.index(curve.reference)])
    if not lines:
        return None
    place = float(values.index(curve.reference))
    known = tuple(mark for mark in marks if mark is not None)
    series = (
        *lines,
        Series("the reference", Mark.REFERENCE, (place,) * len(known), known),
        Series("the result", Mark.STAR, (float(at),), (1.0,)),
    )
    axis = Axis(curve.option, labels=labels)
    said = f"from {labels[values.index(curve.reference)]} to {labels[at]}" if is_number else f"to {labels[at]}"
    alt = f"Predicted figures against the result's over values of {curve.option}, which the result changed {said}."
    return Chart(
        f"what-if-{curve.option}",
        f"What if {curve.option} had another value",
        alt,
        axis,
        Axis("over the result", suffix="x"),
        series,
    )


def _moved(curve: WhatIfCurve) -> float:
    """Return how far any figure moves along a curve, as the logarithm of its ratio to the result's."""
    at = [value for value, _ in curve.points].index(curve.result)
    found = (ratio for name in _LINES for ratio in _ratios(curve, name, at) or ())
    return max((abs(log(ratio)) for ratio in found if ratio), default=0.0)


def _ratios(curve: WhatIfCurve, name: str, at: int) -> tuple[float | None, ...] | None:
    """Return a figure of each point over that of the result; None where it is not told, or does not move."""
    figures = [_figure(prediction, name) for _, prediction in curve.points]
    base = figures[at]
    if not base:
        return None
    ratios = tuple(None if figure is None else figure / base for figure in figures)
    moved = any(ratio is not None and abs(ratio - 1) > _LEAST_CHANGE for ratio in ratios)
    return ratios if moved else None
