"""What has to be installed before something can be built, and the packages that bring it."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lsmtune.errors import BuildError

_OF_PROGRAMS: Mapping[str, str] = MappingProxyType({"cmake": "cmake", "make": "make", "c++": "g++", "tar": "tar"})
"""Debian's package of each program that every build needs."""
_OF_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "rocksdb/db.h": "librocksdb-dev",
        "leveldb/db.h": "libleveldb-dev",
        "nlohmann/json.hpp": "nlohmann-json3-dev",
        "gflags/gflags.h": "libgflags-dev",
        "snappy.h": "libsnappy-dev",
        "zlib.h": "zlib1g-dev",
        "bzlib.h": "libbz2-dev",
        "lz4.h": "liblz4-dev",
        "zstd.h": "libzstd-dev",
    }
)


def check_needs(name: str, headers: Sequence[str], *, fetches: bool) -> None:
    """Refuse to begin where something is missing: what a compiler cannot find, a package brings.

    Args:
        name: what is to be built.
        headers: that the compiler has to find, as its source includes them.
        fetches: whether cargo is needed, too.

    Raises:
        BuildError: something is missing; the message has the command that installs all of it.
    """
    programs = [name for name in _OF_PROGRAMS if not _is_there(name)]
    packages = [_OF_PROGRAMS[name] for name in programs]
    if fetches and shutil.which("cargo") is None:
        packages.append(_package_of_cargo())
    absent = headers if "c++" in programs else _absent(headers)
    packages += [_OF_HEADERS[header] for header in absent]
    if not packages:
        return
    sudo = "" if os.geteuid() == 0 else "sudo "
    how = (
        f"{sudo}apt-get install {' '.join(packages)}"
        if shutil.which("apt-get")
        else f"install what Debian calls {', '.join(packages)}"
    )
    raise BuildError(f"to build {name}, something is missing here: {how}")


def compiler() -> str:
    """Return the C++ compiler: what CXX names, else c++."""
    return os.environ.get("CXX") or "c++"


def _is_there(program: str) -> bool:
    return shutil.which(compiler() if program == "c++" else program) is not None


def _absent(headers: Sequence[str]) -> list[str]:
    """Return the headers that the compiler does not find: it knows the folders that packages do not tell."""
    asked = "".join(f"#if !__has_include(<{header}>)\nabsent {header}\n#endif\n" for header in headers)
    command = [compiler(), "-E", "-P", "-x", "c++", "-std=c++17", "-"]
    try:
        answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"the compiler {compiler()} does not answer ({error}); name another one with CXX") from None
    if answer.returncode:
        said = answer.stderr.strip().splitlines() or ["nothing"]
        raise BuildError(f"the compiler {compiler()} does not work: {said[0]}; name another one with CXX")
    said = answer.stdout.splitlines()
    return [header for header in headers if f"absent {header}" in said]


def _package_of_cargo() -> str:
    """Return the package of a cargo that can fetch: Debian 12 has one that is too old, and a new one in cargo-web."""
    if shutil.which("apt-cache") is None:
        return "cargo"
    command = ["apt-cache", "show", "--no-all-versions", "cargo-web"]
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    return "cargo" if answer.returncode or not answer.stdout else "cargo-web"
