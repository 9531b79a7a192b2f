"""A way between two processes that can be cut or fall silent: a proxy of TCP on loopback."""

import selectors
import socket
import threading
import time
from contextlib import suppress

_TICK_S = 0.05


class Way:
    """Carries bytes from a port of loopback to another one, in a thread of its own, until it is cut or closed.

    Attributes:
        port: that it listens on.
    """

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._cut = self._silent = self._closed = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Break all that goes through, and let nothing through any more."""
        self._cut = True

    def silence(self) -> None:
        """Carry nothing any more, and say so to nobody: what is sent is taken, and goes nowhere until it is mended."""
        self._silent = True

    def mend(self) -> None:
        """Let everything through again, what was sent meanwhile first."""
        self._cut = self._silent = False

    def close(self) -> None:
        """End."""
        self._closed = True
        self._thread.join()

    def _carry(self) -> None:
        while not self._closed:
            if self._cut:
                self._drop_all()
            if self._silent:
                time.sleep(_TICK_S)
                continue
            for key, _ in self._selector.select(timeout=_TICK_S):
                one = key.fileobj
                assert isinstance(one, socket.socket)
                if one is self._listening:
                    self._accept()
                elif one in self._pairs:
                    self._pass_on(one)
        self._drop_all()
        self._listening.close()

    def _accept(self) -> None:
        near, _ = self._listening.accept()
        if self._cut:
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", self._to_port))
        except OSError:
            near.close()
            return
        for one, other in ((near, far), (far, near)):
            self._pairs[one] = other
            self._selector.register(one, selectors.EVENT_READ)

    def _pass_on(self, one: socket.socket) -> None:
        try:
            some = one.recv(1 << 16)
            if some:
                self._pairs[one].sendall(some)
                return
        except OSError:
            pass
        self._drop(one)

    def _drop(self, one: socket.socket) -> None:
        other = self._pairs.pop(one)
        self._pairs.pop(other, None)
        for each in (one, other):
            with suppress(KeyError, ValueError):
                self._selector.unregister(each)
            each.close()

    def _drop_all(self) -> None:
        while self._pairs:
            self._drop(next(iter(self._pairs)))
