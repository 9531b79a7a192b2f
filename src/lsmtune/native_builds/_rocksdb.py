"""RocksDB, optimised, with its db_bench and trace_analyzer."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lsmtune.errors import BuildError, UsageError
from lsmtune.native_builds._crates import Crate, must_be_fetched, source_of
from lsmtune.native_builds._needs import check_needs
from lsmtune.native_builds._place import Built, Place, identity_of, placed
from lsmtune.native_builds._steps import Order, compile_targets, configure, run

_PINNED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "11.8.1": ("0.19.0", "4f45e86edad8e88efe97dbf384b4e48e1ff0f111eabf154c7b09d7a1e5fb573c"),
        "10.4.2": ("0.17.3", "cef2a00ee60fe526157c9023edab23943fae1ce2ab6f4abb2a807c1746835de9"),
        "8.10.0": ("0.16.0", "ce3d60bc059831dc1c83903fb45c103f75db65c5a7bf22272764d9cc683e348c"),
        "7.9.2": ("0.10.0", "0fe4d5874f5ff2bc616e55e8c6086d478fcda13faf9495768a4aa1c22042d30b"),
        "6.20.3": ("6.20.3", "c309a9d2470844aceb9a4a098cf5286154d20596868b75a6b36357d2bb9ca25d"),
        "6.17.3": ("6.17.3", "5da125e1c0f22c7cae785982115523a0738728498547f415c9054cb17c7e89f9"),
        "6.11.4": ("6.11.4", "eb5b56f651c204634b936be2f92dbb42c36867e00ff7fe2405591f3b9fa66f09"),
        "6.6.4": ("6.6.4", "4e3b727e2dd20ec2fb7ed93f23d9fd5328a0871185485ebdaff007b47d3e27e4"),
        "6.2.4": ("6.2.4", "0a0785e816e1e11e7599388a492c61ef80ddc2afc91e313e61662cce537809be"),
    }
)
"""By version: that of the crate librocksdb-sys which carries its source, and the crate's SHA-256."""

ROCKSDB_VERSIONS = tuple(_PINNED)
NEWEST_ROCKSDB = ROCKSDB_VERSIONS[0]

_THIS_PROCESSOR = ", this processor"
"""Ends the identity of a build that may not run on another one."""
_HEADERS = ("gflags/gflags.h", "snappy.h", "zlib.h", "bzlib.h", "lz4.h", "zstd.h")
_ANALYZED_SINCE = (7,)
"""Older versions build trace_analyzer only together with all of their other tools."""
_INSTALLED_SINCE = (6, 11)
"""Older versions link db_bench with a shared library, 6.2 only among their tests: this project links it statically."""
_DRIVEN_SINCE = (7, 8)
"""Of older versions the driver is built without RocksDB (native/ycsb/engines/rocksdb/CMakeLists.txt)."""
_AROUND_OLD = """\
cmake_minimum_required(VERSION 3.5.1)
project(db_bench CXX)
add_subdirectory("{source}" rocksdb EXCLUDE_FROM_ALL)
add_executable(db_bench "{source}/tools/db_bench.cc")
target_include_directories(db_bench PRIVATE "{source}" "{source}/include")
target_compile_definitions(db_bench PRIVATE GFLAGS=1)
target_link_libraries(db_bench rocksdb)
"""
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
    """Build RocksDB's db_bench; from 6.11 on with the static library and its headers, from 7 on with trace_analyzer.

    It takes long.

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
    of_crate, sha256 = _PINNED[version]
    crate = Crate("librocksdb-sys", of_crate, "" if of_crate == version else version, "rocksdb", sha256)
    home = placed(Path("rocksdb") / version, order.prefix)
    place = Place(
        name=f"RocksDB {version}",
        identity=f"RocksDB {version}, {crate.name} {crate.version}{_THIS_PROCESSOR if this_processor else ''}",
        slug=f"rocksdb-{version}",
        program=_program(home),
        needed_mib=1024,
        takes_unstamped=not this_processor,
    )
    if place.is_built():
        return Built(place.program, was_there=True)
    check_needs(place.name, _HEADERS, fetches=must_be_fetched(crate, place))
    with place.locked():
        order.watcher.step(f"step 1 of 4: the source of {place.name} ({crate.name} {crate.version})")
        source = source_of(crate, place, order.watcher)
        order.watcher.step("step 2 of 4: configuring")
        mode = {"PORTABLE": "0" if this_processor else "1", "CMAKE_INSTALL_PREFIX": str(home)}
        if _numbers(version) < _INSTALLED_SINCE:
            mode["WITH_BENCHMARK_TOOLS"] = "0"  # their own db_bench, beside ours
        configure(_project(source, version), place, {**_DEFINITIONS, **mode}, order.watcher)
        order.watcher.step(f"step 3 of 4: compiling, {order.compilers} at a time (log: {place.log})")
        compile_targets(place, _tools(version), order.compilers, order.watcher)
        order.watcher.step(f"step 4 of 4: putting it into {home}")
        _install(place, home, order, version)
    return Built(place.program, was_there=False)


def versions_for_driver() -> tuple[str, ...]:
    """Return the versions that a driver can be linked with."""
    return tuple(version for version in ROCKSDB_VERSIONS if _numbers(version) >= _DRIVEN_SINCE)


def is_complete(home: Path) -> bool:
    """Return whether all of a RocksDB with a library is there: db_bench comes last."""
    return (home / "lib" / "librocksdb.a").is_file() and _program(home).is_file()


def bound_to(home: Path) -> str:
    """Return what the build below a folder is bound to, for the identity of what links it; empty for any processor."""
    built = identity_of(_program(home))
    return _THIS_PROCESSOR if built.endswith(_THIS_PROCESSOR) else ""


def _program(home: Path) -> Path:
    return home / "bin" / "db_bench"


def _tools(version: str) -> tuple[str, ...]:
    return ("db_bench", "trace_analyzer") if _numbers(version) >= _ANALYZED_SINCE else ("db_bench",)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _project(source: Path, version: str) -> Path:
    """Return the folder that cmake is given: the source, or one around it."""
    if _numbers(version) >= _INSTALLED_SINCE:
        return source
    around = source.with_name("around")
    around.mkdir(exist_ok=True)
    (around / "CMakeLists.txt").write_text(_AROUND_OLD.format(source=source))
    return around


def _install(place: Place, home: Path, order: Order, version: str) -> None:
    """Try db_bench, then copy everything; db_bench last, as the folder is taken for complete when it is there."""
    made = place.work / "out"
    trial = place.work / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    command = [str(made / "db_bench"), "--benchmarks=fillseq", "--num=1000", f"--db={trial}"]
    if run(command, place, order.watcher):
        raise BuildError(f"the db_bench that was built does not run; log: {place.log}")
    place.withdraw()
    if _numbers(version) >= _INSTALLED_SINCE and (
        run(["cmake", "--install", str(made)], place, order.watcher) or not os.access(home, os.W_OK)
    ):
        raise BuildError(f"what was built cannot be copied to {home}; give another --prefix; log: {place.log}")
    (home / "bin").mkdir(parents=True, exist_ok=True)
    for tool in _tools(version)[1:]:
        shutil.copy2(made / tool, home / "bin" / tool)
    place.install(made / "db_bench")
