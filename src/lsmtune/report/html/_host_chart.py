"""The map of disturbance: hosts over time."""

from lsmtune.report._host_table import SHADES
from lsmtune.report._values import percent
from lsmtune.report.html._chart import Axis, Chart, Mark, Series
from lsmtune.result import HostTable
from lsmtune.units import format_seconds, plural

_MARKS = (Mark.CELL_OPEN, Mark.CELL_2, Mark.CELL_3, Mark.CELL_1, Mark.CELL_4)
_MOST_LABELS = 6
_ROW_HEIGHT, _FRAME_HEIGHT = 34, 130


def disturbance_map(hosts: HostTable) -> Chart:
    """Show what others took of the cores of each host, slice by slice of the study's time."""
    slices = len(hosts.rows[0].disturbance)
    cells: list[list[tuple[int, int, float]]] = [[] for _ in _MARKS]
    for down, row in enumerate(hosts.rows):
        for across, share in enumerate(row.disturbance):
            if share is not None:
                cells[sum(share > most for most, _ in SHADES)].append((across, down, share))
    signs = [sign for _, sign in SHADES] + ["#"]
    bounds = [f"up to {percent(most)}" for most, _ in SHADES] + [f"more than {percent(SHADES[-1][0])}"]
    span = format_seconds(hosts.ended_at - hosts.began_at)
    worst = max((share for row in hosts.rows for share in row.disturbance if share is not None), default=None)
    return Chart(
        name="disturbance",
        title="What others took of the cores, by host and time",
        alt=f"{plural(len(hosts.rows), 'host')} over {span}; the most in one slice is {percent(worst)} of the cores.",
        x=Axis("time since the first run", labels=_times(hosts, slices), every=max(1, slices // _MOST_LABELS)),
        y=Axis("", labels=tuple(row.name for row in hosts.rows)),
        series=tuple(
            Series(
                words,
                mark,
                tuple(float(across) for across, _, _ in found),
                tuple(float(down) for _, down, _ in found),
                notes=tuple(f"{hosts.rows[down].name}: {percent(share)} of the cores" for _, down, share in found),
                texts=(sign,) * len(found),
            )
            for words, mark, sign, found in zip(bounds, _MARKS, signs, cells, strict=True)
            if found
        ),
        height=_FRAME_HEIGHT + _ROW_HEIGHT * len(hosts.rows),
    )


def _times(hosts: HostTable, slices: int) -> tuple[str, ...]:
    """Name the slices by the time at which they begin."""
    width = (hosts.ended_at - hosts.began_at) / slices
    return tuple(format_seconds(place * width) for place in range(slices))
