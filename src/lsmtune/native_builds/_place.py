"""Where something is built, and where it then stands."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lsmtune.backends import cache_folder, expanded
from lsmtune.errors import BuildError, UsageError

_MIB = 1 << 20


@dataclass(frozen=True)
class Built:
    """A program that stands where the backends find it.

    Attributes:
        program: its path.
        was_there: whether it had been built before.
    """

    program: Path
    was_there: bool


@dataclass(frozen=True)
class Place:
    """What is built and where.

    Attributes:
        name: as sentences name it: "RocksDB 11.8.1".
        identity: what tells one build of it from another; it is kept beside the program.
        slug: its name as a file.
        program: where the program is to stand.
        needed_mib: free disk that the build needs.
        takes_unstamped: whether a program of an engine that stands in the cache without an identity is taken for it:
            the scripts that built before lsmtune did kept none, but their folders tell the version.
    """

    name: str
    identity: str
    slug: str
    program: Path
    needed_mib: int
    takes_unstamped: bool = True

    @property
    def work(self) -> Path:
        """The folder of the build, which goes when it is done."""
        return cache_folder() / "builds" / self.slug

    @property
    def log(self) -> Path:
        """The words of all programs that took part; it stays."""
        return self.work.with_name(f"{self.slug}.log")

    def is_built(self) -> bool:
        """Return whether this very build stands there.

        Raises:
            UsageError: there is a program of this name that is another one.
        """
        if not os.access(self.program, os.X_OK):
            return False
        identity = identity_of(self.program)
        if identity == self.identity:
            return True
        if self.program.is_relative_to(cache_folder()):
            return not identity and self.takes_unstamped and self.program.parent.name == "bin"
        raise UsageError(
            f"{self.program} is there and is not the {self.name} that is to be built; remove it, or give another "
            "--prefix"
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder of the build and keep other calls out of it; it goes where all inside went well.

        Raises:
            BuildError: the folder cannot be made, another call is at work there, or the disk is too full.
        """
        try:
            self.work.mkdir(parents=True, exist_ok=True)
            lock = self.work.with_name(f"{self.slug}.lock").open("w")
        except OSError as error:
            raise BuildError(
                f"{self.work} cannot be written: {error.strerror}; set XDG_CACHE_HOME to a folder that can be"
            ) from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BuildError(f"another call builds {self.name} in {self.work}; wait for it to end") from None
            self._check_disk()
            yield
            done = self.work.with_name(f"{self.slug}.done")  # a half of it would be taken for a source that is there
            shutil.rmtree(done, ignore_errors=True)
            self.work.rename(done)
            shutil.rmtree(done, ignore_errors=True)

    def _check_disk(self) -> None:
        free_mib = shutil.disk_usage(self.work).free // _MIB
        if not any(self.work.iterdir()) and free_mib < self.needed_mib:
            raise BuildError(
                f"the disk of {self.work} has {free_mib} MiB free and the build needs {self.needed_mib} MiB; free "
                "some, or set XDG_CACHE_HOME to a folder on another disk"
            )

    def withdraw(self) -> None:
        """Take the program that stands there away, before anything that belongs to it changes.

        Whatever happens then, there is no program until all of it is the new one's.

        Raises:
            BuildError: it cannot be removed.
        """
        with self._writing():
            self.program.unlink(missing_ok=True)

    def install(self, made: Path) -> None:
        """Put a program that was made into its place: who looks there sees all of it or none.

        Others that are to stand in the same place, as drivers of several versions are, wait for one another.

        Raises:
            BuildError: it cannot be written there.
        """
        part = self.program.with_name(f"{self.program.name}.part")
        with self._writing(), self.work.with_name("install.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(made, part)
            self.withdraw()  # beside an old program the stamp of the new one would lie
            _stamp(self.program).write_text(f"{self.identity}\n")
            part.replace(self.program)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BuildError(f"{self.program} cannot be written: {error.strerror}; give another --prefix") from None


def identity_of(program: Path) -> str:
    """Return the identity that was kept beside a program when it was built; empty where none was."""
    stamp = _stamp(program)
    return stamp.read_text().strip() if stamp.is_file() else ""


def _stamp(program: Path) -> Path:
    return program.with_name(f"{program.name}.built")


def placed(home: Path, prefix: Path | None) -> Path:
    """Return the folder below which something is to stand: `prefix` where one is given, else `home` in the cache."""
    return cache_folder() / home if prefix is None else expanded(prefix).absolute()
