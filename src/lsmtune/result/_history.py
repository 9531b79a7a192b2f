"""A study's runs with the indicators that its rules speak of."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from lsmtune.indicators import indicator
from lsmtune.model import FRESH, WHOLE, Purpose, Run, Status, StudyKind
from lsmtune.result._rules import Disturbed, Rules
from lsmtune.store import StoredRun, Study

_Place: TypeAlias = tuple[object, ...]
_ByBlock: TypeAlias = dict[Purpose, dict[int, dict[str, StoredRun]]]  # and arm
_NEVER_ENDED = frozenset({Status.PLANNED, Status.RUNNING, Status.LOST})


class Counts(StrEnum):
    """What of a run counts."""

    ALL = "all"
    """Every indicator: it went well, or was disturbed and is used all the same."""
    STEADY = "steady"
    """What others on the host cannot change, see `Indicator.steady`: it was disturbed, and no other took its place."""
    NOTHING = "nothing"
    """It gave nothing, or was disturbed and made again."""


@dataclass(frozen=True)
class History:
    """What a study has measured so far.

    Attributes:
        runs: all runs in the order in which they were planned.
        measured: for each indicator of the rules, and for those that were asked for, its value by run.
        disturbed: see `Rules`; this is the one place where it is decided which disturbed runs count.
    """

    runs: tuple[StoredRun, ...]
    measured: Mapping[str, Mapping[int, float]]
    disturbed: Disturbed | None = Disturbed.WAIT

    @classmethod
    def read(cls, study: Study, rules: Rules, more: Iterable[str] = ()) -> "History":
        """Read the runs of `study` with the indicators of `rules`, and with those named in `more`."""
        columns = {name: study.indicator(name) for name in (*rules.read, *more)}
        return cls(tuple(study.runs()), columns, rules.disturbed)

    @cached_property
    def columns(self) -> Mapping[str, Mapping[int, float]]:
        """What was measured, without what disturbed runs say of indicators that others change, if that is refused."""
        partly = {run for run, counts in self._of_disturbed.items() if counts is Counts.STEADY}
        if not partly:
            return self.measured
        return {
            name: column
            if indicator(name).steady
            else {run: value for run, value in column.items() if run not in partly}
            for name, column in self.measured.items()
        }

    @property
    def counting(self) -> "History":
        """The same runs with what counts alone among what was measured."""
        return self if self.columns is self.measured else replace(self, measured=self.columns)

    def indicators(self, run_id: int) -> dict[str, float | None]:
        """Return the indicators of a run that count; None where one is missing."""
        return {name: column.get(run_id) for name, column in self.columns.items()}

    def counts(self, stored: StoredRun) -> Counts:
        """Return what of a run counts."""
        if stored.status is Status.OK:
            return Counts.ALL
        return self._of_disturbed.get(stored.run.id, Counts.NOTHING)

    def counts_in(self, stored: StoredRun, names: Iterable[str]) -> bool:
        """Whether a run counts in each of these indicators, as far as it has them."""
        counts = self.counts(stored)
        return counts is Counts.ALL or (counts is Counts.STEADY and all(indicator(name).steady for name in names))

    def select(self, purposes: Iterable[Purpose], arm: str | None = None) -> list[StoredRun]:
        """Return the runs of some purposes, of one arm or of all, of which something counts."""
        wanted = frozenset(purposes)
        return [
            stored
            for stored in self.runs
            if stored.run.purpose in wanted
            and arm in (None, stored.run.arm)
            and self.counts(stored) is not Counts.NOTHING
        ]

    def analysed(self, plan: StudyKind, elsewhere: Collection[str]) -> list[StoredRun]:
        """Return the runs that are the table of a study for analysis: those that ended, with its own amount of data.

        Of a comparison of builds they are those on the reference's build; of a design all, as variants name what ran
        elsewhere.

        Args:
            plan: what the study goes through.
            elsewhere: the arms that run on other builds than the study's own.
        """
        left_out = () if plan.has_design else elsewhere
        return [
            stored
            for stored in self.runs
            if stored.status not in _NEVER_ENDED and stored.run.rung == WHOLE and stored.run.arm not in left_out
        ]

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that made more than blocks of a comparison, by name, sorted; older studies name none."""
        made = {stored.run.host for stored in self.runs if stored.run.purpose not in FRESH}
        return tuple(sorted(made - {""}))

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
        """Return the runs of a purpose of which something counts, by block and arm."""
        return self._blocks.get(purpose, {})

    def attempts(self, purpose: Purpose) -> Mapping[int, Mapping[str, StoredRun]]:
        """Return, by block and arm, the runs of a purpose that say something: those that failed or were stopped too."""
        return self._attempts.get(purpose, {})

    @cached_property
    def _blocks(self) -> _ByBlock:
        return _by_block(stored for stored in self.runs if self.counts(stored) is not Counts.NOTHING)

    @cached_property
    def _attempts(self) -> _ByBlock:
        return _by_block(
            stored
            for stored in self.runs
            if stored.status in (Status.FAILED, Status.CENSORED) or self.counts(stored) is not Counts.NOTHING
        )

    @cached_property
    def repeated(self) -> tuple[StoredRun, ...]:
        """Disturbed runs that were made again, so that another one has their place."""
        kept = self._of_disturbed
        return tuple(stored for stored in self.runs if stored.status is Status.DISTURBED and stored.run.id not in kept)

    @cached_property
    def _of_disturbed(self) -> Mapping[int, Counts]:
        """What counts of each disturbed run that has its place to the end, by run."""
        places = {_place(stored.run) for stored in self.runs if stored.status is Status.DISTURBED}
        if self.disturbed is None or not places:
            return {}
        last = {_place(stored.run): stored for stored in self.runs if stored.status not in _NEVER_ENDED}
        what = Counts.STEADY if self.disturbed is Disturbed.REFUSE else Counts.ALL
        kept = (last[place] for place in places)
        return {stored.run.id: what for stored in kept if stored.status is Status.DISTURBED}


def _by_block(runs: Iterable[StoredRun]) -> _ByBlock:
    found: _ByBlock = {}
    for stored in runs:
        if stored.run.block is not None:
            found.setdefault(stored.run.purpose, {}).setdefault(stored.run.block, {})[stored.run.arm] = stored
    return found


def _place(run: Run) -> _Place:
    """Return what a run that is made again shares with the one before."""
    return (run.purpose, run.arm, run.block, run.scenario, run.rung)
