"""What a verification over unequal hosts claims: how often it is wrong, whether intervals hold, what it shows.

Studies are simulated pair by pair, by the functions that judge real ones: blocks go over the hosts in mirrored pairs as
`HostsExecutor` deals them, look by look.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hosts_builders import NAMES, compared, hosts_of
from rich.console import Console

from lsmtune.report import runs_table, tune_card, verdict_sentence
from lsmtune.report._words import fresh_run_sentences
from lsmtune.result import History, OnHosts
from lsmtune.result._on_hosts import agreed
from lsmtune.stats import LOOKS, Claim, ClaimResult, Decision, decide, gains_by_host
from lsmtune.store import read_study
from lsmtune.testing import FakeHost, FakeHosts, Noise

STUDIES = 400


@dataclass(frozen=True)
class SimulatedHosts:
    """Hosts whose runs scatter by `noise` and up to twice that; the last one is bad.

    Attributes:
        number: of hosts.
        noise: standard deviation of the log of a run on the best of them.
        gain: true log gain of the candidate, the same on all.
        effects: true log gain on top, by host.
        drift: slope of the log of all times from one run to the next, which a mirrored order takes out.
        bad: share of the bad host's runs that take e-fold time.
    """

    number: int
    noise: float = 0.06
    gain: float = 0.0
    effects: tuple[float, ...] = ()
    drift: float = 0.01
    bad: float = 0.1

    def pair(self, rng: np.random.Generator, block: int) -> tuple[str, float]:
        """Return the host of a block and the log gain of its pair."""
        host = (block // 2) % self.number
        effect = self.effects[host] if self.effects else 0.0
        noise = self.noise * (1 + host / max(1, self.number - 1))
        first, second = rng.normal(0, noise, 2)
        if host == self.number - 1:
            first, second = (each - (rng.random() < self.bad) for each in (first, second))
        order = -1 if block % 2 else 1
        return f"h{host}", self.gain + effect + first - second + order * self.drift


def verified(rng: np.random.Generator, hosts: SimulatedHosts) -> ClaimResult:
    """Judge a candidate look by look, as long as its claim is open."""
    pairs = [hosts.pair(rng, block) for block in range(LOOKS[-1])]
    results: tuple[ClaimResult, ...] = ()
    for look, blocks in enumerate(LOOKS):
        results = decide([Claim("a", tuple(gain for _, gain in pairs[:blocks]))], look, 0.03, results)
        logs: dict[str, list[float]] = {}
        for host, gain in pairs[:blocks]:
            logs.setdefault(host, []).append(gain)
        seen = OnHosts(gains_by_host(logs), None) if len(logs) > 1 else None
        claim = agreed(results[0], seen, look + 1)
        if claim.settled:
            break
    return claim


def share(hosts: SimulatedHosts, what: Callable[[ClaimResult], bool], seed: int) -> float:
    """Return the share of studies of which something is true."""
    rng = np.random.default_rng([seed, hosts.number])
    return sum(what(verified(rng, hosts)) for _ in range(STUDIES)) / STUDIES


def holds(claim: ClaimResult, gain: float) -> bool:
    assert claim.low is not None
    assert claim.high is not None
    return claim.low <= math.exp(gain) <= claim.high


@pytest.mark.parametrize("number", [2, 4, 8])
def test_studies_without_a_difference_claim_a_win_in_at_most_five_percent(number: int) -> None:
    assert share(SimulatedHosts(number), lambda claim: claim.decision is Decision.IMPROVED, 1) <= 0.05


@pytest.mark.parametrize("number", [2, 4, 8])
@pytest.mark.parametrize("gain", [0.0, math.log(1.1)])
def test_intervals_hold_on_unequal_hosts(number: int, gain: float) -> None:
    assert share(SimulatedHosts(number, gain=gain), lambda claim: holds(claim, gain), 2) >= 0.93


def test_ten_percent_at_six_percent_noise_are_shown_on_four_hosts() -> None:
    """Without the bad host: hosts with the noise that is named."""

    class Equal(SimulatedHosts):
        def pair(self, rng: np.random.Generator, block: int) -> tuple[str, float]:
            noise = rng.normal(0, self.noise, 2)
            return f"h{(block // 2) % self.number}", float(self.gain + noise[0] - noise[1])

    hosts = Equal(4, gain=math.log(1.1))
    assert share(hosts, lambda claim: claim.decision is Decision.IMPROVED, 3) >= 0.80


def test_a_gain_whose_sign_differs_between_hosts_is_seldom_claimed() -> None:
    """Three hosts gain 20 %, the second loses as much: the mean over all is a gain, and is not what it says."""
    effects = (0.18, -0.18, 0.18, 0.18)
    hosts = SimulatedHosts(4, noise=0.03, effects=effects, drift=0.0, bad=0.0)
    assert share(hosts, lambda claim: claim.decision is Decision.IMPROVED, 4) <= 0.05


def test_a_study_names_its_hosts_and_what_each_shows(tmp_path: Path) -> None:
    result = compared(tmp_path, hosts_of(*NAMES))
    assert verdict_sentence(result).endswith("; shown on bench-1, bench-2 and bench-3.")
    assert result.verdict is not None
    assert result.verdict.hosts is not None
    assert {name: seen.n for name, seen in result.verdict.hosts.gains.items()} == dict.fromkeys(NAMES, 2)
    assert result.verdict.hosts.likely is None


def test_the_card_says_what_each_host_shows_and_the_list_of_runs_where_each_was_made(tmp_path: Path) -> None:
    result = compared(tmp_path, hosts_of(*NAMES))
    console = Console(width=200, file=StringIO())
    console.print(tune_card(result))
    with read_study(tmp_path) as study:
        console.print(runs_table(History.read(study, result.rules), ["throughput_ops_s"]))
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert "Hosts: bench-1 1." in text
    assert "(2 pairs). The verdict holds for these hosts together." in text
    assert "Nothing is claimed about other hosts like these: that needs pairs from at least 5 hosts." in text
    assert {line.split()[7] for line in text.splitlines() if " verify " in f" {line} "} == set(NAMES)


def test_five_hosts_are_enough_to_say_what_to_expect_on_others(tmp_path: Path) -> None:
    names = tuple(f"bench-{number}" for number in range(1, 7))
    result = compared(tmp_path, hosts_of(*names, noise=Noise(rate=0.1)))
    assert result.verdict is not None
    assert result.verdict.hosts is not None
    likely = result.verdict.hosts.likely
    assert likely is not None
    assert likely.hosts >= 5
    said = list(fresh_run_sentences(result.verdict))
    assert said[-1].startswith(f"On hosts like these: {likely.gain:.2f}x [")


def test_a_study_with_a_host_that_loses_is_inconclusive_and_names_it(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES, noise=Noise(rate=0.01)).hosts_by_name
    odd = FakeHost(hosts["bench-3"].executor, effect=-0.12)
    result = compared(tmp_path, FakeHosts({**hosts, "bench-3": odd}))
    assert not result.improved
    assert result.verdict is not None
    assert result.verdict.claim.decision is Decision.INCONCLUSIVE
    assert "; its sign differs between hosts: bench-3 has 0." in verdict_sentence(result)


def test_hosts_of_other_speeds_agree(tmp_path: Path) -> None:
    hosts = hosts_of(*NAMES).hosts_by_name
    unequal = {
        name: FakeHost(host.executor, speed) for (name, host), speed in zip(hosts.items(), (1, 0.4, 3), strict=True)
    }
    result = compared(tmp_path, FakeHosts(unequal))
    assert result.improved
    assert result.verdict is not None
    assert result.verdict.stability is not None
    assert result.verdict.stability.worst < 1.5, "what one host is faster than another is no unsteadiness"
