"""What lsmtune-ycsb left behind becomes indicators; each is declared in `lsmtune.indicators`.

Where db_bench's LOG is the source of an indicator, the driver's events and counters are the source here: they tell the
same of RocksDB, and of LevelDB what its LOG does not.
"""

from collections.abc import Mapping, Sequence

from lsmtune.backends._base import ProcessRecord
from lsmtune.backends._processes import cut_short, process_indicators
from lsmtune.backends._readings import facts_of
from lsmtune.backends.rocksdb import may_lack_keys
from lsmtune.backends.ycsb._command import CommandBuilder
from lsmtune.backends.ycsb._debt import debt
from lsmtune.backends.ycsb._effective import effective
from lsmtune.backends.ycsb._lint import Reading, data_read, lint
from lsmtune.backends.ycsb._output import Output, RateStep, parse_output
from lsmtune.backends.ycsb._phases import LOAD, MIXING
from lsmtune.backends.ycsb._records import record_bytes, sizes_are_known
from lsmtune.backends.ycsb._speed import speed
from lsmtune.errors import RunError
from lsmtune.model import RATE_BARS, Configuration, Measurement

_NOT_TOLD = ("waf_table", "bloom_fpr", "stall_count", "stop_count")
"""Indicators of db_bench's own texts, and counts that mean another thing in each engine."""


def parse_results(
    commands: CommandBuilder, configuration: Configuration, records: Sequence[ProcessRecord]
) -> Measurement:
    """Turn the records of a run's processes, the measured one last, into a measurement.

    Raises:
        RunError: a process that ended by itself printed no result of the measured phase, the engine gave rows with
            wrong bytes, or the output cannot be read.
    """
    last = records[-1]
    output = parse_output(last.stdout)
    measure = commands.workload.measure
    if output.phase(measure) is None and last.stopped is None:
        raise RunError(f"lsmtune-ycsb ended well but printed no result of {measure}")
    _check_rows(output)
    _check_rate(commands, output)
    indicators = {
        **dict.fromkeys(_NOT_TOLD),
        **speed(commands.build.engine, measure, output),
        **_tree(commands, output, records),
        **debt(commands, output),
        **process_indicators(records),
    }
    used, changed = effective(commands, configuration, output.hello)
    reading = Reading(commands, output, indicators, used, configuration)
    warnings = (*lint(reading), *cut_short(records, "the database was not closed"))
    return Measurement(indicators, used, changed, warnings, {**_facts(output), **facts_of(data_read(reading))})


def _check_rows(output: Output) -> None:
    for phase in output.phases:
        corrupt = sum(outcome.corrupt for outcome in phase.outcomes.values())
        if corrupt:
            raise RunError(
                f"{corrupt} rows that the engine gave in phase {phase.phase.label} held wrong bytes; it must not be "
                "tuned before that is understood"
            )


def _check_rate(commands: CommandBuilder, output: Output) -> None:
    wanted, end = commands.workload.max_rate, output.phase(commands.workload.measure)
    if wanted is None or end is None or end.ending != "complete":
        return
    if end.max_rate is None:
        raise RunError("this lsmtune-ycsb cannot seek the largest rate; run lsmtune build driver")
    if end.max_rate.rate_ops_s is None:
        tried = [step for step in output.rate_steps if step.rate_ops_s is not None]
        rate = min((step.rate_ops_s or 0.0 for step in tried), default=0.0)
        why = ", ".join(dict.fromkeys(reason for step in tried for reason in step.reasons))
        raise RunError(
            f"no rate was sustained, down to {rate:,.0f} ops/s ({wanted.words}; {why}); raise limit under "
            "[workload.max_rate], or hold if compactions take longer"
        )


def _tree(commands: CommandBuilder, output: Output, records: Sequence[ProcessRecord]) -> dict[str, float | None]:
    """Amplification, space, and the work of flushes and compactions of the measured process, the last one."""
    record = records[-1]
    rewriting = [each for each in output.compactions if not each.moved]
    indicators: dict[str, float | None] = {
        "space_bytes": record.space_bytes,
        "space_peak_bytes": record.space_peak_bytes,
        "flush_count": sum(flush.bytes > 0 for flush in output.flushes),
        "compaction_count": len(rewriting),
        "compaction_time_s": sum(each.elapsed_s or 0.0 for each in rewriting),
        "trivial_move_count": sum(each.input_files for each in output.compactions if each.moved),
    }
    names = ("waf", "waf_wal", "space_amp", "live_bytes", "levels_populated")
    counted = ("flush_bytes", "compaction_written_bytes", "compaction_read_bytes", "wal_bytes")
    summary = output.summary
    if summary is None:
        return indicators | dict.fromkeys((*names, *counted))
    lacks_keys = may_lack_keys((each.log for each in records), loaded=bool(commands.workload.load))
    user = None if lacks_keys else _user_bytes(commands, output)
    data, levels = summary.space.data_bytes, summary.tree.levels
    return indicators | {
        "waf": summary.amplification.waf,
        "waf_wal": summary.amplification.waf_wal,
        "space_bytes": data,
        "space_peak_bytes": max(summary.space_peak_bytes, record.space_peak_bytes),
        "space_amp": data / user if user else None,
        "live_bytes": summary.tree.bytes,
        "levels_populated": sum(level.files > 0 for level in levels),
        "flush_bytes": summary.counters.flush_bytes,
        "compaction_written_bytes": summary.counters.compaction_bytes,
        "compaction_read_bytes": summary.counters.compaction_read_bytes,
        "wal_bytes": summary.counters.wal_bytes,
    }


def _user_bytes(commands: CommandBuilder, output: Output) -> int | None:
    """Return the user bytes in the database at the end; None where inserts, deletes or the load leave that open."""
    workload, common = commands.workload, dict(commands.workload.flags)
    runs = [phase for phase in output.phases if phase.phase.kind in MIXING]
    if any(kind in phase.outcomes for phase in runs for kind in ("insert", "delete")):
        return None
    shapes = [common, *({**common, **phase.properties} for phase in commands.plan if phase.kind in MIXING)]
    one_size = len({record_bytes(shape) for shape in shapes}) == 1 and all(map(sizes_are_known, shapes))
    if not (commands.loads_all and one_size):
        return None
    load = output.phase(LOAD)
    loaded = bool(workload.load) if load is None else load.ending == "complete"
    key_bytes, _ = record_bytes(common, commands.keys)  # keys in order have fewer digits in a smaller run
    return commands.keys * (key_bytes + workload.value_size_bytes) if loaded else None


def _facts(output: Output) -> Mapping[str, str]:
    tree = output.summary.tree.levels if output.summary is not None else ()
    levels = [f"L{n} {level.files} files {level.bytes >> 10} KiB" for n, level in enumerate(tree) if level.files]
    endings = [f"{phase.phase.label} {phase.ending}" for phase in output.phases if phase.ending != "complete"]
    facts = {
        "levels": ", ".join(levels),
        "endings": ", ".join(endings),
        "rates": "; ".join(map(_step_words, output.rate_steps)),
        RATE_BARS: ", ".join(_bars(output)),
        "unreadable": "; ".join(output.problems[:5]),
    }
    return {name: text for name, text in facts.items() if text}


def _bars(output: Output) -> list[str]:
    """Return why the least rate above the largest that was sustained was not; nothing where none is known."""
    above = next((end.max_rate.not_borne_ops_s for end in output.phases if end.max_rate is not None), None)
    held = [step for step in output.rate_steps if step.rate_ops_s is not None and step.rate_ops_s == above]
    return list(dict.fromkeys(reason for step in held for reason in step.reasons))


def _step_words(step: RateStep) -> str:
    """Return what came of a rate that was held, in a few words."""
    if step.rate_ops_s is None:
        return f"closed loop {step.achieved_ops_s or 0.0:.0f} ops/s"
    return f"{step.rate_ops_s:.0f} ops/s {'sustained' if step.borne else 'not sustained: ' + ', '.join(step.reasons)}"
