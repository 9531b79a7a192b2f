"""Pages as HTML. Everything that they show is escaped, whatever a study calls its runs."""

from functools import cache
from importlib import resources
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from lsmtune.report.html import asset, escaping_templates

_ASSETS = resources.files("lsmtune.watch") / "assets"
_SCRIPT, _STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"


@cache
def assets() -> dict[str, tuple[str, str]]:
    """Return text and type of each file that pages load, by name; there are no others."""
    own = {
        "uplot.js": ("uplot/uPlot.iife.min.js", _SCRIPT),
        "uplot.css": ("uplot/uPlot.min.css", _STYLE),
        "watch.css": ("watch.css", _STYLE),
        **{
            name: (name, _SCRIPT)
            for name in ("theme.js", "chart.js", "live.js", "study.js", "folder.js", "run.js", "together.js")
        },
    }
    found = {name: (_text(path), kind) for name, (path, kind) in own.items()}
    return {**found, "report.css": (asset("page.css"), _STYLE), "runs.js": (asset("runs.js"), _SCRIPT)}


def page(name: str, status: int = 200, **said: Any) -> HTMLResponse:
    """Return a page made of a template; what is no text in the name of a folder is a question mark."""
    return HTMLResponse(fragment(f"{name}.html.j2", **said).encode(errors="replace"), status)


def escaped(html: str) -> Markup:
    """Say that a text is HTML in which everything that a study says is escaped: what the report's templates made."""
    return Markup(html)  # noqa: S704 - the one place of this package where text becomes markup


def fragment(name: str, **said: Any) -> str:
    """Return a template filled in."""
    return escaping_templates(_text).get_template(name).render(**said)


def _text(path: str) -> str:
    return (_ASSETS / path).read_text(encoding="utf-8")
