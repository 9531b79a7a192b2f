"""Parser of what db_bench prints: tolerant, by header names, for 7.x to 11.x; values in base units."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lsmtune.backends._results import Histogram, PhaseResult, last_of

_STOPS = ("level0_numfiles", "stop for pending_compaction_bytes", "memtable_compaction")
_DELAYS = ("level0_slowdown", "slowdown for pending_compaction_bytes", "memtable_slowdown")
"""Names up to 8.x; the `..._with_compaction` ones are parts of these."""
_BUFFER_MANAGER_STOPS = "write-buffer-manager-limit-stops"


@dataclass(frozen=True)
class TickerHistogram:
    """A histogram of STATISTICS, in the unit that its name ends in (``micros``: us)."""

    p50: float
    p95: float
    p99: float
    p100: float
    count: int
    sum: int


@dataclass(frozen=True)
class LevelFiles:
    """A level as ``levelstats`` prints it; `size_bytes` is rounded to 1 MiB."""

    level: int
    files: int
    size_bytes: int


@dataclass(frozen=True)
class CompactionRow:
    """A row of the compaction table.

    Attributes:
        level: ``"L0"``, ``"L1"``, ..., ``"Sum"`` over the levels, or ``"Int"``, the changes since the last dump.
        files, compacting: files, and how many of them are being compacted.
        size_bytes: of the files, printed with two decimals of its prefix.
        columns: the other columns by their printed name (``"W-Amp"``, ``"Write(GB)"``), in the printed unit.
    """

    level: str
    files: int
    compacting: int
    size_bytes: int
    columns: Mapping[str, float]


@dataclass(frozen=True)
class Output:
    """All that one db_bench process printed.

    `compaction_table`, `pending_compaction_bytes`, `stall_seconds`, `stall_percent` and `stalls` come from the last
    complete statistics dump of stdout; they count since the database was opened.

    Attributes:
        version: ``"7.8.3"``; None if no header was printed.
        assertions: the build warned that it checks assertions.
        phases: in the order in which they ran, without the averages over repeats (``[AVG 3 runs]``).
        tickers: count by name, over the whole process.
        ticker_histograms: histogram by name, over the whole process.
        compaction_table: row by level; empty if no dump was printed.
        levels: the last ``levelstats``; empty if it did not run.
        pending_compaction_bytes: the engine's estimate; None where the version does not print it (7.8.3).
        stall_seconds: time in s that writes were delayed or stopped, cumulative.
        stall_percent: the same, of the time since the database was opened, idle time included.
        stalls: count by the engine's own reason.
        problems: ``stdout:LINE what`` for each line that could not be read.
    """

    version: str | None = None
    assertions: bool = False
    phases: tuple[PhaseResult, ...] = ()
    tickers: Mapping[str, int] = field(default_factory=dict)
    ticker_histograms: Mapping[str, TickerHistogram] = field(default_factory=dict)
    compaction_table: Mapping[str, CompactionRow] = field(default_factory=dict)
    levels: tuple[LevelFiles, ...] = ()
    pending_compaction_bytes: int | None = None
    stall_seconds: float | None = None
    stall_percent: float | None = None
    stalls: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def phase(self, name: str) -> PhaseResult | None:
        """Return the last result of the benchmark `name`; None if it printed none."""
        return last_of(self.phases, name)

    @property
    def stop_count(self) -> int | None:
        """Times that writes were stopped, over all reasons; None if not printed."""
        if "total-stops" in self.stalls:
            return self.stalls["total-stops"] + self.stalls.get(_BUFFER_MANAGER_STOPS, 0)
        return self._total(_STOPS)

    @property
    def stall_count(self) -> int | None:
        """Times that writes were delayed or stopped, over all reasons; None if not printed."""
        stops = self.stop_count
        delays = self.stalls["total-delays"] if "total-delays" in self.stalls else self._total(_DELAYS)
        return None if stops is None or delays is None else stops + delays

    def _total(self, reasons: tuple[str, ...]) -> int | None:
        if any(reason not in self.stalls for reason in reasons):
            return None
        return sum(self.stalls[reason] for reason in reasons)


_MIB = 2**20
_SUFFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}

_VERSION = re.compile(r"(?:^|[\r\n])RocksDB: +version (\S+)")
_ASSERTIONS = "WARNING: Assertions are enabled"
_RESULT = re.compile(
    r"^(?P<name>\S+)\s*:\s+(?P<micros>\S+) micros/op (?P<ops>\d+) ops/sec"
    r"(?: (?P<seconds>\S+) seconds)?(?: (?P<operations>\d+) operations)?;(?P<rest>.*)$"
)
_RATE = re.compile(r"([\d.]+) MB/s\b")
_FOUND = (
    re.compile(r"(?P<found>\d+) of (?P<of>\d+) found\)"),
    re.compile(r"reads (?P<found>\d+) in (?P<of>\d+) found"),
    re.compile(r"\( ?(?:reads|get):(?P<of>\d+) .*\b(?:found|hits):(?P<found>\d+)"),
)
_UPDATES = re.compile(r"\( ?updates:(?P<of>\d+) found:(?P<found>\d+)")
_TITLE = re.compile(r"^Microseconds per (\w+):$")
_HISTOGRAM = re.compile(
    r"^Count: (?P<count>\d+) Average: (?P<mean>\S+)\s+StdDev: (?P<stddev>\S+)\n"
    r"Min: (?P<min>\S+)\s+Median: (?P<median>\S+)\s+Max: (?P<max>\S+)\n"
    r"Percentiles: (?P<percentiles>(?:P[\d.]+: \S+ ?)+)$"
)
_PERCENTILE = re.compile(r"P([\d.]+): (\S+)")
_TICKER = re.compile(r"^(\S+) COUNT : (\d+)$")
_TICKER_HISTOGRAM = re.compile(r"^(\S+) P50 : (\S+) P95 : (\S+) P99 : (\S+) P100 : (\S+) COUNT : (\d+) SUM : (\d+)$")
_LEVEL = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\d+)$")
_PENDING = re.compile(r"^Estimated pending compaction bytes: (\d+)$")
_STALL_TIME = re.compile(r"^Cumulative stall: (\d+):(\d+):(\S+) H:M:S, (\S+) percent$")
_STALLS_OLD = re.compile(r"(\d+) ([a-z][\w ]*)")
_STALLS_NEW = re.compile(r"([a-z][\w-]*): (\d+)")


def parse_output(stdout: str, stderr: str = "") -> Output:
    """Return what a db_bench process printed.

    Never fails: a line that cannot be read becomes an entry of `Output.problems`, and what it would have told is
    missing. Of stderr only the header is used: the dumps of ``--stats_per_interval`` there are not final.
    """
    reader = _Reader([line.rstrip("\r").rpartition("\r")[2] for line in stdout.split("\n")])
    reader.read()
    version = _VERSION.search(stderr) or _VERSION.search(stdout)
    dump = next((dump for dump in reversed(reader.dumps) if "Sum" in dump.table), _Dump())
    return Output(
        version=version[1] if version else None,
        assertions=_ASSERTIONS in stdout or _ASSERTIONS in stderr,
        phases=tuple(reader.phases),
        tickers=reader.tickers,
        ticker_histograms=reader.ticker_histograms,
        compaction_table=dump.table,
        levels=tuple(reader.levels),
        pending_compaction_bytes=dump.pending_compaction_bytes,
        stall_seconds=dump.stall_seconds,
        stall_percent=dump.stall_percent,
        stalls=dump.stalls,
        problems=tuple(reader.problems),
    )


@dataclass
class _Dump:
    """A statistics dump while it is read."""

    table: dict[str, CompactionRow] = field(default_factory=dict)
    pending_compaction_bytes: int | None = None
    stall_seconds: float | None = None
    stall_percent: float | None = None
    stalls: dict[str, int] = field(default_factory=dict)


class _Reader:
    """Goes through the lines once; a line's beginning says who reads it and the lines that belong to it."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.phases: list[PhaseResult] = []
        self.tickers: dict[str, int] = {}
        self.ticker_histograms: dict[str, TickerHistogram] = {}
        self.dumps: list[_Dump] = []
        self.levels: list[LevelFiles] = []
        self.problems: list[str] = []
        self._histograms: dict[str, Histogram] = {}
        self._by_prefix: tuple[tuple[str, str, Callable[[int], None]], ...] = (
            ("rocksdb.", "statistic", self._ticker),
            ("Microseconds per ", "histogram", self._histogram),
            ("** Compaction Stats [default]", "compaction table", self._table),
            ("Level Files Size(MB)", "table of levels", self._level_files),
            ("Estimated pending compaction bytes", "pending bytes", self._pending),
            ("Stalls(count)", "count of stalls", self._stalls),
            ("Write Stall (count)", "count of stalls", self._stalls),
            ("Cumulative stall", "time of stalls", self._stall_time),
        )

    def read(self) -> None:
        """Read all lines."""
        for index, line in enumerate(self.lines):
            if " micros/op" in line:
                self._attempt("result", self._result, index)
                continue
            for prefix, what, reader in self._by_prefix:
                if line.startswith(prefix):
                    self._attempt(what, reader, index)
                    break

    def _attempt(self, what: str, reader: Callable[[int], None], index: int) -> None:
        """Run a reader; its ValueError becomes a problem."""
        try:
            reader(index)
        except ValueError:
            self.problems.append(f'stdout:{index + 1} {what} cannot be read: "{self.lines[index].strip()[:100]}"')

    def _result(self, index: int) -> None:
        self._histograms = {}  # what follows belongs to this phase, even if it cannot be read
        match = _matched(_RESULT, self.lines[index])
        seconds = None if match["seconds"] is None else _number(match["seconds"])
        ops_s = _number(match["ops"])
        operations = None if seconds is None else round(ops_s * seconds)
        if match["operations"] is not None:
            operations = int(match["operations"])
        if match["rest"].endswith("(0 ops)"):
            operations = 0
            self.problems.append(f"stdout:{index + 1} {match['name']} did no operation, its figures mean nothing")
        rate = _RATE.search(match["rest"])
        found, of = _found(match["rest"], operations)
        self.phases.append(
            PhaseResult(
                name=match["name"],
                micros_per_op=_number(match["micros"]),
                ops_s=ops_s,
                seconds=seconds,
                operations=operations,
                bytes_s=_number(rate[1]) * _MIB if rate else None,
                found=found,
                of=of,
                histograms=self._histograms,
            )
        )

    def _histogram(self, index: int) -> None:
        kind = _matched(_TITLE, self.lines[index])[1]
        match = _matched(_HISTOGRAM, "\n".join(self.lines[index + 1 : index + 4]))
        count = int(match["count"])
        if count == 0:
            return
        self._histograms[kind] = Histogram(
            count=count,
            mean_s=_micros(match["mean"]),
            stddev_s=_micros(match["stddev"]),
            min_s=_micros(match["min"]),
            median_s=_micros(match["median"]),
            max_s=_micros(match["max"]),
            percentiles={_number(p): _micros(time) for p, time in _PERCENTILE.findall(match["percentiles"])},
        )

    def _ticker(self, index: int) -> None:
        if " : " not in self.lines[index]:
            return  # a property, as memstats prints them: "rocksdb.num-immutable-mem-table: 0"
        match = _TICKER.match(self.lines[index])
        if match:
            self.tickers[match[1]] = int(match[2])
            return
        match = _matched(_TICKER_HISTOGRAM, self.lines[index])
        p50, p95, p99, p100 = (_number(match[group]) for group in (2, 3, 4, 5))
        self.ticker_histograms[match[1]] = TickerHistogram(p50, p95, p99, p100, int(match[6]), int(match[7]))

    def _table(self, index: int) -> None:
        """Read the table by level, which opens a dump; the one by priority has the same title."""
        header = self.lines[index + 1].split() if index + 1 < len(self.lines) else []
        if header[:1] == ["Priority"]:
            return
        if header[:3] != ["Level", "Files", "Size"]:
            raise ValueError
        self.dumps.append(_Dump())
        for at in range(index + 3, len(self.lines)):
            if not self.lines[at].strip():
                break
            self._attempt("row of the compaction table", lambda row: self._row(header, row), at)

    def _row(self, header: list[str], index: int) -> None:
        cells = self.lines[index].split()
        if len(cells) != len(header) + 1:  # the size and its unit are two
            raise ValueError
        files, _, compacting = cells[1].partition("/")
        if cells[3] not in _SIZES:
            raise ValueError
        self.dumps[-1].table[cells[0]] = CompactionRow(
            level=cells[0],
            files=int(files),
            compacting=int(compacting),
            size_bytes=round(_number(cells[2]) * _SIZES[cells[3]]),
            columns={name: _suffixed(cell) for name, cell in zip(header[3:], cells[4:], strict=True)},
        )

    def _level_files(self, index: int) -> None:
        rows = []
        for line in self.lines[index + 2 :]:
            match = _LEVEL.match(line)
            if not match:
                break
            rows.append(LevelFiles(int(match[1]), int(match[2]), int(match[3]) * _MIB))
        if not rows:
            raise ValueError
        self.levels = rows

    def _pending(self, index: int) -> None:
        self._dump().pending_compaction_bytes = int(_matched(_PENDING, self.lines[index])[1])

    def _stalls(self, index: int) -> None:
        line = self.lines[index]
        counts = line.partition("): ")[2] or line.partition("):")[2]
        if line.startswith("Stalls"):
            found = [(name, count) for count, name in _STALLS_OLD.findall(counts.partition(", interval ")[0])]
        else:
            found = _STALLS_NEW.findall(counts)
        if not found:
            raise ValueError
        self._dump().stalls.update({name: int(count) for name, count in found})

    def _stall_time(self, index: int) -> None:
        match = _matched(_STALL_TIME, self.lines[index])
        dump = self._dump()
        dump.stall_seconds = int(match[1]) * 3600 + int(match[2]) * 60 + _number(match[3])
        dump.stall_percent = _number(match[4])

    def _dump(self) -> _Dump:
        """Return the dump that is being read; a line of it outside of one is out of place."""
        if not self.dumps:
            raise ValueError
        return self.dumps[-1]


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.match(text)
    if match is None:
        raise ValueError
    return match


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _micros(text: str) -> float:
    return _number(text) / 1e6


def _suffixed(text: str) -> float:
    factor = _SUFFIXES.get(text[-1:])
    return _number(text) if factor is None else _number(text[:-1]) * factor


def _found(rest: str, operations: int | None) -> tuple[int | None, int | None]:
    """Return how many reads found their key, of how many, from the message behind a result."""
    for pattern in _FOUND:
        match = pattern.search(rest)
        if match:
            return int(match["found"]), int(match["of"])
    match = _UPDATES.search(rest)
    if not match:
        return None, None
    # "updates" is what was planned for a thread: it counts reads only if it equals the operations done
    return int(match["found"]), int(match["of"]) if int(match["of"]) == operations else None
