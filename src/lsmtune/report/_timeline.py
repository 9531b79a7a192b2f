"""What happened inside runs: a table for the terminal, sentences on what is missing, JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.model import Timeline
from lsmtune.report._json import plain
from lsmtune.report._tables import plain_table, section
from lsmtune.report._values import listed, plural
from lsmtune.result import FLUSHES, RunTimeline, arrival_spans, job_sums
from lsmtune.units import format_bytes, format_count, format_seconds

TIMELINE_FORMAT = 1
"""Version of the object of `timeline_json`. 1: the first."""

_THIN = {
    "leveldb": "LevelDB's LOG tells of the tree after compactions and moves alone, and neither where a flush went, nor "
    "what a compaction read, nor of a job that did not end."
}


def timeline_card(shown: Sequence[RunTimeline]) -> RenderableType:
    """Return for each run what its engine did, as a table, and what is missing, in sentences."""
    parts: list[RenderableType] = []
    for each in shown:
        timeline = each.timeline
        title = f"{each.name}: {each.step}, {format_seconds(timeline.end_s)} from opening the database"
        parts += [section(title[0].upper() + title[1:]), timeline_table(timeline), Text(_end(timeline)), Text()]
    parts += [Text(sentence) for sentence in timeline_notes(shown)]
    return Group(*parts)


def timeline_table(timeline: Timeline) -> Table:
    """Return what an engine did: number, bytes and times of flushes, compactions by output level, moves, stalls."""
    table = plain_table("what", "number", "written", "busy", "longest", right=(1, 2, 3, 4))
    for each in job_sums(timeline):
        what = "flushes" if each.lane == FLUSHES else f"compactions {each.lane}"
        times = (format_seconds(each.busy_s), format_seconds(each.longest_s))
        table.add_row(*map(Text, (what, format_count(each.jobs), format_bytes(each.written_bytes), *times)))
    files = sum(move.files for move in timeline.moves)
    stops = sum(stall.stopped for stall in timeline.stalls)
    held = "waits of writes logged" if timeline.engine == "leveldb" else "writes stopped"
    for what, number in (
        ("files moved unchanged", files),
        ("writes slowed down", len(timeline.stalls) - stops),
        (held, stops),
    ):
        if number:
            table.add_row(*map(Text, (what, format_count(number), "", "", "")))
    return table


def timeline_notes(shown: Sequence[RunTimeline]) -> tuple[str, ...]:
    """Return sentences on what the time lines cannot show."""
    notes = [_THIN[engine] for engine in dict.fromkeys(each.timeline.engine for each in shown) if engine in _THIN]
    silent = [each for each in shown if not each.timeline.series]
    if silent:
        runs = "" if len(silent) == len(shown) else f" of {listed([f'run {each.run.id}' for each in silent])}"
        notes.append(
            f"Latency over time{runs} is not shown: neither the LOG nor the kept outputs have a series of it, as those "
            "of lsmtune-ycsb do."
        )
    for each in shown:
        if each.timeline.unreadable:
            lines = plural(each.timeline.unreadable, "line")
            notes.append(f"{lines} of the LOG of run {each.run.id} tell of a failure or could not be read.")
    return tuple(notes)


def timeline_json(shown: Sequence[RunTimeline]) -> dict[str, Any]:
    """Return all that is known as values of JSON; times in s from the opening of the database, sizes in bytes."""
    return {
        "format": TIMELINE_FORMAT,
        "runs": [
            {
                "run": each.run.id,
                "purpose": str(each.run.purpose),
                "arm": each.run.arm,
                "step": each.step,
                **plain(each.timeline),
                "sums": plain(job_sums(each.timeline)),
                "arrivals": _arrivals(each.timeline),
            }
            for each in shown
        ],
        "notes": list(timeline_notes(shown)),
    }


def _arrivals(timeline: Timeline) -> dict[str, Any]:
    spans, unit = arrival_spans(timeline)
    return {"unit": unit, "spans": [{"start_s": start, "end_s": end, "amount": amount} for start, end, amount in spans]}


def _end(timeline: Timeline) -> str:
    if not timeline.states:
        return "Files per level: the LOG does not tell."
    last = timeline.states[-1]
    files = ", ".join(f"L{level} {number}" for level, number in enumerate(last.files[: timeline.levels]))
    return f"Files per level at {format_seconds(last.time_s)}, the last time that the LOG tells: {files or 'none'}."
