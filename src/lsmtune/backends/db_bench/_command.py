"""A workload and a configuration become a db_bench command line.

Options travel as flags. Where a configuration starts from an OPTIONS file, or sets an option that has no flag, they
travel in an OPTIONS file: db_bench then ignores its flags for database, column family and table options, so the file
has to be complete (missing keys take RocksDB's defaults, not db_bench's).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lsmtune.backends._db_bench_words import FAMILIES
from lsmtune.backends._scaled import ScaledWorkload
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS, can_flush
from lsmtune.backends.db_bench._defaults import default_values
from lsmtune.backends.db_bench._vocabulary import paced_flags, unpaced_flags
from lsmtune.backends.rocksdb import OptionsFile, limits_at_scale, open_with, read_values, write_values
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, Run, Settle, Value, Workload
from lsmtune.space import Kind, Option, library_values, scaled_value

_SETTLED_ALONE = ("flush", "waitforcompaction")
"""How db_bench settles by itself: it sleeps for 5 s, then for 10 s each time that a compaction runs."""
_SETTLED_WHILE_HELD = ("flush", *("stats",) * 10)
"""How it settles while its output is held (decision 0062): ten dumps, of 3.2 kB each at the least, fill the pipe."""
_RESTED_WHILE_HELD = ("stats",) * 24
"""How a db_bench without `flush` waits while its output is held (decision 0067); dumps of old versions are shorter."""
_REPORTING = ("levelstats", "stats")
_MEASURED_ALONE = ("--trace_file=", "--use_existing_keys=", "--readonly=")
"""Flags of measured phases alone: a load would write over the trace, and db_bench builds no data with the others."""
_INTERVALS = "--stats_interval_seconds=1"
"""A line a second and thread in the place of one each so many operations; see `_intervals.py`."""
_LOGGING = ("info_log_level", "max_log_file_size", "log_file_time_to_roll")  # the LOG has to be whole, events included
MOST_FLAG, MERGES_FLAG = "fifo_compaction_max_table_files_size_mb", "fifo_compaction_allow_compaction"
TTL_FLAG = "ttl_seconds"
"""db_bench 7.8 to 11.8 reads --fifo_compaction_ttl and then overwrites it with this one."""
_LIMITS_MIB = frozenset({MOST_FLAG, "fifo_compaction_max_data_files_size_mb"})
_OF_MORE_THAN_OPTIONS = frozenset(
    {
        *("trace_file", "block_cache_trace_file", "use_existing_keys", "readonly", "use_secondary_db"),
        *("open_as_follower", "num_multi_db", FAMILIES),
    }
)
"""Flags that no empty database can be opened with, that write beside it, or make several of it."""

ASKS_NOTHING = Workload(benchmarks=("levelstats",), measure="levelstats", num=1)
"""Stands in where only options are spelled."""


@dataclass(frozen=True)
class CommandBuilder(ScaledWorkload):
    """Builds commands of one engine build for one workload at one scale; operations are of each phase and thread.

    Attributes:
        held: whether the output of what settles is held until the engine rests; else db_bench sees to that itself.
    """

    held: bool = False

    @property
    def settled_by(self) -> tuple[str, ...]:
        """The benchmarks that settle what was written; none where the build has none and its output is not held."""
        if can_flush(self.build):
            return _SETTLED_WHILE_HELD if self.held else _SETTLED_ALONE
        return _RESTED_WHILE_HELD if self.held else ()

    @property
    def reopens(self) -> bool:
        """Whether the last memtable is written by opening the database again, as the build has no `flush`."""
        return self.held and not can_flush(self.build)

    @property
    def settles(self) -> bool:
        """Whether what the measured process wrote is settled before sizes are read."""
        return self.workload.settle is Settle.WAIT and any(writes(phase) for phase in self.workload.benchmarks)

    def measuring(self, run: Run, database: Path) -> tuple[str, ...]:
        """Return the command of the measured process."""
        phases = [*self.workload.benchmarks, *(self.settled_by if self.settles else ())]
        flags = (
            *self._measured_flags(),
            *(("--use_existing_db=1",) if self.workload.load else ()),
            *((_INTERVALS,) if "stats_interval_seconds" in dict(self.build.flags) else ()),
        )
        return self._command((*phases, *_REPORTING), run.configuration, run.seed, database, flags)

    def settling(self, run: Run, database: Path) -> tuple[str, ...]:
        """Return the command that lets loaded data take the shape that the configuration asks for."""
        flags = (*_without_measured(self._measured_flags()), "--use_existing_db=1")
        return self._command(self.settled_by, run.configuration, run.seed, database, flags)

    def paying(self, run: Run, database: Path) -> tuple[str, ...]:
        """Return the command that opens what a measured process left, which writes its memtable, and settles it."""
        flags = (*_without_measured(self._measured_flags()), "--use_existing_db=1")
        return self._command((*self.settled_by, *_REPORTING), run.configuration, run.seed, database, flags)

    def loading(self, configuration: Configuration, seed: int, database: Path) -> tuple[str, ...]:
        """Return the command that builds the data; a load is settled, never timed, and done by one thread.

        Several threads would each write `keys` pairs, and the operation count is the measured phases' alone.
        """
        flags = _without_measured(self._data_flags(threads=1))
        return self._command((*self.workload.load, *self.settled_by), configuration, seed, database, flags)

    def reloading(self, configuration: Configuration, seed: int, database: Path) -> tuple[str, ...]:
        """Return the command that opens loaded data again, which writes its last memtable, and settles it."""
        flags = (*_without_measured(self._data_flags(threads=1)), "--use_existing_db=1")
        return self._command(self.settled_by, configuration, seed, database, flags)

    @property
    def kept_flags(self) -> tuple[str, ...]:
        """Flags of the workload that may be options of RocksDB which lsmtune's catalogue has not, for an open database.

        Those that are none change nothing there; `prefix_size` and others have to fit the size of a key.
        """
        stated = unpaced_flags(self._stated_flags)
        kept = [each for each in stated if each[0] not in _OF_MORE_THAN_OPTIONS]
        return tuple(f"--{name}={value}" for name, value in [("key_size", self.workload.key_size_bytes), *kept])

    def option_flags(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Return `values` (full size) as flags at scale; with a scale below 1, all sizes of the tree are among them.

        Raises:
            EngineError: the build lacks a flag.
        """
        return self._spelled({**self._scaled_defaults(), **values})

    def options_text(self, configuration: Configuration) -> str | None:
        """Return the complete OPTIONS file, at scale, that the configuration has to travel in; None for flags.

        Raises:
            EngineError: the engine refuses the flags that the file is made from.
        """
        values = configuration.values
        unflagged = [name for name in values if self._option(name).flag is None]
        if configuration.options_file is None and not unflagged:
            return None
        options = tuple(self.catalogue.options.values())
        if configuration.options_file is None:
            text = open_with(self.build, None, (*self.kept_flags, *self.option_flags(values)))
            told = {name for name in values if self._option(name).section == "tool"}
            changes = {name: values[name] for name in values if name in told.union(unflagged)}
        else:
            text = configuration.options_file
            changes = dict(values)
        file = OptionsFile.parse(text, "OPTIONS").without_listeners().without_paths()
        if configuration.options_file is not None:
            for key in _LOGGING:
                file = file.without("DB", key)
            found = read_values(file, options, self.build.version)
            unstated = self._scaled_library_defaults()
            stated = {name: value for name, value in found.items() if self._option(name).scaled}
            changes = {**unstated, **stated, **changes}
        at_scale = {name: scaled_value(self._option(name), value, self.option_scale) for name, value in changes.items()}
        written = write_values(file, at_scale, options)
        is_own = configuration.options_file is not None  # what flags said was at the scale already
        return (limits_at_scale(written, self.option_scale) if is_own else written).text()

    def _command(
        self, phases: Sequence[str], configuration: Configuration, seed: int, database: Path, flags: Sequence[str]
    ) -> tuple[str, ...]:
        text = self.options_text(configuration)
        if text is None:
            option_flags = self.option_flags(configuration.values)
        else:
            path = database.parent / "lsmtune.options"
            path.write_text(text)
            option_flags = (f"--options_file={path}", *self._tool_flags(configuration.values))
        return (
            str(self.build.path),
            f"--db={database}",
            f"--benchmarks={','.join(phases)}",
            f"--seed={seed}",
            *flags,
            *option_flags,
        )

    @property
    def _stated_flags(self) -> tuple[tuple[str, str], ...]:
        return limited_flags(self.workload.flags, self.option_scale)

    def _measured_flags(self) -> tuple[str, ...]:
        """Return the flags of the measured phases: the data's, and how much of what is done."""
        workload, flags = self.workload, list(self._data_flags(self.workload.threads, paced=True))
        if workload.operations is not None:
            flags += [f"--{kind}={self.operations}" for kind in ("reads", "writes", "deletes")]
        if workload.duration_s is not None:
            flags.append(f"--duration={max(1, round(workload.duration_s))}")
        return tuple(flags)

    def _data_flags(self, threads: int, *, paced: bool = False) -> tuple[str, ...]:
        workload = self.workload
        flags = {
            "num": self.keys,
            "key_size": workload.key_size_bytes,
            "value_size": workload.value_size_bytes,
            "threads": threads,
            "compression_ratio": workload.compression_ratio,
            "disable_wal": int(workload.disable_wal),
            "statistics": int(workload.statistics),
            "histogram": 1,
        }
        stated = self._stated_flags
        own = paced_flags(workload, stated) if paced else unpaced_flags(stated)
        return tuple(f"--{flag}={value}" for flag, value in [*flags.items(), *own])

    def _tool_flags(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Return the flags of options that are never in an OPTIONS file; db_bench honours them beside one."""
        everything = {**self._scaled_defaults(), **values}
        return self._spelled({name: everything[name] for name in everything if self._option(name).section == "tool"})

    def _spelled(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        known = dict(self.build.flags)
        flags = []
        for name, value in sorted(values.items()):
            option = self._option(name)
            if option.flag is None:
                continue
            if option.flag not in known:
                raise EngineError(
                    f"db_bench {self.build.version} has no flag --{option.flag}, so {name} cannot be set; take it out"
                )
            flags.append(f"--{option.flag}={flag_text(option, scaled_value(option, value, self.option_scale))}")
        return tuple(flags)

    def _option(self, name: str) -> Option:
        return self.catalogue.option(name)

    def _scaled_defaults(self) -> dict[str, Value]:
        if self.option_scale == 1:
            return {}
        known = dict(self.build.flags)
        return {
            name: value
            for name, value in default_values(self.build, self.catalogue).items()
            if self._option(name).scaled and self._option(name).flag in known
        }

    def _scaled_library_defaults(self) -> dict[str, Value]:
        """Return the sizes that an OPTIONS file has to state at this scale: unstated, RocksDB's defaults stay large."""
        return {
            name: value
            for name, value in library_values(self.catalogue, self.build.version_tuple).items()
            if self._option(name).key is not None
            and scaled_value(self._option(name), value, self.option_scale) != value
        }


def limited_flags(flags: Iterable[tuple[str, str]], scale: Fraction) -> tuple[tuple[str, str], ...]:
    """Return flags of a workload with what FIFO compaction keeps at a scale: at least 1 MiB, as 0 keeps nothing.

    Args:
        flags: with sizes at full size.
        scale: by which the sizes of the tree shrink.
    """
    return tuple(
        (name, str(max(1, round(int(text) * scale))))
        if name in _LIMITS_MIB and text.isdecimal() and int(text) > 0
        else (name, text)
        for name, text in flags
    )


def _without_measured(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(flag for flag in flags if not flag.startswith(_MEASURED_ALONE))


def writes(phase: str) -> bool:
    """Whether a benchmark changes the database, so that debt can be left behind; unknown ones may."""
    benchmark = BENCHMARKS.get(phase)
    return benchmark is None or benchmark.writes


def flag_text(option: Option, value: Value) -> str:
    """Return a value as db_bench's flag spells it."""
    if option.kind is Kind.BOOL:
        return "true" if value else "false"
    return option.flag_values.get(str(value), str(value))
