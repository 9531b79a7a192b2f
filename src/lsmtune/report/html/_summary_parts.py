"""The first section: what somebody who decides has to know, on one page when it is printed."""

from collections.abc import Iterator
from dataclasses import replace

from lsmtune.analysis import pairwise_comparisons
from lsmtune.indicators import indicator
from lsmtune.model import Purpose, StudyKind
from lsmtune.report._about import engine_rows, host_words, workload_words
from lsmtune.report._analysis_words import value_words
from lsmtune.report._climb import holding_words
from lsmtune.report._phases import phase_grid
from lsmtune.report._sweep import comparisons_table, has_cells, varied_factors
from lsmtune.report._tables import bounds_table, changes_table, finalists_table
from lsmtune.report._values import label, listed, percent_range
from lsmtune.report.html._blocks import Cell, Grid, Listing, Part, Printed, grid_of, rows_of
from lsmtune.report.html._evidence_parts import cost_table
from lsmtune.report.html._phase_parts import phase_tables
from lsmtune.report.html._view import ReportView
from lsmtune.result import reference_words
from lsmtune.units import format_seconds, plural

_MOST_ROWS = 10
"""Rows of a table that the page has room for; further ones are counted."""
_MOST_DOUBTS = 3
_MOST_LETTERS, _MOST_OF_A_DOUBT = 260, 120
"""Of one fact; the whole text stands in the sections below."""


def summary_parts(view: ReportView) -> Iterator[Part]:
    """Yield question, changes, costs, where it holds, how it was measured and the command.

    What sections below have, too, is shown where the page is printed only.
    """
    facts = [("Question", _question(view)), *_holds(view), ("Measured", _measured(view))]
    yield _facts(facts[:1])
    yield Printed((*_changes(view), *_costs(view), *_competitors(view), *_by_phase(view)))
    yield _facts(facts[1:])
    yield Listing("\n".join(line for line in view.commands if not line.startswith("#")), "Commands that repeat it")


def _question(view: ReportView) -> str:
    result, facts = view.result, view.result.facts
    wanted = listed([f"{indicator(name).better} {label(name)}" for name in result.rules.objective.weights])
    than, under = f"than {reference_words(result.rules.reference)}", f"for {workload_words(facts)}"
    kind = result.decisions.plan
    if view.sweep is not None:
        return f"{_of_sweep(view)}, {under}?"
    if view.sampled:
        return f"Which options matter for a {wanted}, {under}?"
    if kind is StudyKind.COMPARE:
        *names, last = result.decisions.finalists or ("what was named",)
        either = f"{', '.join(names)} or {last}" if names else last
        return f"Does {either} give a {wanted} {than}, {under}?"
    if kind is StudyKind.STEPS:
        return f"Which of the named changes, one after the other, give a {wanted} {than}, {under}?"
    number = len(facts.searched or ())
    options = plural(number, "option") if number else "the options"
    return f"Do other values of {options} give a {wanted} {than}, {under}?"


def _of_sweep(view: ReportView) -> str:
    sweep = view.sweep
    if sweep is None or sweep.competing is None or not has_cells(sweep.runs):
        return "What does each cell of the grid give"
    factor = sweep.runs.by_name[sweep.competing]
    values = dict.fromkeys(sweep.runs.of(Purpose.SAMPLE).values(factor.name).tolist())
    others = [each.short for each in varied_factors(sweep.runs) if each.name != factor.name]
    over = f", over values of {listed(others)}" if others else ""
    return f"Which {factor.short} is best, {listed([value_words(value, factor) for value in values])}{over}"


def _changes(view: ReportView) -> Iterator[Part]:
    if not view.sampled and view.result.changes:
        yield _cut(grid_of(changes_table(view.result, view.option_units), "What changed"))


def _costs(view: ReportView) -> Iterator[Part]:
    """Yield guards and limits, and beside them memory, space, writes and processor time."""
    result, comparison = view.result, view.comparison
    if comparison is None:
        return
    bounds = bounds_table(result, comparison)
    if bounds is not None:
        yield _cut(grid_of(bounds, "Guards and limits"))
    table = cost_table(result, comparison)
    if table is not None:
        yield _cut(grid_of(table, "What it costs"))


def _holds(view: ReportView) -> Iterator[tuple[str, str]]:
    result = view.result
    yield "Holds for", "; ".join(f"{words}" for _, words in engine_rows(result))
    others = [name for name in result.host_names if name != result.description.host.name]
    yield "on", "; ".join([host_words(result.description.host), *([f"and {listed(others)}"] if others else [])])
    holding = holding_words(result)
    if holding:
        yield "at", holding
    if result.on_one_load and view.comparison is not None:
        yield "and", "this data only: all runs of the verification read or wrote the same"
    left = len(result.warnings) - _MOST_DOUBTS
    for place, warning in enumerate(result.warnings[:_MOST_DOUBTS]):
        about = f"{warning.about}: " if warning.about else ""
        more = f" (and {plural(left, 'further finding')})" if left > 0 and place == _MOST_DOUBTS - 1 else ""
        first = _short(f"{about}{warning.sentence.partition(';')[0]}", _MOST_OF_A_DOUBT)
        yield "" if place else "Doubts", f"{first}{more}"


def _measured(view: ReportView) -> str:
    result, comparison = view.result, view.comparison
    summary = result.summary
    parts = [f"{plural(summary.runs, 'run')}, {format_seconds(summary.run_time_s)} of running"]
    if comparison is not None:
        parts.append(f"the ratio from {plural(comparison.claim.n, 'pair')} of fresh runs side by side, in random order")
    if view.sweep is not None and has_cells(view.sweep.runs):
        blocks = int(view.sweep.runs.of(Purpose.SAMPLE).frame["block"].nunique())
        parts.append(f"{plural(blocks, 'block')}, each with every cell in random order")
    for name in result.rules.objective.weights:
        floor = result.noise.get(name)
        if floor is not None:
            spread = percent_range(floor.sd_log, floor.sd_low, floor.sd_high)
            parts.append(f"{label(name)} of the reference scatters by {spread} from run to run")
    return "; ".join(parts)


def _competitors(view: ReportView) -> Iterator[Part]:
    """Yield all that was compared: named configurations with their verdicts, or the winner of each cell of a sweep."""
    result, sweep = view.result, view.sweep
    if sweep is not None and sweep.competing is not None and has_cells(sweep.runs) and not phase_tables(view):
        measured = sweep.runs.of(Purpose.SAMPLE).indicators
        name = next((name for name in sweep.first if indicator(name).better and name in measured), None)
        if name is not None:
            found = pairwise_comparisons(sweep.runs, sweep.competing, name)
            yield _cut(grid_of(comparisons_table(sweep.runs, sweep.competing, found), f"Who wins in {label(name)}"))
    elif result.decisions.plan is StudyKind.COMPARE and len(result.verified) > 1:
        yield _cut(grid_of(finalists_table(result.verified, result.decisions.finalists or ()), "All that was compared"))


def _by_phase(view: ReportView) -> Iterator[Part]:
    for table, names in phase_tables(view)[:1]:
        short = len(table.rows) > _MOST_ROWS
        yield _cut(grid_of(phase_grid(table, names, means_only=short), f"In each phase: {label(table.indicator)}"))


def _facts(rows: list[tuple[str, str]]) -> Grid:
    """Return facts, each cut to the room that a page has for it."""
    return rows_of("", (), [(name, _short(words, _MOST_LETTERS)) for name, words in rows])


def _short(words: str, room: int) -> str:
    return words if len(words) <= room else f"{words[:room].rpartition(' ')[0]} ..."


def _cut(grid: Grid) -> Grid:
    """Return a table with as many rows as there is room for, and a row that says how many are left out."""
    left_out = len(grid.rows) - _MOST_ROWS
    if left_out <= 0:
        return grid
    rest = (Cell(f"and {plural(left_out, 'further row')}, see below", "note"), *(Cell(""),) * (len(grid.headers) - 1))
    return replace(grid, rows=(*grid.rows[:_MOST_ROWS], rest))
