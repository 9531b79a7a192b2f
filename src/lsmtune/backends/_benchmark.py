"""What a benchmark of a db_bench does, RocksDB's or LevelDB's, so that an experiment can be checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from lsmtune.errors import UsageError

if TYPE_CHECKING:  # the model is loaded by those who ask it
    from lsmtune.lsm_model.tree import Writes


class BenchmarkKind(StrEnum):
    """What a benchmark does to a database."""

    FILL = "fill"
    """Starts with an empty database and writes it."""
    WRITE = "write"
    """Writes or deletes in a database that is there."""
    READ = "read"
    """Reads only."""
    MIXED = "mixed"
    """Reads and writes."""
    UTILITY = "utility"
    """Prints, flushes, compacts, copies: measures nothing by itself."""
    PROCESSOR = "processor"
    """Never touches a database: checksums and compressors."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of a db_bench.

    Attributes:
        name: as written after ``--benchmarks``.
        kind: see `BenchmarkKind`.
        timed: whether it honours ``--duration``; others always run their operation count.
        needs_data: whether it means something only on a database that was filled before.
        modifies: whether it reads each value that it writes back.
        begins_empty: whether it deletes the database that is there; each fill does.
    """

    name: str
    kind: BenchmarkKind
    timed: bool
    needs_data: bool
    modifies: bool = False
    begins_empty: bool = False

    @property
    def measures(self) -> bool:
        """Whether its result line says something about the engine."""
        return self.kind not in (BenchmarkKind.UTILITY, BenchmarkKind.PROCESSOR)

    @property
    def only_writes(self) -> bool:
        """Whether it does nothing but write, so that its operations are writes."""
        return self.kind in (BenchmarkKind.FILL, BenchmarkKind.WRITE)

    @property
    def writes(self) -> bool:
        """Whether it changes the database, so that debt can be left behind."""
        return self.only_writes or self.kind is BenchmarkKind.MIXED

    @property
    def reads(self) -> bool:
        """Whether it looks for data that is there, so that caches and filters matter."""
        return self.kind in (BenchmarkKind.READ, BenchmarkKind.MIXED) or self.modifies


def saying_compactions(writes: Sequence["Writes"], phases: Iterable[str]) -> tuple["Writes", ...]:
    """Return what phases write, the last of it with what is taken for granted where one of them compacts everything."""
    named = next((name for name in phases if name.startswith("compact")), None)
    if named is None or not writes:
        return tuple(writes)
    said = f'"{named}" is left out: the tree is taken as the writes leave it'
    return (*writes[:-1], replace(writes[-1], said=(said,)))


def check_fills_once(name: str, threads: int) -> None:
    """Check that one thread fills a database in the order of keys, for the model of a tree.

    Raises:
        UsageError: there are several, each of which writes all keys.
    """
    if threads > 1:
        raise UsageError(
            f'the model of a tree does not describe "{name}" by {threads} threads, each of which writes all keys; '
            f'build the data with load = "{name}", which takes one, or write threads = 1'
        )


def described(
    names: Mapping[BenchmarkKind, str],
    untimed: Iterable[str] | None,
    self_filling: Iterable[str] = (),
    modifying: Iterable[str] = (),
    emptying: Iterable[str] = (),
) -> dict[str, Benchmark]:
    """Return benchmarks by name.

    Args:
        names: names, separated by blanks, by kind.
        untimed: those that ignore ``--duration``; None where the db_bench has no such flag.
        self_filling: those that need no data although their kind does.
        modifying: those that read what they write back, although their kind only writes.
        emptying: those that begin with an empty database although their kind does not.
    """
    ignore_time, empty = None if untimed is None else frozenset(untimed), frozenset(emptying)
    fill, modify = frozenset(self_filling) | empty, frozenset(modifying)
    needing = (BenchmarkKind.WRITE, BenchmarkKind.READ, BenchmarkKind.MIXED)
    return {
        name: Benchmark(
            name,
            kind,
            timed=ignore_time is not None and name not in ignore_time,
            needs_data=kind in needing and name not in fill,
            modifies=name in modify,
            begins_empty=kind is BenchmarkKind.FILL or name in empty,
        )
        for kind, text in names.items()
        for name in text.split()
    }
