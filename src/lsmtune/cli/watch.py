"""lsmtune watch."""

from pathlib import Path
from typing import Annotated

import typer

_FOLDER = Path("studies")


def watch(
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY|FOLDER]",
            help="A study folder, or a folder of studies [default: studies, else this folder].",
            show_default=False,
        ),
    ] = None,
    *,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="Listen there on 127.0.0.1 [default: 8350]."),
    ] = None,
    readonly: Annotated[bool, typer.Option("--readonly", help="No button that stops a study.")] = False,
) -> None:
    """Show studies in the browser, also while they run, until Ctrl-C: where they stand, what they say, every run.

    Open the address that is printed. From another machine: ssh -L 8350:127.0.0.1:8350 THIS-MACHINE, then that address
    there. It needs lsmtune[watch].
    """
    from lsmtune import watch as live

    chosen = place if place is not None else _FOLDER if _FOLDER.is_dir() else Path()

    def tell(address: str) -> None:
        typer.echo(f"Open {address}")
        typer.echo("Ctrl-C ends the page; studies go on.", err=True)

    live.watch(chosen, port=port, readonly=readonly, tell=tell)
