"""Results of the phases of a db_bench, RocksDB's or LevelDB's, and the indicators that come from them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lsmtune.model import Workload

PERCENTILES: Mapping[float, str] = {50.0: "p50", 75.0: "p75", 99.0: "p99", 99.9: "p999", 99.99: "p9999"}
"""Name in an indicator by percentile."""

_PROGRESS = re.compile(r"finished (\d+) ops|\(\d+,(\d+)\) ops")


@dataclass(frozen=True)
class Histogram:
    """Times of the operations of one kind in one phase.

    Attributes:
        count: operations, above 0.
        mean_s, stddev_s, min_s, median_s, max_s: in s.
        percentiles: time in s by percentile, for example 99.9; interpolated within buckets that grow about 1.5x
            (RocksDB) or at most 1.25x above 10 us (LevelDB).
    """

    count: int
    mean_s: float
    stddev_s: float
    min_s: float
    median_s: float
    max_s: float
    percentiles: Mapping[float, float]


@dataclass(frozen=True)
class PhaseResult:
    """The result line of one benchmark, and its histograms.

    Attributes:
        name: the benchmark; the same name again where it ran several times.
        micros_per_op: mean time of an operation of one client thread in us, as printed.
        ops_s: operations in a second over all threads; None where the phase was too short to tell.
        seconds: wall time in s; None where the version does not print it.
        operations: over all threads; ops_s x seconds where not printed; None where that is not known either.
            RocksDB's db_bench prints 1 for phases that count nothing, such as ``compact``.
        bytes_s: user bytes in a second; None where the benchmark counts none.
        found, of: reads that found their key, of how many; of one client thread only. `of` is None where the
            printed number is a plan, not a count (read-modify-write with several threads or a time limit).
        histograms: by kind of operation: ``"read"``, ``"write"``, ``"seek"``, ``"update"``, ``"delete"``,
            ``"merge"``, ``"op"``; kinds without operations are left out.
    """

    name: str
    micros_per_op: float
    ops_s: float | None
    seconds: float | None = None
    operations: int | None = None
    bytes_s: float | None = None
    found: int | None = None
    of: int | None = None
    histograms: Mapping[str, Histogram] = field(default_factory=dict)


def parse_progress(chunk: str) -> int | None:
    """Return the latest count of operations in a piece of a db_bench's stderr; None if there is none.

    It is the count of whichever client thread reported last, within the phase that runs.
    """
    counts = _PROGRESS.findall(chunk)
    return int(counts[-1][0] or counts[-1][1]) if counts else None


def last_of(phases: Sequence[PhaseResult], name: str) -> PhaseResult | None:
    """Return the last result of the benchmark `name`; None if it printed none."""
    return next((phase for phase in reversed(phases) if phase.name == name), None)


def speed(workload: Workload, phases: Sequence[PhaseResult]) -> dict[str, float | None]:
    """Return throughput and latency of the measured phase plain, of the other phases with ``@phase``."""
    measured = last_of(phases, workload.measure)
    indicators: dict[str, float | None] = {}
    for name in dict.fromkeys(workload.benchmarks):
        result = last_of(phases, name)
        if result is not None and result is not measured:
            indicators.update({f"{key}@{name}": value for key, value in _of_phase(result).items()})
    if measured is not None:
        indicators.update(_of_phase(measured))
    return indicators


def seconds_of(results: Sequence[PhaseResult]) -> float | None:
    """Return the wall time of all the phases in s; None without one, or where one does not tell."""
    seconds = [result.seconds for result in results if result.seconds is not None]
    return sum(seconds) if seconds and len(seconds) == len(results) else None


def _of_phase(result: PhaseResult) -> dict[str, float | None]:
    indicators: dict[str, float | None] = {
        "throughput_ops_s": result.ops_s,
        "throughput_bytes_s": result.bytes_s,
        "operations": result.operations,
        "found_ratio": result.found / result.of if result.found is not None and result.of else None,
    }
    only = len(result.histograms) == 1
    for kind, histogram in result.histograms.items():
        if only or kind in ("read", "write"):
            indicators.update(_latency("" if only else f"{kind}_", histogram))
    return indicators


def _latency(prefix: str, histogram: Histogram) -> dict[str, float | None]:
    named: dict[str, float | None] = {
        f"{prefix}latency_{name}_s": histogram.percentiles.get(percentile) for percentile, name in PERCENTILES.items()
    }
    return named | {f"{prefix}latency_mean_s": histogram.mean_s, f"{prefix}latency_max_s": histogram.max_s}
