"""Parser of what a db_bench of LevelDB or of a fork prints: tolerant, tables by their header."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lsmtune.backends._results import PERCENTILES, Histogram, PhaseResult, last_of
from lsmtune.backends.leveldb import Level

_MIB = 1 << 20
_VERSION = re.compile(r"(?:^|\n)LevelDB: +version (\S+)")
_UNKNOWN = re.compile(r"unknown benchmark '([^']*)'")
_RESULT = re.compile(r"(?P<name>\S+)\s*: +(?P<micros>\S+) micros/op;(?P<rest>.*)")
_RATE = re.compile(r"([\d.]+) MB/s\b")
_FOUND = re.compile(r"\((\d+) of \d+ found\)")
_HISTOGRAM = re.compile(
    r"Count: (?P<count>\d+)\s+Average: (?P<mean>\S+)\s+StdDev: (?P<stddev>\S+)\n"
    r"Min: (?P<min>\S+)\s+Median: (?P<median>\S+)\s+Max: (?P<max>\S+)\n"
)
_BUCKET = re.compile(r"\[\s*(\S+),\s*(\S+) \)\s+(\d+) ")
_LEVEL = re.compile(r"--- level (\d+)\b")
_FILE = re.compile(r" \d+:(\d+)\[")
_TABLE = ("Level", "Files")


@dataclass(frozen=True)
class Tree:
    """A tree as ``sstables`` printed it.

    Attributes:
        phases: results that were printed before it.
        levels: from level 0.
    """

    phases: int
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Output:
    """All that one process printed.

    Attributes:
        version: ``"1.22"``; None if no header was printed.
        phases: results in the order in which they ran.
        trees: in the order in which they were printed.
        columns: sums over the levels of the last ``stats``, by the printed name of the column; they count since the
            database was opened.
        unknown: benchmarks that the program does not know; it goes on without them.
        problems: ``stdout:LINE what`` for each line that could not be read.
    """

    version: str | None = None
    phases: tuple[PhaseResult, ...] = ()
    trees: tuple[Tree, ...] = ()
    columns: Mapping[str, float] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def phase(self, name: str) -> PhaseResult | None:
        """Return the result of the benchmark `name`; None if it printed none."""
        return last_of(self.phases, name)

    @property
    def read_bytes(self) -> float | None:
        """Bytes that compactions took in, printed in whole MiB a level; None where they were not printed."""
        read = self.columns.get("Read(MB)")
        return None if read is None else read * _MIB


def parse_output(stdout: str, stderr: str, threads: int) -> Output:
    """Return what a process printed.

    Never fails: a line that cannot be read becomes an entry of `Output.problems`, and what it would have told is
    missing.

    Args:
        stdout: results, histograms and tables.
        stderr: the header, and benchmarks that the program does not know.
        threads: client threads; the printed time of an operation is that of one of them.
    """
    reader = _Reader(stdout.split("\n"), threads)
    reader.read()
    version = _VERSION.search(stderr) or _VERSION.search(stdout)
    return Output(
        version=version[1] if version else None,
        phases=tuple(reader.phases),
        trees=tuple(Tree(phases, tuple(levels)) for phases, levels in reader.trees),
        columns=reader.columns,
        unknown=tuple(_UNKNOWN.findall(stderr)),
        problems=tuple(reader.problems),
    )


def percentile(buckets: Sequence[tuple[float, float, int]], least: float, most: float, wanted: float) -> float:
    """Return a percentile of a histogram, linear within a bucket, as LevelDB computes the median that it prints.

    Source: ``Histogram::Percentile`` in ``util/histogram.cc``.

    Args:
        buckets: lower bound, upper bound and count of each that is not empty, ascending.
        least: the smallest value; no percentile is below it.
        most: the largest value.
        wanted: between 0 and 100.
    """
    threshold, below = sum(count for *_, count in buckets) * wanted / 100, 0
    for low, high, count in buckets:
        if below + count >= threshold:
            return min(max(low + (high - low) * (threshold - below) / count, least), most)
        below += count
    return most


class _Reader:
    """Goes through the lines once; a line's beginning says how it and the lines that belong to it are read."""

    def __init__(self, lines: list[str], threads: int) -> None:
        self.lines = lines
        self.threads = threads
        self.phases: list[PhaseResult] = []
        self.trees: list[tuple[int, list[Level]]] = []
        self.columns: dict[str, float] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        """Read all lines."""
        for index, line in enumerate(self.lines):
            try:
                if " micros/op" in line:
                    self._result(index)
                elif line.startswith("--- level "):
                    self._level(index)
                elif tuple(line.split()[:2]) == _TABLE:
                    self._table(index)
            except ValueError:
                self.problems.append(f'stdout:{index + 1} cannot be read: "{line.strip()[:100]}"')

    def _result(self, index: int) -> None:
        match = _RESULT.fullmatch(self.lines[index])
        if match is None:
            raise ValueError
        micros = _number(match["micros"])
        histogram = self._histogram(index + 1)
        rate, found = _RATE.search(match["rest"]), _FOUND.search(match["rest"])
        operations = None if histogram is None else histogram.count
        # What counts no operations is printed as one.
        thread_seconds = micros * 1e-6 * (operations or 1)
        self.phases.append(
            PhaseResult(
                name=match["name"],
                micros_per_op=micros,
                ops_s=self.threads * 1e6 / micros if micros and operations else None,
                seconds=thread_seconds / self.threads,
                operations=operations,
                bytes_s=_number(rate[1]) * _MIB if rate else None,
                found=int(found[1]) if found else None,
                of=operations // self.threads if found and operations else None,
                histograms={} if histogram is None else {"op": histogram},
            )
        )

    def _histogram(self, index: int) -> Histogram | None:
        if index >= len(self.lines) or self.lines[index] != "Microseconds per op:":
            return None
        match = _HISTOGRAM.match("\n".join(self.lines[index + 1 : index + 3]) + "\n")
        if match is None:
            raise ValueError
        buckets = []
        for line in self.lines[index + 4 :]:
            bucket = _BUCKET.match(line)
            if bucket is None:
                break
            buckets.append((_number(bucket[1]), _number(bucket[2]), int(bucket[3])))
        if not int(match["count"]) or not buckets:
            return None
        least, most = _number(match["min"]), _number(match["max"])
        return Histogram(
            count=int(match["count"]),
            mean_s=_number(match["mean"]) * 1e-6,
            stddev_s=_number(match["stddev"]) * 1e-6,
            min_s=least * 1e-6,
            median_s=_number(match["median"]) * 1e-6,
            max_s=most * 1e-6,
            percentiles={wanted: percentile(buckets, least, most, wanted) * 1e-6 for wanted in PERCENTILES},
        )

    def _level(self, index: int) -> None:
        match = _LEVEL.match(self.lines[index])
        if match is None:
            raise ValueError
        if match[1] == "0":
            self.trees.append((len(self.phases), []))
        if not self.trees or len(self.trees[-1][1]) != int(match[1]):
            raise ValueError
        sizes = []
        for line in self.lines[index + 1 :]:
            file = _FILE.match(line)
            if file is None:
                break
            sizes.append(int(file[1]))
        self.trees[-1][1].append(Level(len(sizes), sum(sizes)))

    def _table(self, index: int) -> None:
        header = self.lines[index].split()
        sums = dict.fromkeys(header[1:], 0.0)
        for line in self.lines[index + 2 :]:
            cells = line.split()
            if not cells:
                break
            for name, cell in zip(header[1:], cells[1:], strict=True):
                sums[name] += _number(cell)
        self.columns = sums


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number
