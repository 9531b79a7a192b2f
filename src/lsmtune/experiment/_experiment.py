"""What an experiment file says as a whole. What spans several keys is checked in `_checks`."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import Field, PrivateAttr

from lsmtune.backends import Backend, KeyPath, Request
from lsmtune.backends.registry import backend_for, tools_of
from lsmtune.experiment._fields import Name, Scale, Source, Texts
from lsmtune.experiment._guards import read_guard
from lsmtune.experiment._hosts_table import HostsTable
from lsmtune.experiment._tables import (
    BudgetTable,
    Changes,
    Compared,
    EngineTable,
    HostTable,
    ReproduceTable,
    SampleTable,
    SearchTable,
    SpaceTable,
    SweepTable,
    Table,
    VerifyTable,
    WorkloadTable,
)
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Value, Workload

DIRECT_IO = ("use_direct_reads", "use_direct_io_for_flush_and_compaction")
"""Options with which reads, flushes and compactions go past the page cache."""


class Experiment(Table):
    """An experiment: what is measured, which options are searched, what counts as better, and the budget."""

    _text: str = PrivateAttr(default="")
    _notes: tuple[str, ...] = PrivateAttr(default=())
    name: Name = Field(default="experiment", description="Name of the study; left out, the file's name without .toml.")
    scale: Scale = Field(
        default=Fraction(1), description="One factor by which the data and every size option shrink together."
    )
    engine: EngineTable = Field(default_factory=EngineTable)
    workload_table: WorkloadTable = Field(alias="workload")
    space: SpaceTable = Field(default_factory=SpaceTable)
    weights: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict,
        alias="objective",
        description="Weight of each indicator that is made better; left out, the throughput, or for a fill that "
        "settles the settled throughput.",
    )
    guard_texts: dict[str, str] = Field(
        default_factory=dict,
        alias="guards",
        description='How much worse an indicator may get than the reference\'s ("1.10x", "10%"), or a limit '
        'in its unit ("<= 5ms"); of memory and space at full size, whatever the scale is.',
    )
    constraints: Texts = Field(default=(), description="Relations over options that must hold, at full size.")
    budget: BudgetTable = Field(default_factory=lambda: BudgetTable.model_validate({}))
    search: SearchTable = Field(default_factory=SearchTable)
    verify: VerifyTable = Field(default_factory=lambda: VerifyTable.model_validate({}))
    steps: Changes = Field(
        default=(),
        description="Changes in the order in which lsmtune tune --sampler steps tries them, each on top of those that "
        "were kept.",
    )
    compare: Compared = Field(
        default=(),
        description="What lsmtune compare runs against the reference: configurations, each as what it sets, and other "
        "builds.",
    )
    sample: SampleTable = Field(default_factory=SampleTable)
    sweep: SweepTable | None = Field(default=None, description="Left out, there is nothing to sweep.")
    reproduce: ReproduceTable | None = Field(default=None, description="Left out, nothing published is repeated.")
    host: HostTable = Field(default_factory=HostTable)
    hosts: HostsTable | None = Field(default=None, description="Left out, this machine makes all runs.")

    def model_post_init(self, context: object) -> None:
        """Keep the text that the file had when it was read; a later look may find another."""
        self._text = context.text if isinstance(context, Source) else ""
        self._notes = context.notes if isinstance(context, Source) else ()

    @property
    def text(self) -> str:
        """The TOML that it was read from; empty where it was read from none."""
        return self._text

    @property
    def notes(self) -> tuple[str, ...]:
        """What the property files of [workload] added, in sentences."""
        return self._notes

    @property
    def tool(self) -> str:
        """What drives the engine; where the file names none, the first tool that does."""
        table = self.workload_table
        return table.tool if "tool" in table.model_fields_set else next(iter(tools_of(self.engine.name)))

    @property
    def backend(self) -> Backend:
        """What the tool offers for the engine.

        Raises:
            EngineError: the tool does not drive the engine.
        """
        return backend_for(self.tool, self.engine.name)

    @property
    def request(self) -> Request:
        """What the file asks of the tool, as it stands there."""
        table = self.workload_table
        said = frozenset(WorkloadTable.model_fields[field].alias or field for field in table.model_fields_set)
        return Request(
            tool=self.tool,
            engine=self.engine.name,
            benchmarks=table.benchmarks,
            load=table.load,
            measure=table.measure,
            num=table.num,
            key_size_bytes=table.key_size_bytes,
            value_size_bytes=table.value_size_bytes,
            threads=table.threads,
            duration_s=table.duration_s,
            operations=table.operations,
            compression_ratio=table.compression_ratio,
            disable_wal=table.disable_wal,
            settle=table.settle if "settle" in said else None,
            statistics=table.statistics,
            flags=table.flags,
            properties=table.properties,
            phases=table.phases,
            max_rate=table.max_rate,
            reopen=table.reopen,
            said=said,
            scale=self.scale,
            values=tuple(self._option_values()),
        )

    def _option_values(self) -> Iterator[tuple[KeyPath, Value]]:
        for name, value in self.space.fixed.items():
            yield ("space", "fixed", name), value
        for name, given in self.space.ranges.items():
            for end in (given.low, given.high, *(given.values or ())):
                if end is not None:
                    yield ("space", "ranges", name), end

    @property
    def fixed(self) -> dict[str, Value]:
        """The options that are set and not searched: those of [space.fixed], and what host.page_cache needs."""
        direct: dict[str, Value] = dict.fromkeys(DIRECT_IO, True) if self.host.cached_by == "direct" else {}
        return {**direct, **self.space.fixed}

    @property
    def reference(self) -> str:
        """The starting point that gains are measured against and that the search starts from."""
        own = "options" if self.engine.options_file is None else "options_file"
        has_own = self.engine.options or self.engine.options_file is not None
        return self.engine.reference or (own if has_own else next(iter(self.backend.starting_points)))

    @property
    def by_steps(self) -> bool:
        """Whether named changes are tried in their order, and nothing is searched."""
        return self.search.sampler == "steps"

    def with_text(self, text: str) -> "Experiment":
        """Return the same experiment as if it were read from another text."""
        same = self.model_copy()
        same.model_post_init(Source(Path(), text, self.notes))
        return same

    @property
    def measuring(self) -> tuple[str, ...]:
        """The phases that measure something, in order."""
        return self.backend.vocabulary.measuring(self.workload_table.benchmarks)

    @property
    def measure(self) -> str:
        """The phase whose result counts; empty where no phase measures anything."""
        return self.backend.vocabulary.measure(self.request)

    def workload(self) -> Workload:
        """Return what is asked of the engine, at full size.

        Raises:
            UsageError: something that the tool is given cannot be read.
        """
        return self.backend.vocabulary.workload(self.request)

    @property
    def times_all_work(self) -> bool:
        """Whether runs do a fixed amount of work, and ``total_time_s`` is the time of all of it."""
        workload = self.workload()
        counts = self.backend.vocabulary.counts_in_total
        return workload.duration_s is None and all(map(counts, workload.benchmarks))

    def objective(self) -> Objective:
        """Return what counts as better; what the tool takes for it where the file names no indicator.

        Raises:
            UsageError: an indicator is unknown, or neither more nor less of it is better.
        """
        return Objective(self.weights) if self.weights else self.backend.vocabulary.objective(self.workload())

    def guards(self) -> tuple[Guard, ...]:
        """Return the indicators that must not get much worse than in the reference.

        Raises:
            UsageError: an indicator or its text is wrong.
        """
        return tuple(guard for guard in self._bounds() if isinstance(guard, Guard))

    def limits(self) -> tuple[Limit, ...]:
        """Return the indicators that have an absolute bound.

        Raises:
            UsageError: an indicator or its text is wrong.
        """
        return tuple(limit for limit in self._bounds() if isinstance(limit, Limit))

    def _bounds(self) -> list[Guard | Limit]:
        return [read_guard(name, text) for name, text in self.guard_texts.items()]
