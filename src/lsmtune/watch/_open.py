"""Starts the live page, where its packages are there."""

from collections.abc import Callable
from pathlib import Path

from lsmtune.errors import UsageError

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
        UsageError: a package is missing, there is no such folder, or the port is taken.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"the live page needs the package {error.name}, which is not installed; install it with: "
            "pip install 'lsmtune[watch]'"
        ) from None
    from lsmtune.watch._server import serve

    serve(place, port=port, readonly=readonly, tell=tell)
