"""Reading LevelDB's LOG: what flushes and compactions wrote.

Source: the calls of ``Log`` in ``db/db_impl.cc`` of 1.22. A LOG begins anew whenever a database is opened.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

_LINE = re.compile(r"(?P<time>\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{6}) \S+ (?P<text>.*)")
_FLUSH = re.compile(r"Level-0 table #\d+: (?P<bytes>\d+) bytes (?P<status>.*)")
_COMPACTED = re.compile(r"Compacted \d+@(?P<level>\d+) \+ \d+@\d+ files => (?P<bytes>\d+) bytes")
_MOVED = re.compile(r"Moved #\d+ to level-\d+ \d+ bytes")
_RECOVERING = "Recovering log #"
_RECOVERED = "Delete type="  # obsolete files go once the logs are read; the replayed logs are always among them


@dataclass(frozen=True)
class Rewrite:
    """A finished compaction: the level that it began in, bytes written, and time in s where its start was logged."""

    level: int
    output_bytes: int
    elapsed_s: float | None


@dataclass(frozen=True)
class LevelDbLog:
    """What a LOG says.

    Attributes:
        flushed: bytes of each flush; those of an empty memtable are left out.
        recovered: bytes of each flush of what an open found in the write-ahead log: data of an earlier process.
        compactions: the finished ones that rewrote data.
        moves: files that went down a level without being rewritten.
        memtable_waits, level0_waits: lines of writes that waited, which are more than waits: a writer that is woken
            and finds no room writes another.
        problems: ``LOG:LINE what`` for each line that says that something failed or that cannot be read.
    """

    flushed: tuple[int, ...]
    recovered: tuple[int, ...]
    compactions: tuple[Rewrite, ...]
    moves: int
    memtable_waits: int
    level0_waits: int
    problems: tuple[str, ...]

    @property
    def compacted_bytes(self) -> int:
        """Bytes that compactions wrote."""
        return sum(each.output_bytes for each in self.compactions)


def read_log(lines: Iterable[str]) -> LevelDbLog:
    """Read the lines of a LOG; lines that it does not know are passed over.

    What a compaction wrote that the end of the process cut off is nowhere in a LOG.
    """
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        if match is not None:
            reader.read(number, match["time"], match["text"])
    return reader.result()


class _Reader:
    """Goes through the lines once."""

    def __init__(self) -> None:
        self._flushed: list[int] = []
        self._recovered: list[int] = []
        self._compactions: list[Rewrite] = []
        self._moves = 0
        self._memtable_waits = 0
        self._level0_waits = 0
        self._problems: list[str] = []
        self._recovering = False
        self._began: datetime | None = None

    def read(self, number: int, time: str, text: str) -> None:
        """Read one line."""
        if text.startswith(_RECOVERING):
            self._recovering = True
        elif text.startswith(_RECOVERED):
            self._recovering = False
        elif text.startswith("Level-0 table #"):
            self._flush(number, text)
        elif text.startswith("Compacting "):
            self._began = _time(time)
        elif text.startswith("Compacted "):
            self._compaction(number, time, text)
        elif _MOVED.match(text):
            self._moves += 1
        elif text.startswith("Current memtable full; waiting"):
            self._memtable_waits += 1
        elif text.startswith("Too many L0 files; waiting"):
            self._level0_waits += 1
        elif text.startswith("Compaction error: "):
            self._problem(number, text)

    def result(self) -> LevelDbLog:
        """Return what was read."""
        return LevelDbLog(
            flushed=tuple(self._flushed),
            recovered=tuple(self._recovered),
            compactions=tuple(self._compactions),
            moves=self._moves,
            memtable_waits=self._memtable_waits,
            level0_waits=self._level0_waits,
            problems=tuple(self._problems),
        )

    def _flush(self, number: int, text: str) -> None:
        if text.endswith(": started"):
            return
        match = _FLUSH.fullmatch(text)
        if match is None or match["status"].strip() != "OK":
            self._problem(number, text)
        elif int(match["bytes"]):
            (self._recovered if self._recovering else self._flushed).append(int(match["bytes"]))

    def _compaction(self, number: int, time: str, text: str) -> None:
        match = _COMPACTED.match(text)
        if match is None:
            self._problem(number, text)
            return
        ended = _time(time)
        elapsed_s = None if self._began is None or ended is None else (ended - self._began).total_seconds()
        # Times are local: where the clock was set back meanwhile, none is better than a wrong one.
        known = elapsed_s is not None and elapsed_s >= 0
        self._compactions.append(Rewrite(int(match["level"]), int(match["bytes"]), elapsed_s if known else None))
        self._began = None

    def _problem(self, number: int, text: str) -> None:
        self._problems.append(f"LOG:{number} {text[:100]}")


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y/%m/%d-%H:%M:%S.%f")
    except ValueError:
        return None
