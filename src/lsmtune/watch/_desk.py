"""The studies that a page shows: one, or those in a folder and below."""

import asyncio
import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.store import DATABASE
from lsmtune.watch._follow import Follower

_DEPTH = 3
_MOST_STUDIES = 1000
_SEARCH_S = 3.0
_KEY_DIGITS = 12


@dataclass(frozen=True)
class Found:
    """A study that was found: its key in addresses, its folder, and what it is called in lists."""

    key: str
    folder: Path
    title: str


class Desk:
    """Knows the studies by keys. A key is no path: what is not in the list cannot be asked for.

    Attributes:
        place: the folder that was named.
        readonly: whether nothing can be stopped.
    """

    def __init__(self, place: Path, *, readonly: bool) -> None:
        """Look for studies.

        Raises:
            UsageError: there is no such folder.
        """
        if not place.is_dir():
            raise UsageError(f'there is no folder "{place}"; name a study, or a folder with studies in it')
        self.place = place.resolve()
        self.readonly = readonly
        self._followers: dict[str, Follower] = {}
        self._found: dict[str, Found] = {}
        self._searched = -1e9
        self.search()

    @property
    def is_single(self) -> bool:
        """Whether one study was named, not a folder of them."""
        return (self.place / DATABASE).is_file()

    @property
    def studies(self) -> tuple[Found, ...]:
        """What was found, by title."""
        return tuple(self._found.values())

    def search(self) -> None:
        """Look for studies anew, if the last look is a while ago."""
        if time.monotonic() - self._searched < _SEARCH_S:
            return
        folders = [self.place] if self.is_single else sorted(_studies_below(self.place))[:_MOST_STUDIES]
        found = [Found(_key(folder), folder, self._title(folder)) for folder in folders]
        self._found = {each.key: each for each in found}
        self._searched = time.monotonic()

    async def find(self, key: str) -> Found | None:
        """Return the study with this key; None if there is none."""
        if key not in self._found:
            await asyncio.to_thread(self.search)
        return self._found.get(key)

    def follower(self, found: Found) -> Follower:
        """Return who follows a study."""
        return self._followers.setdefault(found.key, Follower(found.folder))

    def _title(self, folder: Path) -> str:
        return folder.name if folder == self.place else str(folder.relative_to(self.place))


def _studies_below(place: Path) -> list[Path]:
    """Return the folders with a study, not deeper than `_DEPTH`; links are not followed out of the folder."""
    found = []
    for folder, names, files in os.walk(place, followlinks=False):
        path = Path(folder)
        if DATABASE in files:
            found.append(path)
            names.clear()
        elif len(path.relative_to(place).parts) >= _DEPTH:
            names.clear()
        else:
            names[:] = sorted(name for name in names if not name.startswith("."))
    return found


def _key(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:_KEY_DIGITS]
