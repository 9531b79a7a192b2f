"""The db_bench of LevelDB and of its forks."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

from lsmtune.backends._backend import Backend
from lsmtune.backends._base import Bench
from lsmtune.backends._known_builds import known_build
from lsmtune.backends.leveldb import (
    DEFAULTS,
    ONE_SIZE,
    discover_leveldb,
    family_of,
    find_leveldb_bench,
    read_timeline,
)
from lsmtune.backends.leveldb_bench import LevelDbBench
from lsmtune.backends.leveldb_bench._calibrate import LevelDbCalibrator
from lsmtune.backends.leveldb_bench._tree_writes import tree_writes
from lsmtune.backends.leveldb_bench._vocabulary import LevelDbBenchVocabulary
from lsmtune.errors import EngineError
from lsmtune.lsm_model.tree import Costs, Step, Writes
from lsmtune.memory_model import LEVELDB_MEMORY
from lsmtune.model import EngineBuild, Settle, Timeline, Value, Workload
from lsmtune.space import Catalogue, Option, library_values


class LevelDbBenchBackend(Backend):
    """Starts from the defaults of the engine."""

    title = "LevelDB"
    program = "db_bench"
    vocabulary = LevelDbBenchVocabulary()
    starting_points = DEFAULTS
    key = "db_bench"
    flag = "--db-bench"
    one_size = ONE_SIZE
    memory_model = LEVELDB_MEMORY
    formats = ("leveldb-cpp", "json")
    same_data = True
    draws_by_seed = True

    def find(
        self,
        engine: str,
        path: Path | None,
        origin: str,
    ) -> EngineBuild:
        """Try the db_bench; see `Backend`."""
        return known_build(find_leveldb_bench(path, origin), "leveldb", discover_leveldb)

    def tree_writes(self, workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
        """Return what the benchmarks write."""
        return tree_writes(workload, scale)

    def costs(self, build: EngineBuild, scratch: Path, hear: Callable[[Step], None]) -> Costs:
        """Measure with db_bench itself, about a minute; see `Backend`."""
        return LevelDbCalibrator(build, scratch, hear).costs()

    def noise_workload(self) -> tuple[Workload, Fraction]:
        """Return a random fill of 1 KiB values, about 4 s of writing."""
        fill = Workload(
            ("fillrandom",),
            "fillrandom",
            num=150_000,
            value_size_bytes=1024,
            settle=Settle.NONE,
        )
        return fill, Fraction(1)

    def unsupported(self, build: EngineBuild, known: Catalogue) -> tuple[Option, ...]:
        """Return the options that have no flag, or whose flag the binary does not know."""
        flags = dict(build.flags)
        return tuple(option for option in known.options.values() if option.flag is None or option.flag not in flags)

    def defaults(self, build: EngineBuild, known: Catalogue) -> dict[str, Value]:
        """Return the engine's defaults, and those of a known fork where they are its own."""
        own = family_of(name for name, _ in build.flags).own_defaults
        values = library_values(known, build.version_tuple)
        return values | {name: value for name, value in own.items() if name in values}

    def baselines(
        self,
        build: EngineBuild,
        known: Catalogue,
    ) -> Mapping[str, Mapping[str, Value]]:
        """Return the engine's defaults under its name."""
        return {build.engine: {}}

    def bench(self, build: EngineBuild, known: Catalogue, workload: Workload, scale: Fraction) -> Bench:
        """Return the bench of LevelDB's db_bench.

        Raises:
            EngineError: the scale is not 1, or the workload asks for what this db_bench cannot do.
        """
        if scale != 1:
            raise EngineError(
                f"LevelDB runs at full size only, not at scale {scale}: the sizes of its levels are fixed"
            )
        return LevelDbBench(build, known, workload)

    def name(self, build: EngineBuild) -> str:
        """Return ``db_bench of`` the engine."""
        return f"db_bench of {build.engine}"

    def timeline(self, log: list[str]) -> Timeline | None:
        """Read LevelDB's LOG."""
        return read_timeline(log)
