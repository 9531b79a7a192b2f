"""The list of backends: a tool and the engine that it drives."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.backends._backend import Backend
from lsmtune.backends.command.backend import CommandBackend
from lsmtune.backends.db_bench.backend import DbBenchBackend
from lsmtune.backends.leveldb_bench.backend import LevelDbBenchBackend
from lsmtune.backends.ycsb.backend import YcsbOnLevelDb, YcsbOnRocksDb
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild, Tool
from lsmtune.space import Catalogue, catalogue

BACKENDS: Mapping[tuple[Tool, str], Backend] = MappingProxyType(
    {
        (Tool.DB_BENCH, "rocksdb"): DbBenchBackend(),
        (Tool.DB_BENCH, "leveldb"): LevelDbBenchBackend(),
        (Tool.YCSB, "rocksdb"): YcsbOnRocksDb(),
        (Tool.YCSB, "leveldb"): YcsbOnLevelDb(),
        (Tool.COMMAND, "command"): CommandBackend(),
    }
)
"""All backends, by tool and engine."""


def backend_for(tool: Tool, engine: str) -> Backend:
    """Return what a tool that drives an engine offers.

    Raises:
        EngineError: the tool does not drive the engine.
    """
    found = BACKENDS.get((tool, engine))
    if found is None:
        known = ", ".join(name for each, name in BACKENDS if each is tool)
        raise EngineError(f'{tool} does not drive "{engine}"; choose one of {known}')
    return found


def backend_of(build: EngineBuild) -> Backend:
    """Return what the tool that drives a build offers."""
    return backend_for(build.tool, build.engine)


def options_of(build: EngineBuild) -> Catalogue:
    """Return the options that a build has and its tool can set."""
    everything = catalogue(build.engine).for_version(build.version_tuple)
    lacking = backend_of(build).unsupported(build, everything)
    return everything.without(option.name for option in lacking)
