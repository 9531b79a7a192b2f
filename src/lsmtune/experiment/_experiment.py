"""What an experiment file says as a whole. What spans several keys is checked in `_checks`."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, get_args

from pydantic import Field, PrivateAttr

from lsmtune.backends import Benchmark, BenchmarkKind
from lsmtune.backends.db_bench import BENCHMARKS
from lsmtune.backends.leveldb_bench import LEVELDB_BENCHMARKS
from lsmtune.backends.ycsb import SETTLE, record_bytes
from lsmtune.errors import UsageError
from lsmtune.experiment._fields import Name, Scale, Source, Texts
from lsmtune.experiment._guards import read_guard
from lsmtune.experiment._tables import (
    BudgetTable,
    Changes,
    Compared,
    EngineTable,
    HostTable,
    Reference,
    ReproduceTable,
    SampleTable,
    SearchTable,
    SpaceTable,
    SweepTable,
    Table,
    WorkloadTable,
)
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Settle, Tool, Workload


class Experiment(Table):
    """An experiment: what is measured, which options are searched, what counts as better, and the budget."""

    _text: str = PrivateAttr(default="")
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
        description="Weight of each indicator that is made better; left out, the throughput.",
    )
    guard_texts: dict[str, str] = Field(
        default_factory=dict,
        alias="guards",
        description='How much worse an indicator may get than the reference\'s ("1.10x", "10%"), or a limit '
        'in its unit ("<= 5ms").',
    )
    constraints: Texts = Field(default=(), description="Relations over options that must hold, at full size.")
    budget: BudgetTable = Field(default_factory=lambda: BudgetTable.model_validate({}))
    search: SearchTable = Field(default_factory=SearchTable)
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

    def model_post_init(self, context: object) -> None:
        """Keep the text that the file had when it was read; a later look may find another."""
        self._text = context.text if isinstance(context, Source) else ""

    @property
    def text(self) -> str:
        """The TOML that it was read from; empty where it was read from none."""
        return self._text

    @property
    def reference(self) -> Reference:
        """The baseline that gains are measured against and that the search starts from."""
        rocksdb_bench = self.workload_table.tool is Tool.DB_BENCH and self.engine.name == "rocksdb"
        of_the_tool: Reference = "db_bench" if rocksdb_bench else self.engine.name
        own: Reference = "options" if self.engine.options_file is None else "options_file"
        has_own = self.engine.options or self.engine.options_file is not None
        return self.engine.reference or (own if has_own else of_the_tool)

    @property
    def by_steps(self) -> bool:
        """Whether named changes are tried in their order, and nothing is searched."""
        return self.search.sampler == "steps"

    def searching_with(self, sampler: str) -> "Experiment":
        """Return the experiment with another sampler.

        Raises:
            UsageError: there is no such sampler.
        """
        known = get_args(SearchTable.model_fields["sampler"].annotation)
        if sampler not in known:
            raise UsageError(f'--sampler: "{sampler}" is not a sampler; choose one of {", ".join(known)}')
        return self.model_copy(update={"search": self.search.model_copy(update={"sampler": sampler})})

    @property
    def known_steps(self) -> Mapping[str, Benchmark]:
        """The benchmarks of the engine's db_bench, by name."""
        return LEVELDB_BENCHMARKS if self.engine.name == "leveldb" else BENCHMARKS

    @property
    def settle(self) -> Settle:
        """What happens between the load and the reading of sizes; LevelDB's db_bench can do nothing there."""
        table = self.workload_table
        cannot = table.tool is Tool.DB_BENCH and self.engine.name == "leveldb"
        return Settle.NONE if cannot and "settle" not in table.model_fields_set else table.settle

    @property
    def measuring(self) -> tuple[str, ...]:
        """The steps that measure something, in order."""
        steps = self.workload_table.benchmarks
        if self.workload_table.tool is Tool.YCSB:
            return tuple(step for step in steps if step != SETTLE)
        known = self.known_steps
        return tuple(step for step in steps if step in known and known[step].measures)

    @property
    def measure(self) -> str:
        """The step whose result counts; empty where no step measures anything."""
        return self.workload_table.measure or (self.measuring[-1] if self.measuring else "")

    def workload(self) -> Workload:
        """Return what is asked of the engine, at full size."""
        table, is_ycsb = self.workload_table, self.workload_table.tool is Tool.YCSB
        key_bytes, value_bytes = table.key_size_bytes, table.value_size_bytes
        if is_ycsb:
            key_bytes, value_bytes = record_bytes(table.properties)
        flags = table.properties if is_ycsb else table.flags
        return Workload(
            benchmarks=table.benchmarks,
            measure=self.measure,
            num=table.num,
            load=table.load,
            key_size_bytes=key_bytes,
            value_size_bytes=value_bytes,
            threads=table.threads,
            duration_s=table.duration_s,
            operations=table.operations,
            compression_ratio=table.compression_ratio or (1.0 if is_ycsb else 0.5),
            disable_wal=table.disable_wal,
            settle=self.settle,
            statistics=table.statistics,
            flags=tuple(flags.items()),
            tool=table.tool,
            phases=tuple((name, tuple(properties.items())) for name, properties in table.phases.items()),
        )

    def objective(self) -> Objective:
        """Return what counts as better; the throughput where the file names no indicator.

        Of several phases of ycsb, the throughput of each counts the same. A fill that settles is judged by operations
        over write and settle time together: otherwise a configuration wins by leaving its debt for later.

        Raises:
            UsageError: an indicator is unknown, or neither more nor less of it is better.
        """
        if self.weights:
            return Objective(self.weights)
        if self.workload_table.tool is Tool.YCSB:
            others = [f"throughput_ops_s@{step}" for step in self.measuring if step != self.measure]
            return Objective(dict.fromkeys(("throughput_ops_s", *others), 1.0))
        measured = self.known_steps.get(self.measure)
        fills = measured is not None and measured.kind is BenchmarkKind.FILL
        settles = self.settle is Settle.WAIT
        return Objective({"throughput_settled_ops_s" if fills and settles else "throughput_ops_s": 1.0})

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
