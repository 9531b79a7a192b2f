"""Files that a user named, or that lie beside a study: written whole, with errors in a user's words."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lsmtune.errors import LsmtuneError, UsageError
from lsmtune.store._artefacts import write_whole

FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system says of a disk, or of a share of it, that is full."""


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn what the system says while a file is written into an error of lsmtune.

    Raises:
        UsageError: it cannot be written there.
        LsmtuneError: the disk is full.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise LsmtuneError(
                f"{path} cannot be written: {error.strerror}; free some space, and the same command writes it"
            ) from None
        raise UsageError(f"{path} cannot be written: {error.strerror or error}; give another name") from None


def write_file(path: Path, content: bytes) -> None:
    """Put `content` at `path`; what was there before stays until all of it is written.

    Raises:
        UsageError: it cannot be written there.
        LsmtuneError: the disk is full.
    """
    with file_errors(path):
        place = Path(os.path.realpath(path))  # Path.resolve fails otherwise than the system where links go in a circle
        if (path.is_file() or not path.exists()) and os.access(place.parent, os.W_OK):
            write_whole(place, content)
        else:  # no file, like /dev/stdout, or one in a folder that takes no other beside it
            path.write_bytes(content)
