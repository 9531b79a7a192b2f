"""A study as one HTML file, or its figures one by one. Everything here takes values; nothing queries or measures."""

from lsmtune.report.html._chart import Axis, Chart, Mark, Series
from lsmtune.report.html._page import LITE_BYTES, MARK, card_page, html_report, lite_report, report_figures
from lsmtune.report.html._sweep_charts import sweep_figures
from lsmtune.report.html._view import ReportView, SweepView

__all__ = [
    "LITE_BYTES",
    "MARK",
    "Axis",
    "Chart",
    "Mark",
    "ReportView",
    "Series",
    "SweepView",
    "card_page",
    "html_report",
    "lite_report",
    "report_figures",
    "sweep_figures",
]
