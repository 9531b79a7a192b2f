"""Running an engine binary for a moment: bounded in time, nothing left behind."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.errors import EngineError

TIMEOUT_S = 10.0
_NOISE = re.compile(r"^\s*$|^(RocksDB|Date|CPU|CPUCache):|\.\.\. finished \d+ ops|^Set seed to ")
_ASSERTION = re.compile(r"Assertion `(.*)' failed")


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
        EngineError: the program cannot be started, or does not end in time (it is killed with its children).
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
        raise EngineError(f"{binary} cannot be started: {error.strerror}; name a working one with --db-bench") from None
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
