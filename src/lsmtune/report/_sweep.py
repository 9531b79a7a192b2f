"""A sweep: what each cell of the grid gave, who wins where, and a map of it."""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lsmtune.analysis import Cell, Duel, Factor, Runs, duels, sweep_cells
from lsmtune.model import Value
from lsmtune.report._analysis_figures import FIGURE_STYLE
from lsmtune.report._analysis_words import value_words
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator, label, listed, plural, ratio_text, with_interval

_SHADES = ("0.95", "0.75", "0.55", "0.35")


def sweep_card(runs: Runs, indicators: Sequence[str], rival: str | None) -> RenderableType:
    """Return the cells of a sweep, and for each indicator who wins where.

    Args:
        runs: of the sweep.
        indicators: names.
        rival: the factor whose values compete; None: nobody competes.

    Raises:
        UsageError: see `sweep_cells` and `duels`.
    """
    parts: list[RenderableType] = [section("Cells: geometric means"), _cells_table(runs, sweep_cells(runs, indicators))]
    if rival is not None:
        for name in indicators:
            found = duels(runs, rival, name)
            if not found:
                continue  # no run gave it
            parts += [Text(), section(f"Who wins in {label(name)}"), _duels_table(runs, rival, found)]
            parts.append(Text(_rule(runs.by_name[rival], found)))
    return Group(*parts)


def sweep_json(runs: Runs, indicators: Sequence[str], rival: str | None) -> dict[str, Any]:
    """Return cells and duels as values of JSON; see `sweep_card`."""
    cells = [
        {"values": dict(cell.values), "levels": dict(cell.levels), "runs": cell.runs, "lost": cell.lost}
        for cell in sweep_cells(runs, indicators)
    ]
    fought = {} if rival is None else {name: duels(runs, rival, name) for name in indicators}
    return {
        "format": 1,
        "cells": cells,
        "rival": rival,
        "duels": {name: [_duel_json(duel) for duel in found] for name, found in fought.items()},
    }


def sweep_figures(runs: Runs, indicators: Sequence[str], rival: str) -> Mapping[str, str]:
    """Return a map for each indicator as the text of an SVG, by file name; none unless two other factors varied.

    The shade of a cell is its winner's, the number the winner's gain over the second; a hatched one is not certain.
    """
    others = [factor for factor in _varied(runs) if factor.name != rival]
    if len(others) != 2:
        return {}
    import matplotlib as mpl

    fought = {name: duels(runs, rival, name) for name in indicators}
    with mpl.rc_context(dict(FIGURE_STYLE)):
        return {
            f"winner-{name.replace('@', '-at-')}.svg": _map(runs.by_name[rival], found, name, others)
            for name, found in fought.items()
            if found
        }


def _cells_table(runs: Runs, cells: Sequence[Cell]) -> RenderableType:
    varied = _varied(runs)
    names = list(dict.fromkeys(name for cell in cells for name in cell.levels))
    headers = [*(factor.name for factor in varied), *(label(name) for name in names), "runs", "lost"]
    table = plain_table(*headers, right=tuple(range(len(varied), len(headers))))
    for cell in cells:
        values = [value_words(cell.values[factor.name], factor) for factor in varied]
        levels = [format_indicator(name, cell.levels.get(name)) for name in names]
        table.add_row(*(Text(text) for text in (*values, *levels, str(cell.runs), str(cell.lost))))
    return table


def _duels_table(runs: Runs, rival: str, found: Sequence[Duel]) -> RenderableType:
    others, factor = [each for each in _varied(runs) if each.name != rival], runs.by_name[rival]
    table = plain_table(*(each.name for each in others), "winner", "over", "gain [95.0 %]", "blocks", "")
    for duel in found:
        lead = duel.lead
        cells = [
            *(value_words(duel.where[each.name], each) for each in others),
            value_words(duel.winner, factor),
            "-" if duel.second is None else value_words(duel.second, factor),
            "?" if lead is None else with_interval(lead.ratio, lead.low, lead.high),
            "" if lead is None else str(lead.n),
            "" if duel.certain else "not certain",
        ]
        table.add_row(*(Text(text) for text in cells))
    return table


def _rule(factor: Factor, found: Sequence[Duel]) -> str:
    """Say how often each rival is shown to win: the rule of thumb and its exceptions."""
    won = Counter(value_words(duel.winner, factor) for duel in found if duel.certain)
    unsure = plural(sum(not duel.certain for duel in found), "cell")
    shown = listed([f"{name} in {number}" for name, number in won.most_common()]) or "nobody"
    return f"Shown to win, of {plural(len(found), 'cell')}: {shown}; {unsure} not certain (Holm over the cells)."


def _duel_json(duel: Duel) -> dict[str, Any]:
    lead = duel.lead
    return {
        "where": dict(duel.where),
        "winner": duel.winner,
        "second": duel.second,
        "gain": None if lead is None else {"ratio": lead.ratio, "low": lead.low, "high": lead.high, "n": lead.n},
        "p_holm": duel.p_holm,
        "certain": duel.certain,
    }


def _map(factor: Factor, found: Sequence[Duel], name: str, others: Sequence[Factor]) -> str:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle

    across, down = others
    columns, rows = (_order([duel.where[each.name] for duel in found], each) for each in others)
    rivals = _order([duel.winner for duel in found], factor)
    shades = {value: _SHADES[place % len(_SHADES)] for place, value in enumerate(rivals)}
    figure = Figure(figsize=(3.5 + 1.3 * len(columns), 1.5 + 0.7 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for duel in found:
        x, y = columns.index(duel.where[across.name]), rows.index(duel.where[down.name])
        hatch = None if duel.certain else "///"
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=shades[duel.winner], edgecolor="0.3", hatch=hatch))
        text = "" if duel.lead is None else ratio_text(duel.lead.ratio)
        axes.text(x, y, text, ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(-0.5, len(rows) - 0.5), xlabel=across.name, ylabel=down.name)
    axes.set_xticks(range(len(columns)), [value_words(value, across) for value in columns])
    axes.set_yticks(range(len(rows)), [value_words(value, down) for value in rows])
    handles = [Patch(facecolor=shades[value], edgecolor="0.3", label=value_words(value, factor)) for value in rivals]
    handles.append(Patch(facecolor="white", edgecolor="0.3", hatch="///", label="not certain"))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, title=factor.name)
    axes.set_title(f"Who wins in {label(name)}, and by how much", fontsize=9)
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def _order(values: Sequence[Value], factor: Factor) -> list[Any]:
    seen: list[Any] = list(dict.fromkeys(values))
    return sorted(seen, key=str) if factor.is_category else sorted(seen)


def _varied(runs: Runs) -> list[Factor]:
    """Return the factors with more than one value, in the order of the experiment."""
    cells = sweep_cells(runs, ())
    return [factor for factor in runs.factors if len({cell.values[factor.name] for cell in cells}) > 1]
