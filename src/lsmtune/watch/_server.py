"""Listening on this machine, and ending what never reads."""

import asyncio
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn

from lsmtune.errors import UsageError
from lsmtune.watch._app import make_app
from lsmtune.watch._desk import Desk
from lsmtune.watch._gate import STALLED_S, Gate, Keys
from lsmtune.watch._open import PORT

_HOST = "127.0.0.1"
_MOST_AT_ONCE = 256
"""Connections; those beyond are told to come again."""
_LOOK_S = 1.0
_SILENT_S = 10.0
"""Without a question for so long a new connection is closed."""


def serve(place: Path, *, port: int | None, readonly: bool, tell: Callable[[str], None]) -> None:
    """Serve the page until it is interrupted; see `lsmtune.watch.watch`."""
    desk = Desk(place, readonly=readonly)
    with _listening(port) as listener:
        chosen = listener.getsockname()[1]
        keys = Keys.make(chosen)
        config = uvicorn.Config(
            Gate(make_app(desk), keys, chosen),
            lifespan="off",
            ws="none",
            http="h11",
            log_config=None,
            log_level="critical",  # a line for each refused request would let anybody fill a terminal
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_AT_ONCE,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
        )
        tell(f"http://{_HOST}:{chosen}/?token={keys.token}")
        with suppress(KeyboardInterrupt):  # raised again by uvicorn once everything is closed
            asyncio.run(_serve(uvicorn.Server(config), listener, desk))


async def _serve(server: uvicorn.Server, listener: socket.socket, desk: Desk) -> None:
    beside = [asyncio.create_task(_sweep(server))]
    if desk.is_single:  # read it while its reader still looks for the browser
        beside += [asyncio.create_task(desk.follower(each).look()) for each in desk.studies]
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in beside:
            task.cancel()


async def _sweep(server: uvicorn.Server) -> None:
    """Cut connections that ask nothing, and those whose client has read nothing for a while.

    The server waits for ever for either: closing a connection politely would wait until its client has read the rest.
    """
    seen: dict[object, tuple[float, int]] = {}
    while True:
        await asyncio.sleep(_LOOK_S)
        now, known = time.monotonic(), seen
        seen = {}
        for each in list(server.server_state.connections):
            transport = getattr(each, "transport", None)
            if transport is None:
                continue
            cycle = getattr(each, "cycle", None)
            waiting, asked = transport.get_write_buffer_size(), cycle is not None and not cycle.response_complete
            since, before = known.get(each, (now, waiting))
            if (waiting == 0 and asked) or waiting < before:
                since = now
            seen[each] = (since, waiting)
            if now - since > (STALLED_S if asked else _SILENT_S):
                transport.abort()


@contextmanager
def _listening(port: int | None) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        wanted = PORT if port is None else port
        try:
            listener.bind((_HOST, wanted))
        except OSError as error:
            if port is not None:
                raise UsageError(
                    f"port {port} of {_HOST} cannot be used: {error.strerror}; give another one with --port"
                ) from None
            listener.bind((_HOST, 0))
            sys.stderr.write(f"lsmtune: port {wanted} is taken, another one is used\n")
        listener.listen(512)
        yield listener
