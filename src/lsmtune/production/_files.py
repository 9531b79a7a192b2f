"""Finding the LOGs of a service and reading them line by line, whatever is in them."""

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from lsmtune.errors import UsageError

_ROTATED = re.compile(r"^(?:LOG(?:\.old(?:\.\d+)?)?|rocksdb\.info(?:\.\S+)?)(?:\.gz)?$")
_CLOSED = re.compile(r"(?:^|_)LOG(?:\.old\.(\d{16}))?(?:\.gz)?$")
"""Names that RocksDB gives; the number is when a LOG was closed, in us since 1970."""
_OPEN = "9" * 17
_STAMP = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[-T ] ?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_LONGEST_LINE = 1 << 20
_BLOCK = 1 << 18
_WITHOUT_TIME = "9999"
"""Orders what has no time behind what has one: a dump of ``rocksdb.stats`` belongs to the last opening."""
_GZIP = b"\x1f\x8b"


def find_logs(paths: Iterable[Path]) -> list[Path]:
    """Return the LOGs that are meant, in the order in which they were begun.

    Args:
        paths: LOGs, also gzipped, or folders of databases, in which ``LOG`` and older ones (``LOG.old``, in
            RocksDB with a number behind) are looked for.

    Raises:
        UsageError: a path does not exist, or a folder has no LOG.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = _logs_in(path)
            if not inside:
                raise UsageError(
                    f"{path} has no LOG, so it is no folder of a database; give one with CURRENT and LOG, or a LOG"
                )
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError(f"there is no {path}; give a folder of a database, or a LOG of one")
    return _in_order(list(dict.fromkeys(found)))


def _in_order(logs: list[Path]) -> list[Path]:
    """Return LOGs in the order that their names tell, else in that of their first lines.

    Lines have the time of the service's clock, in which an hour comes twice where daylight saving ends.
    """
    names = {path: _CLOSED.search(path.name) for path in logs}
    closed = {path: match[1] or _OPEN for path, match in names.items() if match}
    if len(set(closed.values())) == len(logs):
        return sorted(logs, key=closed.__getitem__)
    return sorted(logs, key=_beginning)


def has_logs(folder: Path) -> bool:
    """Whether a folder has a LOG."""
    return bool(_logs_in(folder))


def _logs_in(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if _ROTATED.match(each.name) and each.is_file()]


class CutOffError(Exception):
    """A file ends in the middle of a line, or is gzipped and damaged; what stands before was read."""


def blocks_of(path: Path) -> Iterator[str]:
    """Yield the lines of a LOG, many at once, without the last line end of each block.

    Bytes that are no UTF-8 are replaced; of a line above 1 MiB the pieces count as lines.

    Raises:
        UsageError: the file cannot be read.
        CutOffError: it cannot be read to its end.
    """
    begun: list[bytes] = []  # of a line whose end is not read yet
    waiting = 0
    try:
        with _opened(path) as file:
            while block := file.read1(_BLOCK):
                end = block.rfind(b"\n")
                if end >= 0:
                    yield b"".join((*begun, block[:end])).decode("utf-8", "replace")
                    begun, waiting = [], 0
                begun.append(block[end + 1 :])
                waiting += len(begun[-1])
                if waiting >= _LONGEST_LINE:
                    yield b"".join(begun).decode("utf-8", "replace")
                    begun, waiting = [], 0
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise CutOffError from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}; check who may read it") from None
    if waiting:
        raise CutOffError  # half a number is a wrong one


def _opened(path: Path) -> io.BufferedReader:
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    return gzip.open(path) if is_packed else path.open("rb")  # type: ignore[return-value]  # reads bytes, too


def _beginning(path: Path) -> tuple[str, bool, str]:
    """Return what orders LOGs: the first time stamp, then whether it is the current one, then the name."""
    is_current = ".old" not in path.name
    with suppress(CutOffError):
        for text in blocks_of(path):
            for line in text.split("\n"):
                stamp = _STAMP.search(line[:200])
                if stamp is not None:
                    *parts, fraction = stamp.groups("")
                    begin = "".join(part.rjust(2, "0") for part in parts)
                    return begin + fraction.ljust(9, "0"), is_current, path.name
            break
    return _WITHOUT_TIME, is_current, path.name
