"""Passes what a study does on to the live view."""

import time
from collections.abc import Callable

from lsmtune.executors import Progress
from lsmtune.model import Run, Status
from lsmtune.report import LiveView, Tally, ended_text, tally
from lsmtune.result import History, Ranked, Rules, fit_reference, score
from lsmtune.store import StoredRun
from lsmtune.study import Listener
from lsmtune.units import format_seconds

_CHEAP_S = 0.01
_SHARE = 0.005  # of the time, that comparing ended runs may take once a study has very many


class ViewListener(Listener):
    """Words events for a `LiveView`.

    What a run came to is compared with the whole study. Where that takes long, as there are very many runs, it is done
    now and then, and the runs between are named alone.
    """

    def __init__(self, view: LiveView, rules: Rules | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`rules` say how an ended run compares with the reference; None where there is none. `clock` tells seconds."""
        self._view = view
        self._rules = rules
        self._clock = clock
        self._due_s = 0.0

    def stage(self, name: str, purpose: str) -> None:
        """Show that a stage begins."""
        self._view.stage(name, purpose)

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """Show that a run starts."""
        self._view.started(f"run {run.id}: {about}", left_s, run.host)

    def progress(self, progress: Progress) -> None:
        """Show how far a run is."""
        self._view.progress(progress.phase, progress.done, progress.elapsed_s, progress.detail)

    def waiting(self) -> None:
        """Show how long runs on other hosts take by now."""
        self._view.waiting()

    def lost(self, run: Run, sentence: str) -> None:
        """Show that a host has left."""
        self._view.left(run.host)
        self._view.note(sentence)

    def ended(self, stored: StoredRun, history: History) -> None:
        """Show what a run gave."""
        self._view.left(stored.run.host)
        if self._rules is None:
            took = format_seconds(stored.elapsed_s)
            self._view.ended(f"run {stored.run.id}: {stored.status} after {took}", ok=stored.status is Status.OK)
            return
        began = self._clock()
        if began < self._due_s:
            self._view.ended(ended_text(Ranked(stored, None, 0.0)), ok=stored.status is Status.OK)
            return
        ranked, counts = self._compared(stored, history, self._rules)
        took_s = self._clock() - began
        if took_s > _CHEAP_S:
            self._due_s = began + took_s / _SHARE
        self._view.ended(ended_text(ranked), ok=stored.status is Status.OK, counts=counts)

    def note(self, sentence: str) -> None:
        """Show a sentence."""
        self._view.note(sentence)

    @staticmethod
    def _compared(stored: StoredRun, history: History, rules: Rules) -> tuple[Ranked, Tally]:
        return score(history, rules, fit_reference(history, rules, stored.run.rung), stored), tally(history, rules)
