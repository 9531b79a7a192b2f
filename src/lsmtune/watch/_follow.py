"""A study that is followed: looked at four times a second while somebody watches it, and not at all otherwise."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from lsmtune.api import report_view
from lsmtune.report.html import LiveParts, live_parts
from lsmtune.store import read_study
from lsmtune.watch._snapshot import Snapshot

_LOOK_S = 0.25
_SHARE = 0.005
"""Of a core that bringing the sections up to date may take beside a run."""
_LONGEST_S = 0.5
"""Processor time of one go beside a run: more in a row would disturb it."""
_GUESS_S_PER_RUN = 6e-4


class Follower:
    """Follows one study for any number of watchers.

    Attributes:
        snapshot: what is known.
        parts: what the study says, as of `parts_version` of the snapshot; None before somebody asked.
    """

    def __init__(self, folder: Path) -> None:
        self.snapshot = Snapshot(folder)
        self.parts: LiveParts | None = None
        self.parts_version = -1
        self.parts_runs = 0
        self._watchers = 0
        self._task: asyncio.Task[None] | None = None
        self._turn = 0
        self._told = asyncio.Condition()
        self._looking = asyncio.Lock()
        self._putting_together = asyncio.Lock()
        self._cost_s: float | None = None
        self._made_at = -1e9

    @property
    def turn(self) -> int:
        """Counts what watchers were told."""
        return self._turn

    async def look(self) -> None:
        """Bring the snapshot up to date, if something may have changed."""
        async with self._looking:
            if self.snapshot.is_due and await run_in_threadpool(self.snapshot.refresh):
                await self._tell()

    async def news(self, turn: int, timeout_s: float) -> bool:
        """Wait until watchers are told something after `turn`; return whether they were."""
        try:
            async with asyncio.timeout(timeout_s), self._told:
                await self._told.wait_for(lambda: self._turn > turn)
        except TimeoutError:
            return False
        return True

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Follow the study while the block goes on."""
        self._watchers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            self._watchers -= 1

    @property
    def may_put_together(self) -> bool:
        """Whether the sections can be made now without disturbing a run: it takes processor time that runs miss."""
        if not self.snapshot.running:
            return True
        cost_s = self._cost_s or _GUESS_S_PER_RUN * len(self.snapshot.runs)
        return cost_s <= _LONGEST_S and time.monotonic() - self._made_at >= cost_s / _SHARE

    @property
    def is_current(self) -> bool:
        """Whether the sections say all that is known."""
        return self.parts is not None and self.parts_version == self.snapshot.version

    async def put_together(self) -> LiveParts:
        """Return what the study says so far, made anew if it has changed.

        Raises:
            LsmtuneError: the study cannot be read.
        """
        async with self._putting_together:
            version, runs = self.snapshot.version, len(self.snapshot.runs)
            if self.parts is None or self.parts_version != version:
                began = time.process_time()
                parts = await run_in_threadpool(_parts_of, self.snapshot.folder)
                self._cost_s, self._made_at = time.process_time() - began, time.monotonic()
                self.parts, self.parts_version, self.parts_runs = parts, version, runs
                await self._tell()
            return self.parts

    async def _follow(self) -> None:
        while self._watchers:
            try:
                await self.look()
                is_old = self.parts is not None and not self.is_current
                if is_old and not self.snapshot.trouble and self.may_put_together:
                    await self.put_together()
            except Exception as error:
                self.snapshot.trouble = f"the study cannot be followed: {error}"
                await self._tell()
            await asyncio.sleep(_LOOK_S)
        self._task = None

    async def _tell(self) -> None:
        async with self._told:
            self._turn += 1
            self._told.notify_all()


def _parts_of(folder: Path) -> LiveParts:
    with read_study(folder) as study:
        return live_parts(report_view(study, inside=False, predicts=False))
