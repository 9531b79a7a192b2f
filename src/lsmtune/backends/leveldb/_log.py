"""What LevelDB's LOG says: flushes, compactions, moves, waits of writes.

Source: the calls of ``Log`` in ``db/db_impl.cc`` of 1.22. A LOG begins anew whenever a database is opened.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Flush:
    """A memtable that became a table; times in s, see `LevelDbLog`.

    Attributes:
        started_s: None where its start was not logged.
        finished_s: when it was written.
        bytes: of the table.
        recovered: it held what an open found in the write-ahead log: data of an earlier process.
    """

    started_s: float | None
    finished_s: float
    bytes: int
    recovered: bool


@dataclass(frozen=True)
class Rewrite:
    """A finished compaction: the level that it began in, bytes written, and times in s, see `LevelDbLog`.

    Attributes:
        started_s: None where its start was not logged.
    """

    level: int
    output_bytes: int
    started_s: float | None
    finished_s: float

    @property
    def elapsed_s(self) -> float | None:
        """How long it took in s; None where that is not known.

        Times are local: where the clock was set back meanwhile, none is better than a wrong one.
        """
        if self.started_s is None or self.finished_s < self.started_s:
            return None
        return round(self.finished_s - self.started_s, 6)  # a LOG tells microseconds


@dataclass(frozen=True)
class Moved:
    """A file that went down to a level without being rewritten."""

    time_s: float
    level: int
    bytes: int


@dataclass(frozen=True)
class Wait:
    """A write that waits: for level 0 to have fewer files where `level0`, else for the memtable to be flushed."""

    time_s: float
    level0: bool


@dataclass(frozen=True)
class Levels:
    """Files in each level at a moment; LevelDB tells after compactions and moves, not after flushes."""

    time_s: float
    files: tuple[int, ...]


@dataclass(frozen=True)
class LevelDbLog:
    """What a LOG says. Times are local ones, in s, as if they were UTC: only their differences mean something.

    Attributes:
        opened_s, last_line_s: of the first and the last line; None where no line has a time.
        flushes: those of an empty memtable are left out.
        compactions: the finished ones that rewrote data.
        moved: files that went down a level without being rewritten.
        waits: lines of writes that waited, which are more than waits: a writer that is woken and finds no room writes
            another.
        levels: the tree, where the LOG tells.
        errors: what failed of flushes, compactions and the manifest, in LevelDB's words.
        problems: ``LOG:LINE what`` for each line that says that something failed or that cannot be read.
    """

    opened_s: float | None
    last_line_s: float | None
    flushes: tuple[Flush, ...]
    compactions: tuple[Rewrite, ...]
    moved: tuple[Moved, ...]
    waits: tuple[Wait, ...]
    levels: tuple[Levels, ...]
    errors: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def flushed(self) -> tuple[int, ...]:
        """Bytes of each flush of what this process wrote."""
        return tuple(each.bytes for each in self.flushes if not each.recovered)

    @property
    def recovered(self) -> tuple[int, ...]:
        """Bytes of each flush of what an open found in the write-ahead log."""
        return tuple(each.bytes for each in self.flushes if each.recovered)

    @property
    def compacted_bytes(self) -> int:
        """Bytes that compactions wrote."""
        return sum(each.output_bytes for each in self.compactions)

    @property
    def moves(self) -> int:
        """Number of files that went down a level without being rewritten."""
        return len(self.moved)

    @property
    def memtable_waits(self) -> int:
        """Lines of writes that waited for a flush."""
        return sum(not each.level0 for each in self.waits)

    @property
    def level0_waits(self) -> int:
        """Lines of writes that waited for level 0."""
        return sum(each.level0 for each in self.waits)
