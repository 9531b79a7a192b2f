"""Passes what a study does on to the live view."""

from lsmtune.executors import Progress
from lsmtune.model import Run, Status
from lsmtune.report import LiveView, ended_text, tally
from lsmtune.result import History, Rules, fit_reference, score
from lsmtune.store import StoredRun
from lsmtune.study import Listener
from lsmtune.units import format_seconds


class ViewListener(Listener):
    """Words events for a `LiveView`."""

    def __init__(self, view: LiveView, rules: Rules | None = None) -> None:
        """`rules` say how an ended run compares with the reference; None where there is none."""
        self._view = view
        self._rules = rules

    def stage(self, name: str, purpose: str) -> None:
        """Show that a stage begins."""
        self._view.stage(name, purpose)

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """Show that a run starts."""
        self._view.started(f"run {run.id}: {about}", left_s)

    def progress(self, progress: Progress) -> None:
        """Show how far a run is."""
        self._view.progress(progress.phase, progress.done, progress.elapsed_s, progress.detail)

    def ended(self, stored: StoredRun, history: History) -> None:
        """Show what a run gave."""
        if self._rules is None:
            took = format_seconds(stored.elapsed_s)
            self._view.ended(f"run {stored.run.id}: {stored.status} after {took}", ok=stored.status is Status.OK)
            return
        ranked = score(history, self._rules, fit_reference(history, self._rules, stored.run.rung), stored)
        self._view.ended(ended_text(ranked), ok=stored.status is Status.OK, counts=tally(history, self._rules))

    def note(self, sentence: str) -> None:
        """Show a sentence."""
        self._view.note(sentence)
