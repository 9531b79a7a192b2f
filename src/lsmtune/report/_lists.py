"""Tables of many runs: the best trials, and all runs of a study."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from lsmtune.model import WHOLE, Status
from lsmtune.report._plain import plain
from lsmtune.report._tables import plain_table
from lsmtune.report._values import NO_UNITS, format_indicator, format_option, label, ratio_text
from lsmtune.result import History, Ranked, TuneResult
from lsmtune.units import format_seconds


def trials_table(result: TuneResult, option_units: Mapping[str, str] = NO_UNITS) -> Table:
    """Return the best trials of the search with what they changed; their gains are no claims.

    Args:
        result: what the study says.
        option_units: unit by option, from the catalogue.
    """
    table = plain_table("", "trial", "gain, n = 1", "bounds", "changed", right=(0, 2))
    table.title = Text("Best trials, seen during the search; not a claim", style="bold")
    table.title_justify = "left"
    for place, ranked in enumerate(result.leaders, start=1):
        held = ranked.violation == 0
        table.add_row(
            Text(str(place)),
            Text(ranked.stored.run.arm),
            Text(ratio_text(None if ranked.log_gain is None else math.exp(ranked.log_gain))),
            Text("held" if held else "passed", style="" if held else "red"),
            Text(changed_words(result, ranked, option_units)),
        )
    return table


def runs_table(history: History, columns: Sequence[str], result: TuneResult | None = None) -> Table:
    """Return all runs of a history in order, with the indicators `columns`, which have to be among its own.

    Where `result` compares builds, each run has the version of its build, too; where several hosts made them, its host.
    """
    versions = {} if result is None else {arm: each.build.version for arm, each in result.builds.items()}
    own = "" if result is None else result.description.build.version
    table = plain_table("run", "purpose", "arm", "pair", "status", "time", right=(0, 3, 5))
    if versions:
        table.add_column(Text("build"), overflow="fold")
    hosts = len({stored.run.host for stored in history.runs}) > 1
    if hosts:
        table.add_column(Text("host"), overflow="fold")
    for name in columns:
        table.add_column(Text(label(name)), justify="right", overflow="fold")
    reasons = any(stored.reason for stored in history.runs)
    if reasons:
        table.add_column(Text("reason"), overflow="fold")
    for stored in history.runs:
        run = stored.run
        values = [history.columns[name].get(run.id) for name in columns]
        cells = [
            Text(str(run.id)),
            Text(str(run.purpose) if run.rung == WHOLE else f"{run.purpose} {run.rung}"),
            Text(run.arm),
            Text("" if run.repeat is None else str(run.repeat + 1)),
            Text(str(stored.status), style="red" if stored.status is Status.FAILED else ""),
            Text(format_seconds(stored.elapsed_s)),
            *([Text(versions.get(run.arm, own))] if versions else []),
            *([Text(run.host)] if hosts else []),
            *(Text(format_indicator(name, value)) for name, value in zip(columns, values, strict=True)),
        ]
        table.add_row(*cells, *([Text(stored.reason)] if reasons else []))
    return table


def runs_json(history: History, result: TuneResult) -> list[dict[str, Any]]:
    """Return all runs of a history in order as values of JSON: base units, None for what is not known.

    ``counts`` says what of a run counts (`Counts`), and ``indicators`` has what does, of those that the rules speak of.
    """
    own = result.description.build.version
    versions = {arm: each.build.version for arm, each in result.builds.items()}
    return [
        {
            "run": stored.run.id,
            "purpose": str(stored.run.purpose),
            "rung": str(stored.run.rung),
            "arm": stored.run.arm,
            "block": stored.run.block,
            "status": str(stored.status),
            "counts": str(history.counts(stored)),
            "host": stored.run.host,
            "build": versions.get(stored.run.arm, own),
            "started_at": stored.started_at,
            "elapsed_s": stored.elapsed_s,
            "bound_s": stored.bound_s,
            "reason": stored.reason,
            "values": plain(stored.run.configuration.values),
            "workload": dict(stored.run.scenario),
            "indicators": plain(history.indicators(stored.run.id)),
        }
        for stored in history.runs
    ]


def changed_words(result: TuneResult, ranked: Ranked, option_units: Mapping[str, str]) -> str:
    """Say what a trial changed against the reference: ``block_size=16 KiB, compression_type=lz4``."""
    changes = ranked.stored.run.configuration.changes_from(result.rules.start)
    changed = [f"{name}={format_option(value, option_units.get(name, ''))}" for name, value in changes.items()]
    return ", ".join(changed) or "nothing"
