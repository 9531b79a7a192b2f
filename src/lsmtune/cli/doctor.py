"""lsmtune doctor."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, Json, Quiet, make_console, print_json


def doctor(
    db_bench: DbBench = None,
    runs: Annotated[
        int, typer.Option("--runs", min=0, max=50, help="Repeats of the default that measure the noise; 0 skips it.")
    ] = 5,
    scratch: Annotated[
        Path | None, typer.Option("--scratch", metavar="DIR", help="Where data is put [default: a temporary folder].")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the engine builds, the machine, its noise, and what can be claimed here.

    The noise takes about 10 s a repeat of each program that is found.
    """
    from lsmtune import api, report

    facts = api.doctor(db_bench=db_bench, runs=runs, scratch=scratch, quiet=quiet or json)
    if json:
        print_json(report.doctor_json(facts))
    else:
        make_console().print(report.doctor_card(facts))
