"""What goes into a study and comes out of it, as frozen values."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune import __version__
from lsmtune.codec import JSON
from lsmtune.errors import StudyError
from lsmtune.model import EngineBuild, HostFacts, Purpose, Run, Status


@dataclass(frozen=True)
class StudyDescription:
    """What a study is about; fixed when it is created.

    Attributes:
        name: the study's name, not empty.
        experiment: text of the experiment file.
        build: the engine build that all runs use.
        host: the machine that all runs are made on.
        facts: what else the study says of itself, as JSON; `lsmtune.result.StudyFacts` writes and reads it.
        created_at: seconds since the epoch.
        lsmtune_version: version of lsmtune that created the study.
    """

    name: str
    experiment: str
    build: EngineBuild
    host: HostFacts
    facts: Mapping[str, JSON] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    lsmtune_version: str = __version__

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise StudyError("a study needs a name that is not empty; give it one in the experiment file")
        try:
            json.dumps(self.facts)
        except (TypeError, ValueError) as error:
            raise StudyError(f'the facts of study "{self.name}" cannot be stored as JSON: {error}') from None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with what became of it; indicators and measurements are read by themselves.

    Attributes:
        run: what was planned.
        status: see `Status`.
        started_at: seconds since the epoch; None if it never started.
        elapsed_s: wall time of the whole run in s; None unless it finished.
        reason: one sentence where the status is FAILED, CENSORED, DISTURBED, SPOILED or LOST, else empty.
        bound_s: for a censored run, its processes took at least this long in s, loading excluded.
        effective_key: key of the effective configuration, see `Study.configuration`; None where the engine's
            values were not read back.
        load_s: the part of `elapsed_s` in which shared data was loaded; None unless it finished, and in runs that were
            made before this was kept.
    """

    run: Run
    status: Status
    started_at: float | None
    elapsed_s: float | None
    reason: str
    bound_s: float | None
    effective_key: str | None
    load_s: float | None = None

    @property
    def measured_s(self) -> float | None:
        """Wall time of the run without the loading of shared data in s; None unless it finished."""
        return None if self.elapsed_s is None else self.elapsed_s - (self.load_s or 0.0)

    @property
    def identity(self) -> str:
        """Key of the configuration that really ran; of the one asked for where the engine's was not read back."""
        return self.effective_key or self.run.configuration.key


@dataclass(frozen=True, slots=True)
class RunOutline:
    """A run without what it ran: what a long list of runs shows. Fields as in `StoredRun` and its `Run`."""

    id: int
    purpose: Purpose
    arm: str
    block: int | None
    rung: str
    status: Status
    started_at: float | None
    elapsed_s: float | None
    reason: str
    host: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the run may still change: it is planned, or under way."""
        return self.status in (Status.PLANNED, Status.RUNNING)


@dataclass(frozen=True)
class StudySummary:
    """A study at a glance.

    Attributes:
        counts: number of runs by purpose and status; pairs without a run are absent.
        first_started_at: when the first run started, in seconds since the epoch; None if none did.
        last_ended_at: when the last finished run ended, in seconds since the epoch; None if none did.
        run_time_s: wall time of all finished runs together in s.
    """

    counts: Mapping[tuple[Purpose, Status], int]
    first_started_at: float | None
    last_ended_at: float | None
    run_time_s: float

    @property
    def runs(self) -> int:
        """Number of all runs."""
        return sum(self.counts.values())

    def count(self, *, purpose: Purpose | None = None, status: Status | None = None) -> int:
        """Return the number of runs with this purpose and status; None stands for any."""
        return sum(
            number
            for (its_purpose, its_status), number in self.counts.items()
            if purpose in (None, its_purpose) and status in (None, its_status)
        )
