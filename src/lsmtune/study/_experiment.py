"""What an experiment file says: the tables, their keys, defaults and ranges.

The models hold values in base units (B, s, 1), so their fields end in the unit; the alias is the key in the
file. What spans several keys is checked in `_experiment_checks`.
"""

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, model_validator

from lsmtune.benches.db_bench import BENCHMARKS, BenchmarkKind
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Settle, Workload
from lsmtune.study._experiment_guards import read_guard
from lsmtune.study._experiment_types import (
    Count,
    DiskSize,
    FilePath,
    Flag,
    ItemSize,
    Name,
    Scalar,
    Scalars,
    Scale,
    Seconds,
    Texts,
    Words,
)

DEFAULT_TIME = "30m"
"""Budget of an experiment that gives neither time nor runs."""


class Table(BaseModel):
    """A table of an experiment file: frozen, without unknown keys, without conversions between types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class EngineTable(Table):
    """Which build runs, and which configuration gains are measured against."""

    name: Literal["rocksdb"] = Field(default="rocksdb", description="The engine.")
    db_bench: FilePath | None = Field(
        default=None, description="Path of the db_bench binary; left out, $LSMTUNE_DB_BENCH, else the one in PATH."
    )
    options_file: FilePath | None = Field(
        default=None, description="Your own OPTIONS file, a third baseline; relative to the experiment file."
    )
    reference: Literal["db_bench", "rocksdb", "options_file"] | None = Field(
        default=None,
        description="What gains are measured against and the search starts from: the defaults of db_bench, those of "
        "RocksDB, or your options_file; left out, options_file where it is given, else db_bench.",
    )


class WorkloadTable(Table):
    """What db_bench is asked to do, at full size. It stays the same while options are tuned."""

    benchmarks: Words = Field(description="The measured steps in db_bench's names, in order.")
    load: Words = Field(
        default=(), description="Steps that build the data once, for workloads that read; empty for fills."
    )
    measure: str | None = Field(
        default=None,
        description="The step whose result counts; left out, the last of benchmarks that measures something.",
    )
    num: Count = Field(description="Keys at full size; num times scale keys are used.")
    key_size_bytes: ItemSize = Field(default=16, alias="key_size", description="Bytes of a key; never scaled.")
    value_size_bytes: ItemSize = Field(default=100, alias="value_size", description="Bytes of a value; never scaled.")
    threads: int = Field(default=1, ge=1, le=1024, description="Client threads.")
    duration_s: Seconds | None = Field(
        default=None, alias="duration", description="Length of timed steps; left out, steps run their operation count."
    )
    operations: Count | None = Field(default=None, description="Operations of a step at full size; left out, num.")
    compression_ratio: float = Field(
        default=0.5, gt=0, le=1, description="Share of a value that remains when compressed."
    )
    disable_wal: bool = Field(default=False, description="Writes skip the write-ahead log.")
    settle: Annotated[Settle, Strict(strict=False)] = Field(
        default=Settle.WAIT,
        description="wait: flush and compact what is due before sizes are read; none: leave the debt hidden.",
    )
    statistics: bool = Field(default=True, description="Let the engine count; costs 5 to 10 % of the throughput.")
    flags: dict[str, Flag] = Field(
        default_factory=dict, description="Further db_bench flags that describe the workload, passed as they are."
    )


class RangeTable(Table):
    """Another range for one option: low, high and log for numbers, or a list of values."""

    low: Scalar | None = Field(default=None, description="Least value, at full size.")
    high: Scalar | None = Field(default=None, description="Largest value, at full size.")
    log: bool | None = Field(default=None, description="Search on a logarithmic axis.")
    values: Scalars | None = Field(default=None, description="The only values to try.")

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> "RangeTable":
        bounds = [bound for bound in (self.low, self.high, self.log) if bound is not None]
        if bool(bounds) == (self.values is not None):
            raise ValueError(
                'a range is either low and high, or values; write it like { low = "16MiB", high = "1GiB" }'
            )
        return self


class SpaceTable(Table):
    """Which options are searched, and where."""

    preset: str | None = Field(default=None, description="A named set of options for a kind of workload.")
    options: Texts = Field(default=(), description="Options to search, in addition to the preset's.")
    exclude: Texts = Field(default=(), description="Options of the preset that are not searched.")
    ranges: dict[str, RangeTable] = Field(default_factory=dict, description="Other ranges than the catalogue's.")
    fixed: dict[str, Scalar] = Field(
        default_factory=dict, description="Options that are set to a value and not searched."
    )


class BudgetTable(Table):
    """When the search ends: by time, by runs, or by what comes first."""

    time_s: Seconds | None = Field(
        default=None, alias="time", description="Wall time of the whole way; 30m if runs are not given either."
    )
    runs: int | None = Field(default=None, ge=1, description="Number of runs.")

    @model_validator(mode="before")
    @classmethod
    def _has_a_limit(cls, table: Any) -> Any:
        if isinstance(table, dict) and not table.keys() & {"time", "runs"}:
            return {**table, "time": DEFAULT_TIME}
        return table


class SearchTable(Table):
    """How the search goes about it."""

    sampler: Literal["random", "sobol", "tpe", "ga", "ga-jin2022"] = Field(
        default="tpe", description="What proposes configurations."
    )
    seed: int = Field(default=1, ge=1, le=2**31 - 1, description="Seed of the sampler and of the order of runs.")
    anchor_every: int = Field(default=5, ge=2, description="Of so many runs of the search, one repeats the reference.")
    cap: float = Field(
        default=3.0, gt=1, description="A run that takes this many times the reference's time is stopped."
    )
    noise_runs: int = Field(
        default=5, ge=3, le=50, description="Repeats of the reference at the start; they give the noise."
    )
    finalists: int = Field(default=3, ge=1, le=5, description="Configurations that are verified with fresh runs.")
    interest: float = Field(default=0.03, gt=0, lt=1, description="Smallest gain worth having, as a share.")


class SampleTable(Table):
    """Which configurations `lsmtune sample` runs, to learn which options matter."""

    design: Literal["sobol", "lhs", "random", "plackett-burman"] = Field(
        default="sobol",
        description="How the points are spread: a scrambled Sobol sequence, an optimised Latin hypercube, independent "
        "draws, or a two-level screening with foldover, which decides by itself how many points it has.",
    )
    runs: int = Field(default=256, ge=8, le=100_000, description="Configurations to learn from.")
    test: int = Field(
        default=0, ge=0, le=100_000, description="Configurations of a second design that no model is fitted to."
    )
    replicates: int = Field(
        default=20,
        ge=0,
        le=1000,
        description="Configurations that are run several times, for the ceiling of any model.",
    )
    repeats: int = Field(default=3, ge=2, le=50, description="Runs of each replicated configuration.")
    axes: dict[str, RangeTable] = Field(
        default_factory=dict,
        description="What of the workload varies too: threads, compression_ratio, key_size, value_size, disable_wal. "
        "For an importance study only: changing the workload changes the question, so nothing is tuned there.",
    )


class ReproduceTable(Table):
    """Which published pipeline `lsmtune reproduce` repeats, and how."""

    of: Literal["jin2022"] = Field(description="The work that is repeated: Jin et al. 2022.")
    mode: Literal["as-published", "sound"] = Field(
        default="sound",
        description="as-published: what describes the workload is searched too, and indicators are read right after "
        "the load; sound: the workload is frozen and the debt is paid.",
    )
    genes: Texts = Field(
        default=(), description="What the genetic algorithm searches; left out, the leaders of the forest's ranking."
    )
    leaders: int = Field(default=4, ge=2, le=30, description="How many leaders of the ranking become genes.")
    generations: int = Field(default=7, ge=1, le=1000, description="Generations after the first population of 8.")
    pairs: int = Field(default=6, ge=2, le=100, description="Fresh runs of each arm in the comparison.")


class HostTable(Table):
    """Where data is put and how much of the disk it may take."""

    scratch: FilePath | None = Field(
        default=None, description="Folder for the data; left out, the study folder's scratch."
    )
    min_free_bytes: DiskSize = Field(
        default=2 * 2**30, alias="min_free", description="No run starts with less free disk."
    )
    max_disk_bytes: DiskSize | None = Field(
        default=None, alias="max_disk", description="A run that takes more is stopped."
    )


class Experiment(Table):
    """An experiment: what is measured, which options are searched, what counts as better, and the budget."""

    name: Name = Field(default="experiment", description="Name of the study; left out, the file's name without .toml.")
    scale: Scale = Field(
        default=Fraction(1), description="One factor by which the data and every size option shrink together."
    )
    engine: EngineTable = Field(default_factory=EngineTable)
    workload_table: WorkloadTable = Field(alias="workload")
    space: SpaceTable
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
    sample: SampleTable = Field(default_factory=SampleTable)
    reproduce: ReproduceTable | None = Field(default=None, description="Left out, nothing published is repeated.")
    host: HostTable = Field(default_factory=HostTable)

    @property
    def reference(self) -> Literal["db_bench", "rocksdb", "options_file"]:
        """The baseline that gains are measured against and that the search starts from."""
        return self.engine.reference or ("db_bench" if self.engine.options_file is None else "options_file")

    @property
    def measure(self) -> str:
        """The step whose result counts; empty where no step measures anything."""
        table = self.workload_table
        measuring = [step for step in table.benchmarks if step in BENCHMARKS and BENCHMARKS[step].measures]
        return table.measure or (measuring[-1] if measuring else "")

    def workload(self) -> Workload:
        """Return what is asked of the engine, at full size."""
        table = self.workload_table
        return Workload(
            benchmarks=table.benchmarks,
            measure=self.measure,
            num=table.num,
            load=table.load,
            key_size_bytes=table.key_size_bytes,
            value_size_bytes=table.value_size_bytes,
            threads=table.threads,
            duration_s=table.duration_s,
            operations=table.operations,
            compression_ratio=table.compression_ratio,
            disable_wal=table.disable_wal,
            settle=table.settle,
            statistics=table.statistics,
            flags=tuple(table.flags.items()),
        )

    def objective(self) -> Objective:
        """Return what counts as better; the throughput where the file names no indicator.

        A fill that settles is judged by operations over write and settle time together: otherwise a
        configuration wins by leaving its debt for later.

        Raises:
            UsageError: an indicator is unknown, or neither more nor less of it is better.
        """
        if self.weights:
            return Objective(self.weights)
        fills = self.measure in BENCHMARKS and BENCHMARKS[self.measure].kind is BenchmarkKind.FILL
        settles = self.workload_table.settle is Settle.WAIT
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
