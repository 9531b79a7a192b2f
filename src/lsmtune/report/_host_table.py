"""The hosts of a study: a line for each, with the map of what others took of its cores over time."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import format_indicator, label, percent, ratio_text
from lsmtune.result import HostTable
from lsmtune.units import format_seconds

SHADES = ((0.02, "."), (0.05, ":"), (0.15, "+"), (0.30, "x"))
"""Sign of a slice of time by the share of the cores that others took, up to which it stands; above the last one it is
``#``, and a slice without a run is blank."""


def hosts_table(hosts: HostTable) -> Table:
    """Return a line for each host: runs, level of the reference against the first host's, noise, drift, disturbance."""
    name = hosts.indicator
    table = plain_table(
        *("host", "runs", "disturbed", "lost", f"reference: {label(name)}", "", "noise", "drift", "disturbance"),
        right=(1, 2, 3, 4, 5, 6, 7),
    )
    first = next((row.level for row in hosts.rows if row.level is not None), None)
    for row in hosts.rows:
        ratio = None if row.level is None or first is None else row.level / first
        table.add_row(
            Text(row.name),
            Text(str(row.runs)),
            Text(str(row.disturbed), style="red" if row.disturbed else ""),
            Text(str(row.lost), style="red" if row.lost else ""),
            Text(format_indicator(name, row.level)),
            Text(ratio_text(ratio)),
            Text(percent(None if row.noise is None else row.noise.sd_log)),
            Text(percent(None if row.drift is None else row.drift - 1)),
            Text(f"|{disturbance_signs(row.disturbance)}|"),
        )
    return table


def hosts_part(hosts: HostTable) -> RenderableType:
    """Return the part of a card about the hosts of a study."""
    return Group(section("Hosts"), hosts_table(hosts), Text(hosts_note(hosts)))


def disturbance_signs(slices: Sequence[float | None]) -> str:
    """Return a sign for each slice of time; see `SHADES`."""
    return "".join(" " if share is None else _sign(share) for share in slices)


def hosts_note(hosts: HostTable) -> str:
    """Say how the table of hosts is to be read."""
    signs = ", ".join(f"{sign} up to {share:.0%}" for share, sign in SHADES)
    span = format_seconds(hosts.ended_at - hosts.began_at)
    return (
        f"Disturbance: what others took of the cores while runs went on, over {span} from left to right: "
        f"{signs}, # more, blank without a run. Noise and drift are those of the reference on the host; "
        "single runs are compared with the reference on theirs."
    )


def _sign(share: float) -> str:
    return next((sign for most, sign in SHADES if share <= most), "#")
