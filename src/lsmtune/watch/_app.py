"""Addresses of the live page and what is answered there."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from lsmtune import api
from lsmtune.errors import LsmtuneError
from lsmtune.report.html import html_report
from lsmtune.store import read_study
from lsmtune.watch._desk import Desk, Found
from lsmtune.watch._events import folder_events, folder_states, study_events
from lsmtune.watch._follow import Follower
from lsmtune.watch._pages import assets, escaped, fragment, page
from lsmtune.watch._run_list import ONLY, run_list
from lsmtune.watch._run_view import pair_view, run_view, timeline_svg
from lsmtune.watch._stop import stop_study

Answer: TypeAlias = Callable[["Asked"], Awaitable[Response]]

_REPORT_POLICY = "frame-ancestors 'none'"
"""The report brings its own policy, stricter with scripts, in its head; a header can only add to it."""
_FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Asked:
    """A question about one study."""

    def __init__(self, request: Request, desk: Desk, found: Found) -> None:
        self.request = request
        self.desk = desk
        self.found = found

    @property
    def follower(self) -> Follower:
        """Who follows the study."""
        return self.desk.follower(self.found)

    def number(self, name: str, default: int = 0) -> int:
        """Return a number of the query; the default where there is none or it is no number."""
        return _number(self.request.query_params.get(name, ""), default)


def make_app(desk: Desk) -> Starlette:
    """Return the application that answers for the studies of a desk."""

    def of_study(path: str, answer: Answer, method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            found = await desk.find(request.path_params["key"])
            if found is None:
                return _missing("There is no such study here any more.")
            try:
                return await answer(Asked(request, desk, found))
            except LsmtuneError as error:
                return page("trouble", 404, title=found.title, trouble=str(error))

        return Route(f"/study/{{key}}{path}", endpoint, methods=[method])

    async def home(_request: Request) -> Response:
        return await _home(desk)

    async def follow(_request: Request) -> Response:
        return folder_events(desk)

    async def together(request: Request) -> Response:
        return await _together(desk, request)

    routes = [
        Route("/", home),
        Route("/events", follow),
        Route("/together", together),
        Route("/assets/{name}", _asset),
        of_study("", _study_page),
        of_study("/events", _events),
        of_study("/parts", _parts),
        of_study("/runs", _runs),
        of_study("/run/{run:int}", _run),
        of_study("/run/{run:int}/artefact/{name}", _artefact),
        of_study("/timeline.svg", _timeline),
        of_study("/pair", _pair),
        of_study("/report", _report),
    ]
    if not desk.readonly:
        routes.append(of_study("/stop", _stop, "POST"))
    return Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found})


async def _home(desk: Desk) -> Response:
    await run_in_threadpool(desk.search)
    if desk.is_single and desk.studies:
        return RedirectResponse(f"/study/{desk.studies[0].key}", 303)
    return page("folder", title=str(desk.place.name), studies=await folder_states(desk))


async def _study_page(asked: Asked) -> Response:
    await asked.follower.look()
    snapshot = asked.follower.snapshot
    return page(
        "study",
        title=snapshot.name or asked.found.title,
        key=asked.found.key,
        single=asked.desk.is_single,
        readonly=asked.desk.readonly,
        trouble=snapshot.trouble,
        only=ONLY,
        others=[each for each in asked.desk.studies if each.key != asked.found.key],
    )


async def _events(asked: Asked) -> Response:
    return study_events(asked.request, asked.follower)


async def _parts(asked: Asked) -> Response:
    """Answer with the sections of the report; beside a run that this would disturb only where it is wanted."""
    follower = asked.follower
    await follower.look()
    if follower.parts is None or not follower.is_current:
        wanted = asked.request.query_params.get("now") == "yes"
        if wanted or follower.may_put_together:
            await follower.put_together()
    parts = follower.parts
    if parts is None:
        return JSONResponse({"parts": None})
    told = {
        "version": follower.parts_version,
        "runs": follower.parts_runs,
        "head": dict(parts.head),
        "html": fragment("sections.html.j2", sections=[(*about, escaped(html)) for *about, html in parts.sections]),
        "charts": dict(parts.charts),
        "table": dict(parts.table),
        "left_out": parts.left_out,
        "best": parts.best,
    }
    return JSONResponse({"parts": told})


async def _runs(asked: Asked) -> Response:
    await asked.follower.look()
    shown = run_list(
        asked.follower.snapshot, asked.number("page", 1), asked.request.query_params.get("only", ""), asked.found.key
    )
    return JSONResponse(shown)


async def _run(asked: Asked) -> Response:
    number = asked.request.path_params["run"]

    def read() -> HTMLResponse:
        with read_study(asked.found.folder) as study:
            view = run_view(study, number)
        return page("run", title=asked.found.title, key=asked.found.key, view=view, timeline=escaped(view.timeline))

    return await run_in_threadpool(read)


async def _artefact(asked: Asked) -> Response:
    number, name = asked.request.path_params["run"], asked.request.path_params["name"]

    def read() -> Response:
        with read_study(asked.found.folder) as study:
            if name not in study.artefact_names(number):
                return _missing("This run left nothing of that name.")
            return PlainTextResponse(study.artefact(number, name).encode("utf-8", "surrogateescape"))

    return await run_in_threadpool(read)


async def _timeline(asked: Asked) -> Response:
    numbers = [asked.number("a"), asked.number("b")]

    def read() -> Response:
        with read_study(asked.found.folder) as study:
            text = timeline_svg(study, tuple(number for number in numbers if number))
        return Response(text, media_type="image/svg+xml", headers={"content-security-policy": _FIGURE_POLICY})

    return await run_in_threadpool(read)


async def _pair(asked: Asked) -> Response:
    first, second = asked.number("a"), asked.number("b")

    def read() -> HTMLResponse:
        with read_study(asked.found.folder) as study:
            view = pair_view(study, first, second)
        return page(
            "pair",
            title=asked.found.title,
            key=asked.found.key,
            view=view,
            timelines=[escaped(each.timeline) for each in view.runs],
        )

    return await run_in_threadpool(read)


async def _together(desk: Desk, request: Request) -> Response:
    """Answer with two studies side by side."""
    found = [await desk.find(request.query_params.get(name, "")) for name in ("a", "b")]
    if None in found:
        return _missing("Name two studies of this page.")
    return page("together", title="Two studies", studies=found)


async def _report(asked: Asked) -> Response:
    def write() -> HTMLResponse:
        with read_study(asked.found.folder) as study:
            return HTMLResponse(
                html_report(api.report_view(study, predicts=False)), headers={"content-security-policy": _REPORT_POLICY}
            )

    return await run_in_threadpool(write)


async def _stop(asked: Asked) -> Response:
    try:
        return JSONResponse({"said": await run_in_threadpool(stop_study, asked.found.folder)})
    except LsmtuneError as error:
        return JSONResponse({"said": str(error)}, 409)


async def _asset(request: Request) -> Response:
    found = assets().get(request.path_params["name"])
    return _missing("There is no such file.") if found is None else Response(found[0], media_type=found[1])


def _not_found(_request: Request, _error: Exception) -> Response:
    return _missing("There is nothing at this address.")


def _missing(sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", 404)


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
