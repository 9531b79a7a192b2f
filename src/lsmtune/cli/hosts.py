"""lsmtune hosts: its commands, for the machines that make runs together."""

import platform
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import Json, finite, print_json
from lsmtune.cli._examples import examples_of

_KeysFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        metavar="DIR",
        help="Folder of certificates [default: $LSMTUNE_HOSTS_KEYS, else ~/.config/lsmtune/keys].",
    ),
]
_Address: TypeAlias = Annotated[
    str, typer.Argument(metavar="ADDRESS", help="Address of the scheduler, like tls://lab-0:8786.", show_default=False)
]

app = typer.Typer(
    help="Let several machines make the runs of a study: certificates, a scheduler, a worker on each.",
    rich_markup_mode=None,
)


@app.command("keys", epilog=examples_of("hosts keys"))
def make_keys(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that holds no certificates yet.", show_default=False)
    ],
) -> None:
    """Make a certificate authority, and certificates for a scheduler, for workers and for who starts studies.

    Whoever has one of them with its key can run any code on all hosts. ca-key.pem makes more of them: keep it here.
    It needs lsmtune[hosts].
    """
    from lsmtune.executors.hosts import Keys

    for path in Keys(folder).make():
        typer.echo(path)
    typer.echo(f"lsmtune: {folder}/ca-key.pem stays here; a worker needs ca.pem, worker.pem, worker-key.pem", err=True)


@app.command("scheduler", epilog=examples_of("hosts scheduler"))
def run_scheduler(
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="Where to listen: tls:// with the name or address of this machine that workers know; tcp:// on "
            "127.0.0.1 alone [default: tls://THIS-MACHINE:8786].",
        ),
    ] = None,
    keys: _KeysFolder = None,
    status_port: Annotated[
        int,
        typer.Option("--status-port", metavar="N", min=0, max=65535, help="Port of its state in JSON, on 127.0.0.1."),
    ] = 8787,
    missed_after: Annotated[
        float,
        typer.Option(
            "--missed-after",
            metavar="S",
            min=5,
            callback=finite,
            help="Seconds after which a worker that says nothing is taken as gone, and its run is made again.",
        ),
    ] = 60,
) -> None:
    """Run the scheduler of a cluster, until Ctrl-C. It carries runs and measures nothing. It needs lsmtune[hosts]."""
    from lsmtune.executors.hosts import serving
    from lsmtune.model import PORT

    serving.scheduler(listen or f"tls://{platform.node()}:{PORT}", keys, status_port, missed_after, _say)


@app.command("worker", epilog=examples_of("hosts worker"))
def run_worker(
    address: _Address,
    scratch: Annotated[
        Path,
        typer.Option("--scratch", metavar="DIR", help="Folder for the data of runs, and for runs not yet fetched."),
    ],
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="TEXT", help="A label by which studies ask for this worker; may be repeated."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="What studies call it [default: the host's name].")
    ] = None,
    program: Annotated[
        list[Path] | None,
        typer.Option(
            "--program",
            metavar="PATH",
            help="A db_bench or driver to use in the place of a study's one with the same file name.",
        ),
    ] = None,
    keys: _KeysFolder = None,
) -> None:
    """Make runs on this machine for studies elsewhere, one at a time, until Ctrl-C.

    A run that has ended is kept in the scratch folder until its study has it. If the scheduler is gone, the worker
    waits for it. It needs lsmtune[hosts].
    """
    from lsmtune.executors.hosts import serving

    site = serving.Worker(name or platform.node(), tuple(label or ()), scratch, tuple(program or ()))
    serving.worker(address, keys, site, _say)


@app.command("status", epilog=examples_of("hosts status"))
def show_status(address: _Address, keys: _KeysFolder = None, json: Json = False) -> None:
    """Show the hosts that a scheduler knows: what they are, and what they are doing. It needs lsmtune[hosts]."""
    from lsmtune.executors.hosts import serving
    from lsmtune.units import format_bytes

    hosts = sorted(serving.status(address, keys).values(), key=lambda host: host.facts.name)
    if json:
        print_json([asdict(host) for host in hosts])
        return
    if not hosts:
        typer.echo(f"no worker at {address}; start one with lsmtune hosts worker {address} --scratch DIR")
    for host in hosts:
        facts, what = host.facts, f"at run {host.under_way}" if host.under_way else host.problem or "waits"
        labels = f" [{', '.join(host.labels)}]" if host.labels else ""
        typer.echo(f"{facts.name}{labels}: {what}; {host.kept} finished runs kept there")
        typer.echo(
            f"    {facts.processor}, {facts.cores} cores, {format_bytes(facts.memory_bytes)}, {facts.filesystem} with "
            f"{format_bytes(facts.disk_free_bytes)} free, Linux {facts.kernel}, lsmtune {host.version}"
        )


def _say(sentence: str) -> None:
    typer.echo(f"lsmtune: {sentence}", err=True)
