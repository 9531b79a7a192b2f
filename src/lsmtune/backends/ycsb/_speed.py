"""Rates, latencies and what reads cost, phase by phase."""

from collections.abc import Mapping, Sequence

from lsmtune.backends.ycsb._output import Latency, MaxRateFound, Output, PhaseEnd, RateStep
from lsmtune.backends.ycsb._phases import PhaseKind
from lsmtune.indicators import MAX_RATE, MAX_RATE_LATENCY

_READING = ("read", "scan")
_P99 = 99.0  # the other percentile of a search is 99.9
_WRITING = ("update", "insert", "read_modify_write", "delete")


def speed(engine: str, measure: str, output: Output) -> dict[str, float | None]:
    """Return the indicators of the measured phase plain, of the other phases with ``@phase``.

    Args:
        engine: ``"rocksdb"`` or ``"leveldb"``.
        measure: the measured phase.
        output: what the process printed.
    """
    indicators: dict[str, float | None] = {"read_amp": None, "cache_hit_ratio": None}
    for phase in output.phases:
        if phase.phase.kind == PhaseKind.SETTLE:
            continue
        label = phase.phase.label
        place = "" if label == measure else f"@{label}"
        found = {**_rates(phase), **_latencies(_times(phase)), **_reads(engine, phase), **_search(phase)}
        indicators.update({f"{name}{place}": value for name, value in found.items()})
        if phase.max_rate is not None:
            indicators[MAX_RATE_LATENCY] = _latency_at(phase.max_rate, output.rate_steps)
    return indicators


def _rates(phase: PhaseEnd) -> dict[str, float | None]:
    user_bytes = phase.user_written_bytes + phase.user_read_bytes
    read = phase.outcomes.get("read")
    return {
        "throughput_ops_s": phase.throughput_ops_s,
        "throughput_bytes_s": user_bytes / phase.elapsed_s if phase.elapsed_s else None,
        "operations": phase.operations,
        "found_ratio": 1 - read.not_found / read.operations if read is not None and read.operations else None,
    }


def _search(phase: PhaseEnd) -> dict[str, float | None]:
    """Return the largest rate that was sustained, and as the throughput that of the closed loop that came before."""
    found = phase.max_rate
    if found is None:
        return {}
    return {
        MAX_RATE: found.rate_ops_s if phase.ending == "complete" else None,
        "throughput_ops_s": found.ceiling_ops_s,
        "throughput_bytes_s": None,  # of rates of all sizes, and the time between them
    }


def _latency_at(found: MaxRateFound, steps: Sequence[RateStep]) -> float | None:
    """Return the percentile of latencies in the worst hold of the largest rate that was sustained."""
    holds = [step.latency for step in steps if step.borne and step.rate_ops_s == found.rate_ops_s]
    times = [each.p99_s if found.percentile == _P99 else each.p999_s for each in holds if each is not None]
    return max(times, default=None)


def _times(phase: PhaseEnd) -> Mapping[str, Latency]:
    """Return response times where operations were due at a target rate, else times of the database call.

    At a rate, a slow call makes the operations behind it late. Times of the call alone leave that out, which Tene ("How
    NOT to Measure Latency") calls coordinated omission.
    """
    return phase.latency if phase.intended_latency is None else phase.intended_latency


def _latencies(latency: Mapping[str, Latency]) -> dict[str, float | None]:
    """Return the times of the only kind of operation; of several kinds those of the one that reads and that writes.

    A read is a ``read`` or a ``scan``. Where two kinds read, or two write, their percentiles cannot be merged: there
    are none then.
    """
    if len(latency) == 1:
        (only,) = latency.values()
        return {
            **_of("", only),
            "latency_p75_s": only.p75_s,
            "latency_p999_s": only.p999_s,
            "latency_p9999_s": only.p9999_s,
            "latency_max_s": only.max_s,
        }
    found: dict[str, float | None] = {}
    for prefix, kinds in (("read_", _READING), ("write_", _WRITING)):
        there = [latency[kind] for kind in kinds if kind in latency]
        if len(there) == 1:
            found.update(_of(prefix, there[0]))
    return found


def _of(prefix: str, latency: Latency) -> dict[str, float | None]:
    return {
        f"{prefix}latency_mean_s": latency.mean_s,
        f"{prefix}latency_p50_s": latency.p50_s,
        f"{prefix}latency_p99_s": latency.p99_s,
    }


def _reads(engine: str, phase: PhaseEnd) -> dict[str, float | None]:
    """Return what look-ups cost.

    RocksDB reads through the same counters for look-ups and for compactions: there, only a phase tells that wrote
    nothing and in which nothing was flushed or compacted. LevelDB's are counted for look-ups alone, in every phase.
    Scans read tables too, but are no look-ups of one key.
    """
    counters = phase.counters
    background = counters.flush_bytes + counters.compaction_bytes + (counters.compaction_read_bytes or 0)
    if engine == "rocksdb" and (phase.user_written_bytes or background):
        return {"read_amp": None, "cache_hit_ratio": None}
    return {
        "read_amp": None if "scan" in phase.outcomes else phase.amplification.read_amp,
        "cache_hit_ratio": phase.amplification.cache_hit_ratio,
    }
