"""What LevelDB's db_bench and its LOG left behind becomes indicators; each is declared in `lsmtune.indicators`."""

from collections.abc import Mapping, Sequence

from lsmtune.backends._base import ProcessRecord
from lsmtune.backends._processes import cut_short, process_indicators
from lsmtune.backends._readings import facts_of
from lsmtune.backends._results import seconds_of, speed
from lsmtune.backends.leveldb import Level, LevelDbLog, family_of, pending_bytes, read_log
from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS, writes
from lsmtune.backends.leveldb_bench._command import CommandBuilder
from lsmtune.backends.leveldb_bench._lint import Reading, data_read, lint
from lsmtune.backends.leveldb_bench._output import Output, Tree, parse_output
from lsmtune.backends.leveldb_bench._written import distinct_keys, user_bytes
from lsmtune.errors import RunError
from lsmtune.model import Configuration, Measurement

_NOT_TOLD = (
    *("waf_wal", "waf_table", "wal_bytes", "read_amp", "cache_hit_ratio", "bloom_fpr"),
    *("stall_time_s", "stall_share", "stall_count", "stop_count"),
    *("settle_time_s", "total_time_s", "throughput_settled_ops_s", "debt_bytes"),
)
"""Indicators for which LevelDB has no counter, and those of settling, which there is none of."""


def parse_results(
    commands: CommandBuilder, configuration: Configuration, records: Sequence[ProcessRecord]
) -> Measurement:
    """Turn the records of a run's processes, the measured one last, into a measurement.

    LevelDB tells nobody which values of options it used, so a measurement has no effective configuration.

    Raises:
        RunError: a process that ended by itself printed no result of the measured phase, or it went on without a phase
            that it does not know.
    """
    last, workload = records[-1], commands.workload
    output = parse_output(last.stdout, last.stderr, workload.threads)
    log = read_log(last.log.splitlines())
    unknown = [name for name in output.unknown if name in workload.benchmarks]
    if unknown:
        raise RunError(f"the db_bench of LevelDB at {commands.build.path} knows no benchmark {', '.join(unknown)}")
    if output.phase(workload.measure) is None and last.stopped is None:
        raise RunError(f"db_bench ended well but printed no result of {workload.measure}")
    indicators = {
        **dict.fromkeys(_NOT_TOLD),
        **speed(workload, output.phases),
        **_tree(commands, output, last),
        **_work(output, log if last.log else None),
        **_load_end(commands, output),
        **process_indicators(records),
    }
    indicators |= _amplification(commands, output, log, indicators)
    reading = Reading(commands, output, log, indicators, configuration)
    warnings = (*lint(reading), *cut_short(records, "the database was not closed"))
    return Measurement(indicators, {}, (), warnings, {**_facts(output, log), **facts_of(data_read(reading))})


def unsaid_failure(record: ProcessRecord) -> str:
    """Return a sentence that names a flush or a compaction that failed behind the last write; empty where none did."""
    errors = read_log(record.log.splitlines()).errors
    return f"db_bench went on behind an error of the engine: {errors[0]}" if errors else ""


def _tree(commands: CommandBuilder, output: Output, record: ProcessRecord) -> dict[str, float | None]:
    keys = distinct_keys(commands)
    levels = output.trees[-1].levels if output.trees else None
    return {
        "space_bytes": record.space_bytes,
        "space_peak_bytes": record.space_peak_bytes,
        "space_amp": record.space_bytes / (keys * commands.workload.pair_bytes) if keys else None,
        "live_bytes": None if levels is None else _bytes(levels),
        "levels_populated": None if levels is None else sum(level.files > 0 for level in levels),
    }


def _work(output: Output, log: LevelDbLog | None) -> dict[str, float | None]:
    """Return the work of flushes and compactions; flushes of what an earlier process left in its log do not count."""
    indicators: dict[str, float | None] = {"compaction_read_bytes": output.read_bytes}
    if log is None:
        names = ("flush_count", "flush_bytes", "compaction_count", "compaction_written_bytes")
        return indicators | dict.fromkeys((*names, "compaction_time_s", "trivial_move_count"))
    times = [each.elapsed_s for each in log.compactions]
    return indicators | {
        "flush_count": len(log.flushed),
        "flush_bytes": sum(log.flushed),
        "compaction_count": len(log.compactions),
        "compaction_written_bytes": log.compacted_bytes,
        "compaction_time_s": None if None in times else sum(each or 0.0 for each in times),
        "trivial_move_count": log.moves,
    }


def _load_end(commands: CommandBuilder, output: Output) -> dict[str, float | None]:
    """Return what the writing phases left, as printed right after the last of them."""
    loading = [result for result in output.phases if _only_writes(result.name)]
    tree = _after_writing(commands, output)
    if tree is None:
        left: dict[str, float | None] = dict.fromkeys(("pending_bytes", "l0_files_load_end", "space_load_end_bytes"))
    else:
        knows = family_of(name for name, _ in commands.build.flags).knows_levels
        left = {
            "pending_bytes": pending_bytes(tree.levels) if knows else None,
            "l0_files_load_end": tree.levels[0].files,
            "space_load_end_bytes": None if commands.workload.load else _bytes(tree.levels),
        }
    return {**left, "load_time_s": seconds_of(loading)}


def _after_writing(commands: CommandBuilder, output: Output) -> Tree | None:
    phases = commands.workload.benchmarks
    written = [place for place, result in enumerate(output.phases) if writes(result.name)]
    if not written or not any(map(writes, phases)):
        return None
    return next((tree for tree in output.trees if tree.phases > written[-1] and tree.levels), None)


def _amplification(
    commands: CommandBuilder, output: Output, log: LevelDbLog, indicators: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Return the write amplification; there is none before the first flush, when nothing has reached the tree."""
    written = user_bytes(commands.workload, output)
    if not written or not indicators.get("flush_count"):
        return {"waf": None, "waf_load_end": None}
    waf = (sum(log.flushed) + log.compacted_bytes) / written
    return {"waf": waf, "waf_load_end": waf if writes(commands.workload.benchmarks[-1]) else None}


def _facts(output: Output, log: LevelDbLog) -> dict[str, str]:
    levels = output.trees[-1].levels if output.trees else ()
    facts = {
        "levels": ", ".join(
            f"L{n} {level.files} files {level.size_bytes >> 10} KiB" for n, level in enumerate(levels) if level.files
        ),
        "waits": f"memtable {log.memtable_waits}, level 0 {log.level0_waits}",
        "unreadable": "; ".join((*output.problems, *log.problems)[:5]),
    }
    return {name: text for name, text in facts.items() if text}


def _only_writes(phase: str) -> bool:
    return phase in LEVELDB_BENCHMARKS and LEVELDB_BENCHMARKS[phase].only_writes


def _bytes(levels: Sequence[Level]) -> int:
    return sum(level.size_bytes for level in levels)
