"""What a service's own files say."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lsmtune import production
from lsmtune.api._study import Study
from lsmtune.errors import UsageError
from lsmtune.production import Canary, Rollout, ServiceLog, check_rollout, read_service_files
from lsmtune.result import summarise
from lsmtune.store import read_study


def diagnose(*paths: str | Path) -> ServiceLog:
    r"""Tell from the LOG and the OPTIONS file of a service what it runs and what happened there.

    Args:
        paths: folders of databases, or files of one database: LOGs, also gzipped, the text of the property
            ``rocksdb.stats``, OPTIONS files, of which the newest counts; nothing is locked or written.

    Raises:
        UsageError: there is nothing to read.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> head = "2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3"
        >>> line = "2026/11/23-14:44:25.435499 974           Options.max_background_jobs: 4"
        >>> written = Path("LOG").write_text(f"{head}\n{line}\n")
        >>> log = lsmtune.diagnose("LOG")
        >>> log.last.version, log.last.options["max_background_jobs"]
        ('7.8.3', '4')
    """
    return read_service_files(_given(paths))


def resemble(*paths: str | Path, family: str | None = None) -> str:
    r"""Return the text of an experiment that resembles a service; each line says where it comes from.

    Args:
        paths: the folder of a service's database on RocksDB, or LOGs of it; nothing is locked or written.
        family: the column family to model; left out, the one that most was written to.

    Raises:
        UsageError: there is no LOG, or it has no line about a table that was written.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> head = "2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3"
        >>> event = '"event": "table_file_creation", "file_size": 5000, "raw_key_size": 2400, "raw_value_size": 10000'
        >>> line = '2026/11/23-14:44:26.1 9 EVENT_LOG_v1 {"time_micros": 1, "job": 3, '
        >>> line += event + ', "num_entries": 100}'
        >>> done = '2026/11/23-14:44:26.2 9 EVENT_LOG_v1 {"time_micros": 2, "job": 3, "event": "flush_finished"}'
        >>> written = Path("LOG").write_text(f"{head}\n{line}\n{done}\n")
        >>> text = lsmtune.resemble("LOG")
        >>> print(*(each for each in text.splitlines() if each.startswith(("key_size", "value_size"))), sep="\n")
        key_size = 16                       # mean of 100 records in flushed tables
        value_size = 100                    # mean over flushed tables
    """
    return production.resembling_experiment(_given(paths), family)


def import_trace(
    path: str | Path,
    *,
    replay: bool = False,
    num: int | None = None,
    scan_length: int | None = None,
    hold_rate: bool = False,
    db_bench: str | Path | None = None,
) -> str:
    r"""Return the text of an experiment that asks of RocksDB what a trace of queries holds.

    Args:
        path: of the trace, as ``DB::StartTrace`` or ``db_bench --trace_file`` write it; only read.
        replay: replay the trace as it is, instead of condensing it to the parameters of mixgraph.
        num: keys of the database; left out, those that the trace asks for, and what their counts suggest.
        scan_length: records that a seek reads on, which no trace tells; left out, a guess.
        hold_rate: keep the pace of the trace and weigh latencies, instead of running as fast as it goes.
        db_bench: the binary that the experiment names; left out, the usual one.

    Raises:
        UsageError: it is no trace of queries, of another format, or without a query.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> def record(micros, kind, payload):
        ...     return micros.to_bytes(8, "little") + bytes([kind]) + len(payload).to_bytes(4, "little") + payload
        >>> def get(number):
        ...     key = f"user{number % 1000:08}".encode()
        ...     return record(number * 100, 4, b"\x0c" + bytes(7) + bytes(4) + bytes([len(key)]) + key)
        >>> versions = b"feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 7.8\tFormat: Timestamp OpType Payload\n"
        >>> queries = b"".join(get(number * number) for number in range(5000))
        >>> written = Path("trace").write_bytes(record(0, 1, versions) + queries + record(0, 2, b""))
        >>> text = lsmtune.import_trace("trace", num=1_000_000)
        >>> print(*(each for each in text.splitlines() if each.startswith(("num", "key_size", "mix_get"))), sep="\n")
        num = 1000000                       # as you said; the trace has 159 of them
        key_size = 12                       # mean of 5,000 keys, all of this size
        mix_get_ratio = 1.0000              # 5,000 look-ups
    """
    asked = production.TraceAsked(
        replays=replay,
        keys=num,
        scan_length=scan_length,
        holds_rate=hold_rate,
        db_bench=None if db_bench is None else Path(db_bench),
    )
    return production.trace_experiment(Path(path), asked)


def check(*paths: str | Path, against: Study | str | Path, family: str = "default") -> Rollout:
    r"""Tell whether a service runs what a study found, and whether its LOG's figures are those of the study's runs.

    Args:
        paths: the folder of the service's database, or its OPTIONS file and LOGs; nothing is locked or written.
        against: the study, or its folder.
        family: the column family that was to run the result.

    Raises:
        UsageError: there is nothing to read, or the study is of an engine without OPTIONS files.
        StudyError: the folder holds no study.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> family = '[CFOptions "default"]\n  write_buffer_size=268435456\n  max_write_buffer_number=2\n'
        >>> written = Path("OPTIONS-000007").write_text(f"[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n{family}")
        >>> found = lsmtune.check("OPTIONS-000007", against="studies/tune-pruned")
        >>> for each in found.options:
        ...     print(each.option, each.exported, each.here, each.state)
        compression_type lz4 None not told
        max_write_buffer_number 8 2 as before
        write_buffer_size 268435456 268435456 as exported
    """
    service = _given(paths)
    folder = against.folder if isinstance(against, Study) else Path(against)
    with read_study(folder) as opened:
        return check_rollout(service, opened, summarise(opened, leaders=0), family)


def compare_canaries(
    canaries: Sequence[str | Path], controls: Sequence[str | Path], *, since: datetime | None = None
) -> Canary:
    """Compare how instances that changed did before and after with how those did that have not changed.

    Each figure is per GB that users wrote or per time; intervals are by instance and hold together at 95 %.

    Args:
        canaries: a folder or LOG for each instance that changed; three or more give an interval worth having.
        controls: the same for those that did not.
        since: when the canaries changed, by their clocks, which are taken as UTC unless it says otherwise; left out,
            when each was first opened with other options.

    Raises:
        UsageError: a group is empty, or a LOG does not tell enough on both sides of the change.

    Examples:
        >>> import lsmtune
        >>> lsmtune.compare_canaries(["a/LOG"], [])
        Traceback (most recent call last):
        lsmtune.errors.UsageError: both canaries and controls are needed; name at least one folder of each, better three
    """
    changed, unchanged = ([Path(path) for path in group] for group in (canaries, controls))
    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    return production.compare_canaries(changed, unchanged, None if since is None else since.timestamp())


def _given(paths: Sequence[str | Path]) -> list[Path]:
    """Return the paths of a service's files.

    Raises:
        UsageError: there is none.
    """
    if not paths:
        raise UsageError("no path was given; give the folder of the service's database, or a LOG of it")
    return [Path(path) for path in paths]
