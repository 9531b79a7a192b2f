"""What the files of a service say, as a card; figures are those that the LOG itself prints."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lsmtune.production._clock import clock_text
from lsmtune.production._differences import Difference, Differences, changes_of, differences_of
from lsmtune.production._finding import Try
from lsmtune.production._findings import findings_of
from lsmtune.production._not_told import not_told
from lsmtune.production._service_log import FamilyStats, Opening, ServiceLog, StatsDump
from lsmtune.production._trends import Trend, trends_of
from lsmtune.report import bullets, percent, plain_table, section
from lsmtune.units import format_bytes, format_seconds, plural

_SHOWN_FAMILIES, _SHOWN_DIFFERENCES = 12, 60
_COLUMNS = ("Score", "Write(GB)", "Moved(GB)", "W-Amp", "Comp(sec)", "Comp(cnt)")
_SHOWN_REASONS = 3
_OLD = 0.5
"""Share of the time since the opening, before which what a cache held is no news."""
_BARS, _WIDEST = "▁▂▃▄▅▆▇█", 22
_LEAST_SIZE = 1 << 16
"""Whole numbers from here on are sizes in B."""
_HIT, _MISS = "rocksdb.block.cache.hit", "rocksdb.block.cache.miss"
_FILTER_USEFUL, _FILTER_POSITIVE, _FILTER_TRUE = (
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
)


def diagnosis_card(log: ServiceLog) -> RenderableType:
    """Return the card: what runs, what happened, what is wrong, what these files do not tell."""
    opening, differences = log.last, differences_of(log.last, log.options_file)
    parts: list[RenderableType] = [
        Text(words, style=style) for words, style in zip(diagnosis_head(log), ("bold", "dim"), strict=True)
    ]
    if len(log.openings) > 1:
        parts += [Text(), section(f"Opened {len(log.openings)} times"), _openings_table(log.openings)]
    if differences is not None:
        parts += [Text(), section(f"Options that differ from the defaults of {differences.against}")]
        parts += _options(differences)
    changed = changes_of(opening, log.options_file)
    if changed:
        parts += [Text(), section("Options that were changed since it was opened")]
        parts.append(_differences_table(changed, "at the opening", "now"))
    if log.lines:
        parts += [Text(), section("What happened since it was opened"), *_happened(opening)]
        parts += _over_time(opening)
        parts += [Text(), section("What is wrong"), *_wrong(log)]
    parts += [Text(), section("What these files do not tell"), bullets(not_told(log))]
    return Group(*parts)


def diagnosis_head(log: ServiceLog) -> tuple[str, str]:
    """Return what runs, and what the files cover, in words."""
    return _head(log), _covered(log)


def _head(log: ServiceLog) -> str:
    opening, file = log.last, log.options_file
    product, version = opening.product, opening.version
    if file is not None and not version:
        product, version = product or "RocksDB", file.version
    name = f"{product} {version}" if version else f"{product or 'An engine'} of unknown version"
    known = (
        set(opening.families)
        | set(opening.events.families)
        | (set(opening.dump.families) if opening.dump is not None else set())
        | (set(file.families) if file is not None else set())
    )
    families = _families_words(len(known)) if known else "column families unknown"
    up = "" if opening.dump is None else f", up for {format_seconds(opening.dump.uptime_s)} at the last statistics"
    return f"{name}: {families}{up}"


def _families_words(number: int) -> str:
    return f"{number} column {'family' if number == 1 else 'families'}"


def _covered(log: ServiceLog) -> str:
    options = "" if log.options_file is None else f"options by {log.options_file.place}"
    if not log.lines:
        return f"No LOG, {options}"
    span = ""
    if log.first_s is not None and log.last_s is not None:
        span = f", {clock_text(log.first_s)} to {clock_text(log.last_s)}"
    clock = " by the service's clock" if span else ", without a time"
    return f"{plural(len(log.files), 'file')}, {log.lines:,} lines{span}{clock}{f'; {options}' if options else ''}"


def _openings_table(openings: Sequence[Opening]) -> Table:
    table = plain_table("opened", "version", "took", right=(2,))
    for each in openings:
        began = "before this LOG" if each.time_s is None else clock_text(each.time_s)
        table.add_row(began, each.version or "?", "?" if each.took_s is None else format_seconds(each.took_s))
    return table


def _options(differences: Differences) -> Iterator[RenderableType]:
    shown = differences.options[:_SHOWN_DIFFERENCES]
    if shown:
        yield _differences_table(shown, "default", "here")
    else:
        yield Text("None.")
    left = len(differences.options) - len(shown)
    if left:
        yield Text(f"{left} more stand in --json.", style="dim")
    if differences.unknown:
        names = ", ".join(dict.fromkeys(each.option for each in differences.unknown))
        yield Text(f"Not known of {differences.against}: {names}.")


def _differences_table(differences: Sequence[Difference], before: str, now: str) -> Table:
    table = plain_table("of", "option", before, now)
    for each in differences:
        table.add_row(Text(each.of), Text(each.option), Text(each.default), Text(each.here))
    return table


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
        yield from _caches(dump)
    yield from _logs(opening)


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
        yield Text(f"Worst between two dumps: {percent(share)} of {clock_text(begin_s)} to {clock_text(end_s)}.")


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
    number = family.compactions.total()
    inside = sum(count for (level, _), count in family.compactions.items() if level == 0)
    if inside:
        yield Text(f"{inside:,} of {number:,} compactions ended in level 0.")


def _over_time(opening: Opening) -> Iterator[RenderableType]:
    """Yield how figures went over time, each as a line of bars, whose tops are the largest value."""
    trends = trends_of(opening)
    if not trends:
        return
    end_s, most = max(max(each.times_s) for each in trends), max(len(each.values) for each in trends)
    begin_s = min(map(_begin_s, trends))
    yield Text()
    yield Text(f"Over time, {clock_text(begin_s)} to {clock_text(end_s)}")
    table = plain_table("what", "of", "least", "most", "over time", right=(2, 3))
    for each in trends:
        least, largest = _figure(min(each.known), each.unit), _figure(max(each.known), each.unit)
        family = _family_name(each.family) if each.family else Text("database")
        bars = _sparkline(each, begin_s, (end_s - begin_s) / min(_WIDEST, most) or 1.0)
        table.add_row(each.short, family, least, largest, bars)
    yield table


def _begin_s(trend: Trend) -> float:
    """Return where the first part of the time begins; times need not ascend, as a clock may be set anew."""
    first_s, last_s = min(trend.times_s), max(trend.times_s)
    return first_s - (last_s - first_s) / (len(trend.values) - 1)


def _figure(value: float, unit: str) -> str:
    if unit in ("B", "B/s"):
        return f"{format_bytes(round(value))}{unit[1:]}"
    return f"{value:.1f} %" if unit == "%" else f"{value:.3g}"


def _sparkline(trend: Trend, begin_s: float, width_s: float) -> str:
    """Draw the values as bars of eight heights, each for a part of the time; a gap where there is none."""
    tops: dict[int, float] = {}
    for time_s, value in zip(trend.times_s, trend.values, strict=True):
        place = max(0, round((time_s - begin_s) / width_s) - 1)
        if value is not None:
            tops[place] = max(value, tops.get(place, 0.0))
    most = max(tops.values())
    bars = {place: _BARS[round(value / most * (len(_BARS) - 1))] for place, value in tops.items()}
    return "".join(bars.get(place, " ") for place in range(max(tops) + 1))


def _wrong(log: ServiceLog) -> Iterator[RenderableType]:
    found = findings_of(log)
    if not found:
        yield Text("These files show no problem.")
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
        for earlier, later in pairwise(opening.timed_moments)
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


def _caches(dump: StatsDump) -> Iterator[RenderableType]:
    """Yield what is in each block cache, by what it is for, unless the engine counted that long ago."""
    for cache in dump.caches.values():
        used = cache.used_bytes
        if used is not None and cache.age_s <= _OLD * dump.uptime_s:
            kinds = sorted(cache.entries.items(), key=lambda item: -item[1])
            inside = ", ".join(f"{name} {format_bytes(round(size))}" for name, size in kinds if size)
            held = f"{format_bytes(round(used))} of {format_bytes(round(cache.capacity_bytes))}"
            ago = f", {format_seconds(cache.age_s)} before" if cache.age_s > 1 else ""
            yield Text(f"A block cache held {held} at the last dump{ago}{f': {inside}' if inside else ''}.")


def _logs(opening: Opening) -> Iterator[RenderableType]:
    """Yield how long the opening took, and what is said of write-ahead logs."""
    wal, told = opening.wal, []
    if opening.took_s is not None:
        told.append(f"opening took {format_seconds(opening.took_s)}")
    if wal.files is not None:
        logs = f"{plural(wal.files, 'write-ahead log')} of {format_bytes(wal.size_bytes or 0)}"
        told.append(f"it found {logs if wal.files else 'no write-ahead log'} there")
    if wal.flushes and wal.largest_bytes is not None:
        bound = "" if wal.bound_bytes is None else f", with {format_bytes(wal.bound_bytes)} allowed"
        times = plural(wal.flushes, "time")
        told.append(f"{times} all was flushed as they had grown to {format_bytes(wal.largest_bytes)}{bound}")
    if told:
        yield Text(f"{_capital('; '.join(told))}.")


def _written_gb(stats: FamilyStats) -> float:
    return 0.0 if stats.total is None else stats.total.figures.get("Write(GB)", 0.0)


def _family_name(name: str) -> Text:
    return Text(f"[{name}]")  # no markup
