"""Indicators of speed: rates, latencies and times as the client sees them."""

from lsmtune.indicators._indicator import Indicator

MAX_RATE = "max_rate_ops_s"
"""The indicator that there is only where a workload asks for it."""

MAX_RATE_LATENCY = "max_rate_latency_s"
"""What comes with it."""

_LATENCY_SUMMARIES = {
    "mean": "Mean time of an operation.",
    "p50": "Half of the operations take at most this long.",
    "p75": "75 % of the operations take at most this long.",
    "p99": "99 % of the operations take at most this long.",
    "p999": "99.9 % of the operations take at most this long.",
    "p9999": "99.99 % of the operations take at most this long.",
    "max": "The slowest operation.",
}
_COARSE = "db_bench interpolates in buckets that grow about 1.5x, coarse far out; ycsb is at most 0.1 % too high."


def _latency(statistic: str, kind: str = "") -> Indicator:
    """Return the latency indicator of one statistic, of all operations or of one kind (``"read"``, ``"write"``)."""
    exact = statistic in {"mean", "max"}
    summary = _LATENCY_SUMMARIES[statistic]
    return Indicator(
        name=f"{kind}_latency_{statistic}_s" if kind else f"latency_{statistic}_s",
        unit="s",
        better="lower",
        summary=f"{summary} Only the {kind}s of a mixed phase." if kind else summary,
        formula=f"{'mean' if statistic == 'mean' else statistic} of the operation times of the measured phase"
        + ("" if exact else f". {_COARSE}"),
        source=f'db_bench --histogram=1, "Microseconds per {kind or "..."}:"; ycsb: latency of phase_end, with a '
        "target rate intended_latency",
        includes="Stalls, and waiting for locks inside the engine; with a target rate of ycsb the time since an "
        "operation was due; of a batch of RocksDB's db_bench (batch_size, fillbatch, readrandomfast) all of its keys, "
        "which throughput_ops_s counts one by one.",
        leaves_out="Waiting for a rate limit of db_bench; "
        + (
            f"the other kinds of operations, and phases of ycsb with two kinds of {kind}s."
            if kind
            else "phases with more than one kind of operation."
        ),
    )


SPEED: tuple[Indicator, ...] = (
    Indicator(
        name="throughput_ops_s",
        unit="ops/s",
        better="higher",
        summary="Operations of the measured phase in a second, over all client threads.",
        formula="operations / wall time of the phase",
        source='result line of db_bench, "N ops/sec"; ycsb: phase_end',
        includes="Stalls during the phase.",
        leaves_out="Flushes and compactions that are still due when the phase ends (debt); under "
        "[workload.max_rate] all but the closed loop with which the search begins.",
    ),
    Indicator(
        name=MAX_RATE,
        unit="ops/s",
        better="higher",
        summary="The largest rate that is sustained: a percentile of latencies keeps the limit of [workload.max_rate].",
        formula="largest of the rates held, open loop, at which the percentile of the time since an operation was due "
        "kept the limit, 99 % of the rate was done, writes never stopped, and debt did not grow; most of its holds",
        source="ycsb: max_rate of phase_end, rate_step lines",
        includes="Waiting behind other operations; operations that were due and not done.",
        leaves_out="What happens after a hold, such as compactions of levels that take longer to fill; slowdowns "
        "of writes that keep the limit.",
    ),
    Indicator(
        name=MAX_RATE_LATENCY,
        unit="s",
        better=None,
        summary="The percentile of latencies at the largest rate that is sustained: how much of the limit is used at "
        "that rate.",
        formula="the percentile of [workload.max_rate] of the time since an operation was due, in the worst of the "
        "holds of that rate that were sustained",
        source="ycsb: rate_step lines",
        includes="Waiting behind other operations.",
        leaves_out="Operations that were due and not done when a hold ended; it does not compare configurations, as "
        "each has its own rate.",
    ),
    Indicator(
        name="throughput_bytes_s",
        unit="B/s",
        better="higher",
        summary="User bytes of the measured phase in a second.",
        formula="key and value bytes that the tool counted / wall time of the phase",
        source='result line of db_bench, "M MB/s", with one decimal; ycsb: user bytes, written and read, of phase_end',
        includes="Keys and values before compression.",
        leaves_out="Keys that were not found; phases for which db_bench prints no bytes.",
    ),
    *(_latency(statistic) for statistic in _LATENCY_SUMMARIES),
    *(_latency(statistic, kind) for kind in ("read", "write") for statistic in _LATENCY_SUMMARIES),
    Indicator(
        name="operations",
        unit="count",
        better=None,
        summary="Operations that the measured phase did.",
        formula="sum over the client threads",
        source='result line of db_bench, "K operations"; ycsb: phase_end',
        includes="Reads that found nothing.",
        leaves_out="The writer thread of readwhile... phases.",
    ),
    Indicator(
        name="load_time_s",
        unit="s",
        better="lower",
        summary="Time of the load: the phases that do nothing but write.",
        formula="sum of the wall times of the filling, overwriting and deleting phases",
        source='result line of db_bench, "S seconds"; ycsb: phase_end of a whole load',
        includes="Stalls during the load.",
        leaves_out="Opening the database, and the compactions that the load leaves due.",
    ),
    Indicator(
        name="settle_time_s",
        unit="s",
        better="lower",
        summary="Time that the engine needs after the load until no flush or compaction is due.",
        formula="end of the last flush or compaction - end of the load, at least 0; ycsb: wall times of its settles",
        source="event lines of the LOG; ycsb: phase_end",
        includes="Flushing what is left in memtables.",
        leaves_out="How long db_bench waits until it is seen to rest, and the time for which ycsb saw nothing run.",
    ),
    Indicator(
        name="total_time_s",
        unit="s",
        better="lower",
        summary="Time until the loaded data is settled and no compaction is due.",
        formula="load_time_s + settle_time_s; ycsb: wall times of all phases, and of reopening between them",
        source="result line of db_bench and event lines of the LOG; ycsb: phase_end",
        includes="Stalls, and the final flush and compactions.",
        leaves_out="What settle_time_s leaves out.",
    ),
    Indicator(
        name="throughput_settled_ops_s",
        unit="ops/s",
        better="higher",
        summary="Rate of loading with compactions finished; cannot be raised by delaying them.",
        formula="operations of the phases in load_time_s, of ycsb of all phases / total_time_s",
        source="result line of db_bench and event lines of the LOG; ycsb: phase_end",
        includes="The time of the final flush and compactions.",
        leaves_out="What settle_time_s leaves out.",
    ),
    Indicator(
        name="found_ratio",
        unit="ratio",
        better=None,
        summary="Share of the reads that found their key; a check of the workload, not of the options.",
        formula="found / reads",
        source='result line of db_bench, "(f of n found)"; ycsb: outcomes of phase_end',
        includes="Gets, seeks or both, whatever the phase counts.",
        leaves_out="For db_bench all client threads but one, as it keeps the counts of one; for ycsb all but plain "
        "reads.",
        steady=True,
    ),
    Indicator(
        name="elapsed_s",
        unit="s",
        better=None,
        summary="How long the run took.",
        formula="end of the last process of the run - start of the first",
        source="lsmtune",
        includes="Opening, settling and every sleep of the tool.",
        leaves_out="Loading data that runs share; waiting for the host; planning and committing the run.",
    ),
)
"""What the client sees, and what the run cost on the clock."""
