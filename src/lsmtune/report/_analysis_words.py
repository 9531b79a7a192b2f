"""What an analysis says, in words: how far a model can be trusted, which values are best, what to do with it."""

import math
from collections.abc import Mapping

from lsmtune.analysis import (
    Accuracy,
    Analysis,
    EffectCurve,
    Estimate,
    IndicatorAnalysis,
    StoppedLevel,
    Trend,
    Trust,
    direction,
    p_words,
)
from lsmtune.indicators import INDICATORS
from lsmtune.model import Value
from lsmtune.report._values import format_option, listed, percent, ratio_text
from lsmtune.space import Change, Factor
from lsmtune.stats import largest_share
from lsmtune.units import plural

CHANGES: Mapping[Change, str] = {
    Change.ONLINE: "while it runs",
    Change.RESTART: "on restart",
    Change.REBUILD: "on rebuild of the data",
    Change.WORKLOAD: "not by you: the workload",
}
"""How a factor can be changed."""

_GOOD, _FAIR, _WEAK = 0.8, 0.5, 0.2
_LEAST_PAIR = 0.01
_SMALL = 0.1  # below, a third decimal is printed
_FLAT = 0.02  # a gain in R² below this is not worth more runs
_TRENDS: Mapping[Trend, tuple[str, str]] = {
    Trend.LARGER: ("larger is better", "larger gives more"),
    Trend.SMALLER: ("smaller is better", "smaller gives more"),
    Trend.BETWEEN: ("best", "most"),
    Trend.VALUES: ("best:", "most with"),
    Trend.AVOID: ("worst:", "least with"),
}


def higher_is_better(name: str) -> bool | None:
    """Say which way of an indicator is better; None where neither is, or it is not known."""
    known = INDICATORS.get(name.partition("@")[0])
    return None if known is None or known.better is None else known.better == "higher"


def estimate_text(estimate: Estimate | None, *, share: bool = False) -> str:
    """Print a number with its interval: ``0.42 [0.36, 0.48]``; None -> ``?``."""
    if estimate is None:
        return "?"
    if share:
        return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"
    decimals = 3 if max(-estimate.low, estimate.high) < _SMALL else 2
    value, low, high = (
        f"{round(number, decimals) + 0.0:.{decimals}f}" for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} [{low}, {high}]"


def value_words(value: Value, factor: Factor) -> str:
    """Print a value of a factor; of sizes and of numbers that are not whole, three digits."""
    if factor.unit == "B" and not isinstance(value, bool | str) and value > 0:
        prefix = 1024 ** int(math.log(value, 1024))
        return format_option(float(f"{value / prefix:.3g}") * prefix, factor.unit)
    return format_option(float(f"{value:.3g}") if isinstance(value, float) else value, factor.unit)


def trust_sentence(trust: Trust) -> str:
    """Say how good the model of an indicator is, with intervals and n."""
    best = trust.best
    if best is None or trust.learner is None:
        return f"No model could be judged on {plural(trust.training, 'run')}."
    kind = str(trust.learner)
    return (
        f"{kind[0].upper()}{kind[1:]} from {plural(trust.training, 'run')}: R² {estimate_text(best.r2)}, "
        f"Spearman {estimate_text(best.spearman)} {_judged_on(trust, best)}{_ceiling_words(trust)}."
    )


def trust_verdict(trust: Trust) -> str:
    """Say in a sentence how much to trust what the model says."""
    best = trust.best
    if best is None:
        return "Trust: nothing that follows comes from a model."
    r2 = best.r2.value
    if r2 >= _GOOD:
        return "Trust: good; ranks and curves can be used."
    if trust.ceiling is not None and trust.ceiling.r2.value - r2 < 1 - trust.ceiling.r2.value:
        return "Trust: fair; most of what is not explained is noise between runs of one configuration."
    if r2 >= _FAIR:
        return "Trust: fair; strong factors are sure, the order of weak ones is not."
    if r2 >= _WEAK:
        return "Trust: weak; only the strongest factors can be relied on, and no curve."
    return "Trust: none; the model hardly predicts, so what follows from it means little."


def curve_sentence(trust: Trust) -> str | None:
    """Say what further runs would bring; None without a learning curve."""
    if not trust.curve:
        return None
    points = ", ".join(f"{point.size}: {point.median:.2f}" for point in trust.curve)
    sentence = f"R² on the test runs by number of training runs: {points}"
    if len(trust.curve) < 2:
        return f"{sentence}."
    gain = trust.curve[-1].median - trust.curve[-2].median
    more = "more runs would still help" if gain > _FLAT else "more runs would hardly help"
    return f"{sentence}; {more}."


def direction_words(curve: EffectCurve | None, factor: Factor | None, indicator: str) -> str:
    """Say which values of a factor are best, and how far the indicator moves; only what the curve supports."""
    if curve is None or factor is None:
        return "no curve"
    better = higher_is_better(indicator)
    found = direction(curve, factor, higher_is_better=better is not False)
    span = f"({ratio_text(min(curve.ratio))} to {ratio_text(max(curve.ratio))})"
    if found.trend is Trend.UNCLEAR:
        return f"unclear {span}"
    word = _TRENDS[found.trend][better is None]
    values = [value_words(value, factor) for value in found.values]
    if found.trend in (Trend.VALUES, Trend.AVOID):
        return f"{word} {listed(values)} {span}"
    if found.trend is Trend.BETWEEN:
        place = f"near {values[0]}" if values[0] == values[1] else f"from {values[0]} to {values[1]}"
        return f"{word} {place} {span}"
    if found.at_end:
        return f"{word}, to {values[0]}, where the range ends {span}"
    return f"{word} {'up' if found.trend is Trend.LARGER else 'down'} to {values[0]} {span}"


def pair_sentences(found: IndicatorAnalysis) -> list[str]:
    """Say which factors do something only together: by the model more than 1 % for sure, or significant in ANOVA."""
    told: dict[frozenset[str], list[str]] = {}
    for pair in found.importance.sensitivity.pairs if found.importance.sensitivity is not None else ():
        if pair.share.low > _LEAST_PAIR:
            share = estimate_text(pair.share, share=True)
            told.setdefault(frozenset(pair.players), [" x ".join(pair.players)]).append(
                f"{share} of the model's variance"
            )
    for test in found.anova.tests if found.anova is not None else ():
        if len(test.factors) > 1 and test.p.significant:
            p = p_words(test.p.log10_holm)
            told.setdefault(frozenset(test.factors), [test.term]).append(f"p after Holm {p} in ANOVA")
    return [f"{names}: {', '.join(findings)}" for names, *findings in told.values()]


def stopped_sentence(level: StoppedLevel) -> str:
    """Say what stopped runs have in common: ``31 of 40 stopped runs had compression_type = bzip2 ...``."""
    return (
        f"{level.stopped} of {plural(level.all_stopped, 'stopped run')} had {level.factor} = {level.level}, as "
        f"{level.runs} of all {level.all_runs} had (p after Holm {p_words(level.p.log10_holm)})."
    )


def shadows_sentence(analysis: Analysis) -> str | None:
    """Say how often shadow features passed for something, and how often they may at most; None without any."""
    hits, total = analysis.false_alarms
    parts = [f"{hits} of {total} matter to the models (a rate of at most {_most(hits, total)})"] if total else []
    rate = analysis.shadow_rate
    if rate is not None:
        parts.append(
            f"{rate.significant} of {rate.tests} have p <= .05 in ANOVA by themselves (at most "
            f"{_most(rate.significant, rate.tests)}; about 5 % is right), {rate.significant_holm} after Holm"
        )
    return f"Shadow features, which do nothing: {'; '.join(parts)}. The bounds hold with 95 %." if parts else None


def _most(hits: int, tests: int) -> str:
    return percent(largest_share(hits, tests))


def groups_of(analysis: Analysis) -> Mapping[Change, Mapping[str, tuple[str, ...]]]:
    """Return by way of changing it each factor that matters, with the indicators that it matters for."""
    matters: dict[str, list[str]] = {}
    for found in analysis.indicators:
        for name in members_of(found, found.matters):
            matters.setdefault(name, []).append(found.indicator)
    ranked = sorted(matters, key=lambda name: -len(matters[name]))
    by_name = {factor.name: factor for factor in analysis.factors}
    return {
        change: {name: tuple(matters[name]) for name in ranked if name in by_name and by_name[name].change is change}
        for change in Change
    }


def options_to_tune(analysis: Analysis) -> tuple[str, ...]:
    """Return the options that matter, by the R² that is lost without them in all indicators together.

    What describes the workload is none of them.
    """
    lost: dict[str, float] = {}
    for found in analysis.indicators:
        permutation = found.importance.permutation
        for one in permutation.importances if permutation is not None else ():
            lost[one.player.name] = lost.get(one.player.name, 0.0) + max(one.loss.value, 0.0)
    groups = groups_of(analysis)
    names = [name for change, named in groups.items() if change is not Change.WORKLOAD for name in named]
    return tuple(sorted(names, key=lambda name: -lost.get(name, 0.0)))


def members_of(found: IndicatorAnalysis, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return factors, each once, with its members in the place of a bundle."""
    permutation = found.importance.permutation
    players = permutation.importances if permutation is not None else ()
    members = {one.player.name: one.player.members for one in players}
    return tuple(dict.fromkeys(member for name in names for member in members.get(name, (name,))))


def _judged_on(trust: Trust, best: Accuracy) -> str:
    if best is trust.test:
        return f"on {plural(best.configurations, 'test configuration')}, which no model learned from"
    return f"on {plural(best.configurations, 'held-out configuration')}"


def _ceiling_words(trust: Trust) -> str:
    top = trust.ceiling
    if top is None:
        return "; how much noise leaves to be explained is not known"
    repeated = f"ceiling {estimate_text(top.r2)} from {plural(top.configurations, 'repeated configuration')}"
    if trust.share is None:
        return f"; {repeated}"
    return f"; R² / ceiling {estimate_text(trust.share)}, {repeated} among these; the ratio resamples both together"
