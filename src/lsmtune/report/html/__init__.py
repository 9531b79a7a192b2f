"""A study as one HTML file, or its figures one by one. Everything here takes values; nothing queries or measures."""

from lsmtune.report.html._blocks import Drawing
from lsmtune.report.html._chart import Axis, Chart, Mark, Series
from lsmtune.report.html._live_parts import MOST_LINES, LiveParts, card_html, chart_json, live_parts
from lsmtune.report.html._page import (
    LITE_BYTES,
    MARK,
    asset,
    card_page,
    escaping_templates,
    html_report,
    lite_report,
    report_figures,
)
from lsmtune.report.html._static import element_of
from lsmtune.report.html._sweep_charts import figures_left_out, sweep_figures
from lsmtune.report.html._view import ReportView, SweepView, WhatIf, WhatIfCurve

__all__ = [
    "LITE_BYTES",
    "MARK",
    "MOST_LINES",
    "Axis",
    "Chart",
    "Drawing",
    "LiveParts",
    "Mark",
    "ReportView",
    "Series",
    "SweepView",
    "WhatIf",
    "WhatIfCurve",
    "asset",
    "card_html",
    "card_page",
    "chart_json",
    "element_of",
    "escaping_templates",
    "figures_left_out",
    "html_report",
    "lite_report",
    "live_parts",
    "report_figures",
    "sweep_figures",
]
