"""The sections of a report that only a sweep has: who wins where, the cells, lines."""

from collections.abc import Iterator, Sequence

from lsmtune.analysis import pairwise_comparisons, rule_of_thumb, sweep_cells, sweep_phases
from lsmtune.indicators import INDICATORS, indicator
from lsmtune.model import Purpose
from lsmtune.report._phases import ArmNames, phase_sentence
from lsmtune.report._sweep import NO_CELLS, cells_table, comparisons_table, has_cells, rule_words
from lsmtune.report._values import label
from lsmtune.report.html._blocks import Fold, Grid, Heading, Paragraph, Part, Picture, grid_of
from lsmtune.report.html._chart import Chart
from lsmtune.report.html._sweep_charts import level_lines, line_axes, map_axes, tail_lines, undrawn, winner_maps
from lsmtune.report.html._view import ReportView, SweepView
from lsmtune.units import plural

_CHARTED = (
    *("throughput_settled_ops_s", "throughput_ops_s", "latency_p50_s", "latency_p99_s", "latency_p9999_s", "waf"),
    *("space_bytes", "space_peak_bytes", "read_amp", "cache_hit_ratio", "compaction_count", "compaction_time_s"),
    *("compaction_written_bytes", "stall_time_s", "cpu_s", "memory_peak_bytes"),
)
"""Indicators that have charts, beside those of the objective and those of other phases; the tables have all."""
_MOST_BY_PHASE = 6
_COLUMNS = 7  # of indicators in one table of cells


def winner_parts(view: ReportView) -> Iterator[Part]:
    """Yield rule of thumb, map and table of pairwise comparisons of each indicator, all but the first folded."""
    sweep = view.sweep
    if sweep is None or sweep.competing is None or not has_cells(sweep.runs):
        return
    left_out = undrawn(sweep.runs, sweep.competing, map_axes(sweep.runs, sweep.competing))
    for place, name in enumerate(name for name in _charted(sweep) if indicator(name).better is not None):
        found = pairwise_comparisons(sweep.runs, sweep.competing, name)
        if not found:
            continue
        charts = tuple(winner_maps(sweep.runs, name, sweep.competing))
        parts: tuple[Part, ...] = (
            Paragraph(rule_words(sweep.runs, sweep.competing, name, rule_of_thumb(found))),
            *_pictures(charts, left_out),
            grid_of(
                comparisons_table(sweep.runs, sweep.competing, found),
                f"{label(name)}: the best of each cell over the second",
            ),
        )
        if place == 0:
            yield Paragraph(
                "Compared within blocks, whose runs stood side by side; certain is what is left at 5 % after Holm over "
                "the cells. That the winner was chosen as the best of several is not corrected for.",
                "note",
            )
            yield Heading(_title(name))
            yield from parts
        else:
            yield Fold(_title(name), parts)
    yield from _without_charts(sweep)


def cell_parts(view: ReportView) -> Iterator[Part]:
    """Yield every cell with every indicator that was measured, a few columns in a table."""
    sweep = view.sweep
    if sweep is None:
        return
    if not has_cells(sweep.runs):
        yield Paragraph(NO_CELLS)
        return
    names = _ordered(sweep)
    for start in range(0, max(len(names), 1), _COLUMNS):
        part = names[start : start + _COLUMNS]
        caption = "Each cell: means over its blocks" if start == 0 else "Each cell, continued"
        grid: Grid = grid_of(cells_table(sweep.runs, sweep_cells(sweep.runs, part)), caption)
        yield grid if start == 0 else Fold(f"{label(part[0])} to {label(part[-1])}", (grid,))


def line_parts(view: ReportView) -> Iterator[Part]:
    """Yield the indicators over the first numeric factor, and tails of latency, all but the first of both folded."""
    sweep = view.sweep
    if sweep is None or not has_cells(sweep.runs):
        return
    drawn = [(name, tuple(level_lines(sweep.runs, name, sweep.competing))) for name in _charted(sweep)]
    left_out = undrawn(sweep.runs, sweep.competing, line_axes(sweep.runs, sweep.competing))
    for place, (name, charts) in enumerate((name, charts) for name, charts in drawn if charts):
        if place == 0:
            yield from _pictures(charts, left_out)
        else:
            yield Fold(_title(name), _pictures(charts, left_out))
    yield from _without_charts(sweep)
    tails = tuple(tail_lines(sweep.runs, sweep.competing))
    if tails:
        yield Heading("Tails of latency")
        yield from _pictures(tails, undrawn(sweep.runs, sweep.competing, ()))


def sweep_sentence(sweep: SweepView) -> str:
    """Say what a sweep found: in each phase where there are several, else in the first indicator with a better side."""
    judged = [name for name in _charted(sweep) if indicator(name).better is not None] if has_cells(sweep.runs) else []
    if sweep.competing is None or not judged:
        return (
            "What each cell of the grid gave; nobody competes."
            if sweep.competing is None
            else "No cell has a result yet."
        )
    by_phase = sweep_phases(sweep.runs, sweep.competing, sweep.first)[:1]
    if by_phase:
        return phase_sentence(by_phase[0], ArmNames.of_sweep(sweep.runs, sweep.competing, by_phase[0]))
    return rule_words(
        sweep.runs,
        sweep.competing,
        judged[0],
        rule_of_thumb(pairwise_comparisons(sweep.runs, sweep.competing, judged[0])),
    )


def _pictures(charts: Sequence[Chart], left_out: int) -> tuple[Part, ...]:
    """Return charts of one kind: the first in sight, the others folded; and how many combinations have none."""
    shown = tuple(Picture(chart) for chart in charts)
    folded = (Fold("The same for other values of the factors", shown[1:]),) if shown[1:] else ()
    if not charts or not left_out:
        return (*shown[:1], *folded)
    counted = f'Without a chart: {plural(left_out, "further combination")} of the factors; "The cells" has them all.'
    return (*shown[:1], *folded, Paragraph(counted, "note"))


def _without_charts(sweep: SweepView) -> Iterator[Part]:
    left_out = [name for name in _by_phase(sweep)[_MOST_BY_PHASE:] if name not in sweep.first]
    if left_out:
        counted = plural(len(left_out), "further indicator")
        yield Paragraph(f'Without charts: {counted} of other phases; "The cells" has them all.', "note")


def _ordered(sweep: SweepView) -> list[str]:
    """Return all measured indicators, those of the objective first, then as they are declared."""
    measured = set(sweep.runs.of(Purpose.SAMPLE).indicators)
    declared = [name for name in INDICATORS if name in measured]
    return [name for name in dict.fromkeys((*sweep.first, *declared, *sorted(measured))) if name in measured]


def _charted(sweep: SweepView) -> list[str]:
    ordered = _ordered(sweep)
    wanted = (*sweep.first, *_CHARTED, *_by_phase(sweep)[:_MOST_BY_PHASE])
    return [name for name in dict.fromkeys(wanted) if name in ordered]


def _by_phase(sweep: SweepView) -> list[str]:
    return [name for name in _ordered(sweep) if name.startswith(("throughput_ops_s@", "latency_p99_s@"))]


def _title(name: str) -> str:
    return f"{label(name)[0].upper()}{label(name)[1:]}"
