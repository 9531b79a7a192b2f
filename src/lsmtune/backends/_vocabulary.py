"""What an experiment file may say to a tool, and what it means."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._problems import Check
from lsmtune.backends._request import Request
from lsmtune.indicators import Objective
from lsmtune.model import Settle, Value, Workload


class Vocabulary(ABC):
    """The words of one tool in experiment files; it keeps no state."""

    foreign: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Keys of [workload] that mean nothing to the tool, each with the rest of a sentence that says so."""

    fixed_axes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Parts of the workload in which runs cannot differ, each with the rest of a sentence that says so."""

    misnamed: ClassVar[str] = "is not the program that runs here; write driver, or take it out"
    """What is said of a program that is named under another tool's key."""

    misnamed_engine: ClassVar[str] = misnamed
    """The same of one that is named under [engine]."""

    offered_rate: ClassVar[str] = ""
    """Where a file says at which rate operations are offered, with an example; empty where nothing can pace them."""

    compression_ratio: ClassVar[float] = 0.5
    """Share of a value that remains when compressed, where the file says nothing."""

    threads_add_work: ClassVar[bool] = False
    """Whether each client thread does all operations of a phase; else the threads share them."""

    settle: ClassVar[Settle] = Settle.WAIT
    """What happens before sizes are read, where the file says nothing."""

    @property
    @abstractmethod
    def checks(self) -> Sequence[Check[Request]]:
        """What has to fit together in what a file asks of the tool."""

    @abstractmethod
    def measuring(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """Return the phases that measure something, in order; unknown ones measure nothing."""

    @abstractmethod
    def reads(self, workload: Workload) -> bool:
        """Return whether a measured phase looks for data that is there: reads, scans, updates of what was read."""

    @abstractmethod
    def writes(self, workload: Workload) -> bool:
        """Return whether a measured phase changes the database."""

    def families(self, workload: Workload) -> tuple[str, ...]:  # noqa: ARG002 - for tools that open several
        """Return the names of the column families among which the tool spreads the keys evenly."""
        return ("default",)

    def counts_in_total(self, phase: str) -> bool:  # noqa: ARG002 - for tools whose phases count unequally
        """Return whether the time of a measured phase counts in ``total_time_s``."""
        return True

    def measure(self, request: Request) -> str:
        """Return the phase whose result counts; empty where no phase measures anything."""
        measuring = self.measuring(request.benchmarks)
        return request.measure or (measuring[-1] if measuring else "")

    def workload(self, request: Request) -> Workload:
        """Return what is asked of the engine, at full size."""
        return Workload(
            benchmarks=request.benchmarks,
            measure=self.measure(request),
            num=request.num,
            load=request.load,
            key_size_bytes=request.key_size_bytes,
            value_size_bytes=request.value_size_bytes,
            threads=request.threads,
            duration_s=request.duration_s,
            operations=request.operations,
            compression_ratio=request.compression_ratio or self.compression_ratio,
            disable_wal=request.disable_wal,
            settle=request.settle or self.settle,
            statistics=request.statistics,
            flags=tuple(request.flags.items()),
            tool=request.tool,
            phases=tuple((name, tuple(properties.items())) for name, properties in request.phases.items()),
            max_rate=request.max_rate,
            reopen=request.reopen,
        )

    def axis_problem(
        self,
        axis: str,
        values: Sequence[Value] | None,  # noqa: ARG002 - for tools that can vary a part in some values alone
        workload: Workload,  # noqa: ARG002 - for tools that can vary a part in some workloads alone
    ) -> str | None:
        """Return why runs cannot differ in a part of the workload, as the rest of a sentence; None where they can.

        Args:
            axis: its key in experiment files.
            values: those that are listed; None of a range.
            workload: what the reference runs.
        """
        return self.fixed_axes.get(axis)

    def objective(self, workload: Workload) -> Objective:  # noqa: ARG002 - for tools that tell fills from reads
        """Return what counts as better where the file names no indicator: the throughput of the measured phase."""
        return Objective({"throughput_ops_s": 1.0})
