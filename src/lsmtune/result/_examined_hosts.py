"""Hosts beside each other, from equal runs on each: who differs, by what, and what speaks against one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lsmtune.errors import RunError, StatisticsError
from lsmtune.model import HostFacts, Outcome, Status
from lsmtune.result._host_rows import DISTURBANCE
from lsmtune.result._rules import SHOWN_INDICATORS
from lsmtune.stats import LOOKS, Detectable, HostLevel, Spread, fit_anchors, host_levels, pooled_spread

_ALPHA = 0.05  # over all hosts and indicators
_MOST_DRIFT = 0.10
_MOST_DISTURBED = 1 / 3
_MOST_SHARE = 0.05  # of the cores that others take, on average
_COMPARED_FACTS = (
    *("processor", "cores", "memory_bytes", "kernel", "filesystem", "processor_cache_bytes", "readahead_bytes"),
)


@dataclass(frozen=True)
class HostExamined:
    """What was seen of a host.

    Attributes:
        facts: of the host.
        runs: number of runs that gave values.
        disturbed: of these, those that others disturbed.
        share: mean share of the cores that others took meanwhile; None where it is not known.
        drift: level of the last runs over that of the first, by indicator; absent below three runs.
        levels: against the other hosts, by indicator; absent where a value is 0.
        troubles: why runs gave nothing.
        doubts: what speaks against tuning on it, as clauses.
    """

    facts: HostFacts
    runs: int
    disturbed: int
    share: float | None
    drift: Mapping[str, float]
    levels: Mapping[str, HostLevel]
    troubles: tuple[str, ...]
    doubts: tuple[str, ...]


@dataclass(frozen=True)
class HostsExamined:
    """What the hosts of a cluster are beside each other.

    Attributes:
        hosts: by name.
        different: facts that are not the same everywhere, by name: the value of each host.
        detectable: by indicator, the smallest gain that a number of pairs over these hosts can show.
    """

    hosts: Mapping[str, HostExamined]
    different: Mapping[str, Mapping[str, object]]
    detectable: Mapping[str, Mapping[int, Detectable]]

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Names of the hosts that there are doubts about."""
        return tuple(name for name, host in self.hosts.items() if host.doubts)


def examined(
    hosts: Mapping[str, HostFacts], outcomes: Mapping[str, Sequence[Outcome]], told: Mapping[str, Mapping[str, str]]
) -> HostsExamined:
    """Compare hosts by equal runs.

    Args:
        hosts: their facts, by name.
        outcomes: of the runs on each, in order.
        told: further facts to compare: by name, what each host says.

    Raises:
        RunError: not two hosts gave two values.
    """
    usable = {
        name: [each for each in made if each.measurement and each.status in (Status.OK, Status.DISTURBED)]
        for name, made in outcomes.items()
    }
    compared = {name: made for name, made in usable.items() if len(made) > 1}
    if len(compared) < 2:
        reasons = [each.reason for made in outcomes.values() for each in made if each.reason]
        why = f": {reasons[0]}" if reasons else ""
        raise RunError(f"{len(compared)} of {len(hosts)} hosts gave two values or more, so none can be compared{why}")
    levels = {name: found for name in SHOWN_INDICATORS if (found := _levels(compared, name))}
    seen = {
        name: _examined(
            hosts[name],
            usable[name],
            outcomes[name],
            {key: each[name] for key, each in levels.items() if name in each},
        )
        for name in sorted(hosts)
    }
    return HostsExamined(seen, _different(hosts, told), _detectable(levels))


def _values(outcomes: Sequence[Outcome], name: str) -> list[float]:
    found = (each.measurement.indicators.get(name) for each in outcomes if each.measurement is not None)
    return [value for value in found if value is not None]


def _levels(compared: Mapping[str, Sequence[Outcome]], name: str) -> dict[str, HostLevel]:
    try:
        values = {host: _values(made, name) for host, made in compared.items()}
        return host_levels(values, _ALPHA / len(SHOWN_INDICATORS))
    except StatisticsError:
        return {}  # it was not measured everywhere, or is 0 somewhere


def _examined(
    facts: HostFacts, usable: Sequence[Outcome], made: Sequence[Outcome], levels: Mapping[str, HostLevel]
) -> HostExamined:
    disturbed = sum(each.status is Status.DISTURBED for each in usable)
    told = (each.measurement.facts.get(DISTURBANCE, "") for each in usable if each.measurement is not None)
    shares = [float(text) for text in told if text]
    share = fmean(shares) if shares else None
    drift = {name: total for name in levels if (total := _drift(_values(usable, name))) is not None}
    troubles = tuple(each.reason for each in made if each not in usable)
    doubts = tuple(_doubts(len(usable), disturbed, share, drift, levels, troubles))
    return HostExamined(facts, len(usable), disturbed, share, drift, levels, troubles, doubts)


def _doubts(
    runs: int,
    disturbed: int,
    share: float | None,
    drift: Mapping[str, float],
    levels: Mapping[str, HostLevel],
    troubles: Sequence[str],
) -> list[str]:
    found = [f"{len(troubles)} runs gave nothing ({troubles[0]})"] if troubles else []
    if runs and disturbed / runs > _MOST_DISTURBED:
        found.append(f"others disturbed {disturbed} of {runs} runs")
    elif share is not None and share > _MOST_SHARE:
        found.append(f"others took {share:.0%} of its cores")
    found += [f"{name} drifted by {total - 1:+.0%}" for name, total in drift.items() if abs(total - 1) > _MOST_DRIFT]
    found += [
        f"{name} scatters by {level.sd_log:.1%}, more than elsewhere" for name, level in levels.items() if level.noisier
    ]
    return found


def _drift(values: Sequence[float]) -> float | None:
    return fit_anchors(range(len(values)), values).drift_total


def _different(
    hosts: Mapping[str, HostFacts], told: Mapping[str, Mapping[str, str]]
) -> dict[str, Mapping[str, object]]:
    known: dict[str, Mapping[str, object]] = {
        name: {host: getattr(facts, name) for host, facts in hosts.items()} for name in _COMPARED_FACTS
    }
    return {name: values for name, values in {**known, **told}.items() if len(set(values.values())) > 1}


def _detectable(levels: Mapping[str, Mapping[str, HostLevel]]) -> dict[str, dict[int, Detectable]]:
    """Return what pairs over all of these hosts can show, from the scatter within them."""
    found = {}
    for name, by_host in levels.items():
        spreads = [Spread(2**0.5 * level.sd_log, level.n - 1) for level in by_host.values()]
        found[name] = {pairs: Detectable.of(pooled_spread(spreads), pairs) for pairs in LOOKS}
    return found
