"""What an experiment file may say to a db_bench, RocksDB's or LevelDB's."""

from collections.abc import Mapping
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


class DbBenchVocabulary(PhaseVocabulary):
    """Its phases are the benchmarks; what else describes the workload is passed as flags."""

    misnamed: ClassVar[str] = "is not used by db_bench; write db_bench, or take it out"
    misnamed_engine: ClassVar[str] = 'is not used by db_bench; write tool = "ycsb" under [workload]'

    def __init__(self, phases: Mapping[str, Benchmark]) -> None:
        """`phases` has the benchmarks of this db_bench by name."""
        super().__init__(phases, "db_bench", "fillrandom", _SET_BY_LSMTUNE)

    def wrong_phase(self, phase: str, request: Request) -> str:
        """Return what is wrong with a phase, or nothing."""
        if phase == "replay" and phase in self.phases and "trace_file" not in request.flags:
            return '"replay" needs a trace; write trace_file = "/path/to/trace" under [workload.flags]'
        return super().wrong_phase(phase, request)
