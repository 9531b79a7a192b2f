"""lsmtune init."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, write_text


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write.")] = Path("experiment.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="rocksdb, with its db_bench, or leveldb, with lsmtune-ycsb.")
    ] = "rocksdb",
    db_bench: DbBench = None,
    service: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="PATH",
            help="Folder of a service's database on RocksDB, or its LOGs: write what resembles it; repeatable.",
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option("--family", metavar="NAME", help="Column family to model [default: the busiest]; with --from."),
    ] = None,
) -> None:
    """Write a commented experiment file for what was found on this machine, or for a service.

    With --from, sizes, shares and options are those that the service's LOG and OPTIONS tell; each line says where it
    comes from, each guess that it is one.
    """
    from lsmtune import api
    from lsmtune.errors import UsageError
    from lsmtune.experiment import starting_experiment

    if file.exists() and not force:
        raise UsageError(f"{file} exists; give another name, or --force to overwrite it")
    if family is not None and service is None:
        raise UsageError("--family names a column family of a service; give --from PATH as well")
    write_text(
        file, starting_experiment(engine, db_bench) if service is None else api.resemble(*service, family=family)
    )
    typer.echo(f"lsmtune: look through it, then: lsmtune tune {file}", err=True)
