"""Programs that drive engines: finding one, asking it something for a moment, telling one build from another."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.errors import EngineError, StartError, UsageError

TIMEOUT_S = 10.0
_NOISE = re.compile(r"^\s*$|^(RocksDB|LevelDB|Date|CPU|CPUCache):|\.\.\. finished \d+ ops|^Set seed to ")
_ASSERTION = re.compile(r"Assertion `(.*)' failed")


def expanded(path: Path) -> Path:
    """Return a path with the home folder in the place of the ``~`` or ``~user`` that it begins with.

    Raises:
        UsageError: there is no such home.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        raise UsageError(f'"{path}" names no known user\'s home; write the path in full') from None


def cache_folder() -> Path:
    """Return the folder below which `lsmtune build` puts what it builds.

    Raises:
        UsageError: there is no home, and XDG_CACHE_HOME names no folder.
    """
    return expanded(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")) / "lsmtune"


def checkout() -> Path | None:
    """Return the repository that this lsmtune runs from; None where it was installed from a wheel."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "native" / "ycsb" / "CMakeLists.txt").is_file() else None


@dataclass(frozen=True)
class Found:
    """A program that was found.

    Attributes:
        path: its absolute path.
        how: how it was found, in words: "named by LSMTUNE_DB_BENCH", "in PATH", "built by lsmtune build rocksdb".
    """

    path: Path
    how: str


@dataclass(frozen=True)
class Program:
    """A program as a user names it.

    Attributes:
        name: as it is called in PATH.
        naming: how a user names one, in words.
        variable: the environment variable that names one.
        next_step: what to do where there is none.
        maker: the command that builds one here.
        prefers_built: whether the one that was built here goes before the one in PATH.
    """

    name: str
    naming: str
    variable: str
    next_step: str
    maker: str
    prefers_built: bool = False

    def find(
        self,
        explicit: Path | None,
        origin: str,
        built: Path | None,
        suits: Callable[[Path], bool] = lambda _: True,
    ) -> Found:
        """Return the program to use.

        Args:
            explicit: the path that the user named; else the environment variable decides, else PATH and `built`, in the
                order that `prefers_built` says.
            origin: where the user named it, for messages.
            built: where `maker` puts one, whether it is there or not; None where nothing was built.
            suits: whether a program of this name in PATH is the right one; another one there is passed over.

        Raises:
            EngineError: there is none, or what was named is not a program.
            UsageError: what was named lies in no known user's home.
        """
        named = os.environ.get(self.variable, "")
        if explicit is not None:
            return Found(self._checked(explicit, origin), f"named by {origin}")
        if named:
            return Found(self._checked(Path(named), self.variable), f"named by {self.variable}")
        in_path = Path(shutil.which(self.name) or "")
        installed = [(in_path, "PATH", "in PATH")] if in_path.name and suits(in_path) else []
        made = [(built, self.maker, f"built by {self.maker}")] if built is not None and built.exists() else []
        candidates = [*made, *installed] if self.prefers_built else [*installed, *made]
        if candidates:
            path, place, how = candidates[0]
            return Found(self._checked(path, place), how)
        places = (
            f"{self.variable} (not set) or PATH" if built is None else f"{self.variable} (not set), PATH or {built}"
        )
        raise EngineError(f"no {self.name} found in {places}; {self.next_step}")

    def _checked(self, path: Path, origin: str) -> Path:
        path = expanded(path).absolute()
        place = f"the {self.name} of {origin}, {path},"
        if path.is_dir():
            raise EngineError(f"{place} is a directory; name the program inside it {self.naming}")
        if not path.exists():
            raise EngineError(f"{place} does not exist; {self.next_step}")
        if not os.access(path, os.X_OK):
            raise EngineError(f"{place} is not executable; run chmod +x on it or name another {self.naming}")
        with path.open("rb") as file:
            head = file.read(4)
        if head != b"\x7fELF" and head[:2] != b"#!":
            raise EngineError(f"{place} is neither an ELF program nor a script; {self.next_step}")
        return path


@dataclass(frozen=True)
class Answer:
    """What a finished engine process left: return code (negative: the signal), output and error output."""

    code: int
    stdout: str
    stderr: str

    @property
    def complaint(self) -> str:
        """The engine's own message: its failed assertion, else the last telling line of its output."""
        assertion = _ASSERTION.search(self.stderr)
        if assertion is not None:
            return f"assertion failed: {assertion[1]}"
        for text in (self.stderr, self.stdout):
            telling = [line.strip() for line in text.splitlines() if not _NOISE.search(line)]
            if telling:
                return telling[-1][:300]
        return f"return code {self.code}, no message"


def ask(binary: Path, arguments: Sequence[str], timeout_s: float | None = None) -> Answer:
    """Run `binary` with `arguments` to its end, in a process group of its own.

    Args:
        binary: the program.
        arguments: its arguments; none passes through a shell.
        timeout_s: time that the program has, in s; None means `TIMEOUT_S`.

    Raises:
        StartError: the program cannot be started.
        EngineError: it does not end in time (it is killed with its children).
    """
    limit_s = TIMEOUT_S if timeout_s is None else timeout_s
    try:
        process = subprocess.Popen(
            [str(binary), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise StartError(f"{binary} cannot be started: {error.strerror}; name another one that works") from None
    with process:
        try:
            stdout, stderr = process.communicate(timeout=limit_s)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                shown = " ".join([binary.name, *arguments])
                raise EngineError(f'"{shown}" did not end within {limit_s:g} s; try it by hand') from None
            raise
    return Answer(process.returncode, stdout, stderr)


def fingerprint(path: Path, library: str) -> str:
    """Return 16 hex digits over a binary and the engine library that it loads, where that is a file of its own.

    Args:
        path: the binary.
        library: how the library's file name begins, for example ``"librocksdb"``.
    """
    digest = hashlib.sha256(path.read_bytes())
    for loaded in loaded_libraries(path, library):
        digest.update(loaded.read_bytes())
    return digest.hexdigest()[:16]


def loaded_libraries(path: Path, *libraries: str) -> list[Path]:
    """Return the files of those libraries that a binary loads whose names begin so; none where there is no ldd.

    Args:
        path: the binary.
        libraries: as ``"librocksdb"``.
    """
    try:
        linked = ask(Path("ldd"), [str(path)]).stdout
    except EngineError:  # the binary has to stand for itself
        return []
    names = "|".join(map(re.escape, libraries))
    return [Path(loaded) for loaded in re.findall(rf"(?:{names})\S* => (/\S+)", linked)]
