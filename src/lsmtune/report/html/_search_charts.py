"""Charts of the way: how the search converged, and how the reference drifted meanwhile."""

import math
from collections.abc import Mapping

from lsmtune.report._lists import changed_words
from lsmtune.report._values import format_indicator, label, percent, ratio_text
from lsmtune.report.html._chart import Axis, Chart, Level, Mark, Scale, Series
from lsmtune.report.html._view import ReportView
from lsmtune.result import Ranked, fit_reference, noise_by_host
from lsmtune.stats import Anchors, NoiseFloor
from lsmtune.units import plural

_SECONDS_A_MINUTE = 60.0


def convergence_charts(view: ReportView) -> tuple[Chart, ...]:
    """Show every trial and the best so far, by runs and by engine time; none where there are no trials."""
    if not view.trials:
        return ()
    by_run = {each.stored.run.id: float(view.history.order[each.stored.run.id]) for each in _all(view)}
    minutes = {run: seconds / _SECONDS_A_MINUTE for run, seconds in view.engine_time_s.items()}
    return (
        _convergence(view, "convergence-runs", "run", by_run),
        _convergence(view, "convergence-time", "engine time [min]", minutes),
    )


def drift_charts(view: ReportView) -> tuple[Chart, ...]:
    """Show the reference's own runs over the study, on each host, for each indicator of the objective."""
    rules, history = view.result.rules, view.history
    noise = noise_by_host(history, rules)
    return tuple(
        _drift_chart(name, host, anchors, noise.get(host, {}).get(name))
        for name in rules.objective.weights
        for host, reference in fit_reference(history, rules).by_host.items()
        if (anchors := reference.anchors.get(name)) is not None and anchors.n > 1
    )


def _drift_chart(name: str, host: str, anchors: Anchors, floor: NoiseFloor | None) -> Chart:
    values = [math.exp(value) for value in anchors.log_values]
    level = math.exp(sum(anchors.log_values) / anchors.n)
    scale = Scale.of(name, values)
    spread = () if floor is None else (level * math.exp(-floor.sd_log), level * math.exp(floor.sd_log))
    told = "" if floor is None else f" Two thirds of single runs lie within {percent(floor.sd_log)} of the level."
    line = tuple(math.exp(anchors.log_reference_at(place)) / scale.factor for place in anchors.order)
    return Chart(
        name=f"drift-{name}{f'-{host}' if host else ''}",
        title=f"The reference over the study{f' on {host}' if host else ''}: {label(name)}",
        alt=f"{plural(anchors.n, 'run')} of the reference between {format_indicator(name, min(values))} and "
        f"{format_indicator(name, max(values))}; the level fitted through them changed by "
        f"{percent(None if anchors.drift_total is None else anchors.drift_total - 1)}.{told}",
        x=Axis("run"),
        y=Axis(scale.title),
        series=(
            Series("fitted level", Mark.DASHED, anchors.order, line),
            Series(
                "run of the reference",
                Mark.REFERENCE,
                anchors.order,
                tuple(value / scale.factor for value in values),
                notes=tuple(format_indicator(name, value) for value in values),
            ),
        ),
        levels=tuple(
            Level("y", end / scale.factor, words)
            for end, words in zip(spread, ("- 1 sd of the first runs", "+ 1 sd of the first runs"), strict=False)
        ),
        height=280,
    )


def _all(view: ReportView) -> tuple[Ranked, ...]:
    return (*view.trials, *view.references)


def _convergence(view: ReportView, name: str, what: str, places: Mapping[int, float]) -> Chart:
    held = [each for each in view.trials if each.violation == 0]
    broken = [each for each in view.trials if each.violation > 0]
    best_x: list[float] = []
    best_y: list[float] = []
    most = 0.0
    for each in held:
        most = max(most, _gain(each)) if best_x else _gain(each)
        best_x.append(places[each.stored.run.id])
        best_y.append(most)
    series = [
        _points(view, "the reference again", Mark.REFERENCE, view.references, places),
        _points(view, "trial that breaks a bound", Mark.CROSS, broken, places),
        _points(view, "trial", Mark.DOT, held, places),
        Series("best so far", Mark.STEP, tuple(best_x), tuple(best_y)),
    ]
    told = f"the best of those that hold the bounds has {ratio_text(most)}" if held else "none of them holds the bounds"
    return Chart(
        name=name,
        title=f"The search by {what.partition(' [')[0]}",
        alt=f"{plural(len(view.trials), 'trial')} with a gain, each run once; {told}. The reference's own runs scatter "
        "around 1: what they scatter by is noise. The best of many single runs looks better than it is.",
        x=Axis(what),
        y=Axis("gain over the reference, n = 1", suffix="x"),
        series=tuple(part for part in series if part.x),
        levels=(Level("y", 1.0, ""),),
        height=380,
    )


def _points(
    view: ReportView, name: str, mark: Mark, ranked: tuple[Ranked, ...] | list[Ranked], places: Mapping[int, float]
) -> Series:
    shown = [each for each in ranked if each.stored.run.id in places]
    notes = []
    for each in shown:
        run = each.stored.run
        changed = "" if mark is Mark.REFERENCE else f"; {changed_words(view.result, each, view.option_units)}"
        notes.append(f"{run.arm}, run {run.id}: {ratio_text(_gain(each))}{changed}"[:160])
    return Series(
        name,
        mark,
        tuple(places[each.stored.run.id] for each in shown),
        tuple(_gain(each) for each in shown),
        notes=tuple(notes),
    )


def _gain(each: Ranked) -> float:
    return math.exp(each.log_gain or 0.0)
