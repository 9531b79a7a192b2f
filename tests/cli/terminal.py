"""A terminal: lsmtune in a process of its own that has one for stdin, stdout and stderr."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

_PATIENCE_S = 120.0
_HEARD_WITHIN_S = 10.0
_RUN = (  # the terminal becomes the process's own, so that Ctrl-C reaches it
    "import fcntl, runpy, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "runpy.run_module('lsmtune', run_name='__main__', alter_sys=True)"
)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Runs lsmtune in a terminal; a ``with`` block ends it.

    Attributes:
        said: all that it printed so far, without colours.
    """

    def __init__(self, folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> None:
        self.said = ""
        self._seen = 0
        self._own, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _RUN, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **(environment or {})},
            start_new_session=True,
        )
        os.close(theirs)

    def wait_for(self, words: str) -> None:
        """Read on until words are there that were not waited for yet."""
        ends_at = time.monotonic() + _PATIENCE_S
        while words not in self.said[self._seen :]:
            if time.monotonic() > ends_at or not self._read(0.5):
                raise AssertionError(f"{words!r} never came; it said: {self.said}")
        self._seen = self.said.index(words, self._seen) + len(words)

    def press(self, keys: str) -> None:
        """Send keys; a line ends with \\n."""
        os.write(self._own, keys.encode())

    def interrupt(self, answer: str) -> None:
        """Press Ctrl-C, as often as it takes, until the answer is there.

        Python's ``input`` may lose one: what comes between its last look for signals and its read is only heard at the
        next key.
        """
        for _ in range(int(_PATIENCE_S / _HEARD_WITHIN_S)):
            self.press("\x03")
            again_at = time.monotonic() + _HEARD_WITHIN_S
            while answer not in self.said and time.monotonic() < again_at and self._read(0.5):
                pass
            if answer in self.said:
                return
        raise AssertionError(f"Ctrl-C was never heard; it said: {self.said}")

    def end(self) -> int:
        """Read to the end and return the exit code."""
        said, since = len(self.said), time.monotonic()
        while self._read(0.5):
            if len(self.said) > said:
                said, since = len(self.said), time.monotonic()
            elif time.monotonic() - since > _PATIENCE_S:
                raise AssertionError(f"it does not end; it said: {self.said}")
        return self._process.wait(_PATIENCE_S)

    def _read(self, patience_s: float) -> bool:
        """Read what is there; whether there may be more."""
        ready, _, _ = select.select([self._own], [], [], patience_s)
        if not ready:
            return self._process.poll() is None
        try:
            data = os.read(self._own, 65536)
        except OSError:  # the other side is closed
            return False
        self.said = _CONTROL.sub("", self.said + data.decode(errors="replace").replace("\r\n", "\n"))
        return bool(data)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._own)
