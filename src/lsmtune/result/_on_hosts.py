"""What hosts say of a candidate that was compared on several."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsmtune.result._history import History
from lsmtune.result._pairs import Contest, pair_gains_by_host
from lsmtune.result._rules import Rules
from lsmtune.stats import LOOKS, POCOCK_ALPHA, ClaimResult, Decision, HostGain, LikelyGain, gains_by_host, likely_gain


@dataclass(frozen=True)
class OnHosts:
    """A candidate on each host.

    Attributes:
        gains: what each host shows, by name.
        likely: what is to be expected on hosts like these; None below five.
    """

    gains: Mapping[str, HostGain]
    likely: LikelyGain | None

    @property
    def opposite(self) -> tuple[str, ...]:
        """Names of the hosts whose gain has the other sign."""
        return tuple(name for name, seen in self.gains.items() if seen.opposite)


def on_hosts(history: History, rules: Rules, contest: Contest, arm: str) -> OnHosts | None:
    """Return what each host says of a candidate; None where all pairs are from one."""
    logs = pair_gains_by_host(history, rules, contest, arm)
    if len(logs) < 2:
        return None
    return OnHosts(gains_by_host(logs), likely_gain(logs, POCOCK_ALPHA / contest.family))


def agreed(claim: ClaimResult, hosts: OnHosts | None, looks_done: int) -> ClaimResult:
    """Return a claim as hosts allow it: one whose sign differs between them is inconclusive.

    It stays open as long as there are looks: more pairs may show that the hosts agree.
    """
    if hosts is None or not hosts.opposite or claim.decision not in (Decision.IMPROVED, Decision.WORSE):
        return claim
    return replace(claim, decision=Decision.INCONCLUSIVE, settled=looks_done >= len(LOOKS))
