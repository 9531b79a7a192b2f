"""A workload: what is asked of the engine. It is frozen while options are tuned."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lsmtune.errors import UsageError
from lsmtune.model._configuration import Value
from lsmtune.units import format_seconds


class Settle(StrEnum):
    """What happens between the end of the load and the reading of sizes."""

    WAIT = "wait"
    """Flush and wait until no compaction is due: compactions finish before results are read."""
    NONE = "none"
    """Read at once; debt stays hidden, so results carry a finding."""


WORKLOAD_AXES: dict[str, type[int] | type[float] | type[bool]] = {
    "key_size_bytes": int,
    "value_size_bytes": int,
    "threads": int,
    "compression_ratio": float,
    "disable_wal": bool,
    "limit_s": float,
    "percentile": float,
    "target_ops_s": float,
}
"""What of a workload may differ from run to run, with the type of its values: fields of it, or of its `max_rate`."""

_OF_MAX_RATE = frozenset({"limit_s", "percentile"})

FULL_SIZE_OPTIONS = "full_size_options"
"""The field of a workload that runs at a larger scale may set: less data, and the options as they are in production."""


@dataclass(frozen=True)
class MaxRate:
    """What the largest rate of a workload has to keep, and what finding it may cost.

    Attributes:
        limit_s: bound of the percentile of latencies, which count from when an operation was due.
        percentile: 99 or 99.9, over all operations of the measured phase.
        hold_s: time in s for which each rate is judged.
        precision: the rate that is sustained and the one above it that is not differ by this share at most.
        most: rates that are held at most, repeats included.
    """

    limit_s: float
    percentile: float = 99.0
    hold_s: float = 10.0
    precision: float = 0.05
    most: int = 16

    @property
    def least_hold_s(self) -> float:
        """The shortest hold in s: a queue may end it as long as the limit, the 1 % of it that may be undone."""
        return 100 * self.limit_s

    @property
    def words(self) -> str:
        """What has to be kept, and for how long: ``p99 <= 5 ms for 10 s``."""
        return f"p{self.percentile:g} <= {format_seconds(self.limit_s)} for {format_seconds(self.hold_s)}"

    def longest_s(self, holds: int | None = None) -> float:
        """Return the time in s of a closed loop and `holds` rates, or of `most`; paying debt between them left out."""
        lead = 0.5  # of a hold, as native/ycsb/src/run/max_rate_phase.cc has it
        return (1 + lead) * self.hold_s * (1 + (self.most if holds is None else holds))


@dataclass(frozen=True)
class Workload:
    """What an engine is asked to do, at full size (before the scale).

    Attributes:
        benchmarks: the measured phases in the tool's names, in order, for example ``("fillrandom",)``, or for ycsb
            ``("load", "a", "b")``: ``load``, a core workload from ``a`` to ``f``, or one of `phases`.
        measure: the phase, one of `benchmarks`, whose result gives the indicators without a phase name.
        load: phases that build the data once, before `benchmarks` run on a clone; empty for fills.
        num: number of keys at full size; `num * scale` keys are used.
        key_size_bytes, value_size_bytes: sizes of a pair; never scaled.
        threads: client threads.
        duration_s: length of timed phases in s; None runs the operation count.
        operations: operations a phase at full size where it is not `num`; None means `num`.
        compression_ratio: share of a value that remains after compression, 0 < r <= 1.
        disable_wal: writes skip the write-ahead log.
        settle: see `Settle`.
        statistics: let the engine count (tickers and histograms); costs 5 to 10 % of throughput.
        flags: further db_bench flags, or properties of YCSB, that describe the workload, as (name, value) pairs, passed
            as they are.
        tool: the name of what drives the engine; see `lsmtune.backends.registry`.
        phases: for ycsb, the properties of its phases by name, over `flags`, as (phase, (name, value) pairs) pairs.
        max_rate: for ycsb, the measured phase is a search for the largest rate that keeps this; None runs it once.
        full_size_options: only the data shrinks with the scale; the size options of the tree stay as they are.
        target_ops_s: for ycsb, the rate at which operations of the measured phase are due, over what `flags` and
            `phases` say of it; None: they alone say it.
        reopen: for ycsb, the database is closed and opened between phases.
    """

    benchmarks: tuple[str, ...]
    measure: str
    num: int
    load: tuple[str, ...] = ()
    key_size_bytes: int = 16
    value_size_bytes: int = 100
    threads: int = 1
    duration_s: float | None = None
    operations: int | None = None
    compression_ratio: float = 0.5
    disable_wal: bool = False
    settle: Settle = Settle.WAIT
    statistics: bool = True
    flags: tuple[tuple[str, str], ...] = ()
    tool: str = "db_bench"
    phases: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    max_rate: MaxRate | None = None
    full_size_options: bool = False
    target_ops_s: float | None = None
    reopen: bool = False

    @property
    def pair_bytes(self) -> int:
        """User bytes of one key-value pair."""
        return self.key_size_bytes + self.value_size_bytes

    @property
    def data_bytes(self) -> int:
        """User bytes of `num` distinct pairs at full size."""
        return self.num * self.pair_bytes

    def under(self, scenario: Iterable[tuple[str, Value]]) -> "Workload":
        """Return the workload with some of its fields as a run has them.

        Raises:
            UsageError: a field is neither one of `WORKLOAD_AXES` nor `FULL_SIZE_OPTIONS`, or one of a search for the
                largest rate where there is none.
        """
        fields: dict[str, Any] = dict(scenario)
        for name in fields.keys() - WORKLOAD_AXES.keys() - {FULL_SIZE_OPTIONS}:
            known = ", ".join(WORKLOAD_AXES)
            raise UsageError(f'"{name}" of a workload cannot differ from run to run; take one of {known}')
        kept = {name: fields.pop(name) for name in _OF_MAX_RATE & fields.keys()}
        if kept:
            if self.max_rate is None:
                raise UsageError(f'"{min(kept)}" is of a search for the largest rate, and the workload has none')
            fields["max_rate"] = replace(self.max_rate, **kept)
        return replace(self, **fields) if fields else self
