"""What an experiment file may say to a db_bench, RocksDB's or LevelDB's."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._benchmark import Benchmark
from lsmtune.backends._phase_words import PhaseVocabulary
from lsmtune.backends._request import Request

_SET_BY_LSMTUNE: Mapping[str, str] = MappingProxyType(
    {
        "benchmarks": "workload.benchmarks",
        "num": "workload.num",
        "key_size": "workload.key_size",
        "value_size": "workload.value_size",
        "threads": "workload.threads",
        "duration": "workload.duration",
        "reads": "workload.operations",
        "writes": "workload.operations",
        "deletes": "workload.operations",
        "compression_ratio": "workload.compression_ratio",
        "disable_wal": "workload.disable_wal",
        "statistics": "workload.statistics",
        "seed": "search.seed",
        "options_file": "engine.options_file",
        "db": "host.scratch",
        "wal_dir": "host.scratch",
        "use_existing_db": "",
        "histogram": "",
        "report_file": "",
        "report_interval_seconds": "",
        "stats_per_interval": "",
        "stats_interval": "",
        "stats_interval_seconds": "",
        "flagfile": "",
        "help": "",
    }
)
"""Flags that lsmtune passes itself, with the key that decides them."""

FAMILIES = "num_column_families"
"""The flag that has RocksDB's db_bench open several column families."""
_REPLAY, _TRACE = "replay", "trace_file"
_REPLAYED_FAMILIES = 2


class DbBenchVocabulary(PhaseVocabulary):
    """Its phases are the benchmarks; what else describes the workload is passed as flags."""

    misnamed: ClassVar[str] = "is not used by db_bench; write db_bench, or take it out"
    misnamed_engine: ClassVar[str] = 'is not used by db_bench; write tool = "ycsb" under [workload]'
    threads_add_work: ClassVar[bool] = True

    def __init__(self, phases: Mapping[str, Benchmark]) -> None:
        """`phases` has the benchmarks of this db_bench by name."""
        super().__init__(phases, "db_bench", "fillrandom", _SET_BY_LSMTUNE)

    def wrong_phase(self, phase: str, request: Request) -> str:
        """Return what is wrong with a phase, or nothing."""
        if phase == _REPLAY and phase in self.phases and (sentence := self._wrong_replay(request)):
            return sentence
        return super().wrong_phase(phase, request)

    def _wrong_replay(self, request: Request) -> str:
        """Return what keeps db_bench from replaying a trace, or what would harm the trace, or nothing.

        Benchmarks other than a replay record the trace_file instead of reading it. Where there is one column family,
        db_bench hands the replay none: builds with assertions abort, others give up at the first read.
        """
        trace, families = request.flags.get(_TRACE), request.flags.get(FAMILIES, "1")
        others = [name for name in self.measuring((*request.load, *request.benchmarks)) if name != _REPLAY]
        if trace is None or not Path(trace).is_absolute() or not Path(trace).is_file():
            return _wrong_trace(trace)
        wrong = {
            f"cannot stand beside {' and '.join(others)}, which would write over the trace; take it out": bool(others),
            f"finds no column family where there is one alone; write {FAMILIES} = "
            f"{_REPLAYED_FAMILIES}, or as many as were recorded, under [workload.flags]": not families.isdecimal()
            or int(families) < _REPLAYED_FAMILIES,
            f"has one client thread, not {request.threads}; write trace_replay_threads under [workload.flags]": (
                request.threads != 1
            ),
            f"cannot shrink a trace to the scale {request.scale}; write scale = 1": request.scale != 1,
        }
        return next((f'"{_REPLAY}" {sentence}' for sentence, is_wrong in wrong.items() if is_wrong), "")


def _wrong_trace(trace: str | None) -> str:
    if trace is None:
        return f'"{_REPLAY}" needs a trace; write {_TRACE} = "/path/to/trace" under [workload.flags]'
    if not Path(trace).is_absolute():
        return f'"{_REPLAY}" needs the whole path of its trace, not "{trace}"; write {_TRACE} = "/path/to/trace"'
    return f'"{_REPLAY}" has no trace: there is no file {trace}; record one with db_bench --{_TRACE}'
