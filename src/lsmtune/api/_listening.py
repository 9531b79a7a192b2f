"""Passes what a study does on to the live view."""

from pathlib import Path

from lsmtune.backends.registry import backend_of
from lsmtune.executors import Progress
from lsmtune.model import Run, Status
from lsmtune.report import LiveView, ended_text, own_words, tally
from lsmtune.result import History, Rules, fit_reference, score
from lsmtune.store import StoredRun
from lsmtune.study import Listener, Prepared
from lsmtune.units import format_seconds


class ViewListener(Listener):
    """Words events for a `LiveView`."""

    def __init__(self, view: LiveView, rules: Rules | None = None) -> None:
        """`rules` say how an ended run compares with the reference; None where there is none."""
        self._view = view
        self._rules = rules

    def introduce(self, prepared: Prepared, folder: Path) -> None:
        """Say what is about to happen, and what is left out."""
        build = prepared.build
        what = f"{len(prepared.contenders)} to compare" if prepared.contenders else f"{len(prepared.space)} options"
        self._view.note(f"{build.engine} {build.version} by {build.path}, {what}, study in {folder}")
        if build.assertions:
            optimised = backend_of(build).optimised
            step = f"; {optimised}" if optimised else ""
            self._view.note(f"this build checks assertions: an optimised one is faster, by an unequal share{step}")
        if prepared.in_code:
            self._view.note(own_words(prepared.in_code, prepared.rules))
        if prepared.missing:
            names = ", ".join(option.name for option in prepared.missing)
            self._view.note(f"this build lacks {names}; they are left at their default")
        for sentence in prepared.notes:
            self._view.note(sentence)
        for finding in prepared.findings():
            self._view.note(str(finding))
        for kept in {each.name: each for each in prepared.other_builds.values()}.values():
            other = kept.build
            self._view.note(f'"{kept.name}" is {other.engine} {other.version} by {other.path}')
            if kept.defaults:
                self._view.note(kept.defaults_sentence(build))

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
