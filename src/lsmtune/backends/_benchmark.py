"""What a benchmark of a db_bench does, RocksDB's or LevelDB's, so that an experiment can be checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


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
    """

    name: str
    kind: BenchmarkKind
    timed: bool
    needs_data: bool
    modifies: bool = False

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


def compactions_said(phases: Iterable[str]) -> tuple[str, ...]:
    """Return what the model of a tree takes for granted of phases, where one compacts everything."""
    found = [name for name in phases if name.startswith("compact")]
    return (f'"{found[0]}" is left out: the tree is taken as the writes leave it',) if found else ()


def described(
    names: Mapping[BenchmarkKind, str],
    untimed: Iterable[str] | None,
    self_filling: Iterable[str] = (),
    modifying: Iterable[str] = (),
) -> dict[str, Benchmark]:
    """Return benchmarks by name.

    Args:
        names: names, separated by blanks, by kind.
        untimed: those that ignore ``--duration``; None where the db_bench has no such flag.
        self_filling: those that need no data although their kind does.
        modifying: those that read what they write back, although their kind only writes.
    """
    ignore_time, fill = None if untimed is None else frozenset(untimed), frozenset(self_filling)
    modify = frozenset(modifying)
    needing = (BenchmarkKind.WRITE, BenchmarkKind.READ, BenchmarkKind.MIXED)
    return {
        name: Benchmark(
            name,
            kind,
            timed=ignore_time is not None and name not in ignore_time,
            needs_data=kind in needing and name not in fill,
            modifies=name in modify,
        )
        for kind, text in names.items()
        for name in text.split()
    }
