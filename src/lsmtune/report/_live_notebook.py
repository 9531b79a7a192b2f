"""A running study below a cell of a notebook."""

import io
import math
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lsmtune.report._live import LiveView

_WIDTH = 100
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_PAGE = f'<pre style="white-space: pre; overflow-x: auto; line-height: normal; font-family: {_FONTS}">{{code}}</pre>'


class Display(Protocol):
    """A place below a cell whose content can be replaced, as `IPython.display.DisplayHandle`."""

    def display(self, obj: Mapping[str, str], *, raw: bool) -> object:
        """Show something there for the first time: its text for each MIME type, where `raw`."""

    def update(self, obj: Mapping[str, str], *, raw: bool) -> object:
        """Show something else there."""


class NotebookView(LiveView):
    """Shows a running study in one place below the cell, the lines that stay above those that are redrawn.

    A page in a browser takes longer to draw than a terminal, so that nothing but the end draws more than twice a
    second; what came in between is in the next drawing.
    """

    def __init__(self, display: Display, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells seconds, for the rate of redrawing only."""
        super().__init__(redrawn=True, clock=clock)
        self._display = display
        self._kept: list[Text] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kept or self._was_drawn:
            self._show(Group(*self._kept))

    def _keep(self, line: Text) -> None:
        self._kept.append(line)
        self._draw()

    def _draw(self) -> None:
        if self._is_due:
            self._show(Group(*self._kept, self._lines))

    def _show(self, lines: RenderableType) -> None:
        show = self._display.update if self._was_drawn else self._display.display
        self._drawn_at = self._clock()
        show(_page(lines), raw=True)

    @property
    def _was_drawn(self) -> bool:
        return math.isfinite(self._drawn_at)


def cell_display() -> Display | None:
    """Return a new place below the cell that runs; None outside of a notebook.

    Only a kernel of Jupyter has an IPython with a kernel, and then IPython is loaded: nobody else waits for it.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if not hasattr(shell, "kernel"):
        return None
    from IPython.display import DisplayHandle

    place: Display = DisplayHandle()  # type: ignore[no-untyped-call] # IPython is typed in part
    return place


def _page(lines: RenderableType) -> Mapping[str, str]:
    """Return lines as HTML that loads nothing, and as plain text."""
    console = Console(
        record=True,
        width=_WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        force_jupyter=False,
        color_system="truecolor",
        no_color=False,
        highlight=False,
    )
    console.print(lines)
    text = console.export_text(clear=False)
    return {"text/plain": text, "text/html": console.export_html(code_format=_PAGE, inline_styles=True)}
