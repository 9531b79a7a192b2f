"""Who hears what a study does while it does it."""

from lsmtune.executors import Progress
from lsmtune.model import Run
from lsmtune.result import History
from lsmtune.store import StoredRun


class Listener:
    """Hears a study's progress; this one keeps silent, others override what they show.

    Methods are called from the thread that runs the study, in the order of events, and must return at once.
    """

    def stage(self, name: str, purpose: str) -> None:
        """A stage begins: its name, and what it is for in a few words."""

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        """A run starts; the study still takes about `left_s`, None where that is not known."""

    def progress(self, progress: Progress) -> None:
        """A run goes on; called several times a second."""

    def ended(self, stored: StoredRun, history: History) -> None:
        """A run ended and is stored; it is the last of `history`."""

    def note(self, sentence: str) -> None:
        """Something worth knowing happened or was decided."""
