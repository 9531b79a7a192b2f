"""Starts the live page, where its packages are there."""

from collections.abc import Callable
from pathlib import Path

from lsmtune.extras import EXTRAS, need

PORT = 8350
"""Where the page is, if nobody says otherwise and nothing else is there."""


def watch(place: Path, *, port: int | None, readonly: bool, tell: Callable[[str], None]) -> None:
    """Serve the page of the study or the studies in `place` until it is interrupted.

    Args:
        place: a study folder, or one with studies in it or below.
        port: to listen on; None: `PORT`, or a free one where that is taken. 0: a free one.
        readonly: whether the page has no button that stops a study.
        tell: hears the address.

    Raises:
        MissingLibraryError: a library is not installed.
        UsageError: there is no such folder, or the port is taken.
    """
    need("lsmtune watch", *EXTRAS["watch"], "jinja2", "markupsafe")
    from lsmtune.watch._server import serve

    serve(place, port=port, readonly=readonly, tell=tell)
