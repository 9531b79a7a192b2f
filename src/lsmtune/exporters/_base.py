"""What an export is made from, and what a format has to offer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from lsmtune.backends.db_bench import ASKS_NOTHING, CommandBuilder
from lsmtune.backends.registry import backend_of, catalogue_of, options_of
from lsmtune.backends.rocksdb import OptionsFile, unread_of, with_own_cache
from lsmtune.errors import ExportError
from lsmtune.model import Configuration, EngineBuild, Value, Workload
from lsmtune.result import TuneResult
from lsmtune.space import Catalogue, Option, library_values

DELAYED, LIMITER = "delayed_write_rate", "rate_limiter_bytes_per_sec"
_UNLIMITED = (2**32 - 1, 0)  # as an OPTIONS file says it, and as an int32 flag of db_bench does


@dataclass(frozen=True)
class ExportContext:
    """What an export is made from: a study's result and the engine that reads what is written.

    Attributes:
        result: what the study says.
        build: the engine build, as found on this machine.
        workload: what was asked of the engine, at full size; None where it is not known.

    Raises:
        ExportError: the final configuration sets an option that this build does not have.
    """

    result: TuneResult
    build: EngineBuild
    workload: Workload | None = None

    def __post_init__(self) -> None:
        absent = sorted(self.result.final.values.keys() - self.catalogue.options.keys())
        if absent:
            recorded = self.result.build
            raise ExportError(
                f"{program(self.build)} has no {', '.join(absent)}, which the configuration sets; "
                f"export with the build of the study, {recorded.version} at {recorded.path}"
            )

    @cached_property
    def catalogue(self) -> Catalogue:
        """The options that this build has, and those that its tool cannot set and makes a value of."""
        everything = catalogue_of(self.build.engine).for_version(self.build.version_tuple)
        known = options_of(self.build).options.keys() | backend_of(self.build).made.keys()
        return everything.without(everything.options.keys() - known)

    @cached_property
    def commands(self) -> CommandBuilder:
        """Spells options and commands of db_bench at full size."""
        return CommandBuilder(self.build, self.catalogue, self.workload or ASKS_NOTHING)

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Value of every option under the final configuration, at full size, as it was asked for.

        Those in `untranslated` are missing: what the reference has in their place is the library's default.
        """
        unset = {**self._defaults, **backend_of(self.build).made}
        everything = {**unset, **self.result.reference_values, **self.result.final.values}
        known = self.catalogue.options.keys() - self.untranslated.keys()
        values = {name: value for name, value in everything.items() if name in known}
        return self._as_stated(values, self.result.final)

    @cached_property
    def reference_values(self) -> Mapping[str, Value]:
        """Value of every option in the reference, at full size, as it was asked for; empty where nothing tells."""
        return self._as_stated(self.result.reference_values, self.result.rules.start)

    def _as_stated(self, values: Mapping[str, Value], configuration: Configuration) -> Mapping[str, Value]:
        """Return the values with what an engine makes of two of them.

        A block cache that is left to an OPTIONS file is RocksDB's own. A rate of delayed writes that nothing states is
        0 where there is a rate limiter: a study has the library's default there, which RocksDB makes of 0 without a
        limiter; with one it is its rate.
        """
        text = configuration.options_file
        values = with_own_cache(values, text, self._library)
        if not values.get(LIMITER) or DELAYED not in values or DELAYED in configuration.values:
            return values
        if text is not None and OptionsFile.parse(text, "the OPTIONS file").get("DB", DELAYED) is not None:
            return values
        # db_bench always states its own
        return {**values, DELAYED: 0} if values[DELAYED] == self._library[DELAYED] else values

    @cached_property
    def _library(self) -> Mapping[str, Value]:
        return library_values(self.catalogue, self.build.version_tuple)

    @cached_property
    def untranslated(self) -> Mapping[str, str]:
        """Key and text of the study's OPTIONS file where no value of the option means it, by option.

        What the configuration sets is not among them.
        """
        return unread_of(self.result.final, self.options, self.build.version)

    @cached_property
    def non_default_values(self) -> Mapping[str, Value]:
        """The values that differ from those of a run without any option."""
        defaults = self._defaults
        return {
            name: value
            for name, value in sorted(self.values.items())
            if value != defaults.get(name) and (value, defaults.get(name)) != _UNLIMITED
        }

    @cached_property
    def told_values(self) -> Mapping[str, Value]:
        """The values that differ from the defaults, and those that were changed back to them, by name."""
        changed = (change.option for change in self.result.changes)
        return {name: self.values[name] for name in sorted({*self.non_default_values, *changed})}

    @cached_property
    def _defaults(self) -> Mapping[str, Value]:
        return backend_of(self.build).defaults(self.build, self.catalogue)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that this build has, in the order of the catalogue."""
        return tuple(self.catalogue.options.values())

    def tool_values(self) -> dict[str, Value]:
        """Return the values of the options that OPTIONS files cannot hold."""
        names = (option.name for option in self.options if option.section == "tool")
        return {name: self.values[name] for name in names if name in self.values}


def program(build: EngineBuild) -> str:
    """Return the program and its version in words."""
    return f"{backend_of(build).name(build)} {build.version}"


class Export(ABC):
    """A format that a configuration is written in.

    Exports keep no state: `text` may be called at any time, from any thread, for any number of studies. They may ask
    the engine of the context, which opens an empty database in a temporary folder, and change nothing else.
    """

    name: ClassVar[str]
    """How the format is called on the command line."""

    summary: ClassVar[str]
    """What it is for, in a sentence."""

    @abstractmethod
    def text(self, context: ExportContext) -> str:
        """Return the final configuration at full size, with its evidence; the text ends with a line end.

        Raises:
            ExportError: the engine refuses the configuration, or the format cannot hold it.
        """
