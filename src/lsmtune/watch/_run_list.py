"""The list of runs, a page at a time."""

from typing import Any

from lsmtune.model import HOST_BLOCKS, Purpose, Status
from lsmtune.report import disturbance_signs, format_indicator, label
from lsmtune.result import DISTURBANCE, disturbance_slices
from lsmtune.units import format_seconds
from lsmtune.watch._pages import fragment
from lsmtune.watch._snapshot import Snapshot

PAGE = 50
"""Runs of a page."""
ONLY = (*map(str, Purpose), *map(str, Status))
"""What a list may be of: runs of a purpose, or that ended in one way."""
_COLUMNS = 4


def run_list(snapshot: Snapshot, number: int, only: str, key: str) -> dict[str, Any]:
    """Return a page of the runs, the newest first.

    Args:
        snapshot: of the study.
        number: of the page, from 1; the nearest there is.
        only: a purpose or a status that runs must have; empty for all.
        key: of the study in addresses.
    """
    runs = snapshot.runs
    if only in ONLY:
        runs = [run for run in runs if only in (str(run.purpose), str(run.status))]
    pages = max(1, -(-len(runs) // PAGE))
    number = min(max(1, number), pages)
    shown = runs[::-1][PAGE * (number - 1) : PAGE * number]
    names = snapshot.names[:_COLUMNS]
    rows = [
        (
            run,
            format_seconds(run.elapsed_s),
            [format_indicator(name, snapshot.values[name].get(run.id)) for name in names],
        )
        for run in shown
    ]
    hosts = snapshot.hosts
    html = fragment(
        "run-list.html.j2",
        rows=rows,
        titles=[label(name) for name in names],
        key=key,
        hosts=_map(snapshot) if len(hosts) > 1 else (),
        apart=HOST_BLOCKS,
    )
    return {"html": html, "page": number, "pages": pages, "runs": len(runs), "only": only}


def _map(snapshot: Snapshot) -> list[tuple[str, str, int, str]]:
    """Return for each host its name, what it is at, how many runs it has ended, and its line of the map.

    Where nobody surely works on the study, no host is at anything, whatever a process that was killed has left.
    """
    shares = snapshot.values[DISTURBANCE]
    ended = [run for run in snapshot.runs if run.started_at is not None and run.elapsed_s is not None]
    spans = {run.id: (run.started_at or 0.0, (run.started_at or 0.0) + (run.elapsed_s or 0.0)) for run in ended}
    whole = (
        min((began for began, _ in spans.values()), default=0.0),
        max((end for _, end in spans.values()), default=0.0),
    )
    open_runs = {run.host: f"{run.arm}, run {run.id}" for run in snapshot.runs[snapshot.resume - 1 :] if run.is_open}
    works = snapshot.running
    lines = []
    for host in snapshot.hosts:
        own = [run for run in ended if run.host == host]
        told = [(*spans[run.id], shares[run.id]) for run in own if run.id in shares]
        at = open_runs.get(host, "waits") if works else ""
        lines.append((host, at, len(own), disturbance_signs(disturbance_slices(told, whole))))
    return lines
