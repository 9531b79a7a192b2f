"""Who may ask, and what every answer says.

A page on this machine can be reached by each of its users and, through a browser, by each page of the web. So:

- an exact list of hosts with the port: a name that an attacker lets point to 127.0.0.1 (DNS rebinding) is another host;
- a random token in the printed address, exchanged at once for a cookie that no script can read and that other sites
  cannot make a browser send (HttpOnly, SameSite=Strict);
- the origin of everything that is not a plain question has to be this page;
- nothing may be loaded from elsewhere, no script may be in the page, nobody may frame it.
"""

import asyncio
import hashlib
import hmac
import os
import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
STALLED_S = 10.0
"""A client that does not read for so long is given up."""
_HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
_KEY_AGE_S = 7 * 24 * 3600.0
_KEY_BYTES = 32


class Stalled(Exception):  # noqa: N818 - no error of lsmtune's: it ends one answer
    """A client does not read."""


@dataclass(frozen=True)
class Keys:
    """What opens the gate.

    Attributes:
        token: in the printed address, new at every start.
        cookie_name, cookie: what the token is exchanged for. It outlives the server, so that a page that is open goes
            on when the server is started anew; its name has the port, as browsers share cookies between ports.
    """

    token: str
    cookie_name: str
    cookie: str

    @classmethod
    def make(cls, port: int, folder: Path | None = None) -> "Keys":
        """Return the keys of a server on `port`; what outlives it is derived from a secret in `folder`."""
        secret = _kept_secret(folder or _state_folder())
        cookie = hmac.new(secret, f"watch {port}".encode(), hashlib.sha256).hexdigest()
        return cls(secrets.token_urlsafe(24), f"lsmtune-watch-{port}", cookie)

    def opened_by_token(self, query: bytes) -> bool:
        """Whether a query holds the token."""
        given = dict(parse_qsl(query.decode("ascii", "replace"), max_num_fields=20)).get("token", "")
        return secrets.compare_digest(given.encode(), self.token.encode())

    def opened_by_cookie(self, header: str) -> bool:
        """Whether a header with cookies holds the cookie."""
        pairs = (part.strip().partition("=") for part in header.split(";"))
        return any(
            name == self.cookie_name and secrets.compare_digest(value.encode(), self.cookie.encode())
            for name, _, value in pairs
        )


class Gate:
    """Stands before an application and refuses what should not come in, before anything else is looked at."""

    def __init__(self, app: ASGIApp, keys: Keys, port: int) -> None:
        self._app = app
        self._keys = keys
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _guarded(send)
        refused = self._refusal(scope)
        with suppress(Stalled):
            if refused is not None:
                await _answer(guarded, *refused)
            elif self._asks_for_cookie(scope):
                await self._give_cookie(guarded)
            else:
                await self._pass_on(scope, receive, guarded)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; what goes wrong in it is told on the terminal, in a line."""
        try:
            await self._app(scope, receive, send)
        except Stalled:
            raise
        except Exception as error:
            sys.stderr.write(f"lsmtune: {scope['path']!r} could not be answered ({type(error).__name__}: {error})\n")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the sentence with which a request is refused; None where it may come in."""
        hosts = _header(scope, b"host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "This address is not the page's. Open the address that lsmtune watch printed."
        if scope["method"] not in ("GET", "HEAD") and _header(scope, b"origin") != [f"http://{hosts[0]}"]:
            return 403, "Only the page itself may do that."
        if self._asks_for_cookie(scope):
            return None
        cookies = "; ".join(_header(scope, b"cookie"))
        if not self._keys.opened_by_cookie(cookies):
            return 403, "Open the address that lsmtune watch printed, with its token."
        return None

    def _asks_for_cookie(self, scope: Scope) -> bool:
        query = scope["query_string"]
        return scope["method"] == "GET" and scope["path"] == "/" and self._keys.opened_by_token(query)

    async def _give_cookie(self, send: Send) -> None:
        keys = self._keys
        cookie = f"{keys.cookie_name}={keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _guarded(send: Send) -> Send:
    """Return a `send` that adds what every answer says, and gives up on who does not read."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = {name.lower() for name, _ in message["headers"]}
            added = [(name, value) for name, value in _HEADERS.items() if name not in said]
            message = {**message, "headers": [*message["headers"], *added]}
        try:
            async with asyncio.timeout(STALLED_S):
                await send(message)
        except TimeoutError:
            raise Stalled from None

    return guarded


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = f"{sentence}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for each, value in scope["headers"] if each == name]


def _state_folder() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "lsmtune"


def _kept_secret(folder: Path) -> bytes:
    """Return the secret of this user, which is made anew each week; one that is not kept where that is not possible."""
    path = folder / "watch.key"
    with suppress(OSError):
        facts = path.stat()
        own = facts.st_uid == os.getuid() and facts.st_mode & 0o077 == 0
        if own and time.time() - facts.st_mtime < _KEY_AGE_S and facts.st_size == _KEY_BYTES:
            return path.read_bytes()
    fresh = secrets.token_bytes(_KEY_BYTES)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(fresh)
    return fresh
