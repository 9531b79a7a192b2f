"""Waiting for hosts: told once where it takes long, with what is waited for and until when."""

import math
import time
from collections.abc import Callable

TELLS_S = 5.0
"""Time in s after which a wait is told; a worker that is started again is often back before."""


def unheard(_sentence: str) -> None:
    """Hear a sentence and keep silent."""


class Wait:
    """A wait that looks again and again whether what it is for has come."""

    def __init__(self, tell: Callable[[str], None], most_s: float = math.inf) -> None:
        """`tell` hears of it once; it is given up after `most_s`."""
        self._tell = tell
        self._most_s = most_s
        self._began_s = time.monotonic()
        self._is_told = False

    @property
    def is_over(self) -> bool:
        """Whether it has taken all the time that it may."""
        return self._left_s < 0

    def rest(self, look_s: float, what: str) -> None:
        """Let `look_s` pass before the next look; `what` is waited for, in words that follow "waiting for"."""
        if not self._is_told and time.monotonic() - self._began_s >= TELLS_S:
            self._is_told = True
            self._tell(f"waiting{self._until()} for {what}")
        time.sleep(look_s)

    @property
    def _left_s(self) -> float:
        return self._began_s + self._most_s - time.monotonic()

    def _until(self) -> str:
        if math.isinf(self._most_s):
            return ""
        return time.strftime(" until %H:%M:%S", time.localtime(time.time() + self._left_s))
