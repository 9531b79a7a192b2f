"""The section on the phases of a workload: who wins in each, and reference against result in each."""

from collections.abc import Iterator, Sequence

from lsmtune.analysis import sweep_phases
from lsmtune.report._names import candidate_word
from lsmtune.report._phases import (
    ArmNames,
    arm_mark,
    how_compared,
    phase_grid,
    phase_sentence,
    phase_words,
)
from lsmtune.report._sweep import has_cells
from lsmtune.report._values import ADJUSTED, format_indicator, label, with_interval
from lsmtune.report.html._blocks import Fold, Paragraph, Part, Picture, grid_of, rows_of
from lsmtune.report.html._chart import Axis, Chart, Level, Mark, Series, shortened
from lsmtune.report.html._view import ReportView
from lsmtune.result import Comparison, PhaseRow, PhaseTable, WorkloadFacts
from lsmtune.units import plural

_MARKS = (Mark.ESTIMATE, Mark.REFERENCE, Mark.CROSS, Mark.STAR, Mark.VERIFIED, Mark.DOT)
_SPREAD = 0.5  # of a row, in which its arms stand one below the other
_BEYOND = 1.8  # times the outermost ratio: intervals may reach beyond the frame, so that they do not flatten all else
_MOST_CHARTS = 6


def phase_tables(view: ReportView) -> list[tuple[PhaseTable, ArmNames]]:
    """Return who wins in each phase, of a sweep or a comparison over several phases, by indicator."""
    if view.sweep is None:
        return [(table, ArmNames()) for table in view.result.phases]
    runs, competing = view.sweep.runs, view.sweep.competing
    if competing is None or not has_cells(runs):
        return []
    tables = sweep_phases(runs, competing, view.sweep.first)
    return [(table, ArmNames.of_sweep(runs, competing, table)) for table in tables]


def winner_by_phase_parts(view: ReportView) -> Iterator[Part]:
    """Yield sentence, charts and table of who wins in each phase, for each indicator; all but the first folded."""
    for place, (table, names) in enumerate(phase_tables(view)):
        charts, left_out = phase_charts(table, names)
        pictures = tuple(map(Picture, charts))
        grid = grid_of(phase_grid(table, names), f"{_title(table.indicator)} in each phase")
        parts: tuple[Part, ...] = (Paragraph(phase_sentence(table, names)), *pictures[:1], grid)
        if pictures[1:]:
            parts += (Fold("The same for other values of the factors", pictures[1:]),)
        if left_out:
            without = f"Without a chart: {plural(left_out, 'further combination')} of the factors"
            parts += (Paragraph(f"{without}; the table has them all.", "note"),)
        if place == 0:
            yield from parts
            yield Paragraph(how_compared(table, names), "note")
        else:
            yield Fold(_title(table.indicator), parts)


def phase_charts(table: PhaseTable, names: ArmNames) -> tuple[tuple[Chart, ...], int]:
    """Return charts of every arm's ratio to the first, phase by phase, and how many places of a table have none.

    A place that nothing can be compared in is not counted.
    """
    places: list[list[PhaseRow]] = []
    for row in table.rows:
        if not places or places[-1][0].where != row.where:
            places.append([])
        places[-1].append(row)
    compared = [rows for rows in places if any(row.ratios for row in rows)]
    charts = tuple(_chart(table, names, rows, number) for number, rows in enumerate(compared[:_MOST_CHARTS]))
    return charts, len(compared) - len(charts)


def reference_by_phase_parts(view: ReportView) -> Iterator[Part]:
    """Yield reference against result in each phase, in the order in which they run, a table for each indicator."""
    comparison, phase = view.comparison, view.measured_phase
    by_phase = dict.fromkeys(name.partition("@")[2] for name in view.indicators if "@" in name)
    if comparison is None or not by_phase:
        return
    workload = view.result.facts.workload or WorkloadFacts()
    steps = {step: place for place, step in enumerate((*(workload.load or ()), *(workload.benchmarks or ())))}
    for base in dict.fromkeys(name.partition("@")[0] for name in view.indicators if "@" in name):
        names = [(each, f"{base}@{each}") for each in by_phase] + [(phase or "measured phase", base)]
        ran = sorted(names, key=lambda named: steps.get(named[0], len(steps)))
        rows = [_phase_row(comparison, name, each) for each, name in ran if name in comparison.levels]
        if rows:
            headers = ("phase", view.result.rules.reference, candidate_word(view.result, comparison))
            yield rows_of(_title(base), (*headers, f"ratio [{ADJUSTED}]", "n"), rows, (1, 2, 4))


def _chart(table: PhaseTable, names: ArmNames, rows: Sequence[PhaseRow], number: int) -> Chart:
    base, *arms = table.arms
    known = [ratio for row in rows for ratio in row.ratios.values()]
    low = max(min(1.0, *(it.low for it in known)), min(1.0, *(it.ratio for it in known)) / _BEYOND)
    high = min(max(1.0, *(it.high for it in known)), max(1.0, *(it.ratio for it in known)) * _BEYOND)
    beyond = "; some reach beyond the frame" if any(it.low < low or it.high > high for it in known) else ""
    where = ", ".join(f"{it.short} = {words}" for it, words in zip(names.others, names.where(rows[0]), strict=True))
    return Chart(
        name=f"phases-{table.indicator}{f'-{number + 1}' if number else ''}",
        title=f"{_title(table.indicator)} in each phase, over that of {names.of(base)}{f'; {where}' if where else ''}",
        alt=f"A row for each phase and one for the geometric mean over them; right of 1 is {label(table.indicator)} "
        f"above that of {names.of(base)}. Intervals hold together over all rows{beyond}.",
        x=Axis(f"ratio to {shortened(names.of(base))}", suffix="x", ends=(low - 0.04 * (high - low), high * 1.02)),
        y=Axis("", tuple(shortened(phase_words(table, row)) for row in rows)),
        series=tuple(_series(table, names, rows, place) for place in range(len(arms))),
        levels=(Level("x", 1.0, shortened(names.of(base))),),
        height=130 + (26 + 14 * len(arms)) * len(rows),
    )


def _series(table: PhaseTable, names: ArmNames, rows: Sequence[PhaseRow], place: int) -> Series:
    arms = table.arms[1:]
    arm = arms[place]
    shift = ((2 * place + 1) / (2 * len(arms)) - 0.5) * _SPREAD
    known = [(at, row, row.ratios[arm]) for at, row in enumerate(rows) if arm in row.ratios]
    return Series(
        shortened(names.of(arm)),
        _MARKS[place % len(_MARKS)],
        tuple(it.ratio for _, _, it in known),
        tuple(at + shift for at, _, _ in known),
        tuple((it.low, it.high) for _, _, it in known),
        notes=tuple(
            f"{names.of(arm)}, {phase_words(table, row)}: {with_interval(it.ratio, it.low, it.high)} "
            f"{arm_mark(table.indicator, it)}".rstrip()
            for _, row, it in known
        ),
    )


def _phase_row(comparison: Comparison, name: str, phase: str) -> tuple[str, ...]:
    pairs = comparison.indicators.get(name)
    levels = (format_indicator(name, level) for level in comparison.levels[name])
    ratio = "?" if pairs is None else with_interval(pairs.ratio, pairs.low, pairs.high)
    return (phase, *levels, ratio, "?" if pairs is None else str(pairs.n))


def _title(name: str) -> str:
    return f"{label(name)[0].upper()}{label(name)[1:]}"
