"""Finding a db_bench of LevelDB or of a fork, and finding out what it is and can.

Such a db_bench has no ``--help``. It goes through its arguments in order and ends at the first one that it does not
know, "Invalid flag '--x=1'", before it touches a database: so arguments that end in a made-up one tell which it knows.
"""

import re
import tempfile
from pathlib import Path

from lsmtune.backends._program import Answer, Program, ask, cache_folder, fingerprint
from lsmtune.backends.leveldb._family import MARKS
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild
from lsmtune.space import catalogue

ENVIRONMENT_VARIABLE = "LSMTUNE_LEVELDB_BENCH"

_NEXT_STEP = "run lsmtune build leveldb to build one, or name one: db_bench in the experiment file, or --db-bench PATH"
_BENCH = Program("db_bench", "with --db-bench PATH", ENVIRONMENT_VARIABLE, _NEXT_STEP, maker="lsmtune build leveldb")
_BUILT = Path("leveldb", "1.22", "bin", "db_bench")
_MADE_UP = "lsmtune_asks"
_NEEDED = (
    *("benchmarks", "db", "num", "reads", "threads", "value_size", "compression_ratio", "histogram"),
    "use_existing_db",
)
_INVALID = re.compile(r"Invalid flag '--(\w+)=")
_GFLAGS = "unknown command line flag"
_VERSION = re.compile(r"LevelDB:\s+version (\d+(?:\.\d+)+)")
_RESULT = re.compile(r"^fillseq\s*:.* micros/op;", re.MULTILINE)


def find_leveldb_bench(explicit: Path | None = None, origin: str = "--db-bench") -> Path:
    """Return the absolute path of the db_bench of LevelDB, or of a fork, to use.

    Args:
        explicit: the path that the user named; else the environment variable LSMTUNE_LEVELDB_BENCH decides, else a
            db_bench in PATH that is LevelDB's, else the one that ``lsmtune build leveldb`` built below $XDG_CACHE_HOME
            or ~/.cache. LSMTUNE_DB_BENCH, which names RocksDB's, is never looked at.
        origin: where the user named it, for messages.

    Raises:
        EngineError: there is none, or what was named is not a program.
    """
    return _BENCH.find(explicit, origin, cache_folder() / _BUILT, suits=_is_one).path


def discover_leveldb(path: Path) -> EngineBuild:
    """Find out what a db_bench of LevelDB, or of a fork, is and can, in a few tiny runs (about 0.1 s).

    Args:
        path: the binary, or a script that stands for one.

    Raises:
        EngineError: the program does not behave like a db_bench of LevelDB, or does not end in time.
    """
    flags = known_flags(path)
    missing = [f"--{name}" for name in _NEEDED if name not in flags]
    if missing:
        raise EngineError(
            f"{path} is a db_bench without {', '.join(missing)}, which lsmtune needs; name another one with --db-bench "
            "PATH"
        )
    answer = _tiny_fill(path)
    version = _VERSION.search(answer.stderr) or _VERSION.search(answer.stdout)
    if version is None or not _RESULT.search(answer.stdout):
        raise EngineError(f"{path} is not a working db_bench of LevelDB: a tiny fill ended with: {answer.complaint}")
    snappy = "WARNING: Snappy compression is not" not in answer.stdout
    return EngineBuild(
        engine="leveldb",
        version=version[1],
        path=path,
        fingerprint=fingerprint(path, "libleveldb"),
        assertions="Assertions are enabled" in answer.stdout + answer.stderr,
        compressors=("no", "snappy") if snappy else ("no",),
        flags=tuple((name, "") for name in flags),
    )


def known_flags(path: Path) -> tuple[str, ...]:
    """Return which of the flags that lsmtune uses a db_bench knows.

    Raises:
        EngineError: it does not answer as a db_bench of LevelDB does.
    """
    of_options = [option.flag for option in catalogue("leveldb").options.values() if option.flag is not None]
    asked = [*_NEEDED, *of_options, *MARKS]
    while True:
        answer = ask(path, [f"--{name}=1" for name in (*asked, _MADE_UP)])
        refused = _INVALID.search(answer.stderr)
        if refused is None or refused[1] not in (*asked, _MADE_UP):
            raise EngineError(_is_another(path, answer))
        if refused[1] == _MADE_UP:
            return tuple(asked)
        asked.remove(refused[1])


def _is_one(path: Path) -> bool:
    try:
        refused = _INVALID.search(ask(path, [f"--{_MADE_UP}=1"]).stderr)
    except EngineError:
        return False
    return refused is not None and refused[1] == _MADE_UP


def _is_another(path: Path, answer: Answer) -> str:
    if _GFLAGS in answer.stderr:
        return (
            f"{path} reads its flags with gflags, as RocksDB's db_bench does and LevelDB's does not; write "
            f'name = "rocksdb" under [engine], or {_NEXT_STEP}'
        )
    return f"{path} is not a db_bench of LevelDB: asked for its flags it printed: {answer.complaint}; {_NEXT_STEP}"


def _tiny_fill(path: Path) -> Answer:
    with tempfile.TemporaryDirectory(prefix="lsmtune-discover-") as folder:
        return ask(path, [f"--db={folder}/db", "--benchmarks=fillseq", "--num=200"])
