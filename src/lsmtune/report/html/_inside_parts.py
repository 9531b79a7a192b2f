"""The section on what happened inside runs."""

from collections.abc import Iterator

from lsmtune.report._timeline import timeline_notes, timeline_table
from lsmtune.report.html._blocks import Bullets, Fold, Heading, Paragraph, Part, Picture, grid_of
from lsmtune.report.html._timeline_charts import curve_charts, job_charts, level_charts, whole_run_charts
from lsmtune.report.html._view import ReportView


def inside_parts(view: ReportView) -> Iterator[Part]:
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
        printed = tuple(curve_charts(view.inside, printed=True))
        if printed:
            yield Heading("Rate and latency over time, and over the whole run")
            yield from map(Picture, (*printed, *whole_run_charts(view.inside, view.history)))
        charts = (*curve_charts(view.inside, printed=False), *level_charts(view.inside))
        yield Fold("Bytes, arrivals and levels over time", tuple(map(Picture, charts)))
        notes = timeline_notes(view.inside)
        if notes:
            yield Bullets(notes)
    if view.inside_trouble:
        yield Paragraph(view.inside_trouble, "warn")
