"""Finding a db_bench, and finding out what it is."""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends._program import Answer, Found, Program, ask, cache_folder, fingerprint
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild

ENVIRONMENT_VARIABLE = "LSMTUNE_DB_BENCH"

_DB_BENCH = Program(
    "db_bench",
    "with --db-bench PATH",
    ENVIRONMENT_VARIABLE,
    "install one (apt-get install rocksdb-tools), build a faster one (lsmtune build rocksdb) or name one with "
    "--db-bench PATH",
    maker="lsmtune build rocksdb",
    prefers_built=True,
)
# db_bench's word for a compressor: its name in LOG events up to 10.x, its code in the "BuiltinV2;04;" of later ones.
_COMPRESSORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "snappy": ("Snappy", "01"),
        "zlib": ("Zlib", "02"),
        "bzip2": ("BZip2", "03"),
        "lz4": ("LZ4", "04"),
        "lz4hc": ("LZ4HC", "05"),
        "xpress": ("Xpress", "06"),
        "zstd": ("ZSTD", "07"),
    }
)
_NAMES_BY_CODE = {code: name for name, code in _COMPRESSORS.values()}
_NUMBERS = re.compile(r"\d+(\.\d+)*")
_OF_LEVELDB = "Invalid flag '--help'"
_VERSION = re.compile(r"RocksDB:\s+version (\d+(?:\.\d+)+)")
_LOG_VERSION = re.compile(r"RocksDB version: (\d+(?:\.\d+)+)")
_TABLE_COMPRESSION = re.compile(r'"event": "table_file_creation".*?"compression": "([^"]*)"')
_FLAG = re.compile(r"(\w+) \((.*)\) type: (\w+) default: (.*?)(?: currently: .*)?", re.DOTALL)


@dataclass(frozen=True)
class _Fill:
    """What a tiny fill printed; the compressors and the version that its LOG names, empty where it names none."""

    answer: Answer
    used: list[str]
    version: str


@dataclass(frozen=True)
class Flag:
    """A command-line flag as ``--help`` describes it; `default` is text, without the quotes of strings."""

    name: str
    type: str
    default: str
    description: str


def find_db_bench(explicit: Path | None = None, origin: str = "--db-bench") -> Path:
    """Return the absolute path of the db_bench to use.

    Args:
        explicit: the path that the user named; else the environment variable LSMTUNE_DB_BENCH decides, else the newest
            that ``lsmtune build rocksdb`` built below $XDG_CACHE_HOME or ~/.cache, else PATH.
        origin: where the user named it, for messages.

    Raises:
        EngineError: there is none, or what was named is not a program.
    """
    return locate_db_bench(explicit, origin).path


def locate_db_bench(explicit: Path | None = None, origin: str = "--db-bench") -> Found:
    """Return the db_bench to use and how it was found; see `find_db_bench`."""
    return _DB_BENCH.find(explicit, origin, _newest_built())


def _newest_built() -> Path | None:
    """Return the db_bench of the newest version that ``lsmtune build rocksdb`` completed; None where there is none."""
    complete = {
        tuple(int(number) for number in path.parts[-3].split(".")): path
        for path in (cache_folder() / "rocksdb").glob("*/bin/db_bench")
        if _NUMBERS.fullmatch(path.parts[-3]) and os.access(path, os.X_OK)
    }
    return complete[max(complete)] if complete else None


def discover(path: Path) -> EngineBuild:
    """Find out what a db_bench is, in a few tiny runs (about 0.3 s).

    A compressor counts as working when a table file was written with it, whatever the return code said.

    Args:
        path: the binary, or a script that stands for one.

    Raises:
        EngineError: the program does not behave like a db_bench, or does not end in time.
    """
    page = ask(path, ["--help"])
    if _OF_LEVELDB in page.stderr:
        raise EngineError(
            f'{path} is a db_bench of LevelDB or of a fork; write name = "leveldb" under [engine], or name that of '
            "RocksDB with --db-bench PATH"
        )
    flags = parse_help(page.stdout)
    writing = "flush"
    fill = _tiny_fill(path, "none", writing)
    if not fill.used:  # before 6.19 it is unknown, before 7.3 it does nothing
        writing = "compact"
        fill = _tiny_fill(path, "none", writing)
    version = _version(path, fill)
    if "benchmarks" not in flags or not fill.used:
        raise EngineError(f"{path} is not a working db_bench: a tiny fill ended with: {fill.answer.complaint}")
    works = [word for word in _COMPRESSORS if _is_used(word, _tiny_fill(path, word, writing).used)]
    return EngineBuild(
        engine="rocksdb",
        version=version,
        path=path,
        fingerprint=fingerprint(path, "librocksdb"),
        assertions="Assertions are enabled" in fill.answer.stdout + fill.answer.stderr,
        compressors=("none", *works),
        flags=tuple((flag.name, flag.default) for flag in flags.values()),
    )


def parse_help(text: str) -> dict[str, Flag]:
    """Read the flags of all sections of a gflags ``--help`` page, by name in the page's order.

    What is not a flag is passed over.
    """
    blocks: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("    -"):
            blocks.append([line.strip()[1:]])
            inside = True
        elif inside and line.startswith("      "):
            blocks[-1].append(line.strip())
        else:
            inside = False
    matches = (_FLAG.fullmatch(" ".join(block)) for block in blocks)
    return {match[1]: _flag(match) for match in matches if match is not None}


def _flag(match: re.Match[str]) -> Flag:
    default = match[4]
    if len(default) >= 2 and default[0] == default[-1] == '"':
        default = default[1:-1]
    return Flag(match[1], match[3], default, " ".join(match[2].split()))


def _version(path: Path, fill: _Fill) -> str:
    """Return the version as the LOG has it; db_bench leaves out its last number in old ones."""
    printed = _VERSION.search(fill.answer.stderr) or _VERSION.search(fill.answer.stdout)
    if printed is None:
        raise EngineError(f"{path} is not a db_bench: asked for its version it printed: {fill.answer.complaint}")
    return fill.version if fill.version.startswith(f"{printed[1]}.") else printed[1]


def _tiny_fill(path: Path, compressor: str, writing: str) -> _Fill:
    """Fill a few pairs, and run the benchmark `writing`, which writes them into a table."""
    with tempfile.TemporaryDirectory(prefix="lsmtune-discover-") as folder:
        flags = ["--num=200", "--seed=1", f"--compression_type={compressor}", f"--db={folder}"]
        answer = ask(path, [f"--benchmarks=fillseq,{writing}", *flags])
        log = Path(folder, "LOG")
        text = log.read_text(errors="replace") if log.exists() else ""
    version = _LOG_VERSION.search(text)
    return _Fill(answer, _TABLE_COMPRESSION.findall(text), "" if version is None else version[1])


def _is_used(compressor: str, used: list[str]) -> bool:
    name, _ = _COMPRESSORS[compressor]
    return name in map(compressors_of, used)


def compressors_of(text: str) -> str:
    """Return what a table is compressed by, as LOGs up to 10.x name it: ``"LZ4"`` of ``"BuiltinV2;04;"``.

    Several are joined by a slash; ``"NoCompression"`` where a later LOG names none.
    """
    _, mark, codes = text.partition(";")
    if not mark:
        return text
    digits = codes.partition(";")[0]
    used = [digits[place : place + 2] for place in range(0, len(digits), 2)]
    return "/".join(_NAMES_BY_CODE.get(code, code) for code in used if code != "00") or "NoCompression"
