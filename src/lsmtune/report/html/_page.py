"""A study as one HTML file that loads nothing."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from lsmtune.extras import need
from lsmtune.model import Purpose, StudyKind
from lsmtune.report._names import quoted_name
from lsmtune.report._states import state_of
from lsmtune.report._values import ADJUSTED, ratio_text
from lsmtune.report._words import next_step, verdict_sentence
from lsmtune.report.html._blocks import (
    Explorer,
    Fold,
    Heading,
    Paragraph,
    Part,
    Picture,
    Section,
    charts_in,
    parts_of,
)
from lsmtune.report.html._chart import Chart
from lsmtune.report.html._columns import RunColumns
from lsmtune.report.html._plotly import plotly_figure
from lsmtune.report.html._sections import sections_of
from lsmtune.report.html._static import svg_file, svg_inline
from lsmtune.report.html._sweep_charts import file_stem
from lsmtune.report.html._sweep_parts import sweep_sentence
from lsmtune.report.html._view import ReportView
from lsmtune.units import plural

if TYPE_CHECKING:
    from jinja2 import Environment, Template

MARK = '<!doctype html>\n<html lang="en" data-made-by="lsmtune report">'
"""How every report begins, so that nothing else is written over."""
LITE_BYTES = 500_000
"""Most bytes of a small report."""

_ROOM = 20_000  # of a small report, for the sentences on what was left out
_LEAST_PICTURE = 8_000  # bytes below which no picture is worth drawing


def html_report(view: ReportView) -> str:
    """Return the report of a study, with figures that answer to pointer and keys. Equal studies give equal texts."""
    table = RunColumns.of(view)
    sections = sections_of(view, table)
    charts = {chart.name: chart for chart in _charts(sections)}
    data = {"figures": {name: plotly_figure(chart) for name, chart in charts.items()}, "table": table.to_json()}
    scripts = (_plotly(), asset("runs.js") + asset("page.js"))
    return _rendered(
        page_head(view),
        sections,
        scripts=scripts,
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        pictures={},
    )


def lite_report(view: ReportView) -> str:
    """Return the report of a study as a small page without a script; figures that find no room are named."""
    table = RunColumns.of(view)
    sections = sections_of(view, table)
    room = LITE_BYTES - _ROOM - len(_rendered(page_head(view), sections, scripts=(), data="", pictures={}).encode())
    pictures: dict[str, str] = {}
    for chart in _by_weight(sections):
        if room < _LEAST_PICTURE:
            break
        text = svg_inline(chart)
        if len(text.encode()) <= room:
            pictures[chart.name] = text
            room -= len(text.encode())
    return _rendered(page_head(view), _kept(sections, pictures), scripts=(), data="", pictures=pictures)


def report_figures(view: ReportView) -> Iterator[tuple[str, str]]:
    """Yield file name and text of every figure of a report as an SVG."""
    for chart in _charts(sections_of(view, RunColumns.of(view))):
        yield f"{file_stem(chart.name)}.svg", svg_file(chart)


def card_page(head: Mapping[str, str], card: RenderableType, charts: Sequence[Chart]) -> str:
    """Return a card as a page without a script: a section for each of its headings, behind one of charts.

    Args:
        head: `title`, `state` and `sentence` of the page, and `next`, what to do.
        card: what a terminal shows; what stands before its first heading is left out, as the head says it.
        charts: still pictures, shown first.
    """
    pictures = {chart.name: svg_inline(chart) for chart in charts}
    sections = [Section("over-time", "Over time", tuple(map(Picture, charts)))] if charts else []
    title, parts = "", []
    for part in (*parts_of(card), Heading("")):
        if not isinstance(part, Heading):
            parts.append(part)
            continue
        if title:
            sections.append(Section(f"part-{len(sections)}", title, tuple(parts)))
        title, parts = part.text, []
    return _rendered({"gain": "", "interval": "", **head}, tuple(sections), scripts=(), data="", pictures=pictures)


def _rendered(
    head: Mapping[str, str],
    sections: tuple[Section, ...],
    *,
    scripts: tuple[str, ...],
    data: str,
    pictures: Mapping[str, str],
) -> str:
    from markupsafe import Markup

    body: str = page_template("page.html.j2").render(
        **head,
        chapters=[(chapter, list(its)) for chapter, its in groupby(sections, key=lambda section: section.chapter)],
        policy=_policy(scripts),
        style=Markup(asset("page.css")),  # noqa: S704 - files of this package, and JSON with < escaped
        scripts=[Markup(script) for script in scripts],  # noqa: S704
        data=Markup(data),  # noqa: S704
        pictures={name: Markup(text) for name, text in pictures.items()},  # noqa: S704 - matplotlib escapes what it draws
    )
    return f"{MARK}\n{body}"


def page_template(name: str) -> "Template":
    """Return a template of this package; everything that it shows is escaped."""
    return escaping_templates(asset).get_template(name)


@cache
def escaping_templates(read: Callable[[str], str]) -> "Environment":
    """Return templates that escape everything that they show, and fail over what they were not told.

    Args:
        read: returns the text of a template.
    """
    need("an HTML page", "jinja2", "markupsafe")
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, loader=FunctionLoader(read)
    )


def page_head(view: ReportView) -> dict[str, str]:
    """Return what a page says first: title, state, sentence, what to do next, and the gain with its interval."""
    return {"title": view.result.description.name, **_said(view)}


def _said(view: ReportView) -> dict[str, str]:
    result = view.result
    if not view.sampled:
        state, sentence, then = str(state_of(result)), verdict_sentence(result), next_step(result).replace("`", "")
        return {"state": state, "sentence": sentence, "next": then, **_gain(view)}
    if view.sweep is not None:
        return {
            "state": "a sweep",
            "sentence": sweep_sentence(view.sweep),
            "next": "See other indicators with lsmtune sweep STUDY/runs.parquet --indicator NAME.",
            "gain": "",
            "interval": "",
        }
    points = sum(stored.run.purpose in (Purpose.SAMPLE, Purpose.TEST) for stored in view.ended.runs)
    paper = "; beside the paper: lsmtune reproduce STUDY/runs.parquet"
    return {
        "state": "a sample",
        "sentence": f"{plural(points, 'run')} of a design over the options, with repeats of the reference among "
        "them; nothing is claimed of a single configuration.",
        "next": "See which options matter with lsmtune analyze STUDY"
        f"{paper if result.decisions.plan is StudyKind.REPRODUCE else ''}.",
        "gain": "",
        "interval": "",
    }


def _gain(view: ReportView) -> dict[str, str]:
    """Return the gain that a study has shown, or not shown, as a large number and what has to stand beside it."""
    comparison = view.comparison
    if comparison is None or comparison.claim.gain is None:
        return {"gain": "", "interval": ""}
    claim, name = comparison.claim, quoted_name(view.result, comparison)
    low, high = (ratio_text(end, claim.low, claim.high) for end in (claim.low, claim.high))
    who = "the result" if view.result.improved else "the best finalist"
    whose = f"of {name or who}{'' if view.result.improved else '; no claim'}"
    if comparison.parts:
        whose = "as weighted, of what was chosen; no claim" if view.result.improved else whose
    interval = f"gain in the objective {whose}; {ADJUSTED} interval {low} to {high}, {plural(claim.n, 'pair')}"
    return {"gain": ratio_text(claim.gain, claim.low, claim.high), "interval": interval}


def _policy(scripts: tuple[str, ...]) -> str:
    """Allow the page's own scripts by their hash, and pictures that it makes itself; nothing can be loaded.

    Styles are allowed in the page, as plotly and matplotlib write them into elements; they cannot load anything either.
    """
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """Return the text of a file of the report: its style, its scripts, its templates."""
    return (resources.files("lsmtune.report.html") / "assets" / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    need("an HTML report", "plotly")
    return (resources.files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def _charts(sections: tuple[Section, ...]) -> Iterator[Chart]:
    for section in sections:
        yield from charts_in(section.parts)


def _by_weight(sections: tuple[Section, ...]) -> list[Chart]:
    """Return the charts of a page, those in folds last."""
    open_ones = [part.chart for each in sections for part in each.parts if isinstance(part, Picture | Explorer)]
    return [*open_ones, *(chart for chart in _charts(sections) if chart not in open_ones)]


def _kept(sections: tuple[Section, ...], pictures: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return the sections with a sentence in place of each chart that has no picture."""
    return tuple(replace(section, parts=_kept_parts(section.parts, pictures)) for section in sections)


def _kept_parts(parts: tuple[Part, ...], pictures: Mapping[str, Any]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Fold):
            found.append(replace(part, parts=_kept_parts(part.parts, pictures)))
        elif isinstance(part, Picture | Explorer) and part.chart.name not in pictures:
            found.append(
                Paragraph(f"{part.chart.title}: {part.chart.alt} The picture was too large for this page.", "note")
            )
        else:
            found.append(part)
    return tuple(found)
