"""Lines of LevelDB's LOG, which says what jobs did, and neither version nor options nor statistics."""

import re

from lsmtune.production._events import Events, FamilyEvents, Written
from lsmtune.production._service_log import DEFAULT, StallKind

PRODUCT = "LevelDB"

_LINE = re.compile(
    r"^\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{1,9} \S+ "
    r"((?:Level-0 table|Generated table|Compacted|Compacting|compacted to|Moved|Recovering log|Delete type=|"
    r"Current memtable full|Too many L0 files)\b.*)"
)
_FLUSHED = re.compile(r"Level-0 table #\d+: (\d{1,18}) bytes OK")
_GENERATED = re.compile(r"Generated table #\d+@(\d{1,3}): (\d{1,18}) keys, (\d{1,18}) bytes")
_COMPACTED = re.compile(r"Compacted \d+@(\d{1,3}) \+ \d+@\d+ files => (\d{1,18}) bytes")
_FILES = re.compile(r"files\[ (\d{1,9})")
_WAITS = {"Current memtable full": "memtables", "Too many L0 files": "L0 files"}


def of_leveldb(line: str) -> str | None:
    """Return what LevelDB said in a line; None where it is another's."""
    match = _LINE.match(line)
    return None if match is None else match[1]


def take_leveldb(text: str, time_s: float | None, events: Events) -> StallKind | None:
    """Add what a line says to the events; return what it says of writes that wait.

    Args:
        text: as `of_leveldb` returns it.
        time_s: of the line.
        events: of this opening.
    """
    family = events.families.setdefault(DEFAULT, FamilyEvents())
    flushed, generated, compacted = _FLUSHED.match(text), _GENERATED.match(text), _COMPACTED.match(text)
    if flushed is not None:
        if int(flushed[1]):
            family.flushes["not said"] += 1
            family.levels.setdefault(0, Written()).add(
                Written(tables=1, file_bytes=int(flushed[1]), table_bytes=int(flushed[1]))
            )
    elif generated is not None:
        level = int(generated[1]) + 1
        size = int(generated[3])
        sizes = Written(tables=1, file_bytes=size, table_bytes=size, entries=int(generated[2]))
        family.levels.setdefault(level, Written()).add(sizes)
    elif compacted is not None:
        family.compactions[int(compacted[1]) + 1, "not said"] += 1
    elif text.startswith("Recovering log"):
        events.recovered_logs = (events.recovered_logs or 0) + 1
    files = _FILES.search(text)
    if files is not None and time_s is not None:
        events.l0_files.put(time_s, int(files[1]))
    events.count += 1
    cause = next((cause for words, cause in _WAITS.items() if text.startswith(words)), None)
    return None if cause is None else StallKind("", is_stop=True, cause=cause)
