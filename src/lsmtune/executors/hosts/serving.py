"""What the commands of ``lsmtune hosts`` do, and how a study finds its scheduler; dask is imported when it is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsmtune import __version__
from lsmtune.executors.hosts._scheduler import HostSeen, Scheduler
from lsmtune.executors.hosts._security import Keys, default_keys
from lsmtune.executors.hosts._site import Site, SiteSettings
from lsmtune.extras import need
from lsmtune.model import SchedulerAddress


@dataclass(frozen=True)
class Worker:
    """How this machine takes part.

    Attributes:
        name: what studies call it.
        labels: what they ask for it by.
        scratch: folder for the data of runs, and for the journal.
        programs: a study's program of one of these file names is taken from here.
    """

    name: str
    labels: tuple[str, ...]
    scratch: Path
    programs: tuple[Path, ...] = ()


def scheduler(listen: str, keys: Path | None, status_port: int, missed_s: float, tell: Callable[[str], None]) -> None:
    """Run a scheduler until it is interrupted.

    Args:
        listen: address to listen on.
        keys: folder of certificates; left out, where they are by default.
        status_port: of its state in JSON, on 127.0.0.1.
        missed_s: time in s after which a worker that says nothing is taken as gone.
        tell: hears in sentences what happens.

    Raises:
        UsageError: the address leaves this machine without TLS, or certificates are missing.
        RunError: it cannot listen there.
        KeyboardInterrupt: it was interrupted.
    """
    need("lsmtune hosts scheduler", "distributed")
    address = SchedulerAddress.parse(listen)
    own = keys_for(address, keys, "scheduler")
    from lsmtune.executors.hosts._serve import serve_scheduler

    serve_scheduler(address, own, status_port, missed_s, lambda at: tell(f"the scheduler listens on {at}"))


def worker(address: str, keys: Path | None, settings: Worker, tell: Callable[[str], None]) -> None:
    """Make runs for a scheduler until it is interrupted.

    Args:
        address: of the scheduler.
        keys: folder of certificates; left out, where they are by default.
        settings: how this machine takes part.
        tell: hears in sentences what happens.

    Raises:
        UsageError: the address leaves this machine without TLS, certificates are missing or not accepted, or another
            host has the name.
        RunError: the scratch folder cannot be used.
        KeyboardInterrupt: it was interrupted.
    """
    need("lsmtune hosts worker", "distributed")
    at = SchedulerAddress.parse(address)
    own = keys_for(at, keys, "worker")
    from lsmtune.executors.hosts._serve import serve_worker

    scratch = settings.scratch.absolute()
    site = Site(SiteSettings(settings.name, settings.labels, scratch, settings.programs, __version__))
    serve_worker(at, own, site, tell)


def status(address: str, keys: Path | None = None) -> Mapping[str, HostSeen]:
    """Return the hosts that a scheduler knows, by name.

    Args:
        address: of the scheduler.
        keys: folder of certificates; left out, where they are by default.

    Raises:
        UsageError: certificates are missing or not accepted.
        RunError: nobody answers there.
    """
    scheduler = connect(SchedulerAddress.parse(address), keys)
    try:
        return scheduler.hosts()
    finally:
        scheduler.close()


def connect(address: SchedulerAddress, keys: Path | None) -> Scheduler:
    """Return a scheduler of hosts, connected; the caller closes it.

    Args:
        address: where it listens.
        keys: folder of certificates; left out, where they are by default.

    Raises:
        UsageError: certificates are missing, or not accepted.
        RunError: nobody answers there.
    """
    need("a study on many hosts", "distributed")
    from lsmtune.executors.hosts._dask import DaskScheduler

    return DaskScheduler(address, keys_for(address, keys, "client"))


def keys_for(address: SchedulerAddress, folder: Path | None, role: str) -> Keys | None:
    """Return the certificates that a role shows at an address, checked; None where the address needs none.

    Raises:
        UsageError: they are missing, or others can read the private key.
    """
    if not address.secure:
        return None
    keys = Keys(folder or default_keys())
    keys.check(role)
    return keys
