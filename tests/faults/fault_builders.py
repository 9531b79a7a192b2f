"""Plans, faults and listeners that hide the set-up of fault tests."""

from lsmtune.model import Purpose, Run
from lsmtune.study import Budget, Listener
from lsmtune.testing import FakePlan, Fault, Faults, Noise, Surface

GOOD = FakePlan(Budget(None, 110), Surface(0.4), Noise(rate=0.03), seed=2)


class Notes(Listener):
    """Keeps the notes and what the runs were about."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.started_runs: list[str] = []

    def started(self, run: Run, about: str, left_s: float | None) -> None:
        self.started_runs.append(about)

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def faults_on(purpose: Purpose, fault: Fault, arm: str = "", blocks: range = range(100)) -> Faults:
    """The fault in all runs of a purpose, or those of an arm, or of some blocks."""

    def faults(run: Run) -> Fault | None:
        hit = run.purpose is purpose and arm in ("", run.arm) and (run.block is None or run.block in blocks)
        return fault if hit else None

    return faults
