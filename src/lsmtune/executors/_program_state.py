"""What a program was as a file, so that another one in its place is noticed before it is started."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lsmtune.backends import loaded_libraries
from lsmtune.backends.registry import engines


@dataclass(frozen=True)
class ProgramState:
    """What tells a program, and the library of an engine that it loads, from others in their places, all unread.

    Attributes:
        files: each with its size in B and its time of change in ns.
    """

    files: tuple[tuple[Path, int, int], ...]

    @classmethod
    def of(cls, program: Path) -> "ProgramState | None":
        """Look at a program; None where no file is there."""
        try:
            own = _file(program)
            return cls((own, *map(_file, loaded_libraries(program, *(f"lib{each}" for each in engines())))))
        except OSError:
            return None

    def written_anew(self) -> Path | None:
        """Return the first of the files that is another one now; None where all are the same, or are gone."""
        for file in self.files:
            with suppress(OSError):
                if _file(file[0]) != file:
                    return file[0]
        return None


def _file(path: Path) -> tuple[Path, int, int]:
    found = path.stat()
    return path, found.st_size, found.st_mtime_ns
