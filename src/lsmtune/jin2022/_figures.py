"""Figures 5 to 9 of Jin et al. (2022) from the runs of a repetition: the paper's models beside lsmtune's.

They read in grey, as the figures of an analysis do.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lsmtune.analysis import SHADOWS, Analysis, ClassicOneWay, Runs, columns_of, p_words, raw_groups
from lsmtune.extras import need
from lsmtune.jin2022._paper import JIN2022_PAPER, PAPER_NAMES, PaperTest
from lsmtune.jin2022._result import JIN2022_FOUND, JIN2022_FROZEN, Jin2022Result
from lsmtune.model import Purpose
from lsmtune.report import FIGURE_STYLE, figure_svg, label, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DARK, _MIDDLE, _LIGHT = "0.15", "0.5", "0.85"
_MOST_FACTORS = 15
_MANY = 3  # groups from which their names are turned


JIN2022_FIGURES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "figure-5-predictions.svg": (
            "Figure 5: predictions",
            "What the paper's forest predicts of runs that it did not learn from, against what was measured.",
        ),
        "figure-6-importance.svg": (
            "Figure 6: importance",
            "Mean decrease in impurity by option, the largest first, with the place that the paper gives it.",
        ),
        "figure-7-groups.svg": (
            "Figure 7: groups",
            "The groups of the paper's four tests as boxes, a diamond for the mean, p here, published and of lsmtune.",
        ),
        "figure-8-convergence.svg": (
            "Figure 8: convergence",
            "The best fitness so far by generation of the genetic algorithm, in single runs; a cross: as published.",
        ),
        "figure-9-improvement.svg": (
            "Figure 9: improvement",
            "The improvement of each indicator over the reference: published, of one run here, of fresh runs.",
        ),
    }
)
"""Title of each figure, and what it shows, by the name of its file."""


def jin2022_figures(result: Jin2022Result, runs: Runs, ours: Analysis | None = None) -> Mapping[str, str]:
    """Return the paper's figures 5 to 9, those that the runs hold: text of an SVG by file name.

    Args:
        result: of the repetition.
        runs: that it was made from.
        ours: lsmtune's own analysis of the same runs, which figures 5 and 6 show beside the paper's forest.
    """
    need("a figure", "matplotlib")
    import matplotlib as mpl

    with mpl.rc_context(dict(FIGURE_STYLE)):
        return {f"{name}.svg": figure_svg(figure) for name, figure in _figures(result, runs, ours)}


def _figures(result: Jin2022Result, runs: Runs, ours: Analysis | None) -> Iterator[tuple[str, "Figure"]]:
    if result.forests:
        yield "figure-5-predictions", _predictions(result, ours)
        yield "figure-6-importance", _importance(result, ours)
        yield "figure-7-groups", _groups(result, runs, ours)
    if result.generations:
        yield "figure-8-convergence", _convergence(result)
    if result.left or result.claimed:
        yield "figure-9-improvement", _improvement(result)


def _new(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _predictions(result: Jin2022Result, ours: Analysis | None) -> "Figure":
    """Figure 5: predicted against observed on runs that the model did not learn from."""
    rows = 1 if ours is None else 2
    figure = _new(12, 3.2 * rows)
    for place, (name, paper) in enumerate(zip(result.names, PAPER_NAMES, strict=True), start=1):
        forest = result.forests[name]
        observed, predicted = np.array(forest.points).T
        axes = figure.add_subplot(rows, 4, place)
        _against(axes, observed, predicted)
        middle = f"R² {forest.r2_test.median:.2f}, published {JIN2022_PAPER.r2[paper]:.3f}"
        axes.set_title(f"{paper}, the paper's forest\n{middle}", fontsize=8)
        axes.set_xlabel("predicted", fontsize=8)
        axes.set_ylabel(label(name), fontsize=8)
        found = None if ours is None else ours.by_name.get(name)
        if found is None or found.trust.points is None:
            continue
        axes = figure.add_subplot(rows, 4, 4 + place)
        _against(axes, np.exp(found.trust.points.observed), np.exp(found.trust.points.predicted))
        score = "" if found.trust.test is None else f"\nR² {found.trust.test.r2.value:.2f} of logarithms"
        axes.set_title(f"{paper}, lsmtune's model{score}", fontsize=8)
        axes.set_xlabel("predicted, ratio to the reference", fontsize=8)
        axes.set_ylabel("ratio to the reference", fontsize=8)
    return figure


def _against(axes: "Axes", observed: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> None:
    ends = [min(observed.min(), predicted.min()), max(observed.max(), predicted.max())]
    axes.plot(ends, ends, color=_MIDDLE, linestyle="--", linewidth=1)
    axes.plot(predicted, observed, "o", color=_DARK, markersize=3, alpha=0.6)
    axes.tick_params(labelsize=7)


def _importance(result: Jin2022Result, ours: Analysis | None) -> "Figure":
    """Figure 6: mean decrease in impurity, and beside it what shuffling an option costs lsmtune's model."""
    shown = list(result.ranking.items())[:_MOST_FACTORS][::-1]
    figure = _new(6.5 if ours is None else 13, 1 + 0.24 * len(shown))
    axes = figure.add_subplot(1, 1 if ours is None else 2, 1)
    places = {name: place for place, name in enumerate(JIN2022_PAPER.ranking, start=1)}
    names = [f"{name} (paper: {places[name]})" if name in places else name for name, _ in shown]
    axes.barh(np.arange(len(shown)), [share for _, share in shown], color=_MIDDLE)
    axes.set_yticks(np.arange(len(shown)), names, fontsize=8)
    axes.set_xlabel("share of the impurity that the paper's forests take away, mean over the four", fontsize=8)
    if ours is not None:
        axes = figure.add_subplot(1, 2, 2)
        losses = list(_losses(ours).items())[-_MOST_FACTORS:]
        axes.barh(np.arange(len(losses)), [loss for _, loss in losses], color=_LIGHT, edgecolor=_DARK)
        axes.set_yticks(np.arange(len(losses)), [name for name, _ in losses], fontsize=8)
        axes.set_xlabel("R² of lsmtune's model lost when shuffled, mean over the four", fontsize=8)
    return figure


def _losses(ours: Analysis) -> dict[str, float]:
    """Return what shuffling each factor costs, mean over the indicators, the largest last."""
    found: dict[str, list[float]] = {}
    for each in ours.indicators:
        if each.importance.permutation is None:
            continue
        for importance in each.importance.permutation.importances:
            if importance.player.name not in SHADOWS and not importance.player.tied:
                found.setdefault(importance.player.name, []).append(importance.loss.value)
    means = {name: float(np.mean(losses)) for name, losses in found.items()}
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _groups(result: Jin2022Result, runs: Runs, ours: Analysis | None) -> "Figure":
    """Figure 7: the groups of the paper's four tests as boxes, with its p, the same test here, and lsmtune's own."""
    figure = _new(12, 3.6)
    learned = runs.of(Purpose.SAMPLE)
    factors = {factor.name: factor for factor in runs.factors}
    for place, published in enumerate(JIN2022_PAPER.tests, start=1):
        axes = figure.add_subplot(1, len(JIN2022_PAPER.tests), place)
        name, test = result.reading_of(published.indicator), result.test_of(published)
        factor = factors.get(published.factor)
        words = _test_words(published, test) + _own_words(ours, name, published.factor)
        axes.set_title(words, fontsize=7)
        if test is None or factor is None:
            axes.set_axis_off()
            continue
        values = np.where(learned.counting(name), learned.indicator(name), np.nan)
        _boxes(axes, raw_groups(factor, columns_of(learned)[factor.name], values))
        axes.set_xlabel(published.factor, fontsize=8)
        axes.set_ylabel(label(name), fontsize=8)
    return figure


def _boxes(axes: "Axes", groups: Sequence[tuple[str, npt.NDArray[np.float64]]]) -> None:
    axes.boxplot(
        [box for _, box in groups],
        medianprops={"color": _DARK},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": _MIDDLE},
        showmeans=True,
        meanprops={"marker": "D", "markersize": 3, "markerfacecolor": _DARK, "markeredgecolor": _DARK},
    )
    names = [f"{name}\nn={len(box)}" for name, box in groups]
    axes.set_xticks(range(1, len(groups) + 1), names, fontsize=6, rotation=90 if len(groups) > _MANY else 0)
    axes.tick_params(axis="y", labelsize=7)


def _test_words(published: PaperTest, test: ClassicOneWay | None) -> str:
    here = "not here: the option was not varied" if test is None else f"p {p_words(test.log10_p)}"
    differ = (
        "" if test is None or not math.isfinite(test.largest_difference) else f", {percent(test.largest_difference)}"
    )
    published_words = f"published p {published.p:.3g}, {percent(published.difference)}"
    return f"{published.indicator} by {published.factor}\n{here}{differ}\n{published_words}"


def _own_words(ours: Analysis | None, name: str, factor: str) -> str:
    """Say what lsmtune's analysis of variance, over all factors at once, says of one of them."""
    if ours is None:
        return ""
    found = ours.by_name.get(name)
    tests = () if found is None or found.anova is None else found.anova.tests
    test = next((each for each in tests if each.factors == (factor,)), None)
    return "\nlsmtune: not tested" if test is None else f"\nlsmtune: p {p_words(test.p.log10_holm)} after Holm"


def _convergence(result: Jin2022Result) -> "Figure":
    """Figure 8: the best fitness so far by generation, from single runs."""
    figure = _new(5, 3.2)
    axes = figure.add_subplot()
    known = [(each.number, each.best) for each in result.generations if each.best is not None]
    axes.plot([number for number, _ in known], [best for _, best in known], color=_DARK, marker="o", markersize=3)
    fitness, generation = JIN2022_PAPER.fitness
    axes.plot([generation], [fitness], marker="x", color=_MIDDLE, markersize=8, linestyle="none")
    axes.annotate("published, about", (generation, fitness), fontsize=8, xytext=(4, 4), textcoords="offset points")
    axes.set_xlabel("generation")
    axes.set_ylabel("best fitness so far (Eq. 2)")
    axes.set_title("single runs", fontsize=8, loc="right")
    return figure


def _improvement(result: Jin2022Result) -> "Figure":
    """Figure 9: the change of each indicator, towards better as above 0: published, claimed, in fresh runs, and frozen.

    Improvement is as in the paper: one less the ratio, and for the rate the ratio less one.
    """
    figure = _new(8, 3.4)
    axes = figure.add_subplot()
    fresh, frozen = result.left.get(JIN2022_FOUND, {}), result.left.get(JIN2022_FROZEN, {})
    shown = [
        ("published", dict(zip(result.names, (JIN2022_PAPER.ratios[name] for name in PAPER_NAMES), strict=True)), {}),
        ("claimed here, one run", dict(result.claimed), {}),
        ("fresh runs, 95 %", {name: pairs.ratio for name, pairs in fresh.items()}, fresh),
        ("the workload as it was, 95 %", {name: pairs.ratio for name, pairs in frozen.items()}, frozen),
    ]
    bars = [each for each in shown if each[1]]
    width = 0.8 / len(bars)
    for place, (words, ratios, pairs) in enumerate(bars):
        at = np.arange(4) + (place - (len(bars) - 1) / 2) * width
        known = [index for index, name in enumerate(result.names) if name in ratios]
        heights = [_improved(result, result.names[index], ratios[result.names[index]]) for index in known]
        shade = str(0.9 - 0.75 * place / max(1, len(bars) - 1))
        axes.bar(at[known], heights, width * 0.9, color=shade, edgecolor=_DARK, linewidth=0.5, label=words)
        for index, height in zip(known, heights, strict=True):
            pair = pairs.get(result.names[index])
            if pair is None:
                continue
            ends = sorted(_improved(result, result.names[index], ratio) for ratio in (pair.low, pair.high))
            errors = [[max(0.0, height - ends[0])], [max(0.0, ends[1] - height)]]
            axes.errorbar([at[index]], [height], yerr=errors, color=_MIDDLE, capsize=2, linewidth=1)
    axes.axhline(0, color=_DARK, linewidth=0.8)
    axes.set_xticks(np.arange(4), PAPER_NAMES)
    axes.set_ylabel("improvement over the reference, %")
    axes.legend(fontsize=7, frameon=False)
    return figure


def _improved(result: Jin2022Result, name: str, ratio: float) -> float:
    return 100 * (ratio - 1 if name == result.indicators.rate else 1 - ratio)
