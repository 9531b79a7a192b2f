"""The final configuration as a complete OPTIONS text, and what the engine makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lsmtune.backends.registry import backend_of
from lsmtune.backends.rocksdb import OptionsFile, effective_values, open_with, overridden, write_values
from lsmtune.errors import EngineError, ExportError, OptionError, UsageError
from lsmtune.exporters._base import ExportContext, program
from lsmtune.model import Configuration, Overridden, Value

_FULL_SIZE = Fraction(1)


@dataclass(frozen=True)
class Composed:
    """An OPTIONS text that the engine has taken.

    Attributes:
        file: the complete file, without lsmtune's comments.
        effective: option values as the engine reported them after opening with the file.
        overridden: options of the final configuration that the engine changed, apart from those whose value asks the
            engine to choose.
    """

    file: OptionsFile
    effective: Mapping[str, Value]
    overridden: tuple[Overridden, ...]


def compose(context: ExportContext) -> Composed:
    """Write the final configuration into its base and open a database with it.

    The base is the user's OPTIONS file, or what RocksDB writes when the study's tool opens it with the configuration:
    then sizes that the engine derives from others fit the tuned ones, which those of the defaults, with values
    written over them, would not.

    Raises:
        ExportError: the engine refuses the configuration.
    """
    final, options, version = context.result.final, context.options, context.build.version
    try:
        base = _own_text(context) if final.options_file is None else final.options_file
        file = OptionsFile.parse(base, "the OPTIONS file").without_listeners()
        file = write_values(file, final.values, options)
    except (EngineError, OptionError) as error:
        raise refused(context, error) from None
    opened = reopened(context, file.text())
    effective = effective_values(opened, options, version, _FULL_SIZE)
    asked = {
        name: value
        for name, value in final.values.items()
        if value not in context.catalogue.option(name).special  # "0: the engine's choice" is no wish to override
    }
    return Composed(file, effective, overridden(asked, effective, options, _FULL_SIZE))


def in_its_family(context: ExportContext, file: OptionsFile) -> OptionsFile:
    """Return the file with the tuned column family back beside the others of the user's file, if it was one of several.

    Raises:
        ExportError: the user's file, which the study kept, cannot be read.
    """
    facts = context.result.facts
    if not facts.whole_file or context.result.final.options_file is None:
        return file
    try:
        whole = (
            OptionsFile.parse(facts.whole_file, "the OPTIONS file").without_listeners().as_default(facts.column_family)
        )
        return write_values(whole, context.result.final.values, context.options).from_default(facts.column_family)
    except (OptionError, UsageError) as error:
        raise refused(context, error) from None


def reopened(context: ExportContext, text: str) -> str:
    """Open a database with an OPTIONS text and return what the engine wrote.

    Raises:
        ExportError: the engine refuses the text.
    """
    beyond = Configuration.of(context.tool_values(), context.result.final.options_file)
    try:
        _, arguments = _spelled(context, beyond)
        return open_with(context.build, text, arguments)
    except EngineError as error:
        raise refused(context, error) from None


def refused(context: ExportContext, error: Exception) -> ExportError:
    """Return the error for a configuration that the engine does not take."""
    recorded = context.result.build
    return ExportError(
        f"the configuration cannot be exported: {error}; it was measured with {program(recorded)} at scale "
        f"{context.result.facts.scale or 1}, so correct or drop the option that is named"
    )


def _own_text(context: ExportContext) -> str:
    text, arguments = _spelled(context, Configuration.of(context.non_default_values))
    return OptionsFile.parse(open_with(context.build, text, arguments), "OPTIONS").without_paths().text()


def _spelled(context: ExportContext, configuration: Configuration) -> tuple[str | None, tuple[str, ...]]:
    """Return the OPTIONS text, if any, and the arguments with which a run of the study's tool takes a configuration."""
    return backend_of(context.build).spelled(context.build, context.catalogue, configuration, context.workload)
