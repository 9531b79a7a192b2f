"""What runs took, kept at hand: a study of many runs is not gone through for each new one."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from statistics import median

from lsmtune.model import WHOLE, Status
from lsmtune.store import StoredRun
from lsmtune.study._budget import Budget, Spending


class Ledger:
    """The times of the runs of a study, and the runs of its reference."""

    def __init__(self, reference: str, home: str) -> None:
        """`reference` is its arm; `home` the host of runs that name none."""
        self._reference = reference
        self._home = home
        self._times: list[float] = []
        self._spent_s = 0.0
        self._again: dict[int, float] = {}
        self._own: defaultdict[tuple[Fraction, str | None], list[StoredRun]] = defaultdict(list)

    def add(self, stored: StoredRun) -> None:
        """Add a run that has ended or was lost; one that others disturbed or spoiled counts as made again so far."""
        if stored.elapsed_s is not None:
            self._times.append(stored.elapsed_s)
            self._spent_s += stored.elapsed_s
        if stored.status in (Status.DISTURBED, Status.SPOILED):
            self._again[stored.run.id] = stored.elapsed_s or 0.0
        if stored.run.arm == self._reference and stored.status in (Status.OK, Status.DISTURBED):
            for host in (None, stored.run.host or self._home):
                self._own[stored.run.rung, host].append(stored)

    def stands(self, stored: StoredRun) -> None:
        """Hear that a run is not made again, whatever befell it."""
        self._again.pop(stored.run.id, None)

    def own_runs(self, rung: Fraction, host: str | None = None) -> Sequence[StoredRun]:
        """Return the reference's runs at a rung that went well, on a host or on all, in the order of their end."""
        return self._own[rung, host]

    def spending(self, budget: Budget, under_way: int) -> Spending:
        """Return what has been spent; the typical run is the median of the reference's, and what an open one takes."""
        own = [stored.elapsed_s for stored in self.own_runs(WHOLE) if stored.elapsed_s is not None]
        typical_s = median(own or self._times or [1.0])
        again = [self._again[run] for run in sorted(self._again)]
        spent_s = self._spent_s + typical_s * under_way
        return Spending(budget, typical_s, spent_s, len(self._times) - len(again) + under_way, sum(again), len(again))
