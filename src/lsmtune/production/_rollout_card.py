"""What a roll-out came to, as a card and as JSON: against a study, or of canaries against controls."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.production._canary import Canary, Effect, Instance
from lsmtune.production._rollout import FigureCheck, OptionState, Rollout
from lsmtune.report import (
    bullets,
    format_indicator,
    format_option,
    label,
    percent,
    plain_table,
    ratio_text,
    section,
    with_interval,
)
from lsmtune.units import plural

FORMAT = 1
"""Version of both JSON documents. 1: the first."""


def rollout_card(rollout: Rollout) -> RenderableType:
    """Return the card: what of the result the service runs, and how its figures compare."""
    parts: list[RenderableType] = [
        Text(_rollout_sentence(rollout), style="bold"),
        Text(_versions(rollout), style="dim"),
    ]
    if rollout.options:
        parts += [Text(), section("What it runs"), _options_table(rollout)]
    if rollout.figures:
        parts += [Text(), section("What its LOG says beside the study's runs"), _figures_table(rollout)]
        parts.append(Text(_scale_sentence(rollout), style="dim"))
    if rollout.missing:
        parts += [Text(), section("What is not known"), bullets(list(rollout.missing))]
    return Group(*parts)


def rollout_json(rollout: Rollout) -> dict[str, Any]:
    """Return the same as values of JSON, in base units."""
    return {
        "format": FORMAT,
        "study": rollout.study,
        "family": rollout.family,
        "version": rollout.version or None,
        "measured_version": rollout.measured_version,
        "scale": rollout.scale,
        "runs_it": rollout.runs_it,
        "agrees": rollout.agrees if rollout.figures else None,
        "options": [{**asdict(each), "state": str(each.state)} for each in rollout.options],
        "figures": [
            {
                "indicator": each.indicator,
                "claimed": list(each.claimed),
                "here": each.here,
                "factor": _finite(each.factor),
            }
            for each in rollout.figures
        ],
        "missing": list(rollout.missing),
    }


def canary_card(canary: Canary) -> RenderableType:
    """Return the card: what the change did, and what each instance did."""
    parts: list[RenderableType] = [Text(_canary_sentence(canary), style="bold"), Text()]
    parts += [section("Canaries against controls, each after against before"), _effects_table(canary)]
    parts.append(Text(_level_sentence(canary), style="dim"))
    parts += [Text(), section("Each instance"), _instances_table(canary)]
    if canary.left_out:
        parts += [Text(), section("What is not known"), bullets(list(canary.left_out))]
    return Group(*parts)


def canary_json(canary: Canary) -> dict[str, Any]:
    """Return the same as values of JSON; sizes in GB of 2^30 B, times in s."""
    return {
        "format": FORMAT,
        "level": 1 - canary.alpha,
        "canaries": [asdict(each) for each in canary.canaries],
        "controls": [asdict(each) for each in canary.controls],
        "effects": [
            {
                "figure": each.figure,
                "kind": "ratio" if each.is_ratio else "difference",
                "estimate": each.estimate[0],
                "low": _finite(each.estimate[1]) if each.difference.low > -float("inf") else None,
                "high": _finite(each.estimate[2]),
                "verdict": each.verdict,
                "canaries": list(each.canaries),
                "controls": list(each.controls),
            }
            for each in canary.effects
        ],
        "left_out": list(canary.left_out),
    }


def _rollout_sentence(rollout: Rollout) -> str:
    done = sum(each.state is OptionState.AS_EXPORTED for each in rollout.options)
    number = len(rollout.options)
    if not rollout.options:
        runs = f'The study "{rollout.study}" changed nothing'
    elif rollout.runs_it:
        runs = f'The service runs what "{rollout.study}" exported: {plural(number, "change")}'
    else:
        part = f"{done} of {plural(number, 'change')} as exported"
        runs = f'The service does not run what "{rollout.study}" exported: {part}'
    if not rollout.figures:
        return f"{runs}; no figure can be compared."
    apart = [label(each.indicator) for each in rollout.figures if each.factor != 1]
    if not apart:
        return f"{runs}; its figures lie within those of the study's runs."
    return f"{runs}; outside of the study's runs: {', '.join(apart)}."


def _versions(rollout: Rollout) -> str:
    here = rollout.version or "an unknown version"
    return f"Column family [{rollout.family}] of {here}; measured with {rollout.measured_version}"


def _scale_sentence(rollout: Rollout) -> str:
    scale = "" if rollout.scale == "1" else f" The study ran at scale {rollout.scale}."
    return f"A service does more than a study's workload: a figure outside is a hint to look closer, no verdict.{scale}"


def _options_table(rollout: Rollout) -> Table:
    table = plain_table("option", "before", "exported", "here", "", "told by")
    for each in rollout.options:
        here = "?" if each.here is None else format_option(each.here, each.unit)
        table.add_row(
            each.option,
            format_option(each.before, each.unit),
            format_option(each.exported, each.unit),
            here,
            str(each.state),
            Text(each.source or "-"),
        )
    return table


def _figures_table(rollout: Rollout) -> Table:
    table = plain_table("figure", "study's runs", "n", "here", "", right=(1, 2, 3))
    for each in rollout.figures:
        low, high = (format_indicator(each.indicator, end(each.claimed)) for end in (min, max))
        table.add_row(
            f"{label(each.indicator)}, {each.means}",
            low if low == high else f"{low} to {high}",
            str(len(each.claimed)),
            format_indicator(each.indicator, each.here),
            _factor_words(each),
        )
    return table


def _factor_words(figure: FigureCheck) -> str:
    if figure.factor == 1:
        return "within"
    side = "above" if figure.factor > 1 else "below"
    return side if figure.factor == float("inf") else f"{side}, {figure.factor:.2f}x of the nearest run"


def _canary_sentence(canary: Canary) -> str:
    found = {
        verdict: [each.figure for each in canary.effects if each.verdict == verdict] for verdict in ("better", "worse")
    }
    told = [f"{verdict}: {', '.join(names)}" for verdict, names in found.items() if names]
    sizes = f"{plural(len(canary.canaries), 'instance')} that changed, {len(canary.controls)} that did not"
    if not told:
        return f"No difference is shown ({sizes})."
    return f"Shown to be {'; shown to be '.join(told)} ({sizes})."


def _level_sentence(canary: Canary) -> str:
    if any(min(each.difference.n) < 2 for each in canary.effects):
        return "One instance does not tell how much instances differ, so there is no interval; give more."
    return (
        f"Brackets hold {percent(1 - canary.alpha)} intervals for all figures together, by instance (Welch, "
        "Bonferroni); less is better of each."
    )


def _effects_table(canary: Canary) -> Table:
    table = plain_table("figure", "canaries", "controls", "difference", "")
    for each in canary.effects:
        table.add_row(
            Text(each.figure),
            _changes(each, each.canaries),
            _changes(each, each.controls),
            _estimate(each),
            each.verdict,
        )
    return table


def _changes(effect: Effect, changes: tuple[float, ...]) -> str:
    if effect.is_ratio:
        return " ".join(ratio_text(each) for each in changes)
    return " ".join(_points(each) for each in changes)


def _estimate(effect: Effect) -> str:
    mean, low, high = effect.estimate
    if high == float("inf"):
        return ratio_text(mean) if effect.is_ratio else _points(mean)
    if effect.is_ratio:
        return with_interval(mean, low, high)
    return f"{_points(mean)} [{_points(low)}, {_points(high)}]"


def _points(share: float) -> str:
    return f"{share * 100:+.1f} points"


def _instances_table(canary: Canary) -> Table:
    table = plain_table(
        "instance", "", "written by users [GB]", "by flushes, compactions [GB]", "stalled", right=(2, 3, 4)
    )
    for kind, group in (("canary", canary.canaries), ("control", canary.controls)):
        for each in group:
            table.add_row(Text(each.path), kind, *_instance_cells(each))
    return table


def _instance_cells(instance: Instance) -> Iterator[str]:
    both = (instance.before, instance.after)
    yield " -> ".join(f"{each.ingest_gb:.2f}" for each in both)
    yield " -> ".join(f"{each.files_gb:.2f}" for each in both)
    yield " -> ".join(percent(each.stall_s / each.open_s) for each in both)


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value
