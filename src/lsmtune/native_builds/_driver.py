"""lsmtune-ycsb, the driver for YCSB on RocksDB and LevelDB."""

import hashlib
from pathlib import Path

from lsmtune.backends import cache_folder, checkout, expanded
from lsmtune.errors import BuildError, UsageError
from lsmtune.native_builds._needs import check_needs
from lsmtune.native_builds._place import Built, Place
from lsmtune.native_builds._rocksdb import bound_to, is_complete, versions_for_driver
from lsmtune.native_builds._steps import Order, compile_targets, configure, run

_NAME = "lsmtune-ycsb"
_HEADERS = ("nlohmann/json.hpp", "leveldb/db.h", "snappy.h")
_HEADER_OF_ROCKSDB = "rocksdb/db.h"
_SOURCES = ("CMakeLists.txt", "engines", "src")


def build_driver(order: Order, rocksdb: str | None = None) -> Built:
    """Build the driver from the sources that came with lsmtune: about a minute.

    Args:
        order: how.
        rocksdb: link this version, which `build_rocksdb` has built; None: the distribution's.

    Raises:
        UsageError: that RocksDB was not or cannot be built, or another program stands where this one is to stand.
        BuildError: something is missing or does not compile; the message names the log.
    """
    library = None if rocksdb is None else _built_library(rocksdb)
    source, linked = driver_sources(), rocksdb or "of the distribution"
    folder = cache_folder() / "driver" if order.prefix is None else expanded(order.prefix).absolute() / "bin"
    place = Place(
        name="the driver",
        identity=f"driver {_digest(source)}, RocksDB {linked}{bound_to(library) if library else ''}",
        slug=f"driver-{rocksdb or 'distribution'}",
        program=folder / _NAME,
        needed_mib=100,
    )
    if place.is_built():
        return Built(place.program, was_there=True)
    headers = _HEADERS if library else (*_HEADERS, _HEADER_OF_ROCKSDB)
    check_needs(place.name, headers, fetches=False)
    with place.locked():
        order.watcher.step(f"step 1 of 2: configuring {place.name}, on RocksDB {linked}")
        # A warning of a compiler that is newer than this source is none of the user's business.
        settings = {"LSMTUNE_ROCKSDB_PREFIX": str(library or ""), "LSMTUNE_TESTS": "OFF", "LSMTUNE_WERROR": "OFF"}
        configure(source, place, settings, order.watcher)
        order.watcher.step(f"step 2 of 2: compiling, {order.compilers} at a time (log: {place.log})")
        compile_targets(place, ["ycsb"], order.compilers, order.watcher)
        made = place.work / "out" / _NAME
        if run([str(made), "--version"], place, order.watcher):
            raise BuildError(f"the driver that was built does not run; log: {place.log}")
        place.install(made)
    return Built(place.program, was_there=False)


def driver_sources() -> Path:
    """Return the folder of the driver's sources: the repository's, else what the wheel brought along.

    Raises:
        BuildError: there are none.
    """
    root = checkout()
    folder = Path(__file__).parent / "ycsb" if root is None else root / "native" / "ycsb"
    if not (folder / _SOURCES[0]).is_file():
        raise BuildError(f"the sources of the driver are not in {folder}; install lsmtune anew")
    return folder


def _built_library(version: str) -> Path:
    if version not in versions_for_driver():
        raise UsageError(
            f"the driver cannot be linked with RocksDB {version}; choose one of {', '.join(versions_for_driver())}"
        )
    prefix = cache_folder() / "rocksdb" / version
    if is_complete(prefix):
        return prefix
    raise UsageError(f"RocksDB {version} is not in {prefix}; build it first: lsmtune build rocksdb --version {version}")


def _digest(source: Path) -> str:
    """Return 16 hex digits over the sources: a newer lsmtune builds a newer driver."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        part = source / name
        for file in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if file.is_file():
                digest.update(f"{file.relative_to(source)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
