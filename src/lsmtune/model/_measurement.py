"""What a run gave: its status, indicators and effective configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lsmtune.model._configuration import Value


class Status(StrEnum):
    """How a run ended."""

    PLANNED = "planned"
    """Written down, not started."""
    RUNNING = "running"
    """Started; where no process works on the study any more, it was lost."""
    OK = "ok"
    FAILED = "failed"
    """A crash, a refusal, an unreadable output or a full disk; the reason is kept."""
    CENSORED = "censored"
    """Stopped by the cap: its objective is known only to be worse than a bound."""
    DISTURBED = "disturbed"
    """Finished, but the host was disturbed; what becomes of it says `lsmtune.result.Disturbed`."""
    SPOILED = "spoiled"
    """Not finished for a reason that is not the configuration's, such as a disk that others filled; made again."""
    LOST = "lost"
    """The process that made it was killed; it is made again."""


@dataclass(frozen=True)
class Overridden:
    """An option whose effective value, read back from the engine, is not what was asked for.

    Both values are at full size; `reason` says why where the rule is known.
    """

    option: str
    asked: Value
    effective: Value
    reason: str = ""


RATE_BARS = "rate_bars"
"""The fact of a measurement that says why the least rate above the largest was not sustained: words with commas."""


@dataclass(frozen=True)
class Measurement:
    """What was measured in one run.

    Attributes:
        indicators: value by indicator name in base units; None where it could not be known.
            Names of other phases than the measured one end in ``@phase``.
        effective: option values as the engine reported them after opening, at full size.
        overridden: options that the engine changed.
        warnings: lines about this measurement, which `lsmtune.lint.read_finding` reads: a code, a colon, a sentence;
            the sentence alone in studies that were made before there were codes.
        facts: what else was seen and is only shown (populated levels, stall reasons).
    """

    indicators: Mapping[str, float | None]
    effective: Mapping[str, Value] = field(default_factory=dict)
    overridden: tuple[Overridden, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """How a run ended and what it gave.

    Attributes:
        status: OK, FAILED, CENSORED, DISTURBED or SPOILED.
        started_at: seconds since the epoch.
        elapsed_s: wall time of the whole run, reading of its results included.
        reason: one sentence where the status is not OK.
        measurement: what was measured; for a censored run the partial facts; None if nothing.
        bound_s: for a censored run, its processes took, or were sure to take, at least this long in s, loading
            excluded.
        artefacts: name -> text to keep with the run (LOG, OPTIONS, stdout, stderr).
        load_s: the part of `elapsed_s` in which shared data was loaded; 0 where the run found it there.
    """

    status: Status
    started_at: float
    elapsed_s: float
    reason: str = ""
    measurement: Measurement | None = None
    bound_s: float | None = None
    artefacts: Mapping[str, str] = field(default_factory=dict)
    load_s: float = 0.0
