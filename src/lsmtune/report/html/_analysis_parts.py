"""What an analysis says, from its JSON: importance with intervals and shadow features, effect curves, interactions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lsmtune.analysis import FORMER_SHADOWS, SHADOWS, Estimate
from lsmtune.errors import LsmtuneError
from lsmtune.report._analysis_json import ANALYSIS_FORMAT
from lsmtune.report._analysis_words import estimate_text
from lsmtune.report._values import format_option, label, listed, ratio_text
from lsmtune.report.html._blocks import Bullets, Fold, Heading, Paragraph, Part, Picture, charts_in, rows_of
from lsmtune.report.html._chart import Axis, Chart, Level, Mark, Series, shortened
from lsmtune.report.html._plotly import plotly_figure
from lsmtune.units import plural

_MOST_FACTORS = 20
_LEAST_PAIR = 0.01
_LOG_RANGE = 20.0


def readable_analysis(analysis: Mapping[str, Any], runs: int) -> tuple[Part, ...]:
    """Return `analysis_parts`, or one sentence where the analysis is not what `analysis_json` returned."""
    try:
        parts = tuple(analysis_parts(analysis, runs))
        for chart in charts_in(parts):  # drawn here once, so that a wrong value in a chart is found here too
            json.dumps(plotly_figure(chart), allow_nan=False)
    except (ArithmeticError, AttributeError, LookupError, TypeError, LsmtuneError, ValueError) as error:
        sentence = f"The analysis of this study cannot be read ({error}); repeat lsmtune analyze STUDY."
        return (Paragraph(sentence, "warn"),)
    return parts


def analysis_parts(analysis: Mapping[str, Any], runs: int) -> Iterator[Part]:
    """Yield what is said of each indicator.

    Args:
        analysis: what `analysis_json` returned.
        runs: that an analysis of the study would have now.

    Raises:
        KeyError, TypeError, ValueError: it is not what `analysis_json` returns.
    """
    if analysis["format"] != ANALYSIS_FORMAT:
        raise ValueError(f"it has format {analysis['format']}, and this lsmtune reads format {ANALYSIS_FORMAT}")
    if int(analysis["runs"]) != runs:
        yield Paragraph(f"Made of {plural(int(analysis['runs']), 'run')}; the study has {runs:,} now.", "warn")
    units = {factor["name"]: str(factor["unit"]) for factor in analysis["factors"]}
    for found in analysis["indicators"]:
        yield from _indicator(found, units)
    for title, sentences in (
        ("Censored runs", [one["sentence"] for one in analysis["stopped"]]),
        ("Not answered", analysis["missing"]),
    ):
        if sentences:
            yield Heading(title)
            yield Bullets(tuple(map(str, sentences)))


def strongest(analysis: Mapping[str, Any] | None) -> list[str]:
    """Return the options that matter, indicator by indicator; none where the analysis cannot be read."""
    try:
        names = [str(name) for found in (analysis or {})["indicators"] for name in found["matters"]]
    except (KeyError, TypeError):
        return []  # what is wrong with it is said where it is shown
    return [part for name in names for part in name.split(" + ")]


def _indicator(found: Mapping[str, Any], units: Mapping[str, str]) -> Iterator[Part]:
    name = str(found["indicator"])
    yield Heading(f"What {label(name)} depends on")
    yield Paragraph(f"{found['trust']['sentence']} {found['trust']['verdict']}")
    if found["permutation"]:
        yield Picture(_importance(name, found["permutation"]))
    pairs = tuple(_pairs(found))
    if pairs:
        yield Paragraph("Interactions: what options do only together.")
        yield Bullets(pairs)
    curves = [_curve(name, curve, units.get(curve["name"], "")) for curve in found["curves"]]
    if curves:
        words = [(curve["name"], str(curve["words"])) for curve in found["curves"]]
        yield rows_of(f"Best values for {label(name)}, and how far it moves", ("option", "what the curve says"), words)
        title = f"Effect curves of {listed([str(curve['name']) for curve in found['curves']])}"
        yield Fold(title, tuple(Picture(curve) for curve in curves))
    for title, sentences in (("Findings", found["warnings"]), ("Not answered", found["missing"])):
        if sentences:
            yield Fold(f"{title} about {label(name)}", (Bullets(tuple(map(str, sentences))),))


def _importance(name: str, permutation: Mapping[str, Any]) -> Chart:
    ranked = sorted(permutation["factors"], key=lambda one: -one["loss"]["value"])
    strongest = [one for one in ranked if not one["tied"] and not _shadow(one)][:_MOST_FACTORS]
    shown = [one for one in ranked if one in strongest or _shadow(one)]
    places = {one["player"]: float(place) for place, one in enumerate(shown)}
    kinds = (
        ("matters", Mark.ESTIMATE, [one for one in shown if one["matters"]]),
        ("no effect shown", Mark.REFERENCE, [one for one in shown if not one["matters"] and not _shadow(one)]),
        ("shadow feature, which does nothing", Mark.CROSS, [one for one in shown if _shadow(one)]),
    )
    null = permutation["null"]
    judged = [one for one in ranked if not one["tied"] and not _shadow(one)]
    matter = sum(one["matters"] for one in judged)
    return Chart(
        name=f"importance-{name}",
        title=f"What each option is worth for predicting {label(name)}",
        alt="R² on unseen runs that is lost when an option is shuffled, with 95 % interval; "
        f"{matter} of {len(judged)} matter, options that a constraint ties together counted once.",
        x=Axis("R² lost when shuffled, with 95 % interval"),
        y=Axis("", tuple(shortened(str(one["player"])) for one in shown)),
        series=tuple(
            Series(
                words,
                mark,
                tuple(float(one["loss"]["value"]) for one in part),
                tuple(places[one["player"]] for one in part),
                tuple((float(one["loss"]["low"]), float(one["loss"]["high"])) for one in part),
                notes=tuple(
                    f"{one['player']}: {estimate_text(_estimate(one['loss']))}, n = {one['n']}" for one in part
                ),
            )
            for words, mark, part in kinds
            if part
        ),
        levels=() if null is None else (Level("x", float(null), "upper end of the larger shadow feature"),),
        height=140 + 22 * len(shown),
    )


def _curve(name: str, curve: Mapping[str, Any], unit: str) -> Chart:
    factor, values = str(curve["name"]), curve["values"]
    words = [format_option(float(f"{value:.4g}") if isinstance(value, float) else value, unit) for value in values]
    numbers = not any(isinstance(value, bool | str) for value in values) and not any(curve["special"])
    scale, shown_unit = (float(1 << 20), "MiB") if unit == "B" else (1.0, unit)
    places = tuple(value / scale for value in values) if numbers else tuple(map(float, range(len(values))))
    log = numbers and min(places) > 0 and max(places) / min(places) > _LOG_RANGE
    ratios = tuple(map(float, curve["ratio"]))
    ends = tuple(zip(map(float, curve["low"]), map(float, curve["high"]), strict=True))
    notes = tuple(f"{word}: {ratio_text(ratio)}" for word, ratio in zip(words, ratios, strict=True))
    line = [Series("between them", Mark.DASHED, places, ratios)] if numbers else []
    return Chart(
        name=f"effect-{name}-{factor}",
        title=f"{label(name)} by {factor}",
        alt=f"{curve['words']}; {curve['runs']} runs, {curve['method']}, ratio to the reference with 95 % interval.",
        x=Axis(f"{factor} [{shown_unit}]" if numbers and unit else factor, () if numbers else tuple(words), log=log),
        y=Axis(f"{label(name)}, ratio", suffix="x"),
        series=(*line, Series("with 95 % interval", Mark.ESTIMATE, places, ratios, (), ends, notes)),
        levels=(Level("y", 1.0, ""),),
        height=260,
    )


def _pairs(found: Mapping[str, Any]) -> Iterator[str]:
    for pair in (found["sobol"] or {}).get("pairs", ()):
        if pair["share"]["low"] > _LEAST_PAIR:
            share = estimate_text(_estimate(pair["share"]), share=True)
            yield f"{' x '.join(pair['players'])}: {share} of the model's variance"
    for test in (found["anova"] or {}).get("tests", ()):
        if len(test["factors"]) > 1 and test["p"]["significant"]:
            yield f"{test['term']}: significant after Holm in ANOVA"


def _shadow(one: Mapping[str, Any]) -> bool:
    return one["player"] in (*SHADOWS, *FORMER_SHADOWS)


def _estimate(fields: Mapping[str, Any]) -> Estimate:
    return Estimate(float(fields["value"]), float(fields["low"]), float(fields["high"]))
