"""Finding lsmtune-ycsb, and finding out which engines it drives."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends._program import Program, ask, cache_folder, checkout, fingerprint
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild

ENVIRONMENT_VARIABLE = "LSMTUNE_DRIVER"

OUTPUT_FORMAT = 1
"""The newest format of the driver's output that lsmtune reads. 1: JSON lines, see native/ycsb/README.md."""

_NAME = "lsmtune-ycsb"
_DRIVER = Program(
    _NAME,
    "as driver under [engine]",
    ENVIRONMENT_VARIABLE,
    "run lsmtune build driver, or name one as driver under [engine]",
    maker="lsmtune build driver",
)
_PACKAGES: Mapping[str, str] = MappingProxyType({"rocksdb": "librocksdb-dev", "leveldb": "libleveldb-dev"})
_COMPRESSORS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "rocksdb": {
            "kNoCompression": "none",
            "kSnappyCompression": "snappy",
            "kZlibCompression": "zlib",
            "kBZip2Compression": "bzip2",
            "kLZ4Compression": "lz4",
            "kLZ4HCCompression": "lz4hc",
            "kZSTD": "zstd",
        },
        "leveldb": {"no": "no", "snappy": "snappy"},
    }
)
"""The catalogues' name of a compressor by the engine's own."""
_HEAD = re.compile(r"(?:lsmtune-)?ycsb (?P<version>\S+), output format (?P<format>\d+)")
_ENGINE = re.compile(
    r"(?P<name>\w+) (?P<version>\S+), assertions (?P<assertions>on|off|unknown), compressors(?P<compressors>(?: \S+)*)"
)
_LEFT_OUT = re.compile(r"(?P<name>\w+): left out of this build, (?P<reason>.+)")


def find_driver(explicit: Path | None = None, origin: str = "engine.driver") -> Path:
    """Return the absolute path of the lsmtune-ycsb to use.

    Args:
        explicit: the path that the user named; else the environment variable LSMTUNE_DRIVER decides, else PATH, else
            what was built last: by ``make native`` in the repository that this lsmtune runs from, or by ``lsmtune
            build driver`` below $XDG_CACHE_HOME or ~/.cache.
        origin: where the user named it, for messages.

    Raises:
        EngineError: there is none, or what was named is not a program.
    """
    kept = cache_folder() / "driver" / _NAME
    own = _of_checkout()
    if own is not None and (not kept.exists() or own.stat().st_mtime > kept.stat().st_mtime):
        return replace(_DRIVER, maker="make native").find(explicit, origin, own).path
    return _DRIVER.find(explicit, origin, kept).path


def _of_checkout() -> Path | None:
    """Return the driver that was built in the repository, where lsmtune runs from one and it was."""
    root = checkout()
    built = None if root is None else root / "native" / "ycsb" / "build" / _NAME
    return built if built is not None and built.is_file() else None


def discover_driver(path: Path, engine: str) -> EngineBuild:
    """Find out what a driver makes of an engine, by its ``--version`` (about 0.1 s: it tries each compressor).

    Args:
        path: the driver, or a script that stands for one.
        engine: ``"rocksdb"`` or ``"leveldb"``.

    Raises:
        EngineError: the program is not lsmtune-ycsb, is newer than this lsmtune, was built without the engine, or does
            not end in time.
    """
    answer = ask(path, ["--version"])
    lines = answer.stdout.splitlines()
    head = next((match for line in lines if (match := _HEAD.fullmatch(line))), None)
    if head is None:
        raise EngineError(f"{path} is not {_NAME}: asked for its version it printed: {answer.complaint}")
    if int(head["format"]) > OUTPUT_FORMAT:
        raise EngineError(
            f"{path} prints output format {head['format']}, and this lsmtune reads up to {OUTPUT_FORMAT}; update "
            "lsmtune, or run lsmtune build driver to build the driver that belongs to it"
        )
    facts = _facts(lines, engine)
    if facts is None:
        raise EngineError(_built_without(path, lines, engine))
    return EngineBuild(
        engine=engine,
        version=facts.version,
        path=path,
        fingerprint=fingerprint(path, f"lib{engine}"),
        assertions=facts.assertions,
        compressors=facts.compressors,
        flags=(),
        tool="ycsb",
    )


@dataclass(frozen=True)
class _Facts:
    """What a driver says of one of its engines."""

    version: str
    assertions: bool
    compressors: tuple[str, ...]


def _facts(lines: list[str], engine: str) -> _Facts | None:
    for line in lines:
        match = _ENGINE.fullmatch(line)
        if match is not None and match["name"] == engine:
            names = _COMPRESSORS.get(engine, {})
            compressors = tuple(names[word] for word in match["compressors"].split() if word in names)
            return _Facts(match["version"], match["assertions"] == "on", compressors)
    return None


def _built_without(path: Path, lines: list[str], engine: str) -> str:
    matches = (_LEFT_OUT.fullmatch(line) for line in lines)
    reasons = [f" ({match['reason']})" for match in matches if match is not None and match["name"] == engine]
    package = _PACKAGES.get(engine)
    if package is None:
        return f'{path} does not drive "{engine}"; choose one of {", ".join(_PACKAGES)}'
    return (
        f"{path} was built without {engine}{''.join(reasons)}; install its library (apt-get install {package}) and run "
        "lsmtune build driver"
    )
