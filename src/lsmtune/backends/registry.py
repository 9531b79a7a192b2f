"""The list of backends: a tool and the engine that it drives, and what they offer all together."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.backends._backend import Backend
from lsmtune.backends.command.backend import CommandBackend
from lsmtune.backends.db_bench.backend import DbBenchBackend
from lsmtune.backends.leveldb_bench.backend import LevelDbBenchBackend
from lsmtune.backends.ycsb.backend import YcsbOnLevelDb, YcsbOnRocksDb
from lsmtune.errors import EngineError, OptionError
from lsmtune.memory_model import MemoryModel
from lsmtune.model import EngineBuild
from lsmtune.space import Catalogue

BACKENDS: Mapping[tuple[str, str], Backend] = MappingProxyType(
    {
        ("db_bench", "rocksdb"): DbBenchBackend(),
        ("db_bench", "leveldb"): LevelDbBenchBackend(),
        ("ycsb", "rocksdb"): YcsbOnRocksDb(),
        ("ycsb", "leveldb"): YcsbOnLevelDb(),
        ("command", "command"): CommandBackend(),
    }
)
"""All backends, by tool and engine; the first tool of an engine drives it where nobody names another."""


def backend_for(tool: str, engine: str) -> Backend:
    """Return what a tool that drives an engine offers.

    Raises:
        EngineError: the tool does not drive the engine.
    """
    found = BACKENDS.get((tool, engine))
    if found is None:
        known = ", ".join(name for each, name in BACKENDS if each == tool)
        raise EngineError(f'{tool} does not drive "{engine}"; choose one of {known}')
    return found


def backend_of(build: EngineBuild) -> Backend:
    """Return what the tool that drives a build offers."""
    return backend_for(build.tool, build.engine)


def with_workload() -> dict[tuple[str, str], Backend]:
    """Return the backends that experiment files may name, by tool and engine."""
    return {names: backend for names, backend in BACKENDS.items() if backend.has_workload}


def tools() -> tuple[str, ...]:
    """Return the names of the tools that experiment files may name."""
    return tuple(dict.fromkeys(tool for tool, _ in with_workload()))


def engines() -> tuple[str, ...]:
    """Return the names of the engines that experiment files may name."""
    return tuple(dict.fromkeys(engine for _, engine in with_workload()))


def program_keys() -> tuple[str, ...]:
    """Return the keys of experiment files that name programs."""
    return tuple(dict.fromkeys(backend.key for backend in with_workload().values()))


def engines_of(tool: str) -> dict[str, Backend]:
    """Return what a tool drives, by engine."""
    return {engine: backend for (each, engine), backend in BACKENDS.items() if each == tool}


def tools_of(engine: str) -> dict[str, Backend]:
    """Return what drives an engine, by tool."""
    return {tool: backend for (tool, each), backend in BACKENDS.items() if each == engine}


def starting_points() -> dict[str, str]:
    """Return the names of all baselines of tools, each with what it is called in sentences."""
    return {name: words for backend in with_workload().values() for name, words in backend.starting_points.items()}


def catalogue_of(engine: str) -> Catalogue:
    """Return all options of an engine, of all its versions.

    Raises:
        OptionError: no backend knows the engine.
    """
    for backend in tools_of(engine).values():
        return backend.catalogue(engine)
    raise OptionError(f'there is no catalogue of options for "{engine}"; choose one of {", ".join(sorted(engines()))}')


def memory_model_of(engine: str) -> MemoryModel:
    """Return how much memory an engine needs.

    Raises:
        OptionError: nothing is known of it.
    """
    models = {each: backend.memory_model for (_, each), backend in BACKENDS.items() if backend.memory_model is not None}
    if engine not in models:
        raise OptionError(f'there is no model of the memory of "{engine}"; choose one of {", ".join(models)}')
    return models[engine]


def options_of(build: EngineBuild) -> Catalogue:
    """Return the options that a build has and its tool can set."""
    everything = catalogue_of(build.engine).for_version(build.version_tuple)
    unsupported = backend_of(build).unsupported(build, everything)
    return everything.without(option.name for option in unsupported)


def option_units(engine: str) -> dict[str, str]:
    """Return the unit of every option, for printing values: of all engines, and where they differ, of this one."""
    names = (*(each for each in engines() if each != engine), engine)
    return {option.name: option.unit for each in names for option in catalogue_of(each).options.values()}
