"""Running the programs that build: their words go into a log, and to whoever watches."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsmtune.errors import BuildError, UsageError
from lsmtune.native_builds._place import Place

_BYTES_OF_A_COMPILER = 1_572_864_000  # the largest files of RocksDB take about 1.5 GB each
_ERROR = re.compile(r": (?:fatal )?error: |undefined reference|: \*\*\* |CMake Error")
# What a make that calls lsmtune has been told is not for the makes that lsmtune calls.
_NOT_PASSED_ON = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


class Watcher:
    """Hears how a build goes; this one does nothing with it."""

    def step(self, sentence: str) -> None:
        """Hear what begins now."""

    def line(self, text: str) -> None:
        """Hear a line that a program of the build wrote."""


@dataclass(frozen=True)
class Order:
    """How something is to be built.

    Attributes:
        jobs: compilers at a time; None: one for each core, as far as memory reaches.
        prefix: the folder where it is to stand, with ``bin`` in it; None: where lsmtune looks.
        watcher: hears how it goes.
    """

    jobs: int | None = None
    prefix: Path | None = None
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Check the number of compilers."""
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs {self.jobs} is no number of compilers; give 1 or more")

    @property
    def compilers(self) -> int:
        """Compilers at a time."""
        return self.jobs or min(len(os.sched_getaffinity(0)), max(1, _available_bytes() // _BYTES_OF_A_COMPILER))


def _available_bytes() -> int:
    found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else _BYTES_OF_A_COMPILER


def run(command: Sequence[str], place: Place, watcher: Watcher, folder: Path | None = None) -> int:
    """Run a program to its end, in a process group of its own; return its exit code.

    Raises:
        BuildError: it cannot be started.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    with place.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise BuildError(f"{command[0]} cannot be started: {error.strerror}; log: {place.log}") from None
        with process:
            try:
                assert process.stdout is not None
                for line in process.stdout:
                    log.write(line)
                    watcher.line(line.rstrip("\n"))
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
    return process.returncode


def configure(source: Path, place: Place, definitions: Mapping[str, str], watcher: Watcher) -> None:
    """Let CMake prepare the build of a source.

    Raises:
        BuildError: it cannot.
    """
    defined = [f"-D{name}={value}" for name, value in definitions.items()]
    command = ["cmake", "-G", "Unix Makefiles", "-S", str(source), "-B", str(place.work / "out"), *defined]
    if run(command, place, watcher):
        raise BuildError(f"cmake could not configure {place.name}: {_first_error(place.log)}; log: {place.log}")


def compile_targets(place: Place, targets: Sequence[str], jobs: int, watcher: Watcher) -> None:
    """Compile what was configured.

    Raises:
        BuildError: it does not compile; the message has the first error, or what to do about it.
    """
    begun = place.log.stat().st_size
    command = ["cmake", "--build", str(place.work / "out"), f"-j{jobs}"]
    for target in targets:
        command += ["--target", target]
    if run(command, place, watcher):
        raise BuildError(_why_not_compiled(place, begun))


def _why_not_compiled(place: Place, begun: int) -> str:
    with place.log.open(encoding="utf-8", errors="replace") as file:
        file.seek(begun)
        words = file.read()
    if "No space left on device" in words:
        return f"the disk of {place.work} or of temporary files is full; free some and give the same command again"
    if "Killed signal" in words or "command: Killed" in words:
        return f"the compiler was killed, most often for lack of memory; go on with --jobs 1; log: {place.log}"
    return (
        f"{place.name} did not compile; another compiler (CXX=...) may do it; the first error: "
        f"{_first_error(place.log, begun)}; log: {place.log}"
    )


def _first_error(log: Path, begun: int = 0) -> str:
    with log.open(encoding="utf-8", errors="replace") as file:
        file.seek(begun)
        lines = [line.strip() for line in file if line.strip()]
    telling = next((line for line in lines if _ERROR.search(line)), lines[-1] if lines else "")
    return telling[:300] or "no error is named"
