"""The explicit list of formats, and the look-up by name."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.backends.registry import backend_of
from lsmtune.errors import UsageError
from lsmtune.exporters._base import Export, ExportContext, program
from lsmtune.exporters._flags import FlagsExport
from lsmtune.exporters._json import JsonExport
from lsmtune.exporters._leveldb import LevelDbCode, YcsbProperties
from lsmtune.exporters._options_file import OptionsFileExport
from lsmtune.exporters.targets import find_target, target_text
from lsmtune.model import EngineBuild, Workload
from lsmtune.result import TuneResult

EXPORTERS: Mapping[str, Export] = MappingProxyType(
    {each.name: each for each in (OptionsFileExport(), FlagsExport(), LevelDbCode(), YcsbProperties(), JsonExport())}
)
"""All formats by name."""


def check_format(name: str) -> None:
    """Check that there is a format called `name`.

    Raises:
        UsageError: there is none.
    """
    if name not in EXPORTERS:
        raise UsageError(f'"{name}" is not a format; choose one of {", ".join(EXPORTERS)}')


def default_format(build: EngineBuild) -> str:
    """Return the format that suits what was measured with a build best; json where it has none of its own."""
    return _fitting(build)[0]


def export(name: str, result: TuneResult, build: EngineBuild, workload: Workload | None = None) -> str:
    """Return the final configuration of a study as text, at full size, with its evidence.

    Where nothing better was shown, that is the reference, and the text says so.

    Args:
        name: the format, one of `EXPORTERS`.
        result: what the study says.
        build: the engine that the text is made for and checked with.
        workload: what was asked of the engine, at full size; without it no format shows a command line.

    Raises:
        UsageError: there is no such format, or it cannot hold what this build takes.
        ExportError: the engine refuses the configuration, or lacks one of its options.
    """
    check_format(name)
    fitting = _fitting(build)
    if name not in fitting:
        raise UsageError(
            f'the format "{name}" is not for {build.engine} as measured with {build.tool}; choose one of '
            f"{', '.join(fitting)}"
        )
    return EXPORTERS[name].text(ExportContext(result, build, workload))


def check_target(target: str, build: EngineBuild) -> None:
    """Check that there is a target ``NAME`` or ``NAME@VERSION``, and that it embeds what was measured.

    Raises:
        UsageError: there is none, or the study's engine is no RocksDB.
    """
    found, fitting = find_target(target), _fitting(build)
    if OptionsFileExport.name not in fitting:
        raise UsageError(
            f"{found.title} embeds RocksDB, and the study measured {program(build)}; choose one of the formats "
            f"{', '.join(fitting)}"
        )


def export_for(target: str, result: TuneResult, build: EngineBuild, workload: Workload | None = None) -> str:
    """Return the final configuration of a study for a system that embeds RocksDB, as a diff from its own defaults.

    Args:
        target: ``NAME`` or ``NAME@VERSION``, see `lsmtune.exporters.targets`.
        result: what the study says.
        build: the engine that the configuration is checked with.
        workload: what was asked of the engine, at full size.

    Raises:
        UsageError: there is no such target, or the study's engine is no RocksDB.
        ExportError: the engine refuses the configuration, or lacks one of its options.
    """
    check_target(target, build)
    return target_text(find_target(target), ExportContext(result, build, workload))


def _fitting(build: EngineBuild) -> tuple[str, ...]:
    """Return the formats that can hold what a build takes; all can be told to programs."""
    return tuple(dict.fromkeys((*backend_of(build).formats, JsonExport.name)))
