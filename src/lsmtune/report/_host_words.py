"""What several hosts say of a candidate, in words."""

from collections.abc import Iterator

from lsmtune.report._values import label, listed, ratio_text
from lsmtune.result import Comparison, OnHosts
from lsmtune.stats import LEAST_HOSTS, Decision
from lsmtune.units import plural


def hosts_clause(best: Comparison) -> str:
    """Name the hosts on which a verdict holds, as the end of its sentence; empty where all pairs are from one."""
    if best.hosts is None:
        return ""
    if best.hosts.opposite:
        return f"; {_differing(best.hosts)}"
    shown = "shown" if best.claim.decision in (Decision.IMPROVED, Decision.WORSE) else "measured"
    return f"; {shown} on {listed(list(best.hosts.gains))}"


def host_sentences(best: Comparison) -> Iterator[str]:
    """Yield what each host shows, and what is to be expected on others like them; nothing where there is one host."""
    hosts = best.hosts
    if hosts is None:
        return
    told = [f"{name} {ratio_text(seen.gain)} ({plural(seen.n, 'pair')})" for name, seen in hosts.gains.items()]
    what = "Hosts, weighted gain" if best.parts else "Hosts"
    yield f"{what}: {', '.join(told)}. The verdict holds for these hosts together."
    if best.parts:
        for name, each in best.contradicted.items():
            yield f"No difference in {label(name)} is claimed, as {_differing(each)}."
    likely = hosts.likely
    if likely is None:
        yield f"Nothing is claimed about other hosts like these: that needs pairs from at least {LEAST_HOSTS} hosts."
        return
    gain = f"{ratio_text(likely.gain)} [{ratio_text(likely.low)}, {ratio_text(likely.high)}]"
    spread = f"gains differ between hosts by a standard deviation of {100 * likely.sd_log:.1f} %"
    verdict = "an improvement" if likely.shown else "which may be none"
    yield f"On hosts like these: {gain}, {verdict} ({plural(likely.hosts, 'host')}, Hartung and Knapp; {spread})."


def _differing(hosts: OnHosts) -> str:
    """Name the hosts with the other sign, as a part of a sentence."""
    told = [f"{name} has {ratio_text(hosts.gains[name].gain)}" for name in hosts.opposite]
    return f"its sign differs between hosts: {listed(told)}"
