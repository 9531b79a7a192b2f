"""What the search has found: trials ranked against the anchored reference. Nothing here is a claim."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from statistics import fmean

from lsmtune.errors import StatisticsError
from lsmtune.indicators import Guard, Limit, oriented_log_ratio
from lsmtune.model import WHOLE, Purpose, Status
from lsmtune.result._history import History
from lsmtune.result._rules import Rules
from lsmtune.stats import (
    Anchors,
    NoiseFloor,
    Spread,
    fit_anchors,
    noise_floor,
    pooled_floor,
    pooled_spread,
    spread_of_runs,
)
from lsmtune.store import StoredRun

_UNBOUNDED = 10.0  # stands for the excess of a guard whose ratio has no bound (something where there was nothing)
_LEAST_FOR_SPREAD = 3

_REFERENCE_PURPOSES = (Purpose.BASELINE, Purpose.ANCHOR)


@dataclass(frozen=True)
class Ranked:
    """A trial against reference runs nearby in time.

    Attributes:
        stored: the trial.
        log_gain: objective, above 0 is better; None where it could not be computed.
        violation: sum of the log excesses over guards and limits; 0 where all hold.
        ratios: by indicator that decides, its value over the reference's; those that are not above 0 are absent.
        parts: by indicator that the objective weighs, its own log gain, above 0 is better; absent as in `ratios`.
        slacks: by indicator with a guard or limit, how far it is from being broken, below 0 where it is; of several
            bounds on one indicator the least. What is not known is absent.
    """

    stored: StoredRun
    log_gain: float | None
    violation: float
    ratios: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    slacks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Reference:
    """The reference over the course of a study: each indicator's anchors.

    Attributes:
        anchors: by indicator that decides; indicators that are not positive throughout are absent.
        constants: mean of the others.
        on_hosts: where several hosts make single runs, the reference on each by name, and both of the above are empty:
            one is compared with its own host's alone. A host without a run of the reference knows no level.
    """

    anchors: Mapping[str, Anchors]
    constants: Mapping[str, float]
    on_hosts: Mapping[str, "Reference"] = field(default_factory=dict)

    @property
    def by_host(self) -> Mapping[str, "Reference"]:
        """The reference on each host; of a study on one host that one, under no name."""
        return self.on_hosts or {"": self}

    def at(self, order: float, host: str = "") -> dict[str, float | None]:
        """Return the reference's indicators at a place of `History.order`, on a host."""
        if self.on_hosts:
            own = self.on_hosts.get(host)
            return {} if own is None else own.at(order)
        levels: dict[str, float | None] = dict(self.constants)
        levels.update({name: math.exp(fit.log_reference_at(order)) for name, fit in self.anchors.items()})
        return levels

    @property
    def on_average(self) -> "Reference":
        """The same with its mean as its level throughout."""
        return replace(
            self,
            anchors={name: replace(fit, drift_share=None) for name, fit in self.anchors.items()},
            on_hosts={host: own.on_average for host, own in self.on_hosts.items()},
        )


def fit_reference(history: History, rules: Rules, rung: Fraction = WHOLE) -> Reference:
    """Fit the reference's level over the run order from its baseline and anchor runs, or from its runs at a rung."""
    purposes = _REFERENCE_PURPOSES if rung == WHOLE else (Purpose.RUNG,)
    runs = [stored for stored in history.select(purposes, rules.reference) if stored.run.rung == rung]
    hosts = history.hosts
    if len(hosts) < 2:
        return _fitted(history, rules, runs)
    own = {host: [stored for stored in runs if stored.run.host == host] for host in hosts}
    return Reference({}, {}, {host: _fitted(history, rules, made) for host, made in own.items()})


def _fitted(history: History, rules: Rules, runs: Sequence[StoredRun]) -> Reference:
    """Fit the reference's level from its runs on one host."""
    anchors: dict[str, Anchors] = {}
    constants: dict[str, float] = {}
    bounded = (rules.bounded_by(bound.indicator) for bound in rules.bounds)
    for name in dict.fromkeys((*rules.judged, *bounded)):
        column = history.columns.get(name, {})
        points = [(history.order[run.run.id], value) for run in runs if (value := column.get(run.run.id)) is not None]
        values = [value for _, value in points]
        if points and all(0 < value < math.inf for value in values):
            anchors[name] = fit_anchors([order for order, _ in points], values)
        elif points:
            constants[name] = sum(values) / len(values)
    return Reference(anchors, constants)


def rank(
    history: History, rules: Rules, purposes: Collection[Purpose] = frozenset({Purpose.TRIAL})
) -> tuple[Ranked, ...]:
    """Rank the finished trials: those that hold guards and limits first, then by their gain, the best first.

    Failed and censored trials have no gain and come last; disturbed ones that do not count in what is judged are left
    out.

    Args:
        history: of a study.
        rules: of the same study.
        purposes: of the runs that are ranked; those with a workload of their own are left out.
    """
    reference = fit_reference(history, rules)
    trials = [stored for stored in history.runs if stored.run.purpose in purposes and not stored.run.scenario]
    ended = [
        stored
        for stored in trials
        if stored.status in (Status.FAILED, Status.CENSORED) or history.counts_in(stored, rules.judged)
    ]
    ranked = [score(history, rules, reference, stored) for stored in ended]
    return tuple(sorted(ranked, key=_order))


def score(history: History, rules: Rules, reference: Reference, stored: StoredRun) -> Ranked:
    """Compare one run with runs nearby in time of the reference of its rung, a disturbed one as it is in every case."""
    if stored.status not in (Status.OK, Status.DISTURBED):
        return Ranked(stored, None, 0.0)
    indicators = {name: column.get(stored.run.id) for name, column in history.measured.items()}
    base = reference.at(history.order[stored.run.id], stored.run.host)
    slacks_by_bound = (
        (bound.indicator, _slack(_held(bound, rules, indicators), indicators, base)) for bound in rules.bounds
    )
    known = [(name, slack) for name, slack in slacks_by_bound if slack is not None]
    violation = sum(max(0.0, -slack) for _, slack in known)
    slacks = dict(sorted(known, key=lambda each: -each[1]))  # the least of an indicator comes last and stays
    ratios = {
        name: value / level
        for name in rules.judged
        if (value := indicators[name]) is not None and (level := base.get(name)) is not None and min(value, level) > 0
    }
    parts = {
        name: gain
        for name in rules.objective.weights
        if (gain := oriented_log_ratio(name, indicators[name], base.get(name))) is not None
    }
    return Ranked(stored, rules.objective.log_gain(indicators, base), violation, ratios, parts, slacks)


def noise_floors(history: History, rules: Rules) -> Mapping[str, NoiseFloor]:
    """Return the spread of each indicator over the reference's baseline runs; over several hosts, within them."""
    by_host = noise_by_host(history, rules)
    names = (name for name in rules.shown if any(name in floors for floors in by_host.values()))
    return {name: pooled_floor([floors[name] for floors in by_host.values() if name in floors]) for name in names}


def noise_by_host(history: History, rules: Rules) -> Mapping[str, Mapping[str, NoiseFloor]]:
    """Return the spread of each indicator over the baseline runs of each host, by its name; see `Reference.by_host`."""
    runs = history.select((Purpose.BASELINE,), rules.reference)
    hosts = history.hosts
    if len(hosts) < 2:
        return {"": _floors(history, rules, runs)}
    return {host: _floors(history, rules, [each for each in runs if each.run.host == host]) for host in hosts}


def _floors(history: History, rules: Rules, runs: Sequence[StoredRun]) -> dict[str, NoiseFloor]:
    floors = {}
    for name in rules.shown:
        values = [history.columns[name][stored.run.id] for stored in runs if stored.run.id in history.columns[name]]
        try:
            floors[name] = noise_floor(values)
        except StatisticsError:
            continue  # fewer than two values, or a zero: no spread on a log scale
    return floors


def reference_spread(history: History, rules: Rules) -> Spread | None:
    """Return how much pairs of the reference's runs scatter in the objective's log gain; None below 3 runs."""
    return _spread_of_gains(history, _reference_runs(history, rules))


def reference_gains(history: History, rules: Rules) -> list[float]:
    """Return the objective's log gain of the reference's runs over their mean, in their order."""
    return [run.log_gain for run in _reference_runs(history, rules) if run.log_gain is not None]


def noise_of_gain(history: History, rules: Rules, also: str | None = None) -> float | None:
    """Return the standard deviation of a log gain between two runs of one configuration; None below 3 runs.

    Args:
        history: all runs so far.
        rules: by what the study is judged.
        also: arm of a sample that is the reference, too.
    """
    runs = _reference_runs(history, rules)
    if also is not None:
        reference = fit_reference(history, rules).on_average
        samples = history.select((Purpose.SAMPLE,), also)
        runs += [score(history.counting, rules, reference, each) for each in samples]
    runs.sort(key=lambda run: history.order[run.stored.run.id])
    spread = _spread_of_gains(history, runs)
    return None if spread is None else spread.sd


def noise_of_slacks(history: History, rules: Rules) -> Mapping[str, float]:
    """Return the standard deviation of each guard's and limit's slack between the reference's runs.

    Absent are those of which fewer than 3 runs tell, and those that never differ.
    """
    told = _slacks_of_reference(history, rules)
    spreads = {name: spread.sd / math.sqrt(2) for name, slacks in told.items() if (spread := _spread(slacks))}
    return {name: spread for name, spread in spreads.items() if spread > 0}


def slacks_of_reference(history: History, rules: Rules) -> Mapping[str, float]:
    """Return the mean of each guard's and limit's slack over the reference's runs; what none tells is absent."""
    told = _slacks_of_reference(history, rules)
    return {name: fmean(chain.from_iterable(slacks.values())) for name, slacks in told.items()}


def _slacks_of_reference(history: History, rules: Rules) -> dict[str, dict[str, list[float]]]:
    """Return slacks of the reference's runs, by guard or limit and host."""
    told: dict[str, dict[str, list[float]]] = {}
    for run in _reference_runs(history, rules):
        for name, slack in run.slacks.items():
            told.setdefault(name, {}).setdefault(_host(history, run), []).append(slack)
    return told


def _reference_runs(history: History, rules: Rules) -> list[Ranked]:
    """Return the reference's runs against its mean, in their order, in the indicators in which they count.

    Against its level at their moment they would look steadier than they are: the level follows the very run.
    """
    reference = fit_reference(history, rules).on_average
    runs, counting = history.select(_REFERENCE_PURPOSES, rules.reference), history.counting
    return [score(counting, rules, reference, stored) for stored in runs]


def _host(history: History, run: Ranked) -> str:
    """Return the host of a run where several made single runs; older studies do not name the one they have."""
    return run.stored.run.host if len(history.hosts) > 1 else ""


def _spread_of_gains(history: History, runs: Sequence[Ranked]) -> Spread | None:
    logs: dict[str, list[float]] = {}
    for run in runs:
        if run.log_gain is not None:
            logs.setdefault(_host(history, run), []).append(run.log_gain)
    return _spread(logs)


def _spread(logs: Mapping[str, Sequence[float]]) -> Spread | None:
    """Return how much pairs scatter within hosts, from runs by host in their order; None below 3 runs."""
    if sum(map(len, logs.values())) < _LEAST_FOR_SPREAD:
        return None
    spreads = [spread_of_runs(each) for each in logs.values() if len(each) > 1]
    return pooled_spread(spreads) if len(spreads) > 1 else next(iter(spreads), None)


def _held(bound: Guard | Limit, rules: Rules, indicators: Mapping[str, float | None]) -> Guard | Limit:
    """Return a bound on what it is held by: what stands for the indicator at full size, where a run has it."""
    name = rules.bounded_by(bound.indicator)
    return bound if indicators.get(name) is None else replace(bound, indicator=name)


def _slack(
    bound: Guard | Limit, indicators: Mapping[str, float | None], base: Mapping[str, float | None]
) -> float | None:
    slack = bound.slack(indicators, base) if isinstance(bound, Guard) else bound.slack(indicators)
    return None if slack is None else min(max(slack, -_UNBOUNDED), _UNBOUNDED)


def _order(ranked: Ranked) -> tuple[bool, float, float, int]:
    gain = -math.inf if ranked.log_gain is None else ranked.log_gain
    return (ranked.log_gain is None, ranked.violation, -gain, ranked.stored.run.id)
