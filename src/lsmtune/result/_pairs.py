"""Pairs of fresh runs: what each says of the objective, stopped runs at their bound, and what went wrong."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from lsmtune.model import Purpose, Status
from lsmtune.result._history import Counts, History
from lsmtune.result._rules import Rules
from lsmtune.stats import Stability, stability
from lsmtune.store import StoredRun

_AFTER_CHOICE = frozenset({Purpose.PRUNE, Purpose.CONFIRM})
"""Of the stages in which a configuration that was verified is run again."""
_LEAST_WORK = 0.01  # of a whole run's time: a stopped run's logarithm stays finite


@dataclass(frozen=True)
class Contest:
    """Which arms were run against which other one, in fresh interleaved runs.

    Attributes:
        purpose: of the runs.
        against: the arm that all others are compared with.
        arms: the candidates.
        others: candidates of other contests that share the level with these.
    """

    purpose: Purpose
    against: str
    arms: tuple[str, ...]
    others: int = 0

    @property
    def family(self) -> int:
        """Number of candidates that share the level."""
        return len(self.arms) + self.others


@dataclass(frozen=True)
class Troubles:
    """What went wrong in the fresh runs of a candidate and of what it is compared with.

    Attributes:
        failures: reasons of the candidate's runs that crashed, failed or hung before their last result.
        stopped: the candidate's runs that the cap stopped; they count at their bound.
        unbounded: those of them whose bound says nothing of the objective.
        unknown: pairs of runs that went well, but without the objective's value.
        reference_failures: runs of the other arm that failed; their pairs are missing.
        reference_stopped: runs of the other arm that the cap stopped; they count at their bound.
        reference_unbounded: those of them whose bound says nothing of the objective; their pairs are missing.
        both_stopped: pairs of which the cap stopped both runs, both counted above; two bounds say nothing of a ratio,
            so that these pairs are missing.
    """

    failures: tuple[str, ...] = ()
    stopped: int = 0
    unbounded: int = 0
    unknown: int = 0
    reference_failures: int = 0
    reference_stopped: int = 0
    reference_unbounded: int = 0
    both_stopped: int = 0

    @property
    def bars(self) -> bool:
        """Whether the candidate cannot be accepted."""
        return bool(self.failures or self.unbounded)


def pair_gains(history: History, rules: Rules, purpose: Purpose, arm: str, against: str) -> tuple[float, ...]:
    """Return the objective's log gain of `arm` over `against` in each block of `purpose` that says something of it.

    A run that the cap stopped counts at its bound where the objective follows from the time, which is the best case of
    that run. Where the cap stopped both, the pair says nothing: either may have been slower by any factor. A gain of 0
    was rejected: pairs of which nothing is known would show that there is no difference.
    """
    pairs = _pairs(history, purpose, arm, against)
    gains = (_gain(history, rules, candidate, base) for candidate, base in pairs)
    return tuple(gain for gain in gains if gain is not None)


def pair_gains_by_host(history: History, rules: Rules, contest: Contest, arm: str) -> dict[str, list[float]]:
    """Return the log gains of `pair_gains` by the host on which both runs of a pair were made, sorted by name."""
    found: dict[str, list[float]] = {}
    for candidate, base in _pairs(history, contest.purpose, arm, contest.against):
        gain = _gain(history, rules, candidate, base)
        if gain is not None:
            found.setdefault(candidate.run.host, []).append(gain)
    return dict(sorted(found.items()))


def troubles(history: History, rules: Rules, contest: Contest, arm: str) -> Troubles:
    """Return what went wrong in a contest with one of its arms.

    A verified configuration is run again when changes are reverted and when it is confirmed: that it fails there
    counts, too.
    """
    blocks = history.attempts(contest.purpose).values()
    own = [block[arm] for block in blocks if arm in block]
    others = [block[contest.against] for block in blocks if contest.against in block]
    again = [
        stored
        for stored in history.runs
        if stored.run.purpose in _AFTER_CHOICE - {contest.purpose}
        and own
        and own[0].run.configuration == stored.run.configuration != rules.start
    ]
    stopped, others_stopped = (sum(stored.status is Status.CENSORED for stored in arms) for arms in (own, others))
    pairs = list(_pairs(history, contest.purpose, arm, contest.against))
    whole = [pair for pair in pairs if all(history.counts(stored) is Counts.ALL for stored in pair)]
    return Troubles(
        failures=tuple(stored.reason for stored in (*own, *again) if stored.status is Status.FAILED),
        stopped=stopped,
        unbounded=0 if rules.bounded else stopped,
        unknown=sum(_gain(history, rules, *pair) is None for pair in whole),
        reference_failures=sum(stored.status is Status.FAILED for stored in others),
        reference_stopped=others_stopped,
        reference_unbounded=0 if rules.bounded else others_stopped,
        both_stopped=sum(_both_stopped(*pair) for pair in pairs) if rules.bounded else 0,
    )


def pair_stability(history: History, rules: Rules, contest: Contest, arm: str) -> Stability | None:
    """Compare how steady both arms of a contest are in the objective; None below 3 pairs.

    Where pairs come from several hosts, levels are taken against the mean of the arm on the same host: what one host
    is faster than another is no unsteadiness.
    """
    mine: list[float] = []
    other: list[float] = []
    hosts: list[str] = []
    for candidate, base in _pairs(history, contest.purpose, arm, contest.against):
        gain = _gain(history, rules, candidate, base)
        whole = base if base.status is not Status.CENSORED else candidate
        level = rules.objective.log_level(history.indicators(whole.run.id))
        if gain is not None and level is not None:
            level -= gain if whole is candidate else 0.0
            mine.append(-level - gain)
            other.append(-level)
            hosts.append(base.run.host)
    if len(set(hosts)) > 1:
        mine, other = _centred(mine, hosts), _centred(other, hosts)
    return stability(mine, other)


def _centred(values: Sequence[float], hosts: Sequence[str]) -> list[float]:
    """Return values against their mean on each host."""
    means = {
        name: fmean(value for value, host in zip(values, hosts, strict=True) if host == name) for name in set(hosts)
    }
    return [value - means[host] for value, host in zip(values, hosts, strict=True)]


def log_slowdown(bound_s: float, work_s: float, beside_s: float) -> float:
    """Return the log of the least time of a stopped run's work over that of a whole run.

    Args:
        bound_s: time in s after which the run was stopped.
        work_s: time in s of the whole run's work.
        beside_s: time in s that runs take beside their work, such as db_bench's sleep before it waits.
    """
    return math.log(max(bound_s - beside_s, _LEAST_WORK * work_s) / work_s)


def _pairs(history: History, purpose: Purpose, arm: str, against: str) -> Iterator[tuple[StoredRun, StoredRun]]:
    """Yield the runs of both arms, block by block, where neither failed."""
    for _, block in sorted(history.attempts(purpose).items()):
        pair = block.get(arm), block.get(against)
        if pair[0] is not None and pair[1] is not None and Status.FAILED not in (pair[0].status, pair[1].status):
            yield pair[0], pair[1]


def _gain(history: History, rules: Rules, candidate: StoredRun, base: StoredRun) -> float | None:
    stopped = [stored for stored in (candidate, base) if stored.status is Status.CENSORED]
    if not stopped:
        return rules.objective.log_gain(history.indicators(candidate.run.id), history.indicators(base.run.id))
    if not rules.bounded or _both_stopped(candidate, base):
        return None
    whole = base if stopped[0] is candidate else candidate
    work_s = history.columns.get("total_time_s", {}).get(whole.run.id)
    if not work_s or whole.measured_s is None or stopped[0].bound_s is None:
        return None
    slower = log_slowdown(stopped[0].bound_s, work_s, beside_s=max(0.0, whole.measured_s - work_s))
    return slower if stopped[0] is base else -slower


def _both_stopped(candidate: StoredRun, base: StoredRun) -> bool:
    return candidate.status is Status.CENSORED and base.status is Status.CENSORED
