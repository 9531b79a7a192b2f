"""A study's runs with the indicators that its rules speak of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lsmtune.model import Purpose, Status
from lsmtune.result._rules import Rules
from lsmtune.store import StoredRun, Study


@dataclass(frozen=True)
class History:
    """What a study has measured so far.

    Attributes:
        runs: all runs in the order in which they were planned.
        columns: for each indicator of the rules, and for those that were asked for, its value by run.
    """

    runs: tuple[StoredRun, ...]
    columns: Mapping[str, Mapping[int, float]]

    @classmethod
    def read(cls, study: Study, rules: Rules, more: Iterable[str] = ()) -> "History":
        """Read the runs of `study` with the indicators of `rules`, and with those named in `more`."""
        return cls(tuple(study.runs()), {name: study.indicator(name) for name in (*rules.shown, *more)})

    def indicators(self, run_id: int) -> dict[str, float | None]:
        """Return the indicators of a run; None where one is missing."""
        return {name: column.get(run_id) for name, column in self.columns.items()}

    def select(
        self, purposes: Iterable[Purpose], arm: str | None = None, status: Status = Status.OK
    ) -> list[StoredRun]:
        """Return the runs of some purposes, of one arm or of all, with one status."""
        wanted = frozenset(purposes)
        return [
            stored
            for stored in self.runs
            if stored.run.purpose in wanted and stored.status is status and arm in (None, stored.run.arm)
        ]

    @cached_property
    def order(self) -> Mapping[int, int]:
        """Place of each run in the order of the runs that were not lost."""
        places: dict[int, int] = {}
        place = 0
        for stored in self.runs:
            place += stored.status is not Status.LOST
            places[stored.run.id] = place
        return places

    def blocks(self, purpose: Purpose) -> Mapping[int, Mapping[str, StoredRun]]:
        """Return the OK runs of a purpose by block and arm."""
        return self._blocks.get(purpose, {})

    def attempts(self, purpose: Purpose) -> Mapping[int, Mapping[str, StoredRun]]:
        """Return, by block and arm, the runs of a purpose that say something: those that failed or were stopped too."""
        return self._attempts.get(purpose, {})

    @cached_property
    def _attempts(self) -> dict[Purpose, dict[int, dict[str, StoredRun]]]:
        found: dict[Purpose, dict[int, dict[str, StoredRun]]] = {
            purpose: {block: dict(arms) for block, arms in blocks.items()} for purpose, blocks in self._blocks.items()
        }
        for stored in self.runs:
            if stored.run.block is not None and stored.status in (Status.FAILED, Status.CENSORED):
                found.setdefault(stored.run.purpose, {}).setdefault(stored.run.block, {})[stored.run.arm] = stored
        return found

    @cached_property
    def _blocks(self) -> dict[Purpose, dict[int, dict[str, StoredRun]]]:
        found: dict[Purpose, dict[int, dict[str, StoredRun]]] = {}
        for stored in self.runs:
            if stored.run.block is not None and stored.status is Status.OK:
                found.setdefault(stored.run.purpose, {}).setdefault(stored.run.block, {})[stored.run.arm] = stored
        return found
