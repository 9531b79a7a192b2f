"""What db_bench and the engine left behind becomes indicators; each is declared in `lsmtune.indicators`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.backends._base import ProcessRecord
from lsmtune.backends._processes import cut_short, process_indicators
from lsmtune.backends._readings import facts_of
from lsmtune.backends._results import seconds_of, speed
from lsmtune.backends.db_bench._command import CommandBuilder, writes
from lsmtune.backends.db_bench._defaults import default_values
from lsmtune.backends.db_bench._durations import with_durations
from lsmtune.backends.db_bench._lint import Reading, data_read, lint
from lsmtune.backends.db_bench._output import Output, parse_output
from lsmtune.backends.db_bench._replay import replayed
from lsmtune.backends.db_bench._written import distinct_keys, fills, user_bytes
from lsmtune.backends.rocksdb import (
    Compaction,
    EventLog,
    Flush,
    effective_values,
    may_lack_keys,
    overridden,
    read_events,
    with_unwritten,
)
from lsmtune.errors import RunError, UsageError
from lsmtune.model import Configuration, Measurement, Overridden, Settle, Value, Workload

DEBT = "debt"
"""The process that opens what the process before it wrote, so that its last memtable is written and settles."""
_WENT_ON = re.compile(
    r"(?:^|[\r\n])((?:get|getmany) error: .*|inconsistent values for key .*|RandomTransactionVerify FAILED.*)"
)
"""What db_bench says of an error of the engine behind which it goes on, and ends well."""
_BACKGROUND = re.compile(r"Waiting after background (\w+ error: .*)")
"""What the LOG says of a flush or a compaction that failed; db_bench says nothing of it once all is written."""
_FILTER = "rocksdb.bloom.filter."
_OTHER_READS = ("rocksdb.number.db.seek", "rocksdb.number.multiget.keys.read")
"""What reads tables as well, and is no Get."""
_FROM_LOG = (
    *("waf", "waf_wal", "flush_count", "flush_bytes", "compaction_count", "compaction_written_bytes"),
    *("compaction_read_bytes", "compaction_time_s", "trivial_move_count", "waf_load_end", "space_load_end_bytes"),
)


@dataclass(frozen=True)
class _Left:
    """What the measured process left, and the one behind it that settled its data; without that the same twice.

    Attributes:
        output, final: what they printed.
        events, paid: what their LOGs tell.
        record, last: of them.
        lacks_keys: FIFO compaction deleted files in a process of the run, or may have where its data was loaded.
    """

    output: Output
    final: Output
    events: EventLog
    paid: EventLog
    record: ProcessRecord
    last: ProcessRecord
    lacks_keys: bool

    @classmethod
    def of(cls, records: Sequence[ProcessRecord], workload: Workload) -> "_Left":
        """Read the records of a run."""
        last = records[-1]
        record = records[-2] if last.process.name == DEBT else last
        output = replayed(parse_output(record.stdout, record.stderr), record, workload)
        output, events = with_durations(output, workload), read_events(record.log.splitlines())
        lacks_keys = may_lack_keys((each.log for each in records), loaded=bool(workload.load))
        if record is last:
            return cls(output, output, events, EventLog(), record, last, lacks_keys)
        paid = read_events(last.log.splitlines())
        return cls(output, parse_output(last.stdout, last.stderr), events, paid, record, last, lacks_keys)

    @property
    def all_events(self) -> EventLog:
        """The work of both."""
        return replace(
            self.events,
            flushes=self.events.flushes + self.paid.flushes,
            compactions=self.events.compactions + self.paid.compactions,
            moves=self.events.moves + self.paid.moves,
        )

    def load_end_s(self, commands: CommandBuilder) -> float | None:
        """When what was settled had been written; None where nothing tells.

        That is at the first manual flush behind the last phase that writes, else where the process was held.
        """
        if commands.workload.settle is not Settle.WAIT:
            return None
        phases = commands.workload.benchmarks
        written = max((place for place, phase in enumerate(phases) if writes(phase)), default=0)
        behind = self.events.manual_flushes_s[phases[:written].count("flush") :]
        if behind:
            return behind[0]
        held = self.record.waited if commands.reopens else None
        return None if held is None else held.began_at

    def settle_time_s(self, load_end_s: float) -> float:
        """How long the engine worked after that, in s, without the time that it was only looked whether it rests.

        In a process that was let go, what it wrote while it closed its database counts by its own time; in one that
        opened it again, all up to the last job does.
        """
        held, opened_s = self.record.waited, self.paid.opened_s
        let_go_s = math.inf if held is None else held.began_at + held.s
        ended = [(job.started_s, job.finished_s) for job in _jobs(self.events) if job.finished_s is not None]
        before = [finished_s - load_end_s for started_s, finished_s in ended if started_s < let_go_s]
        closing = [finished_s - started_s for started_s, finished_s in ended if started_s >= let_go_s]
        later = [job.finished_s - (opened_s or job.started_s) for job in _jobs(self.paid) if job.finished_s is not None]
        return max([0.0, *before]) + sum(closing) + max([0.0, *later])


def parse_results(
    commands: CommandBuilder, configuration: Configuration, records: Sequence[ProcessRecord]
) -> Measurement:
    """Turn the records of a run's processes into a measurement: the measured one last, or before the one that settles.

    Raises:
        RunError: a process that ended by itself printed no result for the measured phase, did not get through a trace,
            or left an OPTIONS file that cannot be read.
    """
    left = _Left.of(records, commands.workload)
    output, record = left.output, left.record
    measured = output.phase(commands.workload.measure)
    if measured is None and record.stopped is None:
        raise RunError(f"db_bench ended well but printed no result of {commands.workload.measure}")
    indicators = {
        **speed(commands.workload, output.phases),
        **_tree(commands, left),
        **_debt(commands, left),
        **_reads(commands, left),
        **process_indicators(records),
    }
    if not record.log:
        indicators.update(dict.fromkeys(_FROM_LOG))
    effective, changed = _effective(commands, configuration, record)
    reading = Reading(commands, output, indicators, effective, configuration)
    warnings = (*lint(reading), *cut_short(records, "what the engine counts until its exit is missing"))
    facts = {**_facts(left), **_waits(records), **facts_of(data_read(reading))}
    return Measurement(indicators, effective, changed, warnings, facts)


def unsaid_failure(record: ProcessRecord) -> str:
    """Return a sentence that names the error of the engine behind which db_bench went on; empty where it did not."""
    found = _WENT_ON.search(record.stderr) or _WENT_ON.search(record.stdout) or _BACKGROUND.search(record.log)
    return f"db_bench went on behind an error of the engine: {found[1]}" if found else ""


def _tree(commands: CommandBuilder, left: _Left) -> dict[str, float | None]:
    """Amplification, space, and the work of flushes and compactions."""
    output, events = left.output, left.all_events
    written = user_bytes(commands.workload, output)
    into_tree = events.flush_bytes() + events.compaction_bytes_written()
    wal = output.tickers.get("rocksdb.wal.bytes")
    keys = None if left.lacks_keys else distinct_keys(commands)
    finished = [each for each in events.compactions if each.finished_s is not None]
    table, at_end = output.compaction_table.get("Sum"), left.final.compaction_table.get("Sum")
    levels = [row for name, row in left.final.compaction_table.items() if name.startswith("L")]
    space_bytes = left.last.space_bytes
    return {
        "waf": into_tree / written if written else None,
        "waf_wal": (into_tree + wal) / written if written and wal is not None else None,
        "waf_table": table.columns.get("W-Amp") if table else None,
        "space_bytes": space_bytes,
        "space_peak_bytes": max(left.record.space_peak_bytes, left.last.space_peak_bytes),
        "live_bytes": at_end.size_bytes if at_end else None,
        "space_amp": space_bytes / (keys * commands.workload.pair_bytes) if keys else None,
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


def _debt(commands: CommandBuilder, left: _Left) -> dict[str, float | None]:
    """What the writing phases left to be done, and how long that took."""
    output, settled_s = left.output, left.load_end_s(commands)
    load_end_s = left.record.ended_at if settled_s is None else settled_s
    settle_s = None if settled_s is None else left.settle_time_s(settled_s)
    loading = [result for result in output.phases if fills(result.name)]
    load_s, stalled_s = seconds_of(loading), _stall_time_s(output)
    total_s = load_s + settle_s if load_s is not None and settle_s is not None else None
    operations = sum(result.operations or 0 for result in loading)
    writing_s = seconds_of([result for result in output.phases if writes(result.name)])
    states = [
        (job.finished_s, job.lsm_state)
        for job in _jobs(left.events)
        if job.finished_s is not None and job.lsm_state is not None and job.finished_s <= load_end_s
    ]
    late = [each for each in left.all_events.compactions if each.finished_s is None or each.finished_s > load_end_s]
    return {
        **_at_load_end(commands, left, left.events.ended_by(load_end_s)),
        "load_time_s": load_s,
        "settle_time_s": settle_s,
        "total_time_s": total_s,
        "throughput_settled_ops_s": operations / total_s if operations and total_s else None,
        "debt_bytes": None if settled_s is None else sum(each.output_bytes + each.output_blob_bytes for each in late),
        "pending_bytes": left.final.pending_compaction_bytes,
        "l0_files_load_end": max(states)[1][0] if states else None,
        "stall_time_s": stalled_s,
        "stall_share": stalled_s / writing_s if stalled_s is not None and writing_s else None,
        "stall_count": output.stall_count,
        "stop_count": output.stop_count,
    }


def _at_load_end(commands: CommandBuilder, left: _Left, early: EventLog) -> dict[str, float | None]:
    """Amplification as it is read right after the load, from the jobs that had ended by then."""
    user = user_bytes(commands.workload, left.output)
    written = early.flush_bytes() + early.compaction_bytes_written()
    plain = not (commands.workload.load or early.blob_bytes() or left.lacks_keys)
    return {
        "waf_load_end": written / user if user else None,
        "space_load_end_bytes": written - early.compaction_bytes_read() if plain else None,
    }


def _reads(commands: CommandBuilder, left: _Left) -> dict[str, float | None]:
    """What reads cost; only where nothing is written or compacted, as compactions read through the same counters."""
    output, tickers = left.output, left.output.tickers
    works = any(map(writes, commands.workload.benchmarks)) or bool(left.events.compactions)
    if works or not tickers:
        return {"read_amp": None, "cache_hit_ratio": None, "bloom_fpr": _bloom_fpr(tickers)}
    hits, misses = tickers.get("rocksdb.block.cache.hit", 0), tickers.get("rocksdb.block.cache.miss", 0)
    gets = tickers.get("rocksdb.number.keys.read", 0)
    reads = output.ticker_histograms.get("rocksdb.sst.read.micros")
    only_gets = not any(map(tickers.get, _OTHER_READS))
    return {
        "read_amp": reads.count / gets if reads and gets and only_gets else None,
        "cache_hit_ratio": hits / (hits + misses) if hits + misses else None,
        "bloom_fpr": _bloom_fpr(tickers),
    }


def _bloom_fpr(tickers: Mapping[str, int]) -> float | None:
    useful = tickers.get(f"{_FILTER}useful", 0)
    wrong = tickers.get(f"{_FILTER}full.positive", 0) - tickers.get(f"{_FILTER}full.true.positive", 0)
    return wrong / (useful + wrong) if useful + wrong > 0 else None


def _stall_time_s(output: Output) -> float | None:
    micros = output.tickers.get("rocksdb.stall.micros")
    return output.stall_seconds if micros is None else micros / 1e6


def _effective(
    commands: CommandBuilder, configuration: Configuration, record: ProcessRecord
) -> tuple[dict[str, Value], tuple[Overridden, ...]]:
    if not record.options:
        return {}, ()
    catalogue = tuple(commands.catalogue.options.values())
    try:
        effective = effective_values(record.options, catalogue, commands.build.version, commands.option_scale)
    except UsageError as error:
        if record.stopped is not None:  # stopped while it wrote the file
            return {}, ()
        raise RunError(f"the options that the engine used cannot be read back: {error}") from None
    changed = overridden(configuration.values, effective, catalogue, commands.option_scale)
    defaults = default_values(commands.build, commands.catalogue)
    return with_unwritten(effective, configuration.values, catalogue, defaults), changed


def _jobs(events: EventLog) -> list[Flush | Compaction]:
    return [*events.flushes, *events.compactions]


def _waits(records: Sequence[ProcessRecord]) -> dict[str, str]:
    """Return how long each process waited, with its database open, until its engine rested."""
    waits = [f"{each.process.name} {each.waited.s:.2f} s" for each in records if each.waited is not None]
    return {"waited": ", ".join(waits)} if waits else {}


def _facts(left: _Left) -> dict[str, str]:
    output, events = left.output, left.events
    levels = [
        f"{name} {row.files} files {row.size_bytes >> 10} KiB"
        for name, row in left.final.compaction_table.items()
        if name.startswith("L")
    ]
    problems = [*output.problems, *(f"LOG:{problem.line} {problem.reason}" for problem in events.problems)]
    facts = {"levels": ", ".join(levels), "unreadable": "; ".join(problems[:5])}
    return {name: text for name, text in facts.items() if text}
