"""Whether openings of the database have much to read again."""

from collections.abc import Iterator

from lsmtune.production._finding import ServiceFinding, Sure, Try
from lsmtune.production._service_log import Opening, ServiceLog, number_in

_MIB = 1 << 20
_SLOW_OPENING_S = 10.0
_MANY_LOGS = 4


def reopening(log: ServiceLog) -> Iterator[ServiceFinding]:
    """Yield a finding where an opening had many write-ahead logs to read, or took long and had more than one."""
    slow = [
        each.took_s
        for each in log.openings
        if each.took_s is not None
        and each.took_s >= _SLOW_OPENING_S
        and (each.events.recovered_logs or each.wal.files or 0) > 1
    ]
    many = [  # each column family keeps the logs of its memtable
        each.events.recovered_logs or 0
        for each in log.openings
        if (each.events.recovered_logs or 0) >= _MANY_LOGS * max(1, len(each.families))
    ]
    logs = max(many, default=0)
    if not slow and not logs:
        return
    evidence = [f"an opening took {max(slow):.0f} s"] if slow else []
    evidence += [f"an opening had {logs} write-ahead logs to read"] if logs else []
    yield ServiceFinding(
        "slow-reopen",
        "",
        "Write-ahead logs pile up, so that they take space and the next opening has to read them.",
        tuple(evidence),
        "RocksDB wiki, Write Ahead Log; facebook/rocksdb issues 5789, 13487; besu 6328",
        Sure.HIGH if slow else Sure.MEDIUM,
        _less_to_replay(log.last),
    )


def _less_to_replay(opening: Opening) -> tuple[Try, ...]:
    """Return what leaves an opening less to read; RocksDB bounds the logs only of several column families."""
    if len(opening.families) > 1:
        bound = 256 * _MIB
        if 0 < (number_in(opening.options, "max_total_wal_size") or 0) <= bound:
            return ()
        return (
            Try("a bound on write-ahead logs", {"max_total_wal_size": bound}, "column families that rest are flushed"),
        )
    options = next(iter(opening.families.values()), {})
    buffer = int(number_in(options, "write_buffer_size") or 64 * _MIB)
    return (
        Try("smaller memtables", {"write_buffer_size": buffer // 2}, "a log is kept until its memtable is flushed"),
    )
