"""What was found out about programs on this machine, kept so that the same files are not asked again.

To find out what a program is takes some runs of it, a second for some builds. The answer is kept by what it depends on:
the program and every library that it loads, each by path, size and time of its last change. Scripts, which may start
anything, are asked each time.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from lsmtune.backends._program import ask, cache_folder
from lsmtune.codec import MisreadError, Object, listed, pair, text, truth
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild

_FORMAT = 1
"""Of the files. 1: the fields of `EngineBuild`."""
_LIBRARY = re.compile(r"(?:=> |^\s*)(/\S+) \(0x", re.MULTILINE)


def known_build(path: Path, what: str, discover: Callable[[Path], EngineBuild]) -> EngineBuild:
    """Return what a program is, as it was found out before or, where it or a library has changed since, anew.

    Args:
        path: the program.
        what: it is asked for; the same program may be asked for several engines.
        discover: finds it out.

    Raises:
        EngineError: it is not what it should be; that is never kept.
    """
    kept = _kept_at(path, what)
    found = None if kept is None else _read(kept)
    if found is None:
        found = discover(path)
        if kept is not None:
            _write(kept, found)
    return found


def build_of(fields: Object, flags: Sequence[tuple[str, str]] = ()) -> EngineBuild:
    """Return a build from its fields in JSON; the flags of its program are kept by few.

    Raises:
        MisreadError: a field is missing or wrong.
    """
    return EngineBuild(
        engine=fields.need("engine", text),
        version=fields.need("version", text),
        path=Path(fields.need("path", text)),
        fingerprint=fields.need("fingerprint", text),
        assertions=fields.need("assertions", truth),
        compressors=fields.need("compressors", listed(text)),
        flags=tuple(flags),
        tool=fields.need("tool", text),
    )


def _kept_at(path: Path, what: str) -> Path | None:
    """Return where the answer of a program as it is now is kept; None where that cannot be told."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return None
        libraries = sorted(set(_LIBRARY.findall(ask(Path("ldd"), [str(path)]).stdout)))
        states = {each: Path(each).stat() for each in (str(path), *libraries)}
    except (OSError, EngineError):
        return None
    files = [(each, state.st_size, state.st_mtime_ns) for each, state in states.items()]
    name = sha256(json.dumps([_FORMAT, what, files]).encode()).hexdigest()[:32]
    return cache_folder() / "known-builds" / f"{name}.json"


def _read(kept: Path) -> EngineBuild | None:
    try:
        fields = Object(json.loads(kept.read_text()))
        return build_of(fields, fields.need("flags", listed(pair(text, text))))
    except (OSError, ValueError, MisreadError):
        return None


def _write(kept: Path, build: EngineBuild) -> None:
    """Keep an answer, whole or not at all; where nothing can be written it is found out again."""
    unfinished = kept.with_suffix(f".{os.getpid()}")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps({**asdict(build), "path": str(build.path)}))
        unfinished.replace(kept)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
