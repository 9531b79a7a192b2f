"""Who hears what a study does while it does it."""

import math

from lsmtune.executors import Progress
from lsmtune.model import Run
from lsmtune.result import History, checkpoints
from lsmtune.result.checkpoints import Progress as StudyProgress
from lsmtune.store import StoredRun, Study


class Listener:
    """Hears a study's progress; this one keeps silent, others override what they show.

    Methods are called from the thread that runs the study, in the order of events, and must return at once.
    """

    def stage(self, name: str, purpose: str) -> None:
        """A stage begins: its name, and what it is for in a few words."""

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """A run starts; the study still takes about `left_s`, None where that is not known."""

    def progress(self, progress: Progress) -> None:
        """A run goes on; called several times a second at first, once a second later."""

    def waiting(self) -> None:
        """Runs go on elsewhere and none has ended; called about once a second."""

    def lost(self, run: Run, sentence: str) -> None:
        """The host of a run has left, which the sentence says; the run is made again."""
        del run
        self.note(sentence)

    def ended(self, stored: StoredRun, history: History) -> None:
        """A run ended and is stored."""

    def note(self, sentence: str) -> None:
        """Something worth knowing happened or was decided."""


class KeptProgress(Listener):
    """Passes everything on, and keeps in the study how far it is, so that others can follow it from outside.

    It writes when a run begins, beside the plan of the run, and never while one is under way.
    """

    def __init__(self, study: Study, further: Listener) -> None:
        self._study = study
        self._further = further
        self._stage = self._purpose = ""

    def stage(self, name: str, purpose: str) -> None:
        """Remember the stage."""
        self._stage, self._purpose = name, purpose
        self._further.stage(name, purpose)

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """Keep what is known now."""
        finite = None if left_s is None or math.isinf(left_s) else left_s
        self._study.save(checkpoints.PROGRESS, StudyProgress(self._stage, self._purpose, run.id, about, finite))
        self._further.started(run, about, left_s)

    def progress(self, progress: Progress) -> None:
        """Pass it on."""
        self._further.progress(progress)

    def waiting(self) -> None:
        """Pass it on."""
        self._further.waiting()

    def lost(self, run: Run, sentence: str) -> None:
        """Pass it on."""
        self._further.lost(run, sentence)

    def ended(self, stored: StoredRun, history: History) -> None:
        """Pass it on."""
        self._further.ended(stored, history)

    def note(self, sentence: str) -> None:
        """Pass it on."""
        self._further.note(sentence)
