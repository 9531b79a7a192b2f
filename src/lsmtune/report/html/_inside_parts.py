"""The section on what happened inside runs."""

from collections.abc import Iterator

from lsmtune.report._timeline import timeline_notes, timeline_table
from lsmtune.report.html._blocks import Bullets, Fold, Paragraph, Part, Picture, grid_of
from lsmtune.report.html._columns import RunColumns
from lsmtune.report.html._timeline_charts import curve_charts, job_charts, level_charts
from lsmtune.report.html._view import ReportView


def inside_parts(view: ReportView, _: RunColumns) -> Iterator[Part]:
    """Yield what is shown of a run of the reference and one of the result, on the same axis of time; one run each."""
    if view.inside:
        yield Paragraph(
            "Single runs, from the LOG of the measured process; what differs between two of them is not proof. "
            "lsmtune timeline STUDY RUN ... shows other runs.",
            "note",
        )
        for each, chart in zip(view.inside, job_charts(view.inside), strict=True):
            yield Picture(chart)
            yield grid_of(timeline_table(each.timeline), each.name)
        charts = (*curve_charts(view.inside), *level_charts(view.inside))
        yield Fold("Bytes, throughput and levels over time", tuple(Picture(chart) for chart in charts))
        notes = timeline_notes(view.inside)
        if notes:
            yield Bullets(notes)
    if view.inside_trouble:
        yield Paragraph(view.inside_trouble, "warn")
