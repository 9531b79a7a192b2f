"""What the files of a service do not tell, and which setting would."""

from collections.abc import Iterator

from lsmtune.production._clock import clock_text
from lsmtune.production._differences import OFF, as_it_runs
from lsmtune.production._repeated_hour import set_back
from lsmtune.production._service_log import Opening, ServiceLog, ServiceOptions
from lsmtune.units import plural


def not_told(log: ServiceLog) -> list[str]:
    """Return what is not told, and what was there and could not be read, in sentences."""
    told = [*_of_the_engine(log), *_of_the_clock(log)]
    if log.unread_count:
        first = log.unread[0]
        told.append(f"{plural(log.unread_count, 'part')} could not be read, the first at {first.place}: {first.what}.")
    return told


def _of_the_engine(log: ServiceLog) -> Iterator[str]:
    opening = as_it_runs(log).last
    if log.options_file is not None and not log.lines:
        yield "What happened: no LOG was given; give the LOG, or the folder of the database."
        return
    if opening.product and not opening.version:
        yield (
            f"{opening.product}'s LOG says neither version nor options, and counts nothing: no reads, no stalled time."
        )
        return
    if not opening.version and log.options_file is None:
        yield (
            "Which version and options: the LOG begins after the database was opened; give its older files, or the "
            "OPTIONS file."
        )
    if opening.dump is None:
        yield "Write amplification, levels, space and stalled time: set stats_dump_period_sec to 600."
    else:
        yield from _of_dumps(opening)
    yield from _of_events(opening, log.options_file)
    yield "Which keys are asked for: record a trace of queries (DB::StartTrace)."


def _of_the_clock(log: ServiceLog) -> Iterator[str]:
    times_s = [time_s for opening in log.openings for time_s in set_back(opening.moments)]
    if times_s:
        when = f"{plural(len(times_s), 'time')}, first at" if times_s[1:] else "at"
        yield (
            f"Figures over time of an hour that came twice: the service's clock was set back {when} "
            f"{clock_text(times_s[0])}, so they tell what follows as one part."
        )


def _of_dumps(opening: Opening) -> Iterator[str]:
    dump = opening.dump
    if dump is None:
        return
    if not dump.tickers:
        yield (
            "How reads go (cache, filters, deletions that scans skip): set statistics, at 5 to 10 % of the throughput, "
            "or at less with a stats level without timers."
        )
    if len(opening.moments) == 1:
        yield "What changes over time: there is one dump; set stats_dump_period_sec lower, or wait for the next."
    if all(each.used_bytes is None for each in dump.caches.values()):
        yield "What the block cache holds: it is not in these dumps; read the property rocksdb.block-cache-usage."


def _of_events(opening: Opening, file: ServiceOptions | None) -> Iterator[str]:
    events = opening.events
    if not events.count:
        yield "What each flush and compaction did, memtables and deletions: set info_log_level to INFO_LEVEL or lower."
        return
    if not any(each.memtables.most for each in events.families.values()):
        yield "Memory of memtables: no flush in this LOG tells it; read the property rocksdb.cur-size-all-mem-tables."
    if not any(each.written.entries for each in events.families.values()):
        yield "Deletions in tables: no event counts them; read DB::GetPropertiesOfAllTables."
    families = opening.families or ({} if file is None else file.families)
    if any(each.get("cache_index_and_filter_blocks") in OFF for each in families.values()):
        yield (
            "Memory of indexes and filters outside of the block cache: read the property "
            "rocksdb.estimate-table-readers-mem, or set cache_index_and_filter_blocks."
        )
