"""RocksDB, optimised, with its db_bench and trace_analyzer."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lsmtune.errors import BuildError, UsageError
from lsmtune.native_builds._crates import Crate, must_be_fetched, source_of
from lsmtune.native_builds._needs import check_needs
from lsmtune.native_builds._place import Built, Place, placed
from lsmtune.native_builds._steps import Order, compile_targets, configure, run

_PINNED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "11.8.1": ("0.19.0", "4f45e86edad8e88efe97dbf384b4e48e1ff0f111eabf154c7b09d7a1e5fb573c"),
        "10.4.2": ("0.17.3", "cef2a00ee60fe526157c9023edab23943fae1ce2ab6f4abb2a807c1746835de9"),
        "8.10.0": ("0.16.0", "ce3d60bc059831dc1c83903fb45c103f75db65c5a7bf22272764d9cc683e348c"),
        "7.9.2": ("0.10.0", "0fe4d5874f5ff2bc616e55e8c6086d478fcda13faf9495768a4aa1c22042d30b"),
    }
)
"""By version: that of the crate librocksdb-sys which carries its source, and the crate's SHA-256."""

ROCKSDB_VERSIONS = tuple(_PINNED)
NEWEST_ROCKSDB = ROCKSDB_VERSIONS[0]

_HEADERS = ("gflags/gflags.h", "snappy.h", "zlib.h", "bzlib.h", "lz4.h", "zstd.h")
_TOOLS = ("db_bench", "trace_analyzer")
# Optimised as RocksDB's own Makefile does it for release (-O2, no assertions), and for any processor of this kind, as
# the distribution's is: then a comparison of the two shows assertions and versions, not instruction sets. Libraries
# that happen to be here (io_uring, jemalloc) are left out. The date is fixed, so that one source gives one binary.
# Old versions use uint64_t without its header, which newer compilers do not bring along: all files include it.
_DEFINITIONS: Mapping[str, str] = MappingProxyType(
    {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS_RELEASE": "-O2 -DNDEBUG",
        "CMAKE_CXX_FLAGS": "-include cstdint",
        "CMAKE_INSTALL_LIBDIR": "lib",
        "CMAKE_INSTALL_INCLUDEDIR": "include",
        "USE_RTTI": "1",
        "FAIL_ON_WARNINGS": "0",
        "ROCKSDB_BUILD_SHARED": "0",
        "BUILD_DATE": "not recorded",
        **{f"WITH_{name}": "1" for name in ("GFLAGS", "SNAPPY", "LZ4", "ZSTD", "ZLIB", "BZ2")},
        **{f"WITH_{name}": "0" for name in ("LIBURING", "JEMALLOC", "NUMA", "TESTS", "TOOLS", "CORE_TOOLS")},
        "WITH_BENCHMARK_TOOLS": "1",
        "WITH_TRACE_TOOLS": "1",
    }
)


def build_rocksdb(order: Order, version: str = NEWEST_ROCKSDB, *, this_processor: bool = False) -> Built:
    """Build RocksDB: db_bench, trace_analyzer, the static library and its headers. It takes long.

    Args:
        order: how.
        version: one of `ROCKSDB_VERSIONS`.
        this_processor: use all instructions of this processor, as RocksDB's own default is; such a build may not run on
            another one.

    Raises:
        UsageError: the version is not pinned, or another program stands where this one is to stand.
        BuildError: something is missing, cannot be fetched, or does not compile; the message names the log.
    """
    if version not in _PINNED:
        raise UsageError(f"RocksDB {version} is not pinned here; choose one of {', '.join(ROCKSDB_VERSIONS)}")
    crate = Crate("librocksdb-sys", _PINNED[version][0], version, "rocksdb", _PINNED[version][1])
    home = placed(Path("rocksdb") / version, order.prefix)
    place = Place(
        name=f"RocksDB {version}",
        identity=f"RocksDB {version}, {crate.name} {crate.version}{', this processor' if this_processor else ''}",
        slug=f"rocksdb-{version}",
        program=home / "bin" / "db_bench",
        needed_mib=1024,
    )
    if place.is_built():
        return Built(place.program, was_there=True)
    check_needs(place.name, _HEADERS, fetches=must_be_fetched(crate, place))
    with place.locked():
        order.watcher.step(f"step 1 of 4: the source of {place.name} ({crate.name} {crate.version})")
        source = source_of(crate, place, order.watcher)
        order.watcher.step("step 2 of 4: configuring")
        mode = {"PORTABLE": "0" if this_processor else "1", "CMAKE_INSTALL_PREFIX": str(home)}
        configure(source, place, {**_DEFINITIONS, **mode}, order.watcher)
        order.watcher.step(f"step 3 of 4: compiling, {order.compilers} at a time (log: {place.log})")
        compile_targets(place, _TOOLS, order.compilers, order.watcher)
        order.watcher.step(f"step 4 of 4: putting it into {home}")
        _install(place, home, order)
    return Built(place.program, was_there=False)


def _install(place: Place, home: Path, order: Order) -> None:
    """Try db_bench, then copy everything; db_bench last, as lsmtune takes the folder for complete when it is there."""
    made = place.work / "out"
    trial = place.work / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    command = [str(made / "db_bench"), "--benchmarks=fillseq", "--num=1000", f"--db={trial}"]
    if run(command, place, order.watcher):
        raise BuildError(f"the db_bench that was built does not run; log: {place.log}")
    if run(["cmake", "--install", str(made)], place, order.watcher) or not os.access(home, os.W_OK):
        raise BuildError(f"what was built cannot be copied to {home}; give another --prefix; log: {place.log}")
    (home / "bin").mkdir(exist_ok=True)
    shutil.copy2(made / "trace_analyzer", home / "bin" / "trace_analyzer")
    place.install(made / "db_bench")
