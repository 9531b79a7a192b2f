"""The tables of an experiment file: their keys, defaults and ranges.

The models hold values in base units (B, s, 1), so their fields end in the unit; the alias is the key in the file.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, Strict, field_validator, model_validator

from lsmtune.backends.registry import program_keys
from lsmtune.experiment._fields import (
    Bandwidth,
    BaselineName,
    ClimbScales,
    Count,
    DiskSize,
    EngineName,
    FilePath,
    FilePaths,
    Flag,
    HoldSeconds,
    ItemSize,
    MemorySize,
    PartOf,
    Percentile,
    Scalar,
    Scalars,
    Scales,
    Seconds,
    ShortSeconds,
    Texts,
    ToolName,
    Words,
)
from lsmtune.model import MaxRate, Settle, Value

DEFAULT_HOLD_S = 10.0
"""Time in s for which a rate is held where the file does not say."""

DEFAULT_TIME = "30m"
"""Budget of an experiment that gives no limit at all."""


class Table(BaseModel):
    """A table of an experiment file: frozen, without unknown keys, without conversions between types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class EngineTable(Table):
    """Which build runs, and which configuration gains are measured against."""

    name: EngineName = Field(
        default="rocksdb",
        description="The engine; both tools drive both, db_bench with the one that comes with the engine.",
    )
    db_bench: FilePath | None = Field(
        default=None,
        description="Path of the db_bench binary; left out, $LSMTUNE_DB_BENCH, else the newest of lsmtune build "
        "rocksdb, else the one in PATH. For LevelDB and its forks: $LSMTUNE_LEVELDB_BENCH, else one in PATH that is "
        "LevelDB's, else the one that lsmtune build leveldb built.",
    )
    driver: FilePath | None = Field(
        default=None,
        description="Path of lsmtune-ycsb, for the tool ycsb; left out, $LSMTUNE_DRIVER, else the one in PATH, else "
        "the one that lsmtune build driver built.",
    )
    options_file: FilePath | None = Field(
        default=None,
        description="Your own OPTIONS file, relative to the experiment file: the reference, unless the key `reference` "
        "names another. What such a file cannot hold is given under [engine.options].",
    )
    column_family: str | None = Field(
        default=None,
        min_length=1,
        description='The column family of options_file that is tuned; left out, "default". Only this family is run, '
        "and the export puts it back beside the others.",
    )
    options: dict[str, Scalar] = Field(
        default_factory=dict,
        description="Your own configuration as values at full size: a further starting point, or, with options_file, "
        'what is set over the file: cache_size = "512MiB". "default" is the default of the build. It may hold options '
        "that are searched.",
    )
    reference: BaselineName | None = Field(
        default=None,
        description="What gains are measured against and the search starts from: the defaults of db_bench, those of "
        "the engine as a library (rocksdb, leveldb), your options_file or your options; left out, options_file where "
        "it is given, else options, else the defaults of the build.",
    )

    @property
    def programs(self) -> dict[str, Path | None]:
        """The keys that name a program, each with its path."""
        return {key: getattr(self, key) for key in program_keys()}


class MaxRateTable(Table):
    """The largest rate that the measured phase can sustain: what has to be kept, and how it is sought."""

    limit_s: ShortSeconds = Field(
        alias="limit",
        description="What the percentile of latencies may be at most, counted from when each operation was due.",
    )
    percentile: Percentile = Field(
        default=99.0, description="The percentile that the limit is for: 99 or 99.9, over all operations of the phase."
    )
    hold_s: HoldSeconds | None = Field(
        default=None,
        alias="hold",
        description="How long each rate is judged, after half that time at the same rate; left out, the workload's "
        "duration, else 10 s. It has to be long enough for many flushes and compactions.",
    )
    precision: float = Field(
        default=0.05,
        ge=0.005,
        le=0.5,
        description="The largest rate that keeps the limit and the next one that does not differ by this share at "
        "most.",
    )
    most: int = Field(default=16, ge=4, le=100, description="The most rates that a run holds, repeats included.")


class WorkloadTable(Table):
    """What the engine is asked to do, at full size. It stays the same while options are tuned."""

    tool: ToolName = Field(
        default="db_bench",
        description="The program that drives the engine: db_bench, the benchmark that comes with it, or ycsb, "
        "lsmtune's own driver.",
    )
    benchmarks: Words = Field(
        description="The measured phases in the tool's names, in order; for ycsb load, the core workloads a to f, and "
        "the names of your own phases."
    )
    load: Words = Field(
        default=(), description="Phases that build the data once, for workloads that read; empty for fills."
    )
    measure: str | None = Field(
        default=None,
        description="The phase whose result counts; left out, the last of benchmarks that measures something.",
    )
    num: Count = Field(description="Keys at full size; num times scale keys are used.")
    key_size_bytes: ItemSize = Field(
        default=16, alias="key_size", description="Bytes of a key, for db_bench; never scaled."
    )
    value_size_bytes: ItemSize = Field(
        default=100, alias="value_size", description="Bytes of a value, for db_bench; never scaled."
    )
    threads: int = Field(default=1, ge=1, le=1024, description="Client threads.")
    duration_s: Seconds | None = Field(
        default=None,
        alias="duration",
        description="Length of timed phases; left out, phases run their operation count.",
    )
    operations: Count | None = Field(default=None, description="Operations of a phase at full size; left out, num.")
    compression_ratio: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Share of a value that remains when compressed; left out, 0.5 with db_bench and 1 with ycsb.",
    )
    disable_wal: bool = Field(default=False, description="Writes skip the write-ahead log.")
    settle: Annotated[Settle, Strict(strict=False)] = Field(
        default=Settle.WAIT,
        description="wait: flush and compact what is due before sizes are read; none: leave the debt hidden. Left out, "
        "wait, but none with LevelDB's db_bench, which cannot wait.",
    )
    statistics: bool = Field(default=True, description="Let the engine count; costs 5 to 10 % of the throughput.")
    one_load: bool = Field(
        default=False,
        description="All runs read the data of one load. That saves the time of loading for each block, but every "
        "claim then holds for this data only, and says so; left out, each block of runs loads anew.",
    )
    flags: dict[str, Flag] = Field(
        default_factory=dict, description="Further db_bench flags that describe the workload, passed as they are."
    )
    properties: dict[str, Flag] = Field(
        default_factory=dict, description="Properties of YCSB for all phases, passed as they are; for the tool ycsb."
    )
    property_files: FilePaths = Field(
        default=(),
        description="Property files of YCSB or YCSB-cpp, relative to the experiment file, as they are: options of the "
        "engine in them are fixed as under [space.fixed], the rest is for all phases; a later file takes precedence, "
        "and this file takes precedence over all of them.",
    )
    phases: dict[str, dict[str, Flag]] = Field(
        default_factory=dict,
        description="Your own phases for the tool ycsb: properties by name of the phase, over those for all phases.",
    )
    reopen: bool = Field(
        default=False,
        description="Close and open the database before each measured phase but the first, for the tool ycsb, as if "
        "each phase were a process of its own: the engine's caches are empty then, the page cache stays as it is.",
    )
    max_rate_table: MaxRateTable | None = Field(
        default=None,
        alias="max_rate",
        description="The measured phase is a search for the largest rate that keeps a limit, for the tool ycsb; left "
        "out, it is run once.",
    )

    @property
    def max_rate(self) -> MaxRate | None:
        """What the search for the largest rate has to keep; None where there is none."""
        table = self.max_rate_table
        if table is None:
            return None
        hold_s = table.hold_s or self.duration_s or DEFAULT_HOLD_S
        return MaxRate(table.limit_s, table.percentile, hold_s, table.precision, table.most)


class RangeTable(Table):
    """Another range for one option: low, high, log and step for numbers, or a list of values."""

    low: Scalar | None = Field(default=None, description="Least value, at full size.")
    high: Scalar | None = Field(default=None, description="Largest value, at full size.")
    log: bool | None = Field(default=None, description="Search on a logarithmic axis.")
    step: Scalar | None = Field(default=None, description="Distance between values, counted from low.")
    values: Scalars | None = Field(default=None, description="The only values to try.")

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> "RangeTable":
        bounds = [bound for bound in (self.low, self.high, self.log, self.step) if bound is not None]
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
    """When the runs of a command end: by time, by runs, or by what comes first. Without it sample and sweep run all."""

    time_s: Seconds | None = Field(
        default=None,
        alias="time",
        description="Wall time of all runs together, over all sessions; 30m if neither runs nor trials are given.",
    )
    runs: int | None = Field(default=None, ge=1, description="Number of runs.")
    trials: int | None = Field(
        default=None,
        ge=1,
        description="Number of trials of the search of lsmtune tune; baseline runs and those of the verification come "
        "on top, as many as such a search needs if runs are not given.",
    )

    @model_validator(mode="before")
    @classmethod
    def _has_a_limit(cls, table: Any) -> Any:
        if isinstance(table, dict) and not table.keys() & {"time", "runs", "trials"}:
            return {**table, "time": DEFAULT_TIME}
        return table


class SearchTable(Table):
    """How the search proceeds."""

    sampler: Literal[
        "random",
        "sobol",
        "grid",
        "tpe",
        "smac",
        "agp",
        "gp",
        "cmaes",
        "anneal",
        "ga",
        "ga-jin2022",
        "nsga2",
        "nsga3",
        "steps",
    ] = Field(
        default="agp",
        description="What proposes configurations; steps: the list of changes under [[steps]], one after the other.",
    )
    seed: int = Field(default=1, ge=1, le=2**31 - 1, description="Seed of the sampler and of the order of runs.")
    first: FilePaths = Field(
        default=(),
        description="Earlier studies of the same engine, as folders, samples too: their results and best trials or "
        "points are tried first, if the space holds them.",
    )
    stop: bool = Field(
        default=False,
        description="End the search early if the chance is at most 10 % that the rest of its share finds something "
        "better by the minimum effect of interest. It suits random; with samplers that learn it loses too often.",
    )
    anchor_every: int = Field(default=5, ge=2, description="Of so many runs of the search, one repeats the reference.")
    cap: float = Field(
        default=3.0, gt=1, description="A run that takes this many times the reference's time is stopped."
    )
    beat: float = Field(
        default=2.0,
        gt=1,
        description="A trial that takes this many times the best trial's time is stopped, as it cannot win; only if "
        "the objective is a rate or a time of a fixed number of operations.",
    )
    rungs: Scales = Field(
        default=(),
        description="Parts of the scale at which trials are run first, rising, one or two of them; the best go on to a "
        "whole run. A rung that misleads is left out: it is checked on the first trials.",
    )
    noise_runs: int = Field(
        default=5,
        ge=3,
        le=50,
        description="Repeats of the reference, which give the noise. They run at the start; if a search follows, "
        "three do, and the others run among its first trials.",
    )
    finalists: int = Field(
        default=3,
        ge=1,
        le=8,
        description="Configurations that are verified with fresh runs; more than 5 only if pareto is true.",
    )
    pareto: bool = Field(
        default=False,
        description="The result is a front: finalists are the trials that represent the trade-offs between the 2 to 4 "
        "indicators of the objective. Each is verified in each indicator, and the weights only choose among them. "
        "Not "
        "with the sampler steps.",
    )
    interest: float = Field(default=0.03, gt=0, lt=1, description="Smallest gain worth having, as a share.")


class VerifyTable(Table):
    """At which larger scales `lsmtune tune` verifies again what it has chosen."""

    scales: ClimbScales = Field(
        default=(),
        description="Larger scales than the study's own, rising: what was chosen is verified there again, the "
        "smallest scale first; if it loses, the next finalist is verified. Not with pareto or the sampler steps.",
    )
    share: float = Field(
        default=0.3, gt=0, le=0.8, description="Part of the budget that verification at larger scales may take."
    )
    shrink: Literal["tree", "data"] = Field(
        default="tree",
        description="What is smaller there than in production. tree: data and size options together, as under scale; "
        "data: only the data, under production's options.",
    )


class ChangeTable(Table):
    """Options that are set together, under a name."""

    name: str = Field(min_length=1, max_length=60, description="What you call it; shown in results.")
    because: str = Field(default="", max_length=300, description="Why it should help; shown in results.")
    values: dict[str, Scalar] = Field(alias="set", description="Values by option, at full size.")

    @field_validator("values")
    @classmethod
    def _sets_something(cls, values: dict[str, Value]) -> dict[str, Value]:
        if not values:
            raise ValueError('sets nothing; write it like set = { write_buffer_size = "8MiB" }')
        return values


class CompareTable(ChangeTable):
    """A configuration that is compared with the reference, another build, or both at once."""

    values: dict[str, Scalar] = Field(
        default_factory=dict,
        alias="set",
        description="Values by option, at full size; left out, those of the reference.",
    )
    db_bench: FilePath | None = Field(
        default=None,
        description="Path of another db_bench of the same engine, on which it runs; left out, the reference's.",
    )
    driver: FilePath | None = Field(
        default=None, description="Path of another lsmtune-ycsb, on which it runs, for the tool ycsb."
    )

    @property
    def programs(self) -> dict[str, Path | None]:
        """The keys that name a program, each with its path."""
        return {key: getattr(self, key) for key in program_keys()}

    @property
    def build(self) -> FilePath | None:
        """The program on which it runs; None where that is the reference's."""
        return self.driver if self.db_bench is None else self.db_bench

    @property
    def names_a_program(self) -> bool:
        """Whether it says what it runs on."""
        return self.build is not None

    @model_validator(mode="after")
    def _differs(self) -> "CompareTable":
        if not self.values and not self.names_a_program:
            raise ValueError(
                'has neither values nor a build; write set = { write_buffer_size = "8MiB" }, or name another build '
                'with db_bench = "/path/to/db_bench"'
            )
        return self


class VariantTable(CompareTable):
    """A variant of a sweep: options that are set together, another engine or build, or both."""

    engine: EngineName | None = Field(
        default=None,
        description="The engine on which it runs, with the options of that engine; left out, the experiment's. Another "
        "one goes with axes of the workload only.",
    )

    @property
    def names_a_program(self) -> bool:
        """Whether it says what it runs on."""
        return self.build is not None or self.engine is not None

    def runs_elsewhere(self, engine: str) -> bool:
        """Whether it runs on another engine than the experiment's `engine`, or on a build that it names."""
        return self.build is not None or self.engine not in (None, engine)


Changes: TypeAlias = Annotated[tuple[ChangeTable, ...], Strict(strict=False)]
"""A list of tables."""

Compared: TypeAlias = Annotated[tuple[CompareTable, ...], Strict(strict=False)]
"""A list of tables."""

VariantTables: TypeAlias = Annotated[tuple[VariantTable, ...], Strict(strict=False)]
"""A list of tables."""


class SampleTable(Table):
    """Which configurations `lsmtune sample` runs, to learn which options matter."""

    design: Literal["sobol", "lhs", "random", "plackett-burman", "factorial"] = Field(
        default="sobol",
        description="How the points are spread: a scrambled Sobol sequence, an optimised Latin hypercube, independent "
        "draws, a two-level screening with foldover, or every combination of listed values (factorial); the last two "
        "decide by themselves how many points they have.",
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
        description="Parts of the workload that vary too: threads, compression_ratio, key_size, value_size (under YCSB "
        "that of a row), disable_wal; with max_rate its limit and percentile, with a target of YCSB target. For an "
        "importance study only: changing the workload changes the question, so nothing is tuned there.",
    )


class SweepTable(Table):
    """A grid of workloads and options that `lsmtune sweep` runs, every combination in each block."""

    options: dict[str, Scalars] = Field(default_factory=dict, description="Values by option, at full size.")
    axes: dict[str, Scalars] = Field(
        default_factory=dict,
        description="Values of the parts of the workload that vary: threads, compression_ratio, key_size, value_size "
        "(under YCSB that of a row), disable_wal; with max_rate its limit and percentile, with a target of YCSB "
        "target.",
    )
    variants: dict[str, VariantTables] = Field(
        default_factory=dict,
        description="Factors of your own: each is a list of variants, with a name and the options that it sets "
        "together; options that one leaves out have the reference's value. A variant may also run on another "
        "engine or build.",
    )
    repeats: int | None = Field(
        default=None,
        ge=2,
        le=50,
        description="Blocks: runs of each combination. Left out, 3 to 10: as many as show a difference of 10 % in the "
        "objective with the noise of the reference's first runs.",
    )
    rival: str | None = Field(
        default=None, description="The option, axis or variants whose values compete in each cell of the others."
    )
    fraction: PartOf | None = Field(
        default=None,
        description="Part of the grid that is run, spread evenly over the cells of all factors but the rival, so that "
        "every value stays; left out, all of it.",
    )

    @model_validator(mode="after")
    def _is_a_grid(self) -> "SweepTable":
        if not self.options and not self.axes and not self.variants:
            raise ValueError('has nothing to vary; write [sweep.options] with write_buffer_size = ["16MiB", "64MiB"]')
        return self


class ReproduceTable(Table):
    """Which published pipeline `lsmtune reproduce` repeats, and how."""

    of: Literal["jin2022"] = Field(description="The work that is repeated: Jin et al. 2022.")
    mode: Literal["as-published", "sound"] = Field(
        default="sound",
        description="as-published: what describes the workload is searched too, and indicators are read right after "
        "the load; sound: the workload is frozen, and compactions finish before results are read.",
    )
    sample: bool = Field(
        default=True,
        description="false: the design of [sample] is not run, only the genetic algorithm and the comparison; its "
        "genes have to be named then.",
    )
    genes: Texts = Field(
        default=(), description="What the genetic algorithm searches; left out, the leaders of the forest's ranking."
    )
    leaders: int = Field(default=4, ge=2, le=30, description="How many leaders of the ranking become genes.")
    generations: int = Field(default=7, ge=1, le=1000, description="Generations after the first population of 8.")
    parents: Literal["two-best", "survivors"] = Field(
        default="two-best",
        description="Which chromosomes are crossed: the two best (section 3.5 of the paper), or any two of the four "
        "that survive (a reading of its section 4.5).",
    )
    fitness: float | None = Field(
        default=None,
        gt=0,
        description="The genetic algorithm ends with the generation whose best chromosome has this fitness (Eq. 2; the "
        "paper shows about 1600); left out, after all generations.",
    )
    pairs: int = Field(default=6, ge=2, le=100, description="Fresh runs of each arm in the comparison.")


class HostTable(Table):
    """Where data is put, what runs may use of this host, and what is done with runs that others disturb."""

    scratch: FilePath | None = Field(
        default=None, description="Folder for the data, which has to be there; left out, the study folder's scratch."
    )
    min_free_bytes: DiskSize = Field(
        default=2 * 2**30, alias="min_free", description="No run starts with less free disk."
    )
    max_disk_bytes: DiskSize | None = Field(
        default=None, alias="max_disk", description="A run that takes more is stopped."
    )
    disturbed: Literal["wait", "use", "refuse"] = Field(
        default="wait",
        description="What is done with a run during which others used the host. wait: it is made again, up to twice "
        "and "
        "within 15 % of the budget, and used as it is after that; use: it is used as it is; refuse: it is made again "
        "up to twice and then used for nothing that others can change.",
    )
    memory_bytes: MemorySize = Field(
        default=None,
        alias="memory",
        description='Memory of the host of production, at full size, or "none" to leave it unknown. A run gets '
        "its scale's share, page cache included, and what a process needs without data on top; configurations that "
        "surely need more than production has are not tried.",
    )
    page_cache: Literal["cgroup", "direct", "free"] | None = Field(
        default=None,
        description="How much of the page cache a run has. cgroup: a control group limits it to its share of memory; "
        "direct: reads, "
        "flushes and compactions go past it (use_direct_reads, use_direct_io_for_flush_and_compaction); free: all that "
        "this host has. Left out, cgroup if memory is given, else free.",
    )
    read_bandwidth_bytes_s: Bandwidth | None = Field(
        default=None,
        alias="read_bandwidth",
        description="The most that a run reads from the disk in a second, as production's disk; a scale leaves it.",
    )
    write_bandwidth_bytes_s: Bandwidth | None = Field(
        default=None, alias="write_bandwidth", description="The most that a run writes to the disk in a second."
    )
    read_iops: Count | None = Field(default=None, description="The most requests of reading in a second.")
    write_iops: Count | None = Field(default=None, description="The most requests of writing in a second.")

    @property
    def cached_by(self) -> str:
        """How much of the page cache a run has: what is said, else what follows from `memory_bytes`."""
        return self.page_cache or ("free" if self.memory_bytes is None else "cgroup")
