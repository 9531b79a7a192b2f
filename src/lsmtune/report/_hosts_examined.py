"""The card of hosts that were compared: who differs, by what, and what speaks against one of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lsmtune.report._about import bullets, host_words
from lsmtune.report._doctor import SINGLE_CLAIM, detectable_table
from lsmtune.report._json import FORMAT
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import label, listed, percent, with_interval
from lsmtune.result import HostsExamined
from lsmtune.units import format_bytes, plural

_NAMES = {"memory_bytes": "memory", "processor_cache_bytes": "processor cache", "readahead_bytes": "read-ahead"}


def hosts_card(found: HostsExamined) -> RenderableType:
    """Return the card of hosts that were compared."""
    return Group(*_parts(found))


def hosts_json(found: HostsExamined) -> dict[str, Any]:
    """Return the same as values of JSON."""
    fields: dict[str, Any] = plain(found)
    return {"format": FORMAT, **fields, "doubtful": list(found.doubtful)}


def _parts(found: HostsExamined) -> Iterator[RenderableType]:
    colour = "yellow" if found.doubtful else "green"
    title = Text.assemble("lsmtune doctor: ", (_headline(found), f"bold {colour}"))
    about = Table.grid(padding=(0, 2))
    for name, host in found.hosts.items():
        about.add_row(Text(name, style="bold"), Text(host_words(host.facts)))
    yield Panel(about, title=title, title_align="left", border_style=colour)
    names = dict.fromkeys(name for host in found.hosts.values() for name in host.levels)
    for name in names:
        yield Text()
        yield Group(section(f"{label(name)}: equal runs on each host"), _levels(found, name))
    yield Text()
    yield Text(
        "Over the others: the mean of a host over that of the others, with its 95 % interval. A constant factor is no "
        "trouble, as ratios are taken within a host."
    )
    if found.different:
        yield Text()
        yield Group(section("What is not the same everywhere"), _different(found.different))
    if found.detectable:
        yield Text()
        shown = detectable_table(found.detectable)
        yield Group(section("What pairs over these hosts can show"), shown, Text(SINGLE_CLAIM))
    if found.doubtful:
        yield Text()
        yield Group(section("Advice"), bullets(tuple(_advice(found))))


def _headline(found: HostsExamined) -> str:
    if not found.doubtful:
        return f"there is no doubt about any of {plural(len(found.hosts), 'host')}"
    return f"there are doubts about {listed(list(found.doubtful))}"


def _levels(found: HostsExamined, name: str) -> Table:
    table = plain_table(
        "host", "over the others", "", "spread", "", "drift", "runs", "others took", right=(1, 3, 5, 6, 7)
    )
    for host, seen in found.hosts.items():
        level = seen.levels.get(name)
        if level is None:
            continue
        total = seen.drift.get(name)
        table.add_row(
            Text(host),
            Text(with_interval(level.ratio, level.low, level.high)),
            Text("differs" if level.differs else "", style="cyan"),
            Text(percent(level.sd_log)),
            Text("noisier" if level.noisier else "", style="yellow"),
            Text(percent(None if total is None else total - 1)),
            Text(str(level.n)),
            Text(percent(seen.share)),
        )
    return table


def _different(facts: Mapping[str, Mapping[str, object]]) -> Table:
    hosts = list(next(iter(facts.values())))
    table = plain_table("", *hosts)
    for name, values in facts.items():
        shown = (
            format_bytes(each) if name in _NAMES and isinstance(each, int) else str(each) for each in values.values()
        )
        table.add_row(Text(_NAMES.get(name, name)), *map(Text, shown))
    return table


def _advice(found: HostsExamined) -> Iterator[str]:
    for name in found.doubtful:
        yield f"{name}: {'; '.join(found.hosts[name].doubts)}."
    names = ", ".join(f'"{name}"' for name in found.doubtful)
    yield f"Find out what else runs there, or leave it out: write leave_out = [{names}] under [hosts]."
