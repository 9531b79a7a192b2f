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
) -> None:
    """Write a commented experiment file for what was found on this machine."""
    from lsmtune.errors import UsageError
    from lsmtune.experiment import starting_experiment

    if file.exists() and not force:
        raise UsageError(f"{file} exists; give another name, or --force to overwrite it")
    write_text(file, starting_experiment(engine, db_bench))
    typer.echo(f"lsmtune: look through it, then: lsmtune tune {file}", err=True)
