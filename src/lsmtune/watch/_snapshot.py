"""What is known of a study that is followed, brought up to date by what changed since the last look."""

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from lsmtune.errors import LsmtuneError
from lsmtune.indicators import indicator
from lsmtune.model import Purpose, Status
from lsmtune.report import label
from lsmtune.result import DISTURBANCE, Disturbed, StudyFacts, checkpoints
from lsmtune.result.checkpoints import Progress
from lsmtune.store import ChangeStamp, LockHolder, RunOutline, Study, change_stamp, lock_holder, read_study

_HOLDER_S = 1.0
_RECENT = 20  # runs from which the time of one is told
_STAGES = {
    Purpose.BASELINE: "baseline",
    Purpose.ANCHOR: "search",
    Purpose.TRIAL: "search",
    Purpose.RUNG: "search",
    Purpose.TEST: "sample",
}


@dataclass
class Snapshot:
    """A study as it was at the last look.

    Runs that have ended never change, so each look reads from the first run that was still open. One thread looks at a
    time; others may read meanwhile.

    Attributes:
        folder: the study folder.
        runs: all runs, by id.
        values: of each shown indicator, and of `DISTURBANCE`, by run.
        names: the shown indicators, those of the objective first.
        name, kind, reference: of the study, as it says of itself.
        uses_disturbed: whether disturbed runs count that were not made again.
        version: counts the looks that found something new.
        mark: tells this study from another that has taken its place; empty where there is none.
        trouble: why the study cannot be read, in a sentence; else empty.
    """

    folder: Path
    runs: list[RunOutline] = field(default_factory=list)
    values: dict[str, dict[int, float]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    version: int = 0
    mark: str = ""
    name: str = ""
    kind: str = ""
    reference: str = ""
    uses_disturbed: bool = False
    trouble: str = ""
    done: bool = False
    progress: Progress | None = None
    holder: LockHolder | None = None
    _settled: int = 0  # so many runs from the first on have ended
    _summed: int = 0
    _counts: Counter[Status] = field(default_factory=Counter)
    _spent_s: float = 0.0
    _stamp: ChangeStamp | None = None
    _looked: float = 0.0

    @property
    def running(self) -> bool:
        """Whether somebody surely works on it."""
        return self.holder is not None and self.holder.works

    @property
    def is_due(self) -> bool:
        """Whether something may have changed: two calls of the system, nothing is opened."""
        return change_stamp(self.folder).may_differ(self._stamp) or time.monotonic() - self._looked > _HOLDER_S

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts that make its runs, sorted; of a study on this machine, that one."""
        return sorted({run.host for run in self.runs} - {""})

    @property
    def resume(self) -> int:
        """The id from which on runs may still change, or are still to come."""
        return next((run.id for run in self.runs[self._settled :] if run.is_open), len(self.runs) + 1)

    def refresh(self) -> bool:
        """Look at the study; return whether anything is new."""
        stamp = change_stamp(self.folder)
        before = (self.holder, self.trouble)
        self.holder, self._looked = lock_holder(self.folder), time.monotonic()
        changed = stamp.may_differ(self._stamp) and self._read()
        self._stamp = None if self.trouble else stamp  # what could not be read is tried again
        if changed or before != (self.holder, self.trouble):
            self.version += 1
            return True
        return False

    def state(self) -> dict[str, Any]:
        """Return where the study stands as JSON values; times in s, moments in s since the epoch."""
        counts, spent_s = self._sums()
        under_way = [run for run in self.runs[self.resume - 1 :] if run.status is Status.RUNNING]
        current = under_way[-1] if under_way else None  # of several hosts' runs the one that began last
        progress = self.progress
        running = self.running
        last = self.runs[-1] if self.runs else None
        fits = progress is not None and last is not None and progress.run == last.id
        return {
            "name": self.name,
            "kind": self.kind,
            "reference": self.reference,
            "uses_disturbed": self.uses_disturbed,
            "running": running,
            "stoppable": self.holder is not None and self.holder.seen,
            "heard_at": None if self.holder is None else self.holder.heard_at,
            "holder": None if self.holder is None else f"process {self.holder.pid} on host {self.holder.host}",
            "done": self.done,
            "stage": progress.stage if progress is not None and progress.stage else self._stage_of_last(),
            "purpose": "" if progress is None else progress.purpose,
            "about": progress.about if progress is not None and fits and current in (last, None) else "",
            "run": None if current is None or not running else current.id,
            "started_at": None if current is None else current.started_at,
            "typical_s": self._typical_s(),
            "left_s": progress.left_s if progress is not None and fits and running else None,
            "left_at": last.started_at if last is not None and fits else None,
            "at_once": max(1, len(under_way)),
            "counts": {str(status): number for status, number in sorted(counts.items())},
            "runs": len(self.runs),
            "spent_s": spent_s,
            "trouble": self.trouble,
            "indicators": self._indicators(),
        }

    def rows(self, first: int, most: int) -> list[list[Any]]:
        """Return at most `most` runs from an id on: the fields of `ROW`, then a value for each name."""
        names = (*self.names, DISTURBANCE)
        return [
            [
                *(
                    run.id,
                    str(run.purpose),
                    run.arm,
                    str(run.status),
                    run.started_at,
                    run.elapsed_s,
                    run.block,
                    run.rung,
                ),
                *(self.values[name].get(run.id) for name in names),
            ]
            for run in self.runs[first - 1 : first - 1 + most]
        ]

    def _read(self) -> bool:
        try:
            with read_study(self.folder) as study:
                return self._update(study)
        except LsmtuneError as error:
            self.trouble = str(error)
            return False

    def _update(self, study: Study) -> bool:
        mark = format(int(study.description.created_at * 1e6), "x")
        if mark != self.mark:
            self._begin(study, mark)
        first = self._settled = self.resume - 1
        before = (self.runs[first:], self.done, self.progress, self.kind, self.trouble)
        found = study.outlines(first + 1)
        columns = {name: study.indicator(name, first + 1) for name in self.names}
        columns[DISTURBANCE] = study.fact(DISTURBANCE, first + 1)
        self.done = study.saved(checkpoints.DONE) or False
        self.progress = study.saved(checkpoints.PROGRESS)
        self.kind, self.trouble = str(study.kind), ""
        for name, column in columns.items():
            self.values[name].update(column)
        self.runs[first:] = found  # last: whoever sees that a run has ended, finds its values
        return before != (found, self.done, self.progress, self.kind, self.trouble)

    def _begin(self, study: Study, mark: str) -> None:
        rules = StudyFacts.of(study.description).rules
        self.mark, self.name, self.reference = mark, study.description.name, rules.reference
        self.uses_disturbed = rules.disturbed not in (None, Disturbed.REFUSE)
        self.names = tuple(dict.fromkeys((*rules.objective.weights, *rules.judged, *rules.shown)))
        self.runs, self._settled = [], 0
        self._summed, self._counts, self._spent_s = 0, Counter(), 0.0
        self.values = {name: {} for name in (*self.names, DISTURBANCE)}

    def _sums(self) -> tuple[Counter[Status], float]:
        """Return the number of runs by status and the time of all in s; of runs that have ended, added up once."""
        for run in self.runs[self._summed : self._settled]:
            self._counts[run.status] += 1
            self._spent_s += run.elapsed_s or 0.0
            self._summed += 1
        rest = self.runs[self._summed :]
        return self._counts + Counter(run.status for run in rest), self._spent_s + sum(
            run.elapsed_s or 0.0 for run in rest
        )

    def _typical_s(self) -> float | None:
        recent = [run.elapsed_s for run in self.runs[-_RECENT:] if run.elapsed_s is not None]
        return median(recent) if recent else None

    def _stage_of_last(self) -> str:
        """Name the stage of the last run, for studies that did not keep how far they are."""
        purpose = self.runs[-1].purpose if self.runs else None
        return "" if purpose is None else _STAGES.get(purpose, str(purpose))

    def _indicators(self) -> list[dict[str, Any]]:
        told = [
            {"name": name, "title": label(name), "unit": indicator(name).unit, "better": indicator(name).better}
            for name in self.names
        ]
        title = "what others took of the cores"
        return [*told, {"name": DISTURBANCE, "title": title, "unit": "share", "better": "lower"}]


ROW = ("id", "purpose", "arm", "status", "started_at", "elapsed_s", "block", "rung")
"""What a row begins with."""
