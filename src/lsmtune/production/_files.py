"""Finding the LOGs of a service and reading them line by line, whatever is in them."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from lsmtune.errors import UsageError

_ROTATED = re.compile(r"^(?:LOG(?:\.old\.\d+)?|rocksdb\.info(?:\.\S+)?)(?:\.gz)?$")
_STAMP = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[-T ] ?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_LONGEST_LINE = 1 << 20
_BEGIN = 1 << 16
_GZIP = b"\x1f\x8b"


def find_logs(paths: Iterable[Path]) -> list[Path]:
    """Return the LOGs that are meant, in the order of their first line.

    Args:
        paths: LOGs, also gzipped, or folders of databases, in which ``LOG`` and ``LOG.old.*`` are looked for.

    Raises:
        UsageError: a path does not exist, or a folder has no LOG.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [each for each in path.iterdir() if _ROTATED.match(each.name) and each.is_file()]
            if not inside:
                raise UsageError(
                    f"{path} has no LOG, so it is no folder of a database; give one with CURRENT and LOG, or a LOG"
                )
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError(f"there is no {path}; give a folder of a database, or a LOG of one")
    return sorted(dict.fromkeys(found), key=_beginning)


class CutOffError(Exception):
    """A file ends in the middle of a line, or is gzipped and damaged; what stands before was read."""


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a LOG; bytes that are no UTF-8 are replaced, a line above 1 MiB comes in pieces.

    Raises:
        UsageError: the file cannot be read.
        CutOffError: it cannot be read to its end.
    """
    try:
        with _opened(path) as file:
            while line := file.readline(_LONGEST_LINE):
                if len(line) < _LONGEST_LINE and not line.endswith(b"\n"):
                    raise CutOffError  # half a number is a wrong one
                yield line.decode("utf-8", "replace")
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise CutOffError from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}; check who may read it") from None


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    return gzip.open(path) if is_packed else path.open("rb")  # type: ignore[return-value]  # reads bytes, too


def _beginning(path: Path) -> tuple[str, bool, str]:
    """Return what orders LOGs: the first time stamp, then whether it is the current one, then the name."""
    is_current, read = ".old" not in path.name, 0
    with suppress(CutOffError):
        for line in lines_of(path):
            stamp = _STAMP.search(line[:200])
            if stamp is not None:
                *parts, fraction = stamp.groups("")
                return "".join(part.rjust(2, "0") for part in parts) + fraction.ljust(9, "0"), is_current, path.name
            read += len(line)
            if read > _BEGIN:
                break
    return "", is_current, path.name
