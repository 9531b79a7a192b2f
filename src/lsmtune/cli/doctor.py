"""lsmtune doctor."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBenchAlone, Json, Quiet, make_console, print_json


def doctor(
    db_bench: DbBenchAlone = None,
    runs: Annotated[
        int, typer.Option("--runs", min=0, max=50, help="Repeats of the default that measure the noise; 0 skips it.")
    ] = 5,
    scratch: Annotated[
        Path | None, typer.Option("--scratch", metavar="DIR", help="Where data is put [default: a temporary folder].")
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(
            "--hosts", metavar="ADDRESS", help="Compare the hosts of this scheduler, like tls://lab-0:8786, instead."
        ),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="TEXT", help="With --hosts: only workers with this label.")
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            "--keys",
            metavar="DIR",
            help="With --hosts: folder of certificates [default: $LSMTUNE_HOSTS_KEYS, else ~/.config/lsmtune/keys].",
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the engine builds, the machine, its noise, and what can be claimed here.

    The noise takes about 10 s a repeat of each program that is found. With --hosts the default runs on all hosts of a
    cluster at once. It shows which of them differ from the others, in what, and which should be left out.
    """
    from lsmtune import api, report
    from lsmtune.errors import UsageError

    if hosts is None and (label or keys is not None):
        named = "--label" if label else "--keys"
        raise UsageError(f"{named} is of the hosts of a cluster; give --hosts ADDRESS as well")
    if hosts is not None and scratch is not None:
        raise UsageError("--scratch cannot be with --hosts, where each worker has its own; leave it out")
    if hosts is not None:
        found = api.compare_hosts(
            hosts, db_bench=db_bench, runs=runs, labels=label or (), keys=keys, quiet=quiet or json
        )
        if json:
            print_json(report.hosts_json(found))
        else:
            make_console().print(report.hosts_card(found))
        return
    facts = api.doctor(db_bench=db_bench, runs=runs, scratch=scratch, quiet=quiet or json)
    if json:
        print_json(report.doctor_json(facts))
    else:
        make_console().print(report.doctor_card(facts))
