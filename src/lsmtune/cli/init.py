"""lsmtune init."""

import os
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, write_text


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write.")] = Path("experiment.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    db_bench: DbBench = None,
) -> None:
    """Write a commented experiment file for what was found on this machine."""
    from lsmtune.engines.rocksdb import discover, find_db_bench
    from lsmtune.errors import UsageError
    from lsmtune.study import commented_experiment

    if file.exists() and not force:
        raise UsageError(f"{file} exists; give another name, or --force to overwrite it")
    build = discover(find_db_bench(db_bench))
    path = db_bench.resolve() if db_bench is not None else None
    text = commented_experiment(build.version, len(os.sched_getaffinity(0)), db_bench=path)
    write_text(file, text)
    typer.echo(f"lsmtune: look through it, then: lsmtune tune {file}", err=True)
