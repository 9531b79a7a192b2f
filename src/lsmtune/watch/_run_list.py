"""The list of runs, a page at a time."""

from typing import Any

from lsmtune.model import Purpose, Status
from lsmtune.report import format_indicator, label
from lsmtune.units import format_seconds
from lsmtune.watch._pages import fragment
from lsmtune.watch._snapshot import Snapshot

PAGE = 50
"""Runs of a page."""
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
    if only in {*map(str, Purpose), *map(str, Status)}:
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
    html = fragment("run-list.html.j2", rows=rows, titles=[label(name) for name in names], key=key)
    return {"html": html, "page": number, "pages": pages, "runs": len(runs), "only": only}
