"""A sweep: what each cell of the grid gave, who wins where, and the rule of thumb that follows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.analysis import (
    Cell,
    PairwiseComparison,
    Rule,
    Runs,
    Where,
    kept_rates,
    pairwise_comparisons,
    rule_of_thumb,
    sweep_cells,
    sweep_phases,
)
from lsmtune.indicators import indicator
from lsmtune.lint import Finding
from lsmtune.model import Purpose
from lsmtune.report._analysis_words import value_words
from lsmtune.report._findings import findings_json, findings_parts
from lsmtune.report._kept_rates import kept_rate_parts
from lsmtune.report._phases import ArmNames, phase_parts, phases_json
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator, label, ratio_text, with_interval
from lsmtune.result import PhaseTable
from lsmtune.space import Factor
from lsmtune.units import plural

_USUAL = (
    "max_rate_ops_s",
    "max_rate_latency_s",
    "throughput_ops_s",
    "throughput_settled_ops_s",
    "latency_p99_s",
    "waf",
    "space_bytes",
)
NO_CELLS = "No cell of the sweep has run yet; the same lsmtune sweep goes on."


def sweep_card(
    runs: Runs, indicators: Sequence[str], competing: str | None, findings: Sequence[Finding] | None = None
) -> RenderableType:
    """Return the cells of a sweep, and for each indicator that has a better side who wins where, and in which phase.

    Args:
        runs: of the sweep.
        indicators: names.
        competing: the factor whose values compete; None: nobody competes.
        findings: of the linter; None where nothing is known but the runs.

    Raises:
        UsageError: see `sweep_cells` and `pairwise_comparisons`.
    """
    warned = [part for each in findings_parts(findings or ()) for part in (Text(), each)]
    if not has_cells(runs):
        return Group(Text(NO_CELLS), *warned)
    cells = sweep_cells(runs, indicators)
    has_zero = any(cell.arithmetic for cell in cells)
    means = f"geometric means{', arithmetic ones where a run has 0' if has_zero else ''}"
    parts: list[RenderableType] = [section(f"Cells: {means}"), cells_table(runs, cells)]
    parts += [Text(f"{name} ran on {build}.") for name, build in runs.facts.elsewhere.items()]
    kept = kept_rate_parts(runs, kept_rates(runs))
    if kept is not None:
        parts += [Text(), kept]
    if competing is not None:
        tables = _phases(runs, competing, indicators)
        for place, table in enumerate(tables):
            names = ArmNames.of_sweep(runs, competing, table)
            parts += [Text(), *phase_parts(table, names, explained=place == 0)]
        measured = {table.indicator: f" of {runs.facts.asked.measure}, the measured phase" for table in tables}
        for name in _judged(indicators):
            found = pairwise_comparisons(runs, competing, name)
            if not found:
                continue  # no run gave it
            parts += [
                Text(),
                section(f"Who wins in {label(name)}{measured.get(name, '')}"),
                comparisons_table(runs, competing, found),
            ]
            parts.append(Text(rule_words(runs, competing, name, rule_of_thumb(found))))
    return Group(*parts, *warned)


def sweep_json(
    runs: Runs, indicators: Sequence[str], competing: str | None, findings: Sequence[Finding] | None = None
) -> dict[str, Any]:
    """Return cells, comparisons, rules of thumb, phases and findings as values of JSON; see `sweep_card`."""
    began = has_cells(runs)
    cells = [
        {"values": dict(cell.values), "levels": dict(cell.levels), "runs": cell.runs, "lost": cell.lost}
        for cell in (sweep_cells(runs, indicators) if began else ())
    ]
    fought = (
        {}
        if competing is None or not began
        else {name: pairwise_comparisons(runs, competing, name) for name in _judged(indicators)}
    )
    return {
        "format": 1,
        "cells": cells,
        "rival": competing,
        "elsewhere": dict(runs.facts.elsewhere),
        "duels": {name: [_comparison_json(compared) for compared in found] for name, found in fought.items()},
        "rules": {
            name: _rule_json(runs, competing, name, found)
            for name, found in fought.items()
            if competing is not None and found
        },
        "kept_rates": [asdict(each) for each in (kept_rates(runs) if began else ())],
        "phases": phases_json(() if competing is None or not began else _phases(runs, competing, indicators)),
        **findings_json(findings),
    }


def has_cells(runs: Runs) -> bool:
    """Whether a run of the grid, and not of the reference alone, has ended."""
    return len(runs.of(Purpose.SAMPLE)) > 0


def cells_table(runs: Runs, cells: Sequence[Cell]) -> Table:
    """Return a table of cells with all indicators that any of them has."""
    varied = varied_factors(runs)
    names = list(dict.fromkeys(name for cell in cells for name in cell.levels))
    headers = [*(factor.short for factor in varied), *(label(name) for name in names), "runs", "lost"]
    table = plain_table(*headers, right=tuple(range(len(varied), len(headers))))
    for cell in cells:
        values = [value_words(cell.values[factor.name], factor) for factor in varied]
        levels = [format_indicator(name, cell.levels.get(name)) for name in names]
        table.add_row(*(Text(text) for text in (*values, *levels, str(cell.runs), str(cell.lost))))
    return table


def comparisons_table(runs: Runs, competing: str, found: Sequence[PairwiseComparison]) -> Table:
    """Return a table of who wins in each cell of the other factors."""
    others, factor = [each for each in varied_factors(runs) if each.name != competing], runs.by_name[competing]
    table = plain_table(*(each.short for each in others), "winner", "over", "gain [95.0 %]", "blocks", "")
    for compared in found:
        lead = compared.lead
        cells = [
            *(value_words(compared.where[each.name], each) for each in others),
            value_words(compared.winner, factor),
            "-" if compared.second is None else value_words(compared.second, factor),
            "?" if lead is None else with_interval(lead.ratio, lead.low, lead.high),
            "" if lead is None else str(lead.n),
            _certainty(compared),
        ]
        table.add_row(*(Text(text) for text in cells))
    return table


def rule_words(runs: Runs, competing: str, name: str, rule: Rule) -> str:
    """Say who usually wins in an indicator and where others do: the rule of thumb of a sweep and its exceptions."""
    better, cells = indicator(name).better, plural(rule.of, "cell")
    won = f"the {better} {label(name)}"
    if rule.winner is None:
        told = [f"Nobody is shown to have {won} in any of {cells}" if rule.of > 1 else f"Nobody is shown to have {won}"]
    else:
        middle, low, high = (ratio_text(gain) for gain in (rule.middle, rule.low, rule.high))
        spread = f"{middle} in the middle of these cells ({low} to {high})" if rule.cells > 1 else middle
        where = f" in {rule.cells} of {cells}" if rule.of > 1 else ""
        told = [f"{value_words(rule.winner, runs.by_name[competing])} has {won}{where}, by {spread}"]
    for each in rule.exceptions:
        regions = ", or where ".join(_region(runs, region) for region in each.regions)
        winner = value_words(each.winner, runs.by_name[competing])
        told.append(f"{winner} wins at {regions} ({plural(each.cells, 'cell')})")
    if rule.winner is not None and rule.uncertain:
        told.append(f"{plural(rule.uncertain, 'cell')} {'is' if rule.uncertain == 1 else 'are'} not certain")
    if rule.alone:
        told.append(f"in {plural(rule.alone, 'cell')} only one of them gave it")
    return f"{'; '.join(told)}."


def _region(runs: Runs, region: Where) -> str:
    return " and ".join(
        f"{runs.by_name[name].short} = {' or '.join(value_words(value, runs.by_name[name]) for value in values)}"
        for name, values in region.items()
    )


def _rule_json(runs: Runs, competing: str, name: str, found: Sequence[PairwiseComparison]) -> dict[str, Any]:
    rule = rule_of_thumb(found)
    return {**asdict(rule), "words": rule_words(runs, competing, name, rule)}


def _phases(runs: Runs, competing: str, indicators: Sequence[str]) -> list[PhaseTable]:
    """Return who wins in each phase in those of some indicators that the phases have."""
    bases = {name.partition("@")[0] for name in indicators}
    return [table for table in sweep_phases(runs, competing, indicators) if table.indicator in bases]


def _certainty(compared: PairwiseComparison) -> str:
    if compared.troubled:
        return f"not certain: {plural(compared.troubled, 'run')} of it failed or stopped"
    return "" if compared.certain else "not certain"


def _comparison_json(compared: PairwiseComparison) -> dict[str, Any]:
    lead = compared.lead
    return {
        "where": dict(compared.where),
        "winner": compared.winner,
        "second": compared.second,
        "gain": None if lead is None else {"ratio": lead.ratio, "low": lead.low, "high": lead.high, "n": lead.n},
        "p_holm": compared.p_holm,
        "certain": compared.certain,
        "troubled": compared.troubled,
    }


def _judged(indicators: Sequence[str]) -> list[str]:
    """Return those in which somebody can win; a fact has no better side."""
    return [name for name in indicators if indicator(name).better is not None]


def varied_factors(runs: Runs) -> list[Factor]:
    """Return the factors with more than one value, in the order of the experiment."""
    cells = sweep_cells(runs, ())
    return [factor for factor in runs.factors if len({cell.values[factor.name] for cell in cells}) > 1]


def usual_indicators(runs: Runs) -> list[str]:
    """Return the indicators of a sweep that are shown where nobody asks for others, those of its objective first.

    Other phases than the measured one have a table of their own.
    """
    asked = [name for name in runs.facts.asked.weights if name not in _USUAL and "@" not in name]
    return [name for name in (*asked, *_USUAL) if name in runs.indicators]
