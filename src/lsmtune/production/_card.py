"""What the LOGs of a service say, as a card and as JSON; figures are those that the LOG itself prints."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.production._differences import Differences, differences_of
from lsmtune.production._events import Events, Written
from lsmtune.production._findings import Try, findings_of
from lsmtune.production._over_time import OverTime
from lsmtune.production._service_log import FamilyStats, Opening, ServiceLog, StatsDump
from lsmtune.report import bullets, percent, plain_table, plural, section
from lsmtune.units import format_bytes, format_seconds

FORMAT = 2
"""Version of the JSON. 1: the first. 2: with findings and events."""

_SHOWN_FAMILIES, _SHOWN_DIFFERENCES = 12, 60
_COLUMNS = ("Score", "Write(GB)", "Moved(GB)", "W-Amp", "Comp(sec)", "Comp(cnt)")
_SHOWN_REASONS = 3
_BARS, _WIDEST = "▁▂▃▄▅▆▇█", 60
_LEAST_SIZE = 1 << 16
"""Whole numbers from here on are sizes in B."""
_HIT, _MISS = "rocksdb.block.cache.hit", "rocksdb.block.cache.miss"
_FILTER_USEFUL, _FILTER_POSITIVE, _FILTER_TRUE = (
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
)


def diagnosis_card(log: ServiceLog) -> RenderableType:
    """Return the card: what runs, what happened, what these files do not tell."""
    opening, differences = log.last, differences_of(log.last)
    parts: list[RenderableType] = [
        Text(words, style=style) for words, style in zip(diagnosis_head(log), ("bold", "dim"), strict=True)
    ]
    if len(log.openings) > 1:
        parts += [Text(), section(f"Opened {len(log.openings)} times"), _openings_table(log.openings)]
    if differences is not None:
        parts += [Text(), section(f"Options that differ from the defaults of {differences.against}")]
        parts += _options(differences)
    parts += [Text(), section("What happened since it was opened"), *_happened(opening)]
    parts += [Text(), section("What is wrong"), *_wrong(log)]
    parts += [Text(), section("What these files do not tell"), bullets(_not_told(log))]
    return Group(*parts)


def diagnosis_head(log: ServiceLog) -> tuple[str, str]:
    """Return what runs, and what the files cover, in words."""
    return _head(log), _covered(log)


def diagnosis_json(log: ServiceLog) -> dict[str, Any]:
    """Return the same as values of JSON; sizes in B, times in s."""
    differences = differences_of(log.last)
    return {
        "format": FORMAT,
        "files": list(log.files),
        "lines": log.lines,
        "first_s": log.first_s,
        "last_s": log.last_s,
        "openings": [_opening_json(each) for each in log.openings],
        "differences": None if differences is None else asdict(differences),
        "findings": [asdict(each) for each in findings_of(log)],
        "not_told": _not_told(log),
        "unread": {"count": log.unread_count, "first": [asdict(each) for each in log.unread]},
    }


def _head(log: ServiceLog) -> str:
    opening = log.last
    name = (
        f"{opening.product} {opening.version}"
        if opening.version
        else f"{opening.product or 'An engine'} of unknown version"
    )
    known = (
        set(opening.families)
        | set(opening.events.families)
        | (set(opening.dump.families) if opening.dump is not None else set())
    )
    families = _families_words(len(known)) if known else "column families unknown"
    up = "" if opening.dump is None else f", up for {format_seconds(opening.dump.uptime_s)} at the last statistics"
    return f"{name}: {families}{up}"


def _families_words(number: int) -> str:
    return f"{number} column {'family' if number == 1 else 'families'}"


def _covered(log: ServiceLog) -> str:
    span = "" if log.first_s is None or log.last_s is None else f", {_moment(log.first_s)} to {_moment(log.last_s)}"
    return f"{plural(len(log.files), 'file')}, {log.lines:,} lines{span} by the service's clock"


def _moment(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _openings_table(openings: Sequence[Opening]) -> Table:
    table = plain_table("opened", "version", "took", right=(2,))
    for each in openings:
        began = "before this LOG" if each.time_s is None else _moment(each.time_s)
        table.add_row(began, each.version or "?", "?" if each.took_s is None else format_seconds(each.took_s))
    return table


def _options(differences: Differences) -> Iterator[RenderableType]:
    shown = differences.options[:_SHOWN_DIFFERENCES]
    if shown:
        table = plain_table("of", "option", "default", "here")
        for each in shown:
            table.add_row(Text(each.of), Text(each.option), Text(each.default), Text(each.here))
        yield table
    else:
        yield Text("None.")
    left = len(differences.options) - len(shown)
    if left:
        yield Text(f"{left} more stand in --json.", style="dim")
    if differences.unknown:
        names = ", ".join(dict.fromkeys(each.option for each in differences.unknown))
        yield Text(f"Not known of {differences.against}: {names}.")


def _happened(opening: Opening) -> Iterator[RenderableType]:
    dump = opening.dump
    if dump is None:
        jobs = [sum(opening.flushes.values()), sum(opening.compactions.values())]
        yield Text(f"No statistics were dumped; {jobs[0]:,} flushes and {jobs[1]:,} compactions ended.")
    else:
        yield Text(_traffic(dump))
        yield _families_table(dump)
        busiest = max(dump.families, key=lambda name: _written_gb(dump.families[name]), default=None)
        if busiest is not None:
            yield Text()
            yield Text(f"Levels of [{busiest}], as the LOG prints them")
            yield _levels_table(dump.families[busiest])
    yield from _jobs(opening)
    yield from _stalls(opening)
    if dump is not None:
        yield from _statistics(dump.tickers)


def _traffic(dump: StatsDump) -> str:
    told = []
    if dump.ingest_gb is not None:
        told.append(f"users wrote {dump.ingest_gb:g} GB")
    if dump.wal_gb is not None:
        told.append(f"the write-ahead log took {dump.wal_gb:g} GB")
    if dump.stall_percent is not None:
        told.append(f"writes were slowed down or stopped for {dump.stall_percent:g} % of the time")
    return f"{', '.join(told)[:1].upper()}{', '.join(told)[1:]}." if told else "The dump does not say what was written."


def _families_table(dump: StatsDump) -> Table:
    table = plain_table(
        "column family", "files", "size", "flushed [GB]", "written [GB]", "W-Amp", right=(1, 2, 3, 4, 5)
    )
    ordered = sorted(dump.families.items(), key=lambda item: -_written_gb(item[1]))
    for name, stats in ordered[:_SHOWN_FAMILIES]:
        total = stats.total
        flushed = "?" if stats.flushed_gb is None else f"{stats.flushed_gb:g}"
        if total is None:
            table.add_row(_family_name(name), "0", "0 B", flushed, "?", "?")
            continue
        amplified = total.figures.get("W-Amp")
        table.add_row(
            _family_name(name),
            str(total.files),
            format_bytes(total.size_bytes),
            flushed,
            f"{_written_gb(stats):g}",
            "?" if amplified is None else f"{amplified:g}",
        )
    left = len(ordered) - _SHOWN_FAMILIES
    if left > 0:
        table.add_row(f"{left} more", "", "", "", "", "")
    return table


def _levels_table(stats: FamilyStats) -> Table:
    columns = [name for name in _COLUMNS if any(name in row.figures for row in stats.levels)]
    table = plain_table("level", "files", "size", *columns, right=tuple(range(1, len(columns) + 3)))
    for row in stats.levels:
        figures = (f"{row.figures[name]:g}" if name in row.figures else "-" for name in columns)
        table.add_row(row.name, str(row.files), format_bytes(row.size_bytes), *figures)
    return table


def _stalls(opening: Opening) -> Iterator[RenderableType]:
    rows = [
        (name, words, count)
        for name, stats in (opening.dump.families.items() if opening.dump is not None else ())
        for words, count in stats.stalls.items()
        if count
    ]
    if rows:
        table = plain_table("writes slowed down or stopped in", "by", "times", right=(2,))
        for name, words, count in sorted(rows, key=lambda row: -row[2]):
            table.add_row(_family_name(name), Text(words), str(count))
        yield Text()
        yield table
    if opening.stalls:
        table = plain_table("lines that say so in", "what", "because of", "lines", right=(3,))
        for kind, count in sorted(opening.stalls.items(), key=lambda item: -item[1]):
            table.add_row(_family_name(kind.family), "stop" if kind.is_stop else "slow down", kind.cause, str(count))
        yield Text()
        yield table
    worst = _worst_interval(opening)
    if worst is not None:
        share, begin_s, end_s = worst
        yield Text(f"Worst between two dumps: {percent(share)} of {_moment(begin_s)} to {_moment(end_s)}.")


def _jobs(opening: Opening) -> Iterator[RenderableType]:
    """Yield what the jobs of the busiest column family did, by level and reason, and the files of level 0 over time."""
    events = opening.events
    name = max(events.families, key=lambda each: events.families[each].written.file_bytes, default=None)
    if name is None:
        return
    family = events.families[name]
    table = plain_table("level", "jobs", "tables", "written", "share of its size", "deletions", right=(2, 3, 4, 5))
    for level, written in sorted(family.levels.items()):
        jobs = [f"{reason} {number}" for (at, reason), number in family.compactions.most_common() if at == level]
        if level == 0:
            jobs = [f"flush: {reason} {number}" for reason, number in family.flushes.most_common()] + jobs
        table.add_row(
            f"L{level}",
            Text(", ".join(jobs[:_SHOWN_REASONS])),
            f"{written.tables:,}",
            format_bytes(written.file_bytes),
            percent(written.table_bytes / written.raw_bytes) if written.raw_bytes else "?",
            percent(written.deletions / written.entries) if written.entries else "?",
        )
    if family.levels:
        yield Text()
        yield Text(f"Jobs of [{name}] whose lines are here; the share is of keys and values before compression")
        yield table
    most = [value for value in events.l0_files.most if value is not None]
    if len(most) > 1:
        yield Text(f"Files of level 0 over {format_seconds(events.l0_files.width_s * len(events.l0_files.most))}:")
        yield Text(f"{_sparkline(events.l0_files)}  most {max(most)}")


def _sparkline(line: OverTime) -> str:
    """Draw the values as bars of eight heights, a part of the time each; a gap where there is none."""
    most = max((value for value in line.most if value is not None), default=0)
    if not most:
        return ""
    every = -(-len(line.most) // _WIDEST)
    groups = [line.most[at : at + every] for at in range(0, len(line.most), every)]
    tops = [max((value for value in group if value is not None), default=None) for group in groups]
    return "".join(" " if top is None else _BARS[round(top / most * (len(_BARS) - 1))] for top in tops)


def _wrong(log: ServiceLog) -> Iterator[RenderableType]:
    found = findings_of(log)
    if not found:
        yield Text("Nothing that these files show.")
    for each in found:
        where = f" [{each.family}]" if each.family else ""
        yield Text(f"{each.code}{where}, {each.sure}: {each.sentence}", style="bold")
        lines = [*(f"{line}." for line in map(_capital, each.evidence))]
        if each.places:
            lines.append(f"First and last said at {' and '.join(each.places[:: max(1, len(each.places) - 1)])}.")
        lines += [f"Try {step.name}: {_settings(step)}, as {step.because}." for step in each.tries]
        if each.advice:
            lines.append(each.advice)
        yield bullets([*lines, f"Rule from: {each.source}."])


def _settings(step: Try) -> str:
    return " and ".join(f"{name} = {_setting(value)}" for name, value in step.options.items())


def _setting(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return format_bytes(value) if isinstance(value, int) and value >= _LEAST_SIZE else str(value)


def _capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _worst_interval(opening: Opening) -> tuple[float, float, float] | None:
    """Return the largest share of stalled time between two dumps with their times; None where nothing stalled."""
    found = [
        ((later.stall_s - earlier.stall_s) / (later.uptime_s - earlier.uptime_s), earlier.time_s, later.time_s)
        for earlier, later in pairwise(opening.moments)
        if earlier.stall_s is not None and later.stall_s is not None and later.uptime_s > earlier.uptime_s
    ]
    worst = max(found, default=None)
    return worst if worst is not None and worst[0] > 0 else None


def _statistics(tickers: Mapping[str, int]) -> Iterator[RenderableType]:
    told = []
    hits, misses = tickers.get(_HIT, 0), tickers.get(_MISS, 0)
    if hits + misses:
        told.append(f"{percent(hits / (hits + misses))} of {hits + misses:,} look-ups found their block in the cache")
    useful, positive, true = (tickers.get(name, 0) for name in (_FILTER_USEFUL, _FILTER_POSITIVE, _FILTER_TRUE))
    if useful + positive:
        false = positive - true
        told.append(f"filters saved {useful:,} reads and let {false:,} pass for nothing")
    if told:
        yield Text(f"{'; '.join(told)[:1].upper()}{'; '.join(told)[1:]}.")


def _not_told(log: ServiceLog) -> list[str]:
    opening, told = log.last, []
    if not opening.version and opening.product:
        told.append(
            f"{opening.product}'s LOG says neither version nor options, and counts nothing: no reads, no stalled time."
        )
    elif not opening.version:
        told.append("Which version and options: the LOG begins after the database was opened; give its older files.")
    if opening.product and not opening.version:
        return told
    if opening.dump is None:
        told.append("Write amplification, levels and stalled time: set stats_dump_period_sec to 600.")
    elif not opening.dump.tickers:
        told.append(
            "How reads go (cache, filters, deletions): set statistics, at 5 to 10 % of the throughput, or at less with "
            "a stats level without timers."
        )
    told.append("Which keys are asked for: record a trace of queries (DB::StartTrace).")
    if log.unread_count:
        first = log.unread[0]
        told.append(f"{plural(log.unread_count, 'part')} could not be read, the first at {first.place}: {first.what}.")
    return told


def _opening_json(opening: Opening) -> dict[str, Any]:
    plain = asdict(replace(opening, stalls={}, places={}, events=Events()))  # their keys are no texts
    plain["flushes"], plain["compactions"] = opening.flushes, opening.compactions
    plain["stalls"] = [
        {**asdict(kind), "lines": count, "places": list(opening.places.get(kind, ()))}
        for kind, count in opening.stalls.items()
    ]
    plain["events"] = _events_json(opening.events)
    plain["tables"] = [
        {"family": family, "compression": codec, "tables": count} for (family, codec), count in opening.tables.items()
    ]
    return plain


def _events_json(events: Events) -> dict[str, Any]:
    return {
        "count": events.count,
        "recovered_logs": events.recovered_logs,
        "l0_files": asdict(events.l0_files),
        "families": {
            name: {
                "flushes": dict(each.flushes),
                "compactions": [
                    {"level": level, "reason": reason, "number": number}
                    for (level, reason), number in sorted(each.compactions.items())
                ],
                "levels": {str(level): _written_json(written) for level, written in sorted(each.levels.items())},
                "taken_bytes": each.taken_bytes,
                "records_in": each.records_in,
                "records_out": each.records_out,
                "deletions": {**asdict(each.deletions), "shares": each.deletions.shares},
                "memtables": asdict(each.memtables),
            }
            for name, each in events.families.items()
        },
    }


def _written_json(written: Written) -> dict[str, Any]:
    codecs = dict(written.codecs)  # asdict of Python 3.11 counts the items of a Counter
    return {**asdict(replace(written, codecs=Counter())), "codecs": codecs}


def _written_gb(stats: FamilyStats) -> float:
    return 0.0 if stats.total is None else stats.total.figures.get("Write(GB)", 0.0)


def _family_name(name: str) -> Text:
    return Text(f"[{name}]")  # no markup
