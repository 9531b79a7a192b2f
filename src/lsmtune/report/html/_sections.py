"""The sections of a report, in the order in which they answer questions."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from lsmtune import __version__
from lsmtune.model import Purpose, Status
from lsmtune.report._about import engine_rows, host_words, own_rows, workload_words
from lsmtune.report._climb import climb_note, climb_table, holds_sentence, unheld_sentence
from lsmtune.report._host_table import hosts_note, hosts_table
from lsmtune.report._lists import trials_table
from lsmtune.report._tables import baselines_table, detectable_words, noise_table
from lsmtune.report._words import search_end_sentence
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
    rows_of,
)
from lsmtune.report.html._columns import RunColumns
from lsmtune.report.html._evidence_parts import change_parts, comparison_parts, cost_parts
from lsmtune.report.html._host_chart import disturbance_map
from lsmtune.report.html._inside_parts import inside_parts
from lsmtune.report.html._phase_parts import reference_by_phase_parts, winner_by_phase_parts
from lsmtune.report.html._run_charts import parallel_chart, tradeoff_chart
from lsmtune.report.html._search_charts import convergence_charts, drift_charts
from lsmtune.report.html._summary_parts import summary_parts
from lsmtune.report.html._sweep_parts import cell_parts, line_parts, winner_parts
from lsmtune.report.html._verdict_charts import latency_charts
from lsmtune.report.html._view import ReportView
from lsmtune.report.html._what_if_parts import what_if_parts
from lsmtune.units import format_seconds, plural

_MOST_TROUBLES = 100
_Produces: TypeAlias = Callable[[ReportView, RunColumns], Iterator[Part]]


@dataclass(frozen=True)
class _Planned:
    """A section as it is planned: where it stands, what it is called, what is to be seen in it."""

    key: str
    title: str
    lead: str
    parts: _Produces


def sections_of(view: ReportView, table: RunColumns) -> tuple[Section, ...]:
    """Return the sections that have something to say: the verdict with its evidence, where it holds, the search, runs.

    Each begins with a sentence that says what is to be seen.
    """
    return tuple(
        Section(planned.key, planned.title, (Paragraph(planned.lead, "lead"), *parts), chapter)
        for chapter, sections in _chapters(view).items()
        for planned in sections
        if (parts := tuple(planned.parts(view, table)))
    )


def _chapters(view: ReportView) -> Mapping[str, tuple[_Planned, ...]]:
    """Return the sections by chapter; of a sample, which claims nothing, what its models say stands first."""
    importance = _Planned(
        "importance",
        "Which options matter",
        "How much of what was measured follows from each option, by models of the runs, and how good these are.",
        lambda view, _: _importance(view),
    )
    repeated = _Planned(
        "repeated",
        "The figures of the repeated work",
        "The same figures from the runs of this study, with what was published in them.",
        lambda view, _: _repeated(view),
    )
    only_sampled = view.sampled and view.sweep is None
    first = "What the runs say" if view.sampled else "The verdict and its evidence"
    return {
        first: (*_EVIDENCE, importance, repeated) if only_sampled else _EVIDENCE,
        "Where it holds": _HOLDS,
        "The runs" if view.sampled else "The search": _SEARCH if only_sampled else (*_SEARCH, importance),
        "Inside single runs": _INSIDE,
    }


def _repeated(view: ReportView) -> Iterator[Part]:
    yield from view.drawings


def _tails(view: ReportView) -> Iterator[Part]:
    charts = tuple(latency_charts(view))
    if charts:
        yield Paragraph(
            "Percentiles are read from the tool's histograms, whose buckets grow by about half each; a jump in a tail "
            "that is smaller than that says nothing. The lines are means over the pairs, not one run.",
            "note",
        )
        yield Picture(charts[0])
    if charts[1:]:
        yield Fold("Other operations and phases", tuple(Picture(chart) for chart in charts[1:]))


def _scales(view: ReportView) -> Iterator[Part]:
    table = climb_table(view.result)
    if table is not None:
        yield Paragraph(holds_sentence(view.result) or unheld_sentence(view.result))
        yield grid_of(table, "Verified at larger scales")
        yield Paragraph(climb_note(view.result), "note")


def _search(view: ReportView) -> Iterator[Part]:
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


def _importance(view: ReportView) -> Iterator[Part]:
    if view.analysis is None:
        if view.analysis_trouble:
            yield Paragraph(view.analysis_trouble, "note")
        return
    runs = view.history.analysed(view.result.decisions.plan, view.result.builds)
    yield from readable_analysis(view.analysis, len(runs))


def _trust(view: ReportView) -> Iterator[Part]:
    result = view.result
    noise, baselines = noise_table(result), baselines_table(result)
    if noise is not None:
        yield grid_of(noise, "How much repeated runs of the reference differ")
    if result.detectable is not None and not view.sampled:
        yield Paragraph(detectable_words(result.detectable, result.rules))
    for chart in drift_charts(view):
        yield Picture(chart)
    if result.hosts is not None:
        yield grid_of(hosts_table(result.hosts), "The hosts")
        yield Paragraph(hosts_note(result.hosts), "note")
        yield Picture(disturbance_map(result.hosts))
    if baselines is not None:
        yield grid_of(baselines, "Other starting points")


def _troubles(view: ReportView) -> Iterator[Part]:
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


def _warnings(view: ReportView) -> Iterator[Part]:
    if view.result.warnings:
        yield Bullets(tuple(map(str, view.result.warnings)))
    elif view.history.runs:
        yield Paragraph("None of the checks found anything.")


def _origin(view: ReportView) -> Iterator[Part]:
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


_EVIDENCE = (
    _Planned(
        "summary",
        "In short",
        "The question, the answer, what it costs and where it holds, on one page when printed.",
        lambda view, _: summary_parts(view),
    ),
    _Planned(
        "winners",
        "Who wins where",
        "For each cell of the other factors, the best of the competing values and its gain over the second.",
        lambda view, _: winner_parts(view),
    ),
    _Planned(
        "by-phase",
        "Who wins in each phase",
        "Each arm over the one that all are compared with, in each phase of the workload and over all.",
        lambda view, _: winner_by_phase_parts(view),
    ),
    _Planned(
        "cells",
        "The cells",
        "Every combination that ran, with the mean of each indicator over its blocks.",
        lambda view, _: cell_parts(view),
    ),
    _Planned(
        "lines",
        "Lines",
        "Each indicator over the first numeric factor, and its tails, with a line for each competing value.",
        lambda view, _: line_parts(view),
    ),
    _Planned(
        "comparison",
        "Before and after, pair by pair",
        "Results of fresh runs of the reference and of the configuration that was found, side by side, and the gain of "
        "each such pair.",
        lambda view, _: comparison_parts(view),
    ),
    _Planned(
        "changes",
        "What changed, and what each change earned",
        "The options that differ from the reference, and how much of the gain is lost where one of them is reverted: "
        "its ablation effect.",
        lambda view, _: change_parts(view),
    ),
    _Planned(
        "costs",
        "What it costs",
        "The guards and limits, and how much memory, space, writes and processor time the result takes.",
        lambda view, _: cost_parts(view),
    ),
)
_HOLDS = (
    _Planned(
        "scales",
        "At larger scales",
        "The chosen configuration beside the reference again, with more data: up to which scale the improvement holds.",
        lambda view, _: _scales(view),
    ),
    _Planned(
        "phases",
        "Phase by phase",
        "The reference beside the result in each phase of the workload by itself.",
        lambda view, _: reference_by_phase_parts(view),
    ),
    _Planned(
        "what-if",
        "What if: at full size",
        "What a model of the tree predicts for reference and result at full size, and for other values.",
        lambda view, _: what_if_parts(view),
    ),
    _Planned(
        "tails",
        "Tails of latency",
        "How long the slowest operations take, from the median to the maximum, under the reference and the result.",
        lambda view, _: _tails(view),
    ),
    _Planned(
        "warnings",
        "Findings",
        "Reasons to doubt the numbers, as the linter found them in the workload and the runs.",
        lambda view, _: _warnings(view),
    ),
    _Planned(
        "trust",
        "Noise and drift of the machine",
        "How much runs of the same configuration differ: smaller differences cannot be seen.",
        lambda view, _: _trust(view),
    ),
    _Planned(
        "origin",
        "Where this comes from, and how to repeat it",
        "The build, the machine and the workload for which all of this was measured, and the commands that repeat it.",
        lambda view, _: _origin(view),
    ),
)
_SEARCH = (
    _Planned(
        "search",
        "The search",
        "Each trial and the best so far, in the order in which they ran: these are single runs, and no claims.",
        lambda view, _: _search(view),
    ),
    _Planned(
        "tradeoff",
        "Two indicators against each other",
        "All runs in two indicators of your choice: how much one costs in the other.",
        _tradeoff,
    ),
    _Planned(
        "runs",
        "All runs",
        "The options and the results of each run, as lines to select from.",
        _runs,
    ),
    _Planned(
        "troubles",
        "Runs that gave nothing",
        "The runs that failed, were stopped, disturbed or lost, each with its reason.",
        lambda view, _: _troubles(view),
    ),
)
_INSIDE = (
    _Planned(
        "inside",
        "Inside a run",
        "What the engine did while a run was measured: flushes, compactions, stalls, and how rate and latency moved.",
        lambda view, _: inside_parts(view),
    ),
)
