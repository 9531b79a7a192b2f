"""Server-sent events: what changed in a study, and where to go on after a break.

The id of an event says from which run on its reader has to ask: ``MARK-RUN``. Runs that ended never change, so a
browser that comes back with its last id, also to a server that was started anew, gets what it has missed and nothing
twice but runs that were open. What is sent is put together when it is sent: a reader who does not read costs one piece
of it.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from lsmtune.watch._desk import Desk
from lsmtune.watch._follow import Follower

_ROWS = 2000
_HEARTBEAT_S = 10.0
_FOLDER_S = 2.0


def study_events(request: Request, follower: Follower) -> StreamingResponse:
    """Answer with the events of a study: ``state``, ``runs``, ``parts``, and ``reset`` where another took its place."""
    last = request.headers.get("last-event-id") or request.query_params.get("after", "")
    return _stream(_follow(follower, last))


def folder_events(desk: Desk) -> StreamingResponse:
    """Answer with the state of each study of a folder whenever one has changed."""
    return _stream(_follow_folder(desk))


async def folder_states(desk: Desk) -> list[dict[str, Any]]:
    """Return where each study of a folder stands."""
    states = []
    for found in desk.studies:
        follower = desk.follower(found)
        await follower.look()
        state = follower.snapshot.state()
        state.pop("indicators")
        states.append({"key": found.key, "title": found.title, **state})
    return states


async def _follow(follower: Follower, last: str) -> AsyncIterator[str]:
    await follower.look()
    snapshot = follower.snapshot
    mark, first = _place_of(last)
    if mark != snapshot.mark:
        mark, first = snapshot.mark, 1
        yield _event("reset", {"mark": mark})
    told_state: dict[str, Any] = {}
    told_parts = version = -1
    async with follower.watched():
        while True:
            turn = follower.turn
            if snapshot.mark != mark:
                mark, first, version = snapshot.mark, 1, -1
                yield _event("reset", {"mark": mark})
            state = snapshot.state()
            if state != told_state:
                told_state = state
                yield _event("state", {**state, "now": time.time()})
            if snapshot.version != version:
                version = snapshot.version
                while rows := snapshot.rows(first, _ROWS):
                    first += len(rows)
                    resume = min(first, snapshot.resume)
                    yield _event("runs", {"rows": rows, "ready": first > len(snapshot.runs)}, f"{mark}-{resume}")
                first = snapshot.resume
            if follower.parts is not None and follower.parts_version != told_parts:
                told_parts = follower.parts_version
                yield _event("parts", {"version": told_parts, "runs": follower.parts_runs})
            if not await follower.news(turn, _HEARTBEAT_S):
                yield ": still here\n\n"


async def _follow_folder(desk: Desk) -> AsyncIterator[str]:
    told = ""
    while True:
        await asyncio.to_thread(desk.search)
        text = json.dumps(await folder_states(desk))
        if text != told:
            told = text
            yield f"event: studies\ndata: {text}\n\n"
        else:
            yield ": still here\n\n"
        await asyncio.sleep(_FOLDER_S)


def _place_of(last: str) -> tuple[str, int]:
    mark, _, number = last.rpartition("-")
    return (mark, int(number)) if number.isascii() and number.isdigit() and 0 < len(number) < 10 else ("", 1)


def _event(name: str, data: Any, at: str = "") -> str:
    """Return an event; JSON has no line breaks of its own, so its text is one line."""
    return f"{f'id: {at}{chr(10)}' if at else ''}event: {name}\ndata: {json.dumps(data)}\n\n"


def _stream(events: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
