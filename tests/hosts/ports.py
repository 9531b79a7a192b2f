"""Ports of loopback for processes that are told where to listen, or that listen there again after an end."""

import random
import socket
from contextlib import suppress

_BELOW_THOSE_OF_CONNECTIONS = range(12_000, 32_768)
"""The system gives ports from 32,768 on to connections: one of them may be taken before a process listens there."""


def free_port() -> int:
    """A port that nobody listens on."""
    for port in random.SystemRandom().sample(_BELOW_THOSE_OF_CONNECTIONS, 100):
        with socket.socket() as bound, suppress(OSError):
            bound.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port of 100 is free")
