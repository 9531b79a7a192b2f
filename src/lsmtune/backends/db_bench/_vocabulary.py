"""What an experiment file may say to RocksDB's db_bench beyond what every db_bench takes: the rate of its writers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._db_bench_words import FAMILIES, DbBenchVocabulary
from lsmtune.backends._phase_words import BENCHMARKS as PHASES
from lsmtune.backends._phase_words import LOAD
from lsmtune.backends._problems import Check, Problem
from lsmtune.backends._request import Request
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.model import Workload

WRITE_RATE = "benchmark_write_rate_limit"
"""The flag that limits all writers together, in bytes of pairs in a second."""


class RocksDbBenchVocabulary(DbBenchVocabulary):
    """Its writers can be paced: the flag is offered load, though no latency counts the wait for it."""

    foreign: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            **DbBenchVocabulary.foreign,
            "max_rate": f"{DbBenchVocabulary.foreign['max_rate']} and sweep over the rates that are offered "
            "(docs/how-to/max-rate.md)",
        }
    )
    offered_rate: ClassVar[str] = (
        f"{WRITE_RATE} = 2000000 (bytes in a second) under [workload.flags], with one benchmark that only writes"
    )

    def __init__(self) -> None:
        super().__init__(BENCHMARKS)

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (*super().checks, Check(self._fills_come_first, (PHASES, LOAD)))

    def _fills_come_first(self, request: Request) -> Iterator[Problem]:
        """Find fills behind other phases: the LOG begins anew with them, but the engine counts on."""
        for path, phases in ((LOAD, request.load), (PHASES, () if request.load else request.benchmarks)):
            for place, phase in enumerate(phases):
                known = self.phases.get(phase)
                if place and known is not None and known.begins_empty and phase not in phases[:place]:
                    yield Problem(
                        (*path, place),
                        f'"{phase}" begins with an empty database, but what "{phases[0]}" wrote would be counted with '
                        'it; take one of them out, or write "overwrite"',
                    )

    def workload(self, request: Request) -> Workload:
        """Return what is asked of the engine; the rate is known where one benchmark alone measures, and only writes."""
        workload = super().workload(request)
        measuring = self.measuring(request.benchmarks)
        limit = _number(request.flags.get(WRITE_RATE))
        if limit <= 0 or len(measuring) != 1 or not self.phases[measuring[0]].only_writes:
            return workload
        return replace(workload, target_ops_s=limit / workload.pair_bytes)

    def families(self, workload: Workload) -> tuple[str, ...]:
        """See `Vocabulary`."""
        return families_of(workload)


def families_of(workload: Workload) -> tuple[str, ...]:
    """Return the column families of a workload; their names are those of `ColumnFamilyName` in db_bench_tool.cc."""
    asked = dict(workload.flags).get(FAMILIES, "")
    count = int(asked) if asked.isdecimal() else 1
    return ("default", *(f"column_family_name_{number:06}" for number in range(1, count)))


def unpaced_flags(flags: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return flags without the rate: data is built as fast as it goes, whatever is offered later."""
    return tuple((name, value) for name, value in flags if name != WRITE_RATE)


def paced_flags(workload: Workload, flags: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return flags of the measured process with the rate at which operations of the workload are offered."""
    kept = tuple(flags)
    if workload.target_ops_s is None:
        return kept
    limit = round(workload.target_ops_s * workload.pair_bytes)
    if round(_number(dict(kept).get(WRITE_RATE))) == limit:
        return kept
    return (*unpaced_flags(kept), (WRITE_RATE, str(limit)))


def _number(text: str | None) -> float:
    """Return a rate; 0 where there is none, or none that db_bench would take."""
    try:
        return float(text or 0.0)
    except ValueError:
        return 0.0
