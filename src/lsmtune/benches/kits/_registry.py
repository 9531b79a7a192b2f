"""The explicit list of kits."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.benches.kits._db_bench import DbBenchKit
from lsmtune.benches.kits._kit import Kit
from lsmtune.benches.kits._leveldb_bench import LevelDbBenchKit
from lsmtune.benches.kits._ycsb import YcsbKit
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild, Tool
from lsmtune.space import Catalogue, catalogue

_YCSB = YcsbKit()
_KITS: Mapping[tuple[Tool, str], Kit] = MappingProxyType(
    {
        (Tool.DB_BENCH, "rocksdb"): DbBenchKit(),
        (Tool.DB_BENCH, "leveldb"): LevelDbBenchKit(),
        (Tool.YCSB, "rocksdb"): _YCSB,
        (Tool.YCSB, "leveldb"): _YCSB,
    }
)


def kit_for(tool: Tool, engine: str) -> Kit:
    """Return what a tool that drives an engine offers.

    Raises:
        EngineError: the tool does not drive the engine.
    """
    found = _KITS.get((tool, engine))
    if found is None:
        known = ", ".join(name for each, name in _KITS if each is tool)
        raise EngineError(f'{tool} does not drive "{engine}"; choose one of {known}')
    return found


def options_of(build: EngineBuild) -> Catalogue:
    """Return the options that a build has and its tool can set."""
    everything = catalogue(build.engine).for_version(build.version_tuple)
    lacking = kit_for(build.tool, build.engine).lacking(build, everything)
    return everything.without(option.name for option in lacking)
