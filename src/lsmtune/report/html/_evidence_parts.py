"""The sections on the evidence for a verdict: before and after, what changed, what it costs."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from lsmtune.model import StudyKind
from lsmtune.report._front_tables import front_parts
from lsmtune.report._full_size import full_size_sentences
from lsmtune.report._names import candidate_word
from lsmtune.report._story import story
from lsmtune.report._tables import (
    bounds_table,
    changes_table,
    finalists_table,
    indicator_mark,
    indicator_table,
    plain_table,
    taken_back_table,
)
from lsmtune.report._values import ADJUSTED, format_indicator, label, with_interval
from lsmtune.report._words import fresh_run_sentences, smaller_words
from lsmtune.report.html._blocks import Paragraph, Part, Picture, grid_of, parts_of
from lsmtune.report.html._verdict_charts import ablation_chart, pairs_chart
from lsmtune.report.html._view import ReportView
from lsmtune.result import Comparison, TuneResult

_WIDE = 200
COSTS = ("memory_peak_bytes", "space_bytes", "space_peak_bytes", "waf", "cpu_s")
"""Indicators that a gain is paid with, as far as the objective does not weigh them."""


def comparison_parts(view: ReportView) -> Iterator[Part]:
    """Yield reference beside result in every indicator, and the gain of each pair of fresh runs."""
    result, comparison = view.result, view.comparison
    if comparison is None:
        return
    yield grid_of(indicator_table(result, comparison, _WIDE), "Means of the pairs, and the ratio with its interval")
    yield from map(Paragraph, fresh_run_sentences(comparison))
    pairs = pairs_chart(view)
    if pairs is not None:
        yield Picture(pairs)
    if result.front is not None:
        for piece in front_parts(result, result.front):
            yield from parts_of(piece)
    elif len(result.verified) > 1 and result.decisions.plan is StudyKind.TUNE:
        yield grid_of(finalists_table(result.verified, result.decisions.finalists or ()), "All that was verified")


def change_parts(view: ReportView) -> Iterator[Part]:
    """Yield the options that changed and the ablation effect of each; of named changes what each did."""
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
        yield grid_of(taken_back, "Changes that were reverted")
    chart = ablation_chart(view)
    if chart is not None:
        yield Picture(chart)
    if result.decisions.plan is not StudyKind.TUNE:
        for piece in story(result, view.option_units):
            yield from parts_of(piece)


def cost_parts(view: ReportView) -> Iterator[Part]:
    """Yield whether guards and limits hold, and memory, space, writes and processor time beside the reference's."""
    result, comparison = view.result, view.comparison
    if comparison is None:
        return
    bounds = bounds_table(result, comparison)
    if bounds is not None:
        yield grid_of(bounds, "Guards and limits")
    table = cost_table(result, comparison)
    if table is not None:
        yield grid_of(table, "Memory, space, writes and processor time")
    yield from map(Paragraph, full_size_sentences(result))


def cost_table(result: TuneResult, comparison: Comparison) -> Table | None:
    """Return both levels and the ratio of what a gain is paid with, as far as it was measured; None without any."""
    names = [name for name in COSTS if name in comparison.levels and name not in result.rules.objective.weights]
    headers = (result.rules.reference, candidate_word(result, comparison), f"ratio [{ADJUSTED}]", "mark")
    table = plain_table("indicator", *headers, right=(1, 2))
    for name in names:
        pairs = comparison.indicators.get(name)
        levels = (format_indicator(name, level) for level in comparison.levels[name])
        ratio = "?" if pairs is None else with_interval(pairs.ratio, pairs.low, pairs.high)
        table.add_row(*map(Text, (label(name), *levels, ratio)), indicator_mark(name, pairs))
    return table if names else None
