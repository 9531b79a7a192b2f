"""What the files of a service say, as JSON."""

from collections import Counter
from dataclasses import asdict, replace
from typing import Any

from lsmtune.production._differences import changes_of, differences_of
from lsmtune.production._events import Events, Written
from lsmtune.production._findings import findings_of
from lsmtune.production._not_told import not_told
from lsmtune.production._service_log import Opening, ServiceLog
from lsmtune.production._trends import trends_of

FORMAT = 3
"""Version of the JSON. 1: the first. 2: with findings and events. 3: with what went on over time and OPTIONS files."""


def diagnosis_json(log: ServiceLog) -> dict[str, Any]:
    """Return what the card says, and more, as values of JSON; sizes in B, times in s."""
    differences = differences_of(log.last, log.options_file)
    return {
        "format": FORMAT,
        "files": list(log.files),
        "lines": log.lines,
        "first_s": log.first_s,
        "last_s": log.last_s,
        "openings": [_opening_json(each) for each in log.openings],
        "options_file": None if log.options_file is None else asdict(log.options_file),
        "differences": None if differences is None else asdict(differences),
        "changed_since_opening": [asdict(each) for each in changes_of(log.last, log.options_file)],
        "over_time": [asdict(each) for each in trends_of(log.last)],
        "findings": [asdict(each) for each in findings_of(log)],
        "not_told": not_told(log),
        "unread": {"count": log.unread_count, "first": [asdict(each) for each in log.unread]},
    }


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
