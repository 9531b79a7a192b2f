"""Charts of a sweep: maps of who wins where, lines over a factor, tails of latency of each competing value."""

import itertools
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lsmtune.analysis import PairwiseComparison, Runs, pairwise_comparisons, sweep_cells
from lsmtune.indicators import indicator
from lsmtune.model import Purpose, Value
from lsmtune.report._analysis_words import value_words
from lsmtune.report._sweep import has_cells, varied_factors
from lsmtune.report._values import format_indicator, label, listed, ratio_text
from lsmtune.report.html._chart import Axis, Chart, Mark, Scale, Series, shortened
from lsmtune.report.html._static import svg_file
from lsmtune.report.html._verdict_charts import TAILS, latency_kinds, latency_name, tail_words
from lsmtune.space import Factor
from lsmtune.stats import compare_log_ratios

MOST_SLICES = 6
"""Charts of one kind and indicator: one for each combination of the factors that have no axis."""

_CELLS = (Mark.CELL_1, Mark.CELL_2, Mark.CELL_3, Mark.CELL_4)
_LINES = (Mark.LINE, Mark.DASHED, Mark.DOTTED, Mark.DASHDOT)
_LEAST_TAILS = 3
_WIDE_RANGE = 20  # beyond it, a linear axis shows the largest only
_SPREAD = 0.24  # of a place of the axis: the lines stand a little apart, so that intervals do not cover one another
_LETTERS = 72  # of the names in a row of cells, side by side
_LEAST_LETTERS, _MOST_LETTERS, _MOST_LINES = 11, 24, 2  # of a name in a cell


def sweep_figures(runs: Runs, indicators: Sequence[str], competing: str | None) -> Mapping[str, str]:
    """Return every figure of a sweep as the text of an SVG, by file name; none before a cell has run.

    Equal runs give equal texts.
    """
    if not has_cells(runs):
        return {}
    judged = [name for name in indicators if indicator(name).better is not None]
    charts = [
        *(chart for name in judged if competing is not None for chart in winner_maps(runs, name, competing)),
        *(chart for name in indicators for chart in level_lines(runs, name, competing)),
        *tail_lines(runs, competing),
    ]
    return {f"{file_stem(chart.name)}.svg": svg_file(chart) for chart in charts}


def figures_left_out(runs: Runs, indicators: Sequence[str], competing: str | None) -> str:
    """Say how many combinations of the factors `sweep_figures` does not draw, and where they are; empty for none."""
    if not has_cells(runs):
        return ""
    kinds: list[tuple[str, list[Factor]]] = []
    if competing is not None and any(indicator(name).better is not None for name in indicators):
        kinds.append(("maps", map_axes(runs, competing)))
    if indicators:
        kinds.append(("lines", line_axes(runs, competing)))
    if any(len(_tails_of(runs, kind, phase)) >= _LEAST_TAILS for kind, phase in latency_kinds(runs.indicators)):
        kinds.append(("tails", []))
    counted = [f"{number} in {kind}" for kind, axes in kinds if (number := undrawn(runs, competing, axes))]
    if not counted:
        return ""
    return (
        f"combinations of the factors beyond the first {MOST_SLICES} have no figure: {listed(counted)}; the tables and "
        "--json have them all, of any indicator with --indicator"
    )


def file_stem(name: str) -> str:
    """Return the name of a chart without what file names should not have."""
    return "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in name.replace("@", "-at-"))


def map_axes(runs: Runs, competing: str) -> list[Factor]:
    """Return the axes of `winner_maps`: one or two factors, none where nothing but the competing one varied."""
    return _others(runs, competing)[:2]


def line_axes(runs: Runs, competing: str | None) -> list[Factor]:
    """Return the axis of `level_lines`, the first numeric factor if there is one; none as for `map_axes`."""
    others = _others(runs, competing)
    return [next((factor for factor in others if not factor.is_category), others[0])] if others else []


def undrawn(runs: Runs, competing: str | None, axes: Sequence[Factor]) -> int:
    """Return how many combinations of the factors without an axis are left out, as there would be too many charts."""
    return max(0, len(_combinations(runs, _without(_others(runs, competing), axes))) - MOST_SLICES)


def _others(runs: Runs, competing: str | None) -> list[Factor]:
    return [factor for factor in varied_factors(runs) if factor.name != competing]


def _without(factors: Sequence[Factor], axes: Sequence[Factor]) -> list[Factor]:
    names = {axis.name for axis in axes}
    return [factor for factor in factors if factor.name not in names]


def winner_maps(runs: Runs, name: str, competing: str) -> Iterator[Chart]:
    """Yield maps of who wins in an indicator over the first two other factors.

    Each cell holds the winner and its gain over the second; one without a shade, and with a question mark, is not
    certain. There is none where no other factor varied.

    Raises:
        UsageError: see `pairwise_comparisons`.
    """
    axes = map_axes(runs, competing)
    found = pairwise_comparisons(runs, competing, name)
    if not axes or not found:
        return
    across, down = axes[0], axes[1] if len(axes) > 1 else None
    for place, (where, slice_words) in enumerate(_slices(runs, _without(_others(runs, competing), axes))):
        here = [compared for compared in found if all(compared.where[key] == value for key, value in where.items())]
        if here:
            yield _map(runs, here, (across, down, runs.by_name[competing]), (name, place, slice_words))


def level_lines(runs: Runs, name: str, competing: str | None) -> Iterator[Chart]:
    """Yield charts of an indicator over the first numeric factor, a line for each competing value, with 95 % intervals.

    There is none where nothing but the competing factor varied.
    """
    axes = line_axes(runs, competing)
    if not axes or name not in runs.indicators:
        return
    (across,) = axes
    values, cells = _values(runs, across), runs.of(Purpose.SAMPLE)
    for place, (where, slice_words) in enumerate(_slices(runs, _without(_others(runs, competing), axes))):
        lines = []
        for mark, words, line in _competing_values(runs, competing):
            levels = [_level(cells, name, {**where, **line, across.name: value}) for value in values]
            if any(level is not None for level in levels):
                lines.append((mark, words, levels))
        if lines:
            axis = Axis(across.short, tuple(value_words(value, across) for value in values))
            yield _levels_chart(lines, axis, (name, place, slice_words))


def tail_lines(runs: Runs, competing: str | None) -> Iterator[Chart]:
    """Yield charts of latency from the median to the maximum, a line for each competing value and kind of operation."""
    others, cells = _others(runs, competing), runs.of(Purpose.SAMPLE)
    for kind, phase in latency_kinds(runs.indicators):
        names = _tails_of(runs, kind, phase)
        if len(names) < _LEAST_TAILS:
            continue
        for place, (where, slice_words) in enumerate(_slices(runs, others)):
            lines = []
            for mark, words, line in _competing_values(runs, competing):
                levels = [_level(cells, name, {**where, **line}) for name in names]
                if all(level is not None for level in levels):
                    lines.append((mark, words, levels))
            if lines:
                yield _tails_chart(lines, names, (kind, phase, place, slice_words))


def _tails_of(runs: Runs, kind: str, phase: str) -> list[str]:
    names = [latency_name(kind, tail, phase) for tail in TAILS]
    return [name for name in names if name in runs.indicators]


def _map(
    runs: Runs,
    found: Sequence[PairwiseComparison],
    axes: tuple[Factor, Factor | None, Factor],
    about: tuple[str, int, str],
) -> Chart:
    (across, down, factor), (name, place, slice_words) = axes, about
    columns, rows = _values(runs, across), [] if down is None else _values(runs, down)
    values = _values(runs, factor)
    series = []
    for mark, value in zip(itertools.cycle(_CELLS), values, strict=False):
        series.append(
            (value_words(value, factor), mark, [each for each in found if each.certain and each.winner == value])
        )
    series.append(("not certain", Mark.CELL_OPEN, [each for each in found if not each.certain]))
    title = f"Who wins in {label(name)}, and by how much{slice_words}"
    return Chart(
        name=f"winner-{name}{f'-{place + 1}' if place else ''}",
        title=title,
        alt=f"Each cell names the best of {factor.short} and its gain over the second; a cell without a shade and with "
        "a question mark is not certain.",
        x=Axis(across.short, tuple(value_words(value, across) for value in columns)),
        y=Axis("", ("",)) if down is None else Axis(down.short, tuple(value_words(value, down) for value in rows)),
        series=tuple(
            Series(
                words,
                mark,
                tuple(float(columns.index(compared.where[across.name])) for compared in compared_here),
                tuple(
                    0.0 if down is None else float(rows.index(compared.where[down.name])) for compared in compared_here
                ),
                notes=tuple(_comparison_note(compared, factor) for compared in compared_here),
                texts=tuple(_comparison_text(compared, factor, len(columns)) for compared in compared_here),
            )
            for words, mark, compared_here in series
            if compared_here
        ),
        height=120 + 74 * max(len(rows), 1),
    )


def _comparison_text(compared: PairwiseComparison, factor: Factor, columns: int) -> str:
    """Return winner and gain in lines that a cell has room for, the wider the fewer columns there are."""
    room = max(_LEAST_LETTERS, min(_MOST_LETTERS, _LETTERS // columns))
    words = value_words(compared.winner, factor)
    name = "\n".join(textwrap.wrap(words, room, max_lines=_MOST_LINES, placeholder="…"))
    gain = "" if compared.lead is None else ratio_text(compared.lead.ratio)
    return f"{name}{'' if compared.certain else '?'}\n{gain}".rstrip()


def _comparison_note(compared: PairwiseComparison, factor: Factor) -> str:
    words = value_words(compared.winner, factor)
    if compared.second is None:
        return f"{words}: only it gave the indicator here"
    over = f"{words} over {value_words(compared.second, factor)}"
    if compared.lead is None:
        return f"{over}: no ratio"
    low, high = (ratio_text(end) for end in (compared.lead.low, compared.lead.high))
    return f"{over}: {ratio_text(compared.lead.ratio)} [{low}, {high}], {compared.lead.n} blocks"


def _levels_chart(lines: Sequence[tuple[Mark, str, list[Any]]], axis: Axis, about: tuple[str, int, str]) -> Chart:
    name, place, slice_words = about
    known = [level[0] for _, _, levels in lines for level in levels if level is not None]
    scale = Scale.of(name, known)
    wide = min(known) > 0 and max(known) / min(known) > _WIDE_RANGE
    return Chart(
        name=f"levels-{name}{f'-{place + 1}' if place else ''}",
        title=f"{label(name)[0].upper()}{label(name)[1:]} over {axis.title}{slice_words}",
        alt="Geometric means over the blocks with 95 % intervals, which hold the differences between blocks too; "
        "a single block has none, nor has a level with 0 in it, whose mean is the arithmetic one; "
        "who is better is decided within blocks, see who wins where.",
        x=axis,
        y=Axis(scale.title, log=wide),
        series=tuple(
            Series(
                words,
                mark,
                tuple(at + (2 * number + 1 - len(lines)) / (2 * len(lines)) * _SPREAD for at in range(len(levels))),
                tuple(None if level is None else level[0] / scale.factor for level in levels),
                y_span=tuple(
                    (math.nan, math.nan) if level is None else (level[1] / scale.factor, level[2] / scale.factor)
                    for level in levels
                ),
                notes=tuple(
                    "" if level is None else f"{words}: {format_indicator(name, level[0])}, n = {level[3]}"
                    for level in levels
                ),
            )
            for number, (mark, words, levels) in enumerate(lines)
        ),
    )


def _tails_chart(
    lines: Sequence[tuple[Mark, str, list[Any]]], names: Sequence[str], about: tuple[str, str, int, str]
) -> Chart:
    kind, phase, place, slice_words = about
    what = f"{kind} latency".strip() + (f" of {phase}" if phase else "")
    scale = Scale.of(names[0], [lines[0][2][len(names) // 2][0]])
    return Chart(
        name=f"tail{f'-{kind}' if kind else ''}{f'@{phase}' if phase else ''}{f'-{place + 1}' if place else ''}",
        title=f"{what[0].upper()}{what[1:]} from the median to the maximum{slice_words}",
        alt="A line for each of the competing values: geometric means over the blocks; lower is better.",
        x=Axis("", tuple(map(tail_words, names))),
        y=Axis(f"{what} [{scale.title.rpartition('[')[2]}", log=True),
        series=tuple(
            Series(
                words,
                mark,
                tuple(float(at) for at in range(len(levels))),
                tuple(level[0] / scale.factor if level[0] > 0 else None for level in levels),
            )
            for mark, words, levels in lines
        ),
    )


def _slices(runs: Runs, factors: Sequence[Factor]) -> list[tuple[dict[str, Value], str]]:
    """Return the combinations of factors without an axis that get a chart, each with the words that end its title."""
    found = []
    for values in _combinations(runs, factors)[:MOST_SLICES]:
        words = [
            f"{factor.short} = {value_words(value, factor)}" for factor, value in zip(factors, values, strict=True)
        ]
        where = {factor.name: value for factor, value in zip(factors, values, strict=True)}
        found.append((where, f"; {', '.join(words)}" if words else ""))
    return found


def _combinations(runs: Runs, factors: Sequence[Factor]) -> list[tuple[Value, ...]]:
    """Return the combinations of factors that ran."""
    return list(dict.fromkeys(tuple(cell.values[factor.name] for factor in factors) for cell in sweep_cells(runs, ())))


def _competing_values(runs: Runs, competing: str | None) -> list[tuple[Mark, str, dict[str, Value]]]:
    if competing is None:
        return [(Mark.LINE, "all runs", {})]
    factor = runs.by_name[competing]
    values = _values(runs, factor)
    return [
        (mark, shortened(value_words(value, factor)), {competing: value})
        for mark, value in zip(itertools.cycle(_LINES), values, strict=False)
    ]


def _level(cells: Runs, name: str, where: Mapping[str, Value]) -> tuple[float, float, float, int] | None:
    """Return mean, ends of its 95 % interval, and n; the ends are nan where they are not known."""
    column = cells.indicator(name) if name in cells.indicators else np.full(len(cells), np.nan)
    mask = cells.counting(name) & np.isfinite(column)
    for key, value in where.items():
        mask &= cells.values(key) == value
    known = column[mask]
    if not known.size:
        return None
    if known.size < 2 or np.any(known <= 0):
        return float(known.mean()), math.nan, math.nan, int(known.size)
    fit = compare_log_ratios(np.log(known).tolist())  # logarithms of levels: the "ratio" is their geometric mean
    return fit.ratio, fit.low, fit.high, fit.n


def _values(runs: Runs, factor: Factor) -> list[Any]:
    seen = list(dict.fromkeys(runs.of(Purpose.SAMPLE).values(factor.name).tolist()))
    return sorted(seen, key=str) if factor.is_category else sorted(seen)
