"""The sections of a report, in the order in which they answer questions."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from lsmtune import __version__
from lsmtune.model import Purpose, Status, StudyKind
from lsmtune.report._about import engine_rows, host_words, own_rows, workload_words
from lsmtune.report._front_tables import front_parts
from lsmtune.report._lists import trials_table
from lsmtune.report._names import candidate_word
from lsmtune.report._story import story
from lsmtune.report._tables import (
    baselines_table,
    bounds_table,
    changes_table,
    detectable_words,
    finalists_table,
    indicator_table,
    noise_table,
    taken_back_table,
)
from lsmtune.report._values import ADJUSTED, format_indicator, label, plural, with_interval
from lsmtune.report._words import fresh_run_sentences, search_end_sentence, smaller_words
from lsmtune.report.html._analysis_parts import readable_analysis
from lsmtune.report.html._blocks import (
    Bullets,
    Explorer,
    Fold,
    Grid,
    Heading,
    Listing,
    Paragraph,
    Part,
    Picture,
    Section,
    grid_of,
    parts_of,
    rows_of,
)
from lsmtune.report.html._columns import RunColumns
from lsmtune.report.html._inside_parts import inside_parts
from lsmtune.report.html._run_charts import parallel_chart, tradeoff_chart
from lsmtune.report.html._search_charts import convergence_charts, drift_charts
from lsmtune.report.html._sweep_parts import cell_parts, line_parts, winner_parts
from lsmtune.report.html._verdict_charts import ablation_chart, latency_charts, pairs_chart
from lsmtune.report.html._view import ReportView
from lsmtune.result import Comparison
from lsmtune.units import format_seconds

_WIDE = 200
_MOST_TROUBLES = 100


def sections_of(view: ReportView, table: RunColumns) -> tuple[Section, ...]:
    """Return the sections that have something to say."""
    made: tuple[tuple[str, str, Callable[[ReportView, RunColumns], Iterator[Part]]], ...] = (
        ("winners", "Who wins where", lambda view, _: winner_parts(view)),
        ("cells", "The cells", lambda view, _: cell_parts(view)),
        ("lines", "Lines", lambda view, _: line_parts(view)),
        ("comparison", "Against the reference", _comparison),
        ("changes", "What changed, and the ablation effect of each change", _changes),
        ("phases", "Phase by phase", _phases),
        ("tails", "Tails of latency", _tails),
        ("inside", "Inside a run", inside_parts),
        ("search", "The search", _search),
        ("tradeoff", "Two indicators against each other", _tradeoff),
        ("runs", "All runs", _runs),
        ("importance", "Which options matter", _importance),
        ("trust", "Noise and drift of the machine", _trust),
        ("troubles", "Runs that gave nothing", _troubles),
        ("warnings", "Warnings", _warnings),
        ("origin", "Where this comes from, and how to repeat it", _origin),
    )
    found = (Section(key, title, tuple(parts(view, table))) for key, title, parts in made)
    return tuple(section for section in found if section.parts)


def _comparison(view: ReportView, _: RunColumns) -> Iterator[Part]:
    result, comparison = view.result, view.comparison
    if comparison is None:
        return
    yield grid_of(indicator_table(result, comparison, _WIDE), "Means of the pairs, and the ratio with its interval")
    bounds = bounds_table(result, comparison)
    if bounds is not None:
        yield grid_of(bounds, "Guards and limits")
    yield from map(Paragraph, fresh_run_sentences(comparison))
    pairs = pairs_chart(view)
    if pairs is not None:
        yield Picture(pairs)
    if result.front is not None:
        for piece in front_parts(result, result.front):
            yield from parts_of(piece)
    elif len(result.verified) > 1 and result.decisions.plan is StudyKind.TUNE:
        yield grid_of(finalists_table(result.verified, result.decisions.finalists or ()), "All that was verified")


def _changes(view: ReportView, _: RunColumns) -> Iterator[Part]:
    result = view.result
    if view.sampled:
        return
    if result.changes:
        yield grid_of(changes_table(result, view.option_units), "From the reference to the result")
    kept = smaller_words(result)
    taken_back = taken_back_table(result.tests)
    if kept:
        yield Paragraph(kept)
    elif taken_back is not None:
        yield grid_of(taken_back, "Changes that were put back")
    chart = ablation_chart(view)
    if chart is not None:
        yield Picture(chart)
    if result.decisions.plan is not StudyKind.TUNE:
        for piece in story(result, view.option_units):
            yield from parts_of(piece)


def _phases(view: ReportView, _: RunColumns) -> Iterator[Part]:
    comparison, phase = view.comparison, view.measured_phase
    by_phase = dict.fromkeys(name.partition("@")[2] for name in view.indicators if "@" in name)
    if comparison is None or not by_phase:
        return
    for base in _bases(view):
        names = [f"{base}@{each}" for each in by_phase] + [base]
        shown = [name for name in names if name in comparison.levels]
        if shown:
            rows = [_phase_row(comparison, name, name.partition("@")[2] or phase or "measured phase") for name in shown]
            headers = ("phase", view.result.rules.reference, candidate_word(view.result, comparison))
            title = f"{label(base)[0].upper()}{label(base)[1:]}"
            yield rows_of(title, (*headers, f"ratio [{ADJUSTED}]", "n"), rows, (1, 2, 4))


def _bases(view: ReportView) -> tuple[str, ...]:
    """Return the indicators that at least one phase has by its own name, without it."""
    return tuple(dict.fromkeys(name.partition("@")[0] for name in view.indicators if "@" in name))


def _phase_row(comparison: Comparison, name: str, phase: str) -> tuple[str, ...]:
    pairs = comparison.indicators.get(name)
    levels = (format_indicator(name, level) for level in comparison.levels[name])
    ratio = "?" if pairs is None else with_interval(pairs.ratio, pairs.low, pairs.high)
    return (phase, *levels, ratio, "?" if pairs is None else str(pairs.n))


def _tails(view: ReportView, _: RunColumns) -> Iterator[Part]:
    charts = tuple(latency_charts(view))
    if charts:
        yield Paragraph(
            "Percentiles are read from the tool's histograms, whose buckets grow by about half each; a step in a tail "
            "that is smaller than that says nothing. The lines are means over the pairs, not one run.",
            "note",
        )
        yield Picture(charts[0])
    if charts[1:]:
        yield Fold("Other operations and phases", tuple(Picture(chart) for chart in charts[1:]))


def _search(view: ReportView, _: RunColumns) -> Iterator[Part]:
    ended = search_end_sentence(view.result)
    if ended:
        yield Paragraph(f"The search {ended}.")
    for chart in convergence_charts(view):
        yield Picture(chart)
    for check in view.result.decisions.rungs or ():
        yield Paragraph(f"{check.sentence[0].upper()}{check.sentence[1:]}.")
    if view.trials:
        yield grid_of(trials_table(view.result, view.option_units))


def _tradeoff(view: ReportView, table: RunColumns) -> Iterator[Part]:
    chart = tradeoff_chart(view, table)
    if chart is not None:
        yield Explorer("tradeoff", chart)


def _runs(view: ReportView, table: RunColumns) -> Iterator[Part]:
    summary = view.result.summary
    if not summary.runs:
        yield Paragraph("There are no runs yet.")
        return
    statuses = [status for status in Status if summary.count(status=status)]
    rows = [
        (str(purpose), *(str(summary.counts.get((purpose, status), 0)) for status in statuses))
        for purpose in Purpose
        if summary.count(purpose=purpose)
    ]
    yield rows_of(
        f"{plural(summary.runs, 'run')}, {format_seconds(summary.run_time_s)} of running",
        ("purpose", *map(str, statuses)),
        rows,
        range(1, len(statuses) + 1),
    )
    chart = parallel_chart(table)
    if chart is not None:
        yield Explorer("parallel", chart)


def _importance(view: ReportView, _: RunColumns) -> Iterator[Part]:
    if view.analysis is None:
        if view.analysis_trouble:
            yield Paragraph(view.analysis_trouble, "note")
        return
    yield from readable_analysis(view.analysis, len(view.ended.runs))


def _trust(view: ReportView, _: RunColumns) -> Iterator[Part]:
    result = view.result
    noise, baselines = noise_table(result), baselines_table(result)
    if noise is not None:
        yield grid_of(noise, "How much repeated runs of the reference differ")
    if result.detectable is not None and not view.sampled:
        yield Paragraph(detectable_words(result.detectable, result.rules))
    for chart in drift_charts(view):
        yield Picture(chart)
    if baselines is not None:
        yield grid_of(baselines, "Other starting points")


def _troubles(view: ReportView, _: RunColumns) -> Iterator[Part]:
    bad = [stored for stored in view.history.runs if stored.reason and stored.status is not Status.OK]
    if not bad:
        return
    rows = [
        (str(s.run.id), str(s.run.purpose), s.run.arm, str(s.status), format_seconds(s.elapsed_s), s.reason)
        for s in bad[:_MOST_TROUBLES]
    ]
    headers = ("run", "purpose", "arm", "status", "time", "reason")
    caption = f"{plural(len(bad), 'run')} failed, censored, disturbed, spoiled or lost"
    grid = rows_of(caption, headers, rows, (0, 4))
    yield grid if len(bad) <= 20 else Fold(caption, (grid,))
    if len(bad) > _MOST_TROUBLES:
        yield Paragraph(f"The first {_MOST_TROUBLES} of them; lsmtune show STUDY --runs lists all.", "note")


def _warnings(view: ReportView, _: RunColumns) -> Iterator[Part]:
    if view.result.warnings:
        yield Bullets(tuple(map(str, view.result.warnings)))
    elif view.history.runs:
        yield Paragraph("None of the checks found anything.")


def _origin(view: ReportView, _: RunColumns) -> Iterator[Part]:
    description = view.result.description
    created = datetime.fromtimestamp(description.created_at, UTC).isoformat(timespec="seconds")
    yield Grid(
        "",
        (),
        rows_of(
            "",
            (),
            (
                *engine_rows(view.result),
                *own_rows(view.result),
                ("build", f"fingerprint {description.build.fingerprint}"),
                *dict.fromkeys(
                    ("build", f"fingerprint {each.build.fingerprint} of {each.name}")
                    for each in view.result.builds.values()
                ),
                ("host", host_words(description.host)),
                ("workload", workload_words(view.result.facts)),
                ("study", f"{description.name}, made {created} by lsmtune {description.lsmtune_version}"),
                ("this page", f"written by lsmtune {__version__}"),
            ),
        ).rows,
    )
    yield Heading("To repeat it")
    yield Listing("\n".join(view.commands), "Commands that repeat the study")
    yield Fold("The experiment file", (Listing(description.experiment, "The experiment file"),))
