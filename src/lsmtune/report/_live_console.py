"""A running study on the terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from lsmtune.report._live import LiveView


class ProgressConsole(Console):
    """The console of progress, on stderr: where nobody reads it any more, it says nothing more, and nothing ends."""

    def __init__(self) -> None:
        super().__init__(stderr=True, highlight=False)

    def on_broken_pipe(self) -> None:
        """Go silent, where rich would end the process."""
        self.quiet = True


class ConsoleView(LiveView):
    """Shows a running study: a few lines that are redrawn on a terminal, plain lines elsewhere, or nothing.

    Where the console is no terminal, or one that cannot go back, stages, notes and ended runs print one line each.
    Where it cannot be written any more, as its terminal is closed or its disk is full, the view goes silent.
    """

    def __init__(self, console: Console, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        """`quiet` shows nothing at all; `clock` tells seconds, for the rate of redrawing only."""
        drawn = console.is_terminal and not console.is_dumb_terminal and not quiet
        super().__init__(redrawn=drawn, clock=clock)
        self._console = console
        self._quiet = quiet
        self._live = Live(self._lines, console=console, auto_refresh=False, transient=True) if drawn else None

    def __enter__(self) -> "ConsoleView":
        if self._live is not None:
            try:
                self._live.start()
            except OSError:
                self._live, self._console.quiet = None, True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            with self._silent_from_a_failure():
                self._live.stop()

    def _keep(self, line: Text) -> None:
        if not self._quiet:
            with self._silent_from_a_failure():
                self._console.print(line, soft_wrap=True)

    def _draw(self) -> None:
        if self._live is not None:
            self._drawn_at = self._clock()
            with self._silent_from_a_failure():
                self._live.update(self._lines, refresh=True)

    @contextmanager
    def _silent_from_a_failure(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._console.quiet = True
