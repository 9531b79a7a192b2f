"""A scheduler made with dask.distributed: what a study speaks to it."""

import asyncio
import socket
import ssl
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from distributed import Client, get_worker
from distributed.security import Security

from lsmtune.errors import HostLostError, RunError, UsageError
from lsmtune.executors.hosts._scheduler import HostSeen, Kept, Recipe, Scheduler, Task
from lsmtune.executors.hosts._security import Keys
from lsmtune.model import HostFacts, Outcome, SchedulerAddress

SITE = "lsmtune_site"
"""The attribute of a worker of dask under which it has its `Site`."""

RESOURCE = "bench"
"""What each host has one of, so that it makes one run at a time."""

_CONNECT_S = 10.0
_CLOSE_S = 5.0
_CLOCK_S = 2.0
"""By how much a clock has to be off before it is set right: less is the way to the host and back."""


class DaskScheduler(Scheduler):
    """Speaks to the scheduler at an address; see `Scheduler`."""

    def __init__(self, address: SchedulerAddress, keys: Keys | None) -> None:
        """Connect; an address that is secure needs keys.

        Raises:
            UsageError: one side does not accept the other's certificate.
            RunError: nobody answers there.
        """
        greet(address, keys, "client")
        self._address = address.text
        self._workers: dict[str, str] = {}
        self._ahead_s: dict[str, float] = {}  # by address
        try:
            self._client = Client(
                address.text,
                security=None if keys is None else security(keys, "client"),
                timeout=_CONNECT_S,
                set_as_default=False,
            )
        except OSError as error:
            raise RunError(f"the scheduler at {address.text} does not answer: {error}") from None

    def hosts(self, recipe: Recipe | None = None) -> Mapping[str, HostSeen]:
        """Return the hosts that are there; see `Scheduler`."""
        asked_at = time.time()
        answers = self._ask(_seen, recipe)
        workers = self._client.scheduler_info(n_workers=-1)["workers"]  # some releases tell of five unasked
        named = {at: str(worker["name"]) for at, worker in workers.items()}
        seen = {named[at]: _host(named[at], answer, asked_at) for at, answer in answers.items() if at in named}
        self._workers = {name: at for at, name in named.items() if name in seen}
        self._ahead_s = {self._workers[name]: host.ahead_s for name, host in seen.items()}
        return seen

    def submit(self, host: str, task: Task) -> "Future[Outcome]":
        """Send a run to a host; see `Scheduler`."""
        sent: Future[Outcome] = Future()
        at = self._workers[host]
        asked = self._client.submit(
            _make,
            task,
            key=f"lsmtune-{task.attempt}",
            workers=[at],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            retries=0,
            pure=False,
        )

        def end(answer: Any) -> None:
            try:
                sent.set_result(self._by_own_clock(answer.result(), at))
            except RunError as error:  # of one host among many, which calls itself "this host"
                sent.set_exception(RunError(f'the host "{host}": {error}'))
            except Exception as error:
                sent.set_exception(self._lost(host, error))

        asked.add_done_callback(end)
        # dask ends a run of which nobody holds the future.
        sent.add_done_callback(lambda _, held=asked: held.release())  # type: ignore[misc]
        return sent

    def kept(self, prefix: str) -> Kept:
        """Return what the hosts have of some attempts; see `Scheduler`."""
        answers = {at: answer for at, answer in self._ask(_kept, prefix).items() if isinstance(answer, Kept)}
        under_way = tuple(sorted(attempt for answer in answers.values() for attempt in answer.under_way))
        ended = {
            attempt: self._by_own_clock(each, at)
            for at, answer in answers.items()
            for attempt, each in answer.ended.items()
        }
        return Kept(under_way, ended)

    def forget(self, attempts: Collection[str]) -> None:
        """Let the hosts drop finished runs; see `Scheduler`."""
        self._ask(_forget, tuple(attempts))

    def close(self) -> None:
        """Let go of the scheduler; see `Scheduler`."""
        self._client.close(timeout=_CLOSE_S)

    def _ask(self, question: Any, about: object) -> dict[str, Any]:
        """Return the answer of each worker by its address; an exception where it could not answer.

        Raises:
            RunError: the scheduler is gone.
        """
        if self._client.status != "running":
            raise self._gone()
        try:
            answers: dict[str, Any] = self._client.run(question, about, on_error="return")
        except (OSError, asyncio.CancelledError, ValueError):
            raise self._gone() from None
        return answers

    def _by_own_clock(self, outcome: Outcome, at: str) -> Outcome:
        """Return an outcome that began by this machine's clock."""
        ahead_s = self._ahead_s.get(at, 0.0)
        return replace(outcome, started_at=outcome.started_at - ahead_s) if abs(ahead_s) > _CLOCK_S else outcome

    def _lost(self, host: str, error: Exception) -> RunError:
        name = type(error).__name__
        if name in ("KilledWorker", "NoValidWorkerError"):
            return HostLostError(f"the host {host} left while it was under way")
        if "Cancelled" in name:
            return self._gone()
        return RunError(f"the host {host} could not make a run ({name}: {error}); see what its worker printed")

    def _gone(self) -> RunError:
        return RunError(
            f"the scheduler at {self._address} is gone; the hosts end and keep their runs: start it again, and the "
            "same command takes them and goes on"
        )


def security(keys: Keys, role: str) -> Security:
    """Return how a role shows itself, and whom it listens to: mutual TLS and nothing else."""
    certificate, key = str(keys.certificate(role)), str(keys.key(role))
    return Security(
        tls_ca_file=str(keys.authority),
        require_encryption=True,
        **{f"tls_{role}_cert": certificate, f"tls_{role}_key": key},
    )


def greet(address: SchedulerAddress, keys: Keys | None, role: str) -> str:
    """Return this machine's address on the way to a scheduler that answers, where both sides accept each other.

    dask itself only says that it took long.

    Raises:
        UsageError: one side does not accept the other's certificate.
        RunError: nobody answers there.
    """
    try:
        with _connected(address) as plain:
            own = str(plain.getsockname()[0])
            if keys is None:
                return own
            context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(keys.authority))
            context.check_hostname = False  # certificates are of roles, not of machines
            context.load_cert_chain(keys.certificate(role), keys.key(role))
            with _encrypted(context, plain, address) as secure:
                secure.recv(1)  # the other side speaks first, once it has accepted the certificate
            return own
    except ssl.SSLCertVerificationError as error:
        raise UsageError(
            f"the scheduler at {address.text} shows a certificate that {keys and keys.authority} does not vouch for "
            f"({error.verify_message}); use keys of the same lsmtune hosts keys on both sides"
        ) from None
    except (ssl.SSLError, ConnectionResetError) as error:
        raise UsageError(
            f"the scheduler at {address.text} does not accept {keys and keys.certificate(role)} "
            f"({getattr(error, 'reason', None) or error.strerror}); use keys of the same lsmtune hosts keys on both "
            "sides"
        ) from None
    except OSError as error:
        raise RunError(
            f"no scheduler answers at {address.text} ({error.strerror or error}); start one with lsmtune hosts "
            "scheduler"
        ) from None


def _connected(address: SchedulerAddress) -> socket.socket:
    """Return a connection.

    Raises:
        RunError: it was reset while it was made: nobody is behind what stands between.
        OSError: nobody takes it.
    """
    try:
        return socket.create_connection((address.host, address.port), timeout=_CONNECT_S)
    except (ConnectionResetError, ConnectionAbortedError):
        raise _ended_at_once(address) from None


def _encrypted(context: ssl.SSLContext, plain: socket.socket, address: SchedulerAddress) -> ssl.SSLSocket:
    """Return the connection under TLS.

    Raises:
        RunError: it ended before the other side could see a certificate: nobody is behind what stands between.
    """
    try:
        return context.wrap_socket(plain)
    except (ssl.SSLEOFError, ConnectionError):
        raise _ended_at_once(address) from None


def _ended_at_once(address: SchedulerAddress) -> RunError:
    return RunError(
        f"the connection to {address.text} ends at once; start a scheduler there with lsmtune hosts scheduler"
    )


def _host(name: str, answer: object, now: float) -> HostSeen:
    match answer:
        case (HostSeen() as seen, float(told)):
            return replace(seen, ahead_s=told - now)
    facts = HostFacts(name, "", "", 0, 0, "", "", 0)
    return HostSeen(facts, (), "", f"does not answer ({answer}); give it the lsmtune of this machine")


# What follows is sent to workers by name, and runs there.


def _make(task: Task) -> Outcome:
    made: Outcome = getattr(get_worker(), SITE).make(task)
    return made


async def _seen(recipe: Recipe | None, dask_worker: Any = None) -> tuple[HostSeen, float]:
    told = time.time()
    seen: HostSeen = await asyncio.to_thread(getattr(dask_worker, SITE).seen, recipe)
    return seen, told


async def _kept(prefix: str, dask_worker: Any = None) -> Kept:
    kept: Kept = await asyncio.to_thread(getattr(dask_worker, SITE).kept, prefix)
    return kept


async def _forget(attempts: tuple[str, ...], dask_worker: Any = None) -> None:
    await asyncio.to_thread(getattr(dask_worker, SITE).forget, attempts)
