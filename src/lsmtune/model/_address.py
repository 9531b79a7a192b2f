"""Where a scheduler of hosts listens."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from lsmtune.errors import UsageError

PORT = 8786
"""Where a scheduler listens unless it is told otherwise; dask's own."""


@dataclass(frozen=True)
class SchedulerAddress:
    """Where a scheduler of hosts listens; made by `parse`.

    Attributes:
        text: as it was written.
        host: name or address of its machine.
        port: where it listens there.
        secure: whether both sides show certificates (mutual TLS).
    """

    text: str
    host: str
    port: int
    secure: bool

    @classmethod
    def parse(cls, text: str) -> "SchedulerAddress":
        """Read ``tls://HOST:PORT``, or ``tcp://HOST:PORT`` where HOST is this machine's own loopback.

        Raises:
            UsageError: it is no such address, or leaves this machine without TLS.
        """
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or port is None or parts.scheme not in ("tls", "tcp") or parts.path or parts.query:
            raise UsageError(f'"{text}" is no address of a scheduler; write it like "tls://lab-0:{PORT}"')
        if parts.scheme == "tcp" and not _is_loopback(host):
            raise UsageError(
                f'"{text}" leaves this machine without TLS, and whoever reaches a scheduler runs code on all of its '
                f'hosts; write "tls://{host}:{port}"'
            )
        return cls(text, host, port, parts.scheme == "tls")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
