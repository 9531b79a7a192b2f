"""Artefact files of runs: ``artefacts/<run id>/<name>.gz``."""

import gzip
import os
import re
import secrets
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsmtune.errors import StudyCorruptError, StudyError

ARTEFACTS = "artefacts"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,99}")
_AT_ONCE = 8


def check_names(artefacts: Mapping[str, str]) -> None:
    """Refuse names that are not plain file names.

    Raises:
        StudyError: a name has other characters than letters, digits and ``_.@+-``, or more than 100.
    """
    for name in artefacts:
        if _NAME.fullmatch(name) is None:
            raise StudyError(
                f'"{name}" cannot name an artefact; use at most 100 letters, digits and "_.@+-", a letter first'
            )


def write_artefacts(folder: Path, run_id: int, artefacts: Mapping[str, str]) -> None:
    """Write the artefacts of a run so that each is whole or absent after a kill or power loss.

    Bytes that were no UTF-8 when the text was read (surrogate escapes) are written back as they were. All are packed
    and synced side by side, as a host waits meanwhile.

    Raises:
        OSError: a file cannot be written; no temporary file is left.
    """
    if not artefacts:
        return
    place = folder / ARTEFACTS / str(run_id)
    place.mkdir(parents=True, exist_ok=True)

    def write(name: str, text: str) -> None:
        packed = gzip.compress(text.encode("utf-8", "surrogateescape"), compresslevel=1, mtime=0)
        write_whole(place / f"{name}.gz", packed)

    with ThreadPoolExecutor(min(len(artefacts), _AT_ONCE)) as threads:
        list(threads.map(write, artefacts.keys(), artefacts.values()))
    sync_folder(place)
    sync_folder(place.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path` by way of a synced temporary file; call `sync_folder` afterwards.

    The temporary file is beside it, with a name that no other file and no other writer has.

    Raises:
        OSError: the file cannot be written; the temporary file is removed.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make names in `folder` durable.

    Raises:
        OSError: the folder cannot be synced.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def artefact_names(folder: Path, run_id: int) -> tuple[str, ...]:
    """Return the names of the artefacts that a run left, sorted."""
    return tuple(sorted(path.name.removesuffix(".gz") for path in (folder / ARTEFACTS / str(run_id)).glob("*.gz")))


def read_artefact(folder: Path, run_id: int, name: str) -> str:
    """Return the text of an artefact.

    Raises:
        StudyError: the run has no such artefact.
        StudyCorruptError: the file is damaged.
    """
    path = folder / ARTEFACTS / str(run_id) / f"{name}.gz"
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        there = ", ".join(artefact_names(folder, run_id)) or "none"
        raise StudyError(f'run {run_id} of study "{folder}" has no artefact "{name}"; it has: {there}') from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise StudyCorruptError(f'"{path}" is damaged ({error}); take it from a backup or do without it') from error
