"""What each host did for a study: how fast the reference is there, how steady, and when others disturbed its runs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from lsmtune.model import WHOLE, Status
from lsmtune.result._history import Counts, History
from lsmtune.result._ranking import fit_reference, noise_by_host
from lsmtune.result._rules import Rules
from lsmtune.stats import NoiseFloor, geometric_mean
from lsmtune.store import StoredRun, Study

DISTURBANCE = "host_disturbance"
"""The fact of a measurement that says which share of the cores others took meanwhile."""
SLICES = 24
"""Into which the time of a study is cut on the map of disturbance."""
_T = TypeVar("_T")
_UNSTARTED = (Status.PLANNED, Status.RUNNING, Status.LOST)


@dataclass(frozen=True)
class HostRow:
    """What one host did.

    Attributes:
        name: of the host.
        runs: that ended there.
        disturbed: of these, those that others disturbed.
        lost: runs that were lost with it.
        level: geometric mean of the reference's runs there; None where there are none.
        noise: of its baseline runs there; None below two.
        drift: level of its last runs over that of the first; None below three.
        disturbance: for each slice of the study's time, the mean share of the cores that others took while its runs
            went on; None in a slice without a run.
    """

    name: str
    runs: int
    disturbed: int
    lost: int
    level: float | None
    noise: NoiseFloor | None
    drift: float | None
    disturbance: tuple[float | None, ...]


@dataclass(frozen=True)
class HostTable:
    """What the hosts of a study did, and when.

    Attributes:
        indicator: whose level, noise and drift are shown: the one that weighs most in the objective.
        rows: a host each, by name.
        began_at, ended_at: of the time that the slices cut, in seconds since the epoch.
    """

    indicator: str
    rows: tuple[HostRow, ...]
    began_at: float
    ended_at: float


def host_table(study: Study, history: History, rules: Rules) -> HostTable | None:
    """Return what each host did; None where one made all runs."""
    named = sorted({stored.run.host for stored in history.runs} - {""})
    ended = [stored for stored in history.runs if stored.started_at is not None and stored.elapsed_s is not None]
    if len(named) < 2 or not ended:
        return None
    weights = rules.objective.weights
    name = max(weights, key=lambda each: abs(weights[each]))
    times = [_span(stored) for stored in ended]
    span = min(began for began, _ in times), max(end for _, end in times)
    shares, noise = study.fact(DISTURBANCE), _by_name(noise_by_host(history, rules), history)
    references = _by_name(fit_reference(history, rules).by_host, history)
    rows = []
    for host in named:
        made = [stored for stored in history.runs if stored.run.host == host]
        fitted = references[host].anchors.get(name) if host in references else None
        rows.append(
            HostRow(
                host,
                sum(stored.status not in _UNSTARTED for stored in made),
                sum(stored.status is Status.DISTURBED for stored in made),
                sum(stored.status is Status.LOST for stored in made),
                _level(history, rules, made, name),
                noise.get(host, {}).get(name),
                None if fitted is None else fitted.drift_total,
                disturbance_slices(
                    [
                        (*_span(stored), shares[stored.run.id])
                        for stored in ended
                        if stored.run.host == host and stored.run.id in shares
                    ],
                    span,
                ),
            )
        )
    return HostTable(name, tuple(rows), *span)


def _by_name(found: Mapping[str, _T], history: History) -> Mapping[str, _T]:
    """Return what is known by host, see `Reference.by_host`; where one host made all single runs, under its name."""
    return dict(zip(history.hosts, found.values(), strict=True)) if len(history.hosts) == 1 else found


def _span(stored: StoredRun) -> tuple[float, float]:
    began = stored.started_at or 0.0
    return began, began + (stored.elapsed_s or 0.0)


def _level(history: History, rules: Rules, made: Sequence[StoredRun], name: str) -> float | None:
    column = history.columns.get(name, {})
    values = [
        column[stored.run.id]
        for stored in made
        if (stored.run.arm, stored.run.rung) == (rules.reference, WHOLE)
        and not stored.run.scenario
        and history.counts(stored) is Counts.ALL
        and stored.run.id in column
    ]
    return geometric_mean(values) if values and min(values) > 0 else None


def disturbance_slices(
    runs: Iterable[tuple[float, float, float]], span: tuple[float, float]
) -> tuple[float | None, ...]:
    """Return the mean share of the cores that others took in each slice of a time, by the runs that touch it.

    Args:
        runs: when each began and ended in s, and its share.
        span: when the time begins and ends in s.
    """
    width = max(span[1] - span[0], 1e-9) / SLICES
    found: list[list[float]] = [[] for _ in range(SLICES)]
    for began_at, ended_at, share in runs:
        began, ended = (began_at - span[0]) / width, (ended_at - span[0]) / width
        for place in range(max(0, math.floor(began)), min(SLICES, max(math.floor(began) + 1, math.ceil(ended)))):
            found[place].append(share)
    return tuple(fmean(each) if each else None for each in found)
