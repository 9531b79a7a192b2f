"""LevelDB's own db_bench."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lsmtune.errors import BuildError, UsageError
from lsmtune.native_builds._crates import Crate, must_be_fetched, source_of
from lsmtune.native_builds._needs import check_needs
from lsmtune.native_builds._place import Built, Place, placed
from lsmtune.native_builds._steps import Order, compile_targets, configure, run

_VERSION = "1.22"
_CRATE = Crate(
    "leveldb-sys",
    "2.0.9",
    "",
    f"deps/leveldb-{_VERSION}",
    "9dd94a4d0242a437e5e41a27c782b69a624469ca1c4d1e5cb3c337f74a8031d4",
)
# tcmalloc and crc32c are used where they happen to be installed: without them a build is the same everywhere.
_DEFINITIONS: Mapping[str, str] = MappingProxyType(
    {
        "CMAKE_BUILD_TYPE": "Release",
        "LEVELDB_BUILD_TESTS": "OFF",
        "LEVELDB_BUILD_BENCHMARKS": "ON",
        "LEVELDB_INSTALL": "OFF",
        "BUILD_SHARED_LIBS": "OFF",
        "HAVE_TCMALLOC": "0",
        "HAVE_CRC32C": "0",
    }
)


def build_leveldb(order: Order, version: str = _VERSION) -> Built:
    """Build LevelDB's db_bench, with snappy: about a minute of a processor.

    Raises:
        UsageError: the version is not pinned, or another program stands where this one is to stand.
        BuildError: something is missing, cannot be fetched, or does not compile; the message names the log.
    """
    if version != _VERSION:
        raise UsageError(f"LevelDB {version} is not pinned here; choose {_VERSION}")
    place = Place(
        name=f"LevelDB {version}",
        identity=f"LevelDB {version}, {_CRATE.name} {_CRATE.version}",
        slug=f"leveldb-{version}",
        program=placed(Path("leveldb") / version, order.prefix) / "bin" / "db_bench",
        needed_mib=100,
    )
    if place.is_built():
        return Built(place.program, was_there=True)
    check_needs(place.name, ["snappy.h"], fetches=must_be_fetched(_CRATE, place))
    with place.locked():
        order.watcher.step(f"step 1 of 3: the source of {place.name} ({_CRATE.name} {_CRATE.version})")
        source = source_of(_CRATE, place, order.watcher)
        order.watcher.step("step 2 of 3: configuring")
        configure(source, place, _DEFINITIONS, order.watcher)
        order.watcher.step(f"step 3 of 3: compiling, {order.compilers} at a time (log: {place.log})")
        compile_targets(place, ["db_bench"], order.compilers, order.watcher)
        made, trial = place.work / "out" / "db_bench", place.work / "trial"
        shutil.rmtree(trial, ignore_errors=True)
        if run([str(made), "--benchmarks=fillseq", "--num=1000", f"--db={trial}"], place, order.watcher):
            raise BuildError(f"the db_bench that was built does not run; log: {place.log}")
        place.install(made)
    return Built(place.program, was_there=False)
