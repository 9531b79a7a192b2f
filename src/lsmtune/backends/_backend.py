"""What a tool has to offer."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._base import Bench
from lsmtune.backends._needs import Needs
from lsmtune.backends._property_file import PropertyFile
from lsmtune.backends._vocabulary import Vocabulary
from lsmtune.errors import EngineError, RunError, UsageError
from lsmtune.lsm_model.tree import Costs, Reads, Step, Writes
from lsmtune.memory_model import MemoryModel
from lsmtune.model import Configuration, EngineBuild, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option, catalogue


class Backend(ABC):
    """All that differs between tools, in one place; it keeps no state.

    A study asks `find` for a build, then for the options that the build can set, their `defaults` and the `baselines`,
    and at last for the `bench` that makes its runs. What experiment files may say is left to the `vocabulary`.
    """

    title: ClassVar[str]
    """What the engine is called in sentences, such as ``RocksDB``."""

    program: ClassVar[str]
    """What the program is called, without the engine that it drives."""

    vocabulary: ClassVar[Vocabulary]
    """What an experiment file may say to the tool; a tool without a workload has none."""

    starting_points: ClassVar[Mapping[str, str]]
    """The names of its baselines, each with what it is called in sentences; the first one is what a run has by itself.

    A name means the same for all tools that have it.
    """

    key: ClassVar[str] = "driver"
    """The key under [engine] that names its program: ``driver``, or ``db_bench`` for what goes by that name."""

    flag: ClassVar[str] = ""
    """The option of the command line that names its program; empty where there is none."""

    drives_many: ClassVar[bool] = False
    """Whether one program drives several engines."""

    prints_defaults: ClassVar[bool] = False
    """Whether the program prints its flags with their defaults, so that a catalogue can be checked against it."""

    needs: ClassVar[Needs] = Needs()
    """What the file of ``lsmtune init`` is about where nobody says anything else."""

    has_starting_text: ClassVar[bool] = False
    """Whether it is the tool for which ``lsmtune init`` writes files for its engine."""

    takes_options_file: ClassVar[bool] = False
    """Whether it takes OPTIONS files of RocksDB."""

    reads_property_files: ClassVar[bool] = False
    """Whether an experiment may name files of properties under [workload]; see `property_file`."""

    one_size: ClassVar[str] = ""
    """Why its tree cannot shrink with the data, as a clause; empty where it can."""

    grows_as_modelled: ClassVar[bool] = False
    """Whether `lsmtune.lsm_model` describes how its tree grows under random writes."""

    memory_model: ClassVar[MemoryModel | None] = None
    """How much memory its engine needs; None where nothing is known of it."""

    formats: ClassVar[tuple[str, ...]] = ("json",)
    """Names of the exports that can hold its options, the one that suits it best first."""

    optimised: ClassVar[str] = ""
    """What builds an engine without assertions: "lsmtune build rocksdb builds one"; empty where nothing does."""

    same_data: ClassVar[bool] = False
    """Whether it makes the same data in each run, whatever the seed."""

    draws_by_seed: ClassVar[bool] = False
    """Whether operations are drawn by the seed alone, so that equal seeds repeat them, and 0 stands for the clock."""

    made: ClassVar[Mapping[str, Value]] = MappingProxyType({})
    """What the program makes of options that it cannot set, by name, where that is not the engine's default."""

    rest: ClassVar[str] = ""
    """What an OPTIONS file holds that it writes, beside the configuration, in words."""

    has_workload: ClassVar[bool] = True
    """Whether its experiments say what is asked of an engine; a command of the user's own asks what it likes."""

    @property
    def shorter_runs(self) -> str:
        """What the user can do where a run takes too long, as the end of a sentence."""
        return f"take less data: a smaller {'' if self.one_size else 'scale or '}workload.num"

    def tree_writes(self, workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
        """Return the phases that write, in order, those that build the data first, for `lsmtune.lsm_model.tree`.

        Raises:
            UsageError: nothing describes what the tool writes, or what a phase writes.
        """
        raise UsageError(f"there is no model of what {workload.tool} writes on this engine")

    def tree_reads(self, workload: Workload, scale: Fraction) -> Reads | None:
        """Return what the measured phase reads, or else the last one that reads; None where none does.

        Raises:
            UsageError: nothing describes what the tool reads, or what the phase reads.
        """
        raise UsageError(f"there is no model of what {workload.tool} reads on this engine")

    def costs(self, build: EngineBuild, scratch: Path, hear: Callable[[Step], None]) -> Costs:
        """Measure what work costs on this host with a build, for `lsmtune.lsm_model.tree`; `hear` is told each step.

        Raises:
            RunError: it cannot be measured.
        """
        raise RunError(f"{self.name(build)} cannot be calibrated; give a db_bench of RocksDB with --db-bench")

    @abstractmethod
    def name(self, build: EngineBuild) -> str:
        """Return what the program is called in sentences, without its version."""

    def described(self, build: EngineBuild) -> str:
        """Return a build in words: version, kind, path, compressors."""
        kind = "assertion build" if build.assertions else "optimised build"
        compressors = ", ".join(build.compressors) or "none"
        return f"{build.engine} {build.version}, {kind}, {build.path}; compressors: {compressors}"

    def catalogue(self, engine: str) -> Catalogue:
        """Return all options of the engine, of all its versions; lsmtune's own catalogue, unless it brings another."""
        return catalogue(engine)

    def starting_text(self, build: EngineBuild, cores: int, named: Path | None, needs: Needs) -> str:
        """Return the commented experiment file that ``lsmtune init`` writes; see `has_starting_text`.

        Args:
            build: what was found.
            cores: processors that may be used.
            named: the program, where the user named it.
            needs: what the user answered; `needs` of the backend where nothing was.
        """
        return ""

    def noise_workload(self) -> tuple[Workload, Fraction] | None:
        """Return what ``lsmtune doctor`` repeats to measure noise, a few seconds of writing, and its scale."""
        return None

    def spelled(
        self,
        build: EngineBuild,
        known: Catalogue,
        configuration: Configuration,
        workload: Workload | None = None,
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return a configuration at full size as the program takes it: the text of an OPTIONS file, if any, arguments.

        Args:
            build: the program.
            known: its options.
            configuration: that is asked for.
            workload: of the runs, whose flags may set options as well; None where it is not known.

        Raises:
            EngineError: the engine has no OPTIONS files.
        """
        raise EngineError(f"{self.name(build)} takes no OPTIONS file; choose one of {', '.join(self.formats)}")

    def property_file(self, text: str, name: str, known: Catalogue) -> PropertyFile:
        """Return what the text of a file of properties says; see `reads_property_files`.

        Args:
            text: of the file.
            name: of the file, for messages.
            known: the engine's options.
        """
        return PropertyFile(problems=(f"{name}: {self.program} reads no files of properties; take it out",))

    def timeline(self, log: list[str]) -> Timeline | None:
        """Return the lines of the engine's LOG as a time line; None where none of them has a time."""
        return None

    @abstractmethod
    def find(self, engine: str, path: Path | None, origin: str) -> EngineBuild:
        """Find the tool and find out what engine it drives.

        Args:
            engine: its name.
            path: the program that the user named; None looks for one.
            origin: where the user named it, for messages.

        Raises:
            EngineError: there is no such program, or it does not drive the engine.
        """

    def how_found(self, path: Path | None) -> str:
        """Return how `find` comes to the program, in words; empty where that is not known."""
        return ""

    @abstractmethod
    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options of the catalogue that cannot be set with this build."""

    @abstractmethod
    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the value of each option in a run that sets none, at full size."""

    @abstractmethod
    def baselines(self, build: EngineBuild, known: Catalogue) -> Mapping[str, Mapping[str, Value]]:
        """Return the starting points by name, each as what it sets; the first one sets nothing."""

    @abstractmethod
    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench that runs a workload at a scale."""
