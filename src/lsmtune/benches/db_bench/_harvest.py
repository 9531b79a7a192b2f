"""What db_bench and the engine left behind becomes indicators; each is declared in `lsmtune.indicators`."""

from collections.abc import Mapping, Sequence

from lsmtune.benches._base import StepRecord
from lsmtune.benches.db_bench._benchmarks import BENCHMARKS, BenchmarkKind
from lsmtune.benches.db_bench._command import CommandBuilder
from lsmtune.benches.db_bench._lint import Reading, lint
from lsmtune.benches.db_bench._output import Histogram, Output, StepResult, parse_output
from lsmtune.benches.db_bench._written import distinct_keys, user_bytes
from lsmtune.engines.rocksdb import Compaction, EventLog, Flush, effective_values, overridden, read_events
from lsmtune.errors import RunError
from lsmtune.model import Configuration, Measurement, Overridden, Settle, Value

_PERCENTILES = {50.0: "p50", 75.0: "p75", 99.0: "p99", 99.9: "p999", 99.99: "p9999"}
_FILTER = "rocksdb.bloom.filter."


def harvest(commands: CommandBuilder, configuration: Configuration, records: Sequence[StepRecord]) -> Measurement:
    """Turn the records of a run's processes, the measured one last, into a measurement.

    Raises:
        RunError: a process that ended by itself printed no result for the measured step.
    """
    last = records[-1]
    output = parse_output(last.stdout, last.stderr)
    events = read_events(last.log.splitlines())
    measured = output.step(commands.workload.measure)
    if measured is None and last.stopped is None:
        raise RunError(f"db_bench ended well but printed no result of {commands.workload.measure}")
    indicators = {
        **_speed(commands, output, measured),
        **_tree(commands, output, events, last),
        **_debt(commands, output, events, last),
        **_reads(output.tickers, output, commands),
        **_process(records),
    }
    _derive(indicators)
    effective, changed = _effective(commands, configuration, last.options)
    reading = Reading(commands, output, indicators, effective, configuration)
    return Measurement(indicators, effective, changed, lint(reading), _facts(output, events))


def _speed(commands: CommandBuilder, output: Output, measured: StepResult | None) -> dict[str, float | None]:
    """Throughput and latency of the measured step plain, of the other steps with ``@step``."""
    indicators: dict[str, float | None] = {}
    for name in dict.fromkeys(commands.workload.benchmarks):
        result = output.step(name)
        if result is not None and result is not measured:
            found = _of_step(result)
            indicators.update({f"{key}@{name}": value for key, value in found.items()})
    if measured is not None:
        indicators.update(_of_step(measured))
    return indicators


def _of_step(result: StepResult) -> dict[str, float | None]:
    indicators: dict[str, float | None] = {
        "throughput_ops_s": result.ops_s,
        "throughput_bytes_s": result.bytes_s,
        "operations": result.operations,
        "found_ratio": result.found / result.of if result.found is not None and result.of else None,
    }
    kinds = [kind for kind in ("read", "write") if kind in result.histograms]
    if len(kinds) == 2:
        for kind in kinds:
            indicators.update(_latency(f"{kind}_", result.histograms[kind]))
    if result.histograms:
        most = max(result.histograms.values(), key=lambda histogram: histogram.count)
        indicators.update(_latency("", most))
    return indicators


def _latency(prefix: str, histogram: Histogram) -> dict[str, float | None]:
    named: dict[str, float | None] = {
        f"{prefix}latency_{name}_s": histogram.percentiles.get(percentile) for percentile, name in _PERCENTILES.items()
    }
    return named | {f"{prefix}latency_mean_s": histogram.mean_s, f"{prefix}latency_max_s": histogram.max_s}


def _tree(commands: CommandBuilder, output: Output, events: EventLog, record: StepRecord) -> dict[str, float | None]:
    """Amplification, space, and the work of flushes and compactions of the measured process."""
    written = user_bytes(commands.workload, output)
    into_tree = events.flush_bytes() + events.compaction_bytes_written()
    wal = output.tickers.get("rocksdb.wal.bytes")
    keys = distinct_keys(commands)
    finished = [each for each in events.compactions if each.finished_s is not None]
    total = output.compaction_table.get("Sum")
    levels = [row for name, row in output.compaction_table.items() if name.startswith("L")]
    return {
        "waf": into_tree / written if written else None,
        "waf_wal": (into_tree + wal) / written if written and wal is not None else None,
        "waf_table": total.columns.get("W-Amp") if total else None,
        "space_bytes": record.space_bytes,
        "space_peak_bytes": record.space_peak_bytes,
        "live_bytes": total.size_bytes if total else None,
        "space_amp": record.space_bytes / (keys * commands.workload.pair_bytes) if keys else None,
        "levels_populated": sum(row.files > 0 for row in levels) if levels else None,
        "wal_bytes": wal,
        "flush_count": sum(flush.finished_s is not None for flush in events.flushes),
        "flush_bytes": events.flush_bytes(),
        "compaction_count": len(finished),
        "compaction_written_bytes": events.compaction_bytes_written(),
        "compaction_read_bytes": events.compaction_bytes_read(),
        "compaction_time_s": sum((each.finished_s or 0.0) - each.started_s for each in finished),
        "trivial_move_count": sum(move.files for move in events.moves),
    }


def _debt(commands: CommandBuilder, output: Output, events: EventLog, record: StepRecord) -> dict[str, float | None]:
    """What the writing steps left to be done, and how long that took."""
    settled = commands.workload.settle is Settle.WAIT and bool(events.manual_flushes_s)
    load_end_s = events.manual_flushes_s[0] if settled else record.ended_at
    jobs: list[Flush | Compaction] = [*events.flushes, *events.compactions]
    ends = [job.finished_s for job in jobs if job.finished_s is not None]
    fills = [result for result in output.steps if _fills(result.name)]
    seconds = [result.seconds for result in fills if result.seconds is not None]
    states = [
        (job.finished_s, job.lsm_state)
        for job in jobs
        if job.finished_s is not None and job.lsm_state is not None and job.finished_s <= load_end_s
    ]
    late = [each for each in events.compactions if each.finished_s is None or each.finished_s > load_end_s]
    return {
        "load_time_s": sum(seconds) if seconds and len(seconds) == len(fills) else None,
        "settle_time_s": max([0.0, *(end - load_end_s for end in ends)]) if settled else None,
        "debt_bytes": sum(each.output_bytes + each.output_blob_bytes for each in late) if settled else None,
        "pending_bytes": output.pending_compaction_bytes,
        "l0_files_load_end": max(states)[1][0] if states else None,
        "stall_time_s": _stall_time_s(output),
        "stall_count": output.stall_count,
        "stop_count": output.stop_count,
    }


def _reads(tickers: Mapping[str, int], output: Output, commands: CommandBuilder) -> dict[str, float | None]:
    """What reads cost; only where no step of the process writes, as compactions read through the same counters."""
    kinds = {BENCHMARKS[name].kind for name in commands.workload.benchmarks if name in BENCHMARKS}
    if kinds - {BenchmarkKind.READ, BenchmarkKind.UTILITY} or not tickers:
        return {"read_amp": None, "cache_hit_ratio": None, "bloom_fpr": _bloom_fpr(tickers)}
    hits, misses = tickers.get("rocksdb.block.cache.hit", 0), tickers.get("rocksdb.block.cache.miss", 0)
    gets = tickers.get("rocksdb.number.keys.read", 0)
    reads = output.ticker_histograms.get("rocksdb.sst.read.micros")
    return {
        "read_amp": reads.count / gets if reads and gets else None,
        "cache_hit_ratio": hits / (hits + misses) if hits + misses else None,
        "bloom_fpr": _bloom_fpr(tickers),
    }


def _bloom_fpr(tickers: Mapping[str, int]) -> float | None:
    useful = tickers.get(f"{_FILTER}useful", 0)
    wrong = tickers.get(f"{_FILTER}full.positive", 0) - tickers.get(f"{_FILTER}full.true.positive", 0)
    return wrong / (useful + wrong) if useful + wrong > 0 else None


def _process(records: Sequence[StepRecord]) -> dict[str, float | None]:
    peaks = [record.memory_peak_bytes for record in records if record.memory_peak_bytes is not None]
    read = [record.io_read_bytes for record in records]
    written = [record.io_written_bytes for record in records]
    return {
        "cpu_s": sum(record.cpu_s for record in records),
        "memory_peak_bytes": max(peaks) if peaks else None,
        "io_read_bytes": None if None in read else sum(each or 0 for each in read),
        "io_written_bytes": None if None in written else sum(each or 0 for each in written),
        "elapsed_s": records[-1].ended_at - records[0].started_at,
    }


def _derive(indicators: dict[str, float | None]) -> None:
    """Add the indicators that follow from others."""
    load_s, settle_s = indicators["load_time_s"], indicators["settle_time_s"]
    total_s = load_s + settle_s if load_s is not None and settle_s is not None else None
    operations = indicators.get("operations")
    indicators["total_time_s"] = total_s
    indicators["throughput_settled_ops_s"] = operations / total_s if operations and total_s else None
    stalled_s = indicators["stall_time_s"]
    indicators["stall_share"] = stalled_s / load_s if stalled_s is not None and load_s else None


def _stall_time_s(output: Output) -> float | None:
    micros = output.tickers.get("rocksdb.stall.micros")
    return output.stall_seconds if micros is None else micros / 1e6


def _effective(
    commands: CommandBuilder, configuration: Configuration, options_text: str
) -> tuple[dict[str, Value], tuple[Overridden, ...]]:
    if not options_text:
        return {}, ()
    catalogue = tuple(commands.catalogue.options.values())
    effective = effective_values(options_text, catalogue, commands.build.version, commands.scale)
    return effective, overridden(configuration.values, effective, catalogue, commands.scale)


def _facts(output: Output, events: EventLog) -> dict[str, str]:
    levels = [
        f"{name} {row.files} files {row.size_bytes >> 10} KiB"
        for name, row in output.compaction_table.items()
        if name.startswith("L")
    ]
    problems = [*output.problems, *(f"LOG:{problem.line} {problem.reason}" for problem in events.problems)]
    facts = {"levels": ", ".join(levels), "unreadable": "; ".join(problems[:5])}
    return {name: text for name, text in facts.items() if text}


def _fills(name: str) -> bool:
    benchmark = BENCHMARKS.get(name)
    return benchmark is not None and benchmark.kind in (BenchmarkKind.FILL, BenchmarkKind.WRITE)
