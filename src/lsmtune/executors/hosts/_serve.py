"""The two processes of a cluster, made with dask.distributed: its scheduler, and a worker on each host."""

import asyncio
import logging
import shutil
import signal
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask
from distributed import Scheduler as DaskServer
from distributed import Worker

from lsmtune.errors import RunError, UsageError
from lsmtune.executors.hosts._dask import RESOURCE, SITE, greet, security
from lsmtune.executors.hosts._security import Keys
from lsmtune.executors.hosts._site import Site
from lsmtune.model import SchedulerAddress

_AGAIN_S = 1.0
_CLOSE_S = 5.0
_SETTINGS = {
    # A run goes where it was sent, once.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.no-workers-timeout": "5s",
    "distributed.scheduler.active-memory-manager.start": False,
    # A worker that waits beside a run is quiet.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.use-file-locking": False,
    "distributed.admin.tick.interval": "5s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.diagnostics.nvml": False,
    # Pages of HTTP have no certificates: none but the status of the scheduler, on this machine.
    "distributed.worker.http.routes": [],
    "distributed.scheduler.http.routes": ["distributed.http.scheduler.json", "distributed.http.health"],
}
_LOOPBACK = "127.0.0.1"
_FIRST_HEARTBEAT = "1s"  # the answer says when the next one is due
_HEARTBEATS = 3  # a worker may miss two
_CHECKS = 6
_CHATTER = ("monitor", "shift_counters", "tick", "ticks")
"""What dask's servers do by the clock for their status pages, which a worker has none of."""


def serve_scheduler(
    listen: SchedulerAddress, keys: Keys | None, status_port: int, missed_s: float, tell: Callable[[str], None]
) -> None:
    """Run a scheduler until it is interrupted.

    Args:
        listen: address that it listens on.
        keys: certificates; None for an address of this machine's own without TLS.
        status_port: of the page of its state, on 127.0.0.1; 0 takes a free one.
        missed_s: time in s after which a worker that says nothing is taken as gone.
        tell: hears the address once it listens.

    Raises:
        RunError: it cannot listen there.
        KeyboardInterrupt: it was interrupted.
    """
    _quiet()

    async def serve() -> None:
        server = _Scheduler(
            missed_s,
            host=listen.host,
            port=listen.port,
            protocol="tcp" if keys is None else "tls",
            security=None if keys is None else security(keys, "scheduler"),
            dashboard_address=f"{_LOOPBACK}:{status_port}",
            dashboard=False,
        )
        try:
            await server
        except (OSError, RuntimeError) as error:
            raise RunError(f"a scheduler cannot listen on {listen.text}: {error.__cause__ or error}") from None
        try:
            tell(server.address)
            await server.finished()
        finally:
            await server.close()

    with dask.config.set(_SETTINGS):
        _until_interrupted(serve)


def serve_worker(address: SchedulerAddress, keys: Keys | None, site: Site, tell: Callable[[str], None]) -> None:
    """Make runs for a scheduler until it is interrupted; where the scheduler is gone, wait for it.

    A run that is under way when the connection is lost goes on, and is kept; the next one waits for its end.

    Args:
        address: of the scheduler.
        keys: certificates; None for a scheduler on this machine without TLS.
        site: what makes the runs.
        tell: hears, in sentences, that it is connected and that it no longer is.

    Raises:
        UsageError: one side does not accept the other's certificate, or another host has the name.
        KeyboardInterrupt: it was interrupted.
    """
    _quiet()

    async def serve() -> None:
        waiting = been_there = False
        while True:
            try:
                own = await asyncio.to_thread(greet, address, keys, "worker")
                await _work(address, own, keys, site, tell)
                tell(f"lost the scheduler at {address.text}; waiting for it")
                waiting = been_there = True
            except (RunError, UsageError) as error:
                # A scheduler that has not missed a worker yet takes it for another one of the same name.
                if isinstance(error, UsageError) and not been_there:
                    raise
                if not waiting:
                    tell(f"{error}; waiting for it")
                waiting = True
            await asyncio.sleep(_AGAIN_S)

    with dask.config.set(_SETTINGS):
        try:
            _until_interrupted(serve)
        finally:
            site.close()


class _Scheduler(DaskServer):  # type: ignore[misc]
    """A scheduler that misses a worker after a time of our own, and lets workers be quiet in the meantime.

    dask's asks for two heartbeats a second where there are few workers, and looks for silent ones only as often as it
    believes them.
    """

    def __init__(self, missed_s: float, **named: Any) -> None:
        super().__init__(worker_ttl=missed_s, **named)
        self._heartbeat_s = missed_s / _HEARTBEATS
        self.periodic_callbacks["worker-ttl"].callback_time = 1000 * missed_s / _CHECKS

    def heartbeat_worker(self, **told: Any) -> dict[str, Any]:
        """Hear that a worker is there, and say when to say so again."""
        answer: dict[str, Any] = super().heartbeat_worker(**told)
        if "heartbeat-interval" in answer:
            answer["heartbeat-interval"] = max(self._heartbeat_s, answer["heartbeat-interval"])
        return answer


class _Worker(Worker):  # type: ignore[misc]
    """A worker that is quiet beside a run: nothing wakes it but its heartbeats.

    It does not wait for its thread when it is closed: the run in it goes on, and is kept.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for chatter in _CHATTER:
            self.periodic_callbacks.pop(chatter, None)

    async def close(self, *arguments: Any, **named: Any) -> Any:
        named["executor_wait"] = False
        return await super().close(*arguments, **named)


async def _work(
    address: SchedulerAddress, own: str, keys: Keys | None, site: Site, tell: Callable[[str], None]
) -> None:
    """Work until the connection is lost.

    Raises:
        UsageError: another host has the name.
        RunError: the scheduler went away meanwhile.
    """
    folder = Path(tempfile.mkdtemp(prefix="lsmtune-worker-"))
    worker = _Worker(
        address.text,
        host=own,  # it listens there alone
        nthreads=1,
        name=site.name,
        security=None if keys is None else security(keys, "worker"),
        protocol="tcp" if keys is None else "tls",
        resources={RESOURCE: 1},
        memory_limit=0,
        heartbeat_interval=_FIRST_HEARTBEAT,
        local_directory=str(folder),
        dashboard_address=f"{_LOOPBACK}:0",
        dashboard=False,
    )
    setattr(worker, SITE, site)
    try:
        await worker
        tell(f"{site.name} makes runs for {address.text}")
        await worker.finished()
    except (OSError, RuntimeError, ValueError) as error:
        cause = error.__cause__ or error
        if isinstance(cause, ValueError):  # so says a scheduler that knows the name; nothing else is refused there
            raise UsageError(
                f'the scheduler at {address.text} has a host "{site.name}" already; give this one another --name'
            ) from None
        raise RunError(f"the scheduler at {address.text} went away ({cause})") from None
    finally:
        with suppress(Exception):
            await worker.close(timeout=_CLOSE_S / 2)
        shutil.rmtree(folder, ignore_errors=True)


def _until_interrupted(serve: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a server to its end, or until Ctrl-C, SIGTERM or SIGHUP, which dask would keep to itself now and then.

    Raises:
        KeyboardInterrupt: it was interrupted.
    """

    async def run() -> bool:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores the last
                loop.add_signal_handler(number, stop.set)
        work, stopped = asyncio.create_task(serve()), asyncio.create_task(stop.wait())
        await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            stopped.cancel()
            work.result()
            return False
        work.cancel()
        await asyncio.wait((work,), timeout=_CLOSE_S)
        return True

    if asyncio.run(run()):
        raise KeyboardInterrupt


def _quiet() -> None:
    """Let dask say only what is wrong."""
    for each in ("distributed", "tornado.application"):
        logging.getLogger(each).setLevel(logging.ERROR)
