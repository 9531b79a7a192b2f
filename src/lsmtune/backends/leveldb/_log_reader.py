"""Reading LevelDB's LOG, line by line."""

import re
from calendar import timegm
from collections.abc import Iterable

from lsmtune.backends.leveldb._log import Flush, LevelDbLog, Levels, Moved, Rewrite, Wait

_LINE = re.compile(r"(?P<time>\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{6}) \S+ (?P<text>.*)")
_FLUSH = re.compile(r"Level-0 table #\d+: (?P<bytes>\d+) bytes (?P<status>.*)")
_COMPACTED = re.compile(r"Compacted \d+@(?P<level>\d+) \+ \d+@\d+ files => (?P<bytes>\d+) bytes")
_MOVED = re.compile(r"Moved #\d+ to level-(?P<level>\d+) (?P<bytes>\d+) bytes")
_LEVELS = re.compile(r"files\[ (?P<files>(?:\d+ )+)\]")
_RECOVERING = "Recovering log #"
_RECOVERED = "Delete type="  # obsolete files go once the logs are read; the replayed logs are always among them
_MEMTABLE_FULL = "Current memtable full; waiting"
_LEVEL0_FULL = "Too many L0 files; waiting"


def read_log(lines: Iterable[str]) -> LevelDbLog:
    """Read the lines of a LOG; lines that it does not know are passed over.

    What a compaction wrote that the end of the process cut off is nowhere in a LOG.
    """
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        time_s = None if match is None else _seconds(match["time"])
        if match is not None and time_s is not None:
            reader.read(number, time_s, match["text"])
    return reader.result()


class _Reader:
    """Goes through the lines once."""

    def __init__(self) -> None:
        self._opened_s: float | None = None
        self._last_s: float | None = None
        self._flushes: list[Flush] = []
        self._compactions: list[Rewrite] = []
        self._moved: list[Moved] = []
        self._waits: list[Wait] = []
        self._levels: list[Levels] = []
        self._errors: list[str] = []
        self._problems: list[str] = []
        self._recovering = False
        self._compaction_began_s: float | None = None
        self._flush_began_s: float | None = None

    def read(self, number: int, time_s: float, text: str) -> None:
        """Read one line."""
        self._opened_s = time_s if self._opened_s is None else self._opened_s
        self._last_s = time_s
        if text.startswith((_RECOVERING, _RECOVERED)):
            self._recovering = text.startswith(_RECOVERING)
        elif text.startswith("Level-0 table #"):
            self._flush(number, time_s, text)
        elif text.startswith("Compacting "):
            self._compaction_began_s = time_s
        elif text.startswith("Compacted "):
            self._compaction(number, time_s, text)
        elif text.startswith("compacted to: "):
            self._tree(time_s, text)
        elif text.startswith("Moved #"):
            self._move(time_s, text)
        elif text.startswith((_MEMTABLE_FULL, _LEVEL0_FULL)):
            self._waits.append(Wait(time_s, level0=text.startswith(_LEVEL0_FULL)))
        elif text.startswith(("Compaction error: ", "MANIFEST write: ")):
            self._error(number, text)

    def result(self) -> LevelDbLog:
        """Return what was read."""
        return LevelDbLog(
            opened_s=self._opened_s,
            last_line_s=self._last_s,
            flushes=tuple(self._flushes),
            compactions=tuple(self._compactions),
            moved=tuple(self._moved),
            waits=tuple(self._waits),
            levels=tuple(self._levels),
            errors=tuple(self._errors),
            problems=tuple(self._problems),
        )

    def _flush(self, number: int, time_s: float, text: str) -> None:
        if text.endswith(": started"):
            self._flush_began_s = time_s
            return
        began_s, self._flush_began_s = self._flush_began_s, None
        match = _FLUSH.fullmatch(text)
        if match is None:
            self._problem(number, text)
        elif match["status"].strip() != "OK":
            self._error(number, text)
        elif int(match["bytes"]):
            self._flushes.append(Flush(began_s, time_s, int(match["bytes"]), self._recovering))

    def _compaction(self, number: int, time_s: float, text: str) -> None:
        match = _COMPACTED.match(text)
        if match is None:
            self._problem(number, text)
            return
        began_s, self._compaction_began_s = self._compaction_began_s, None
        self._compactions.append(Rewrite(int(match["level"]), int(match["bytes"]), began_s, time_s))

    def _move(self, time_s: float, text: str) -> None:
        match = _MOVED.match(text)
        if match is not None:
            self._moved.append(Moved(time_s, int(match["level"]), int(match["bytes"])))
            self._tree(time_s, text)

    def _tree(self, time_s: float, text: str) -> None:
        match = _LEVELS.search(text)
        if match is not None:
            self._levels.append(Levels(time_s, tuple(map(int, match["files"].split()))))

    def _error(self, number: int, text: str) -> None:
        self._errors.append(text)
        self._problem(number, text)

    def _problem(self, number: int, text: str) -> None:
        self._problems.append(f"LOG:{number} {text[:100]}")


def _seconds(text: str) -> float | None:
    """Return a local time as if it were UTC, in s; None for a month 13."""
    date, _, clock = text.partition("-")
    time, _, micros = clock.partition(".")
    try:
        return timegm((*map(int, date.split("/")), *map(int, time.split(":")))) + int(micros) / 1e6
    except ValueError:
        return None
