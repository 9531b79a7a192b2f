"""What a host does for studies elsewhere: makes their runs one by one, and keeps each until the study has it."""

import hashlib
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from lsmtune.backends.registry import backend_of
from lsmtune.errors import LsmtuneError, RunError
from lsmtune.executors._base import Progress
from lsmtune.executors._host import host_facts
from lsmtune.executors._local import LocalExecutor
from lsmtune.executors._lock import FileLock, HostLock
from lsmtune.executors._program_state import ProgramState
from lsmtune.executors.hosts._journal import Journal
from lsmtune.executors.hosts._scheduler import HostSeen, Kept, Recipe, Task
from lsmtune.model import EngineBuild, HostFacts, Outcome, Status

_Found: TypeAlias = tuple[EngineBuild, ProgramState | None]
"""What a host has for a build, and what its program was as a file when that was found out."""


@dataclass(frozen=True)
class SiteSettings:
    """How a host takes part.

    Attributes:
        name: what studies call it.
        labels: what it can be asked for by.
        scratch: folder for the data of runs and for the journal.
        programs: programs that go before those which a study names and those that are found, as the user gave them.
        version: of lsmtune.
    """

    name: str
    labels: tuple[str, ...]
    scratch: Path
    programs: tuple[Path, ...] = ()
    version: str = ""


class Site:
    """A host that makes runs for others.

    `make` is called from one thread at a time; everything else may be asked meanwhile from another.
    """

    def __init__(self, settings: SiteSettings) -> None:
        """Take the scratch folder into use, which no other worker may use until `close`.

        Raises:
            RunError: it cannot be written, or another worker uses it.
        """
        self._settings = settings
        self._under_way = ""
        self._closed = threading.Event()
        self._turn = threading.Lock()
        self._executors: tuple[Recipe, list[_Found], LocalExecutor] | None = None
        self._found: dict[EngineBuild, _Found] = {}
        try:
            self._lock = _taken(settings.scratch)
            self._journal = Journal(settings.scratch / "lsmtune-journal")
        except OSError as error:
            raise RunError(
                f"--scratch {settings.scratch} cannot be used: {error.strerror}; give a folder that can be written"
            ) from None

    @property
    def name(self) -> str:
        """What studies call this host."""
        return self._settings.name

    def seen(self, recipe: Recipe | None = None) -> HostSeen:
        """Return what this host is, and whether it can make the runs of a recipe."""
        settings, problem, builds = self._settings, "", tuple[str, ...]()
        if recipe is not None:
            try:
                builds = tuple(self._find(build, recipe).fingerprint for build in recipe.builds)
            except LsmtuneError as error:
                problem = str(error)
        return HostSeen(
            self._facts(),
            tuple(sorted(settings.labels)),
            settings.version,
            problem,
            builds,
            self._under_way,
            len(self._journal.attempts()),
        )

    def make(self, task: Task) -> Outcome:
        """Make a run under the lock of the host, and keep it before it is given back.

        One that is kept already is given back as it is, so that no attempt is made twice.

        Raises:
            RunError: the lock cannot be taken, or the host has not the build that the run needs.
        """
        with self._turn:
            self.forget(task.stored)
            kept = self._journal.read(task.attempt)
            if kept is not None:
                return kept
            self._under_way = task.attempt
            try:
                if self._closed.is_set():
                    reason = f"the worker of {self._settings.name} was stopped before it began"
                    return Outcome(Status.SPOILED, time.time(), 0.0, reason)
                outcome = self._executor(task).run(task.run, task.limits, _unwatched)
                if self._closed.is_set():  # its data was taken away: what came of it is not the configuration's doing
                    return _spoiled(outcome, f"the worker of {self._settings.name} was stopped while it was under way")
                try:
                    self._journal.keep(task.attempt, outcome)
                except OSError as error:
                    reason = (
                        f"the journal of {self._settings.name}, {self._journal.folder}, cannot be written: "
                        f"{error.strerror}; free space there, or check the folder and its permissions"
                    )
                    return _spoiled(outcome, reason)
            finally:
                self._under_way = ""
            return outcome

    def kept(self, prefix: str) -> Kept:
        """Return what is under way or kept of attempts whose names begin so."""
        under_way = self._under_way
        read = ((attempt, self._journal.read(attempt)) for attempt in self._journal.attempts(prefix))
        ended = {attempt: outcome for attempt, outcome in read if outcome is not None}
        open_here = bool(under_way) and under_way.startswith(prefix) and under_way not in ended
        return Kept((under_way,) if open_here else (), ended)

    def forget(self, attempts: Collection[str]) -> None:
        """Drop finished runs; those of other hosts are none of this one's."""
        for attempt in attempts:
            with suppress(ValueError, OSError):  # one that cannot be dropped harms nobody
                self._journal.forget(attempt)

    def close(self) -> None:
        """Remove data that was kept between runs, and keep no run that is under way; the journal stays.

        Other workers may use the folder then; where a run is still under way in it, not before this process has ended.
        """
        self._closed.set()
        self._drop_data()
        if not self._under_way:
            self._lock.close()

    def _drop_data(self) -> None:
        if self._executors is not None:
            self._executors[2].close()
            self._executors = None

    def _executor(self, task: Task) -> LocalExecutor:
        recipe = task.recipe
        builds = {build: self._find(build, recipe) for build in recipe.builds}
        found = [self._found[build] for build in recipe.builds]
        if self._executors is None or self._executors[:2] != (recipe, found):
            self._drop_data()
            programs = [build.path for build in builds.values()]
            made = LocalExecutor(recipe.bench(builds), self._settings.scratch / "lsmtune-runs", programs=programs)
            self._executors = recipe, found, made
        return self._executors[2]

    def _find(self, wanted: EngineBuild, recipe: Recipe) -> EngineBuild:
        """Return what this host has for a build; it is looked at again where its program was written anew.

        Raises:
            LsmtuneError: nothing, or another one.
        """
        kept = self._found.get(wanted)
        if kept is None or kept[1] is None or kept[1].written_anew():
            path = next((each for each in self._settings.programs if each.name == wanted.path.name), None)
            path = path or (wanted.path if wanted.path.exists() else None)
            found = backend_of(wanted).find(wanted.engine, path, f"host {self._settings.name}")
            kept = self._found[wanted] = found, ProgramState.of(found.path)
        known = kept[0]
        if recipe.same_build and known.fingerprint != wanted.fingerprint:
            raise RunError(
                f"has another build of {wanted.engine} ({known.version} at {known.path}, fingerprint "
                f"{known.fingerprint}) than the study ({wanted.version}, {wanted.fingerprint}); install the same one "
                "there, or write same_build = false under [hosts]"
            )
        if (known.engine, known.version) != (wanted.engine, wanted.version):
            raise RunError(
                f"has {known.engine} {known.version} at {known.path}, and the study runs on {wanted.version}; install "
                "the same version there"
            )
        return known

    def _facts(self) -> HostFacts:
        facts = host_facts(self._settings.scratch)
        lock = HostLock().path
        identity = facts.fingerprint
        if lock != HostLock.SHARED:  # parts of one machine that do not run in turns are told apart
            identity = hashlib.sha256(f"{identity}\n{lock}".encode()).hexdigest()[:16]
        return replace(facts, name=self._settings.name, fingerprint=identity)


def _taken(scratch: Path) -> FileLock:
    """Make a folder where it is not there, and keep other workers from using it.

    Raises:
        RunError: one of them uses it.
        OSError: it cannot be written.
    """
    with suppress(FileExistsError):  # opening the lock's file says what it is, where it is no folder
        scratch.mkdir(parents=True)
    lock = FileLock(scratch / "lsmtune-lock")
    if not lock.take():
        holder = lock.holder
        lock.close()
        raise RunError(
            f"--scratch {scratch} is in use by {holder}, a worker of this host or of one that shares the folder; give "
            "each worker a folder of its own"
        )
    return lock


def _spoiled(outcome: Outcome, reason: str) -> Outcome:
    """Return an outcome as one of which nothing is known but the reason."""
    return replace(outcome, status=Status.SPOILED, reason=reason, measurement=None, bound_s=None)


def _unwatched(_progress: Progress) -> None:
    """The study hears of a run when it has ended."""
