"""Figures of an analysis as SVG: importance, effect curves, predictions against truth, the learning curve.

They read in grey: lines and fills differ in lightness and dashes, never in colour alone.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lsmtune.analysis import SHADOWS, Analysis, EffectCurve, IndicatorAnalysis
from lsmtune.extras import need
from lsmtune.report._analysis_words import value_words
from lsmtune.report._figure import figure_svg
from lsmtune.report._values import label
from lsmtune.space import Factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

FIGURE_STYLE: Mapping[Any, Any] = {
    "svg.hashsalt": "lsmtune",  # else ids are random
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_DARK, _MIDDLE, _LIGHT = "0.15", "0.5", "0.85"
_MOST_FACTORS, _MOST_TICKS, _MOST_POINTS = 20, 150, 1000
_COLUMNS = 3
_MANY = 5  # categories from which their names are turned


def analysis_figures(analysis: Analysis) -> Mapping[str, str]:
    """Return the figures of all indicators: text of an SVG by file name. Equal analyses give equal texts."""
    need("a figure", "matplotlib")
    import matplotlib as mpl

    factors = {factor.name: factor for factor in analysis.factors}
    with mpl.rc_context(dict(FIGURE_STYLE)):
        return {
            f"{kind}-{found.indicator.replace('@', '-at-')}.svg": figure_svg(figure)
            for found in analysis.indicators
            for kind, figure in _figures(found, factors)
        }


def _figures(found: IndicatorAnalysis, factors: Mapping[str, Factor]) -> Iterator[tuple[str, "Figure"]]:
    if found.importance.permutation is not None:
        yield "importance", _importance(found)
    if found.curves:
        yield "effects", _effects(found, factors)
    if found.trust.points is not None:
        yield "predicted", _predicted(found)
    if found.trust.curve:
        yield "learning", _learning(found)


def _new(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _importance(found: IndicatorAnalysis) -> "Figure":
    permutation = found.importance.permutation
    assert permutation is not None
    ranked = sorted(permutation.importances, key=lambda one: one.loss.value)
    strongest = [one for one in ranked if not one.player.tied and one.player.name not in SHADOWS][-_MOST_FACTORS:]
    shown = [one for one in ranked if one in strongest or one.player.name in SHADOWS]
    figure = _new(7, 1 + 0.22 * len(shown))
    axes = figure.add_subplot()
    values = np.array([one.loss.value for one in shown])
    errors = np.array([[one.loss.value - one.loss.low, one.loss.high - one.loss.value] for one in shown]).T
    fills = [_MIDDLE if one.matters else _LIGHT for one in shown]
    places = np.arange(len(shown))
    axes.barh(places, values, color=fills)
    ends = np.maximum(errors, 0)  # a bootstrap interval need not hold the estimate
    axes.errorbar(values, places, xerr=ends, fmt="none", color=_DARK, ecolor=_DARK, capsize=2)
    axes.set_yticks(places, [one.player.name for one in shown])
    if permutation.null is not None:
        axes.axvline(permutation.null, color=_DARK, linestyle="--", linewidth=1)
        axes.set_title("dashed: upper end of the larger shadow feature; dark bars matter", fontsize=8, loc="right")
    axes.set_xlabel(f"R² of {label(found.indicator)} lost when shuffled, with 95 % interval, n = {shown[0].n} runs")
    return figure


def _effects(found: IndicatorAnalysis, factors: Mapping[str, Factor]) -> "Figure":
    rows = math.ceil(len(found.curves) / _COLUMNS)
    columns = min(_COLUMNS, len(found.curves))
    figure = _new(3.4 * columns, 2.6 * rows + 0.3)
    for place, curve in enumerate(found.curves, start=1):
        axes = figure.add_subplot(rows, columns, place)
        _effect(axes, curve, factors[curve.name])
    figure.supylabel(f"{label(found.indicator)}, ratio to the reference, 95 % interval", fontsize=9)
    return figure


def _effect(axes: "Axes", curve: EffectCurve, factor: Factor) -> None:
    regular = [place for place, special in enumerate(curve.special) if not special]
    number = not factor.is_category and len(regular) > 1
    # Special values have no place on the axis; where there are some, values stand side by side.
    if number and len(regular) == len(curve.values):
        at = np.array([float(value) for value in curve.values])
        axes.fill_between(at, curve.low, curve.high, color=_LIGHT)
        axes.plot(at, curve.ratio, color=_DARK, marker="o", markersize=2.5)
        if factor.log and at.min() > 0:
            axes.set_xscale("log", base=2)
        rug = _thin(curve.rug.astype(np.float64))
        axes.plot(rug, np.zeros(len(rug)), "|", color=_MIDDLE, transform=axes.get_xaxis_transform(), markersize=6)
        _ticks(axes, curve, factor)
    else:
        places = np.arange(len(curve.values))
        ends = np.maximum([curve.ratio - curve.low, curve.high - curve.ratio], 0)
        axes.errorbar(places, curve.ratio, yerr=ends, fmt="o", color=_DARK, markersize=4, capsize=3)
        counts = [int(np.count_nonzero(curve.rug == value)) for value in curve.values]
        names = [f"{value_words(value, factor)}\nn={count}" for value, count in zip(curve.values, counts, strict=True)]
        axes.set_xticks(places, names, rotation=90 if len(names) >= _MANY else 0, fontsize=7)
    axes.axhline(1, color=_MIDDLE, linestyle=":", linewidth=1)
    axes.set_yscale("log")
    _as_ratios(axes.yaxis)
    axes.set_xlabel(f"{curve.name} [{factor.unit}]" if factor.unit else curve.name, fontsize=8)


def _ticks(axes: "Axes", curve: EffectCurve, factor: Factor) -> None:
    places = np.unique(np.linspace(0, len(curve.values) - 1, 4).round().astype(int))
    shown = [curve.values[place] for place in places]
    axes.set_xticks([float(value) for value in shown], [value_words(value, factor) for value in shown], fontsize=7)
    axes.minorticks_off()


def _as_ratios(axis: "Axis") -> None:
    """Label a logarithmic axis with ratios: ``0.5x``."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    narrow = high / low < 3  # the round numbers of a decade would leave hardly a tick
    axis.set_major_locator(MaxNLocator(5) if narrow else LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axis.set_minor_formatter(NullFormatter())


def _predicted(found: IndicatorAnalysis) -> "Figure":
    points, best = found.trust.points, found.trust.test
    assert points is not None
    observed, predicted = np.exp(points.observed[:_MOST_POINTS]), np.exp(points.predicted[:_MOST_POINTS])
    figure = _new(4.2, 4.2)
    axes = figure.add_subplot()
    ends = [min(observed.min(), predicted.min()), max(observed.max(), predicted.max())]
    axes.plot(ends, ends, color=_MIDDLE, linestyle="--", linewidth=1)
    axes.plot(predicted, observed, "o", color=_DARK, markersize=3, alpha=0.6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_aspect("equal")
    _as_ratios(axes.xaxis)
    _as_ratios(axes.yaxis)
    axes.set_xlabel("predicted, ratio to the reference")
    axes.set_ylabel("observed, ratio to the reference")
    score = f", R² {best.r2.value:.2f}" if best is not None else ""
    axes.set_title(f"{label(found.indicator)}: {len(points.observed)} test runs{score}", fontsize=9)
    return figure


def _learning(found: IndicatorAnalysis) -> "Figure":
    curve, top = found.trust.curve, found.trust.ceiling
    figure = _new(4.6, 3.2)
    axes = figure.add_subplot()
    sizes = [point.size for point in curve]
    medians = np.array([point.median for point in curve])
    ends = [medians - [point.low for point in curve], [point.high for point in curve] - medians]
    axes.errorbar(sizes, medians, yerr=np.array(ends), color=_DARK, marker="o", capsize=3)
    if top is not None:
        axes.axhspan(top.r2.low, min(top.r2.high, 1.0), color=_LIGHT)
        axes.axhline(top.r2.value, color=_MIDDLE, linestyle="--", linewidth=1)
        axes.annotate("ceiling", (sizes[0], top.r2.value), fontsize=8, va="bottom")
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("training runs")
    axes.set_ylabel(f"R² of {label(found.indicator)} on the test runs")
    axes.set_title("median, least and largest of random draws", fontsize=8, loc="right")
    return figure


def _thin(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return at most so many values as a rug can show, evenly by rank."""
    ranked = np.sort(values)
    if len(ranked) <= _MOST_TICKS:
        return ranked
    return np.asarray(ranked[np.linspace(0, len(ranked) - 1, _MOST_TICKS).round().astype(int)])
