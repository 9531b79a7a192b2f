"""lsmtune init."""

import os
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

    if file.exists() and not force:
        raise UsageError(f"{file} exists; give another name, or --force to overwrite it")
    if engine not in ("rocksdb", "leveldb"):
        raise UsageError(f'"{engine}" is not an engine; choose rocksdb or leveldb')
    write_text(file, _of_rocksdb(db_bench) if engine == "rocksdb" else _of_leveldb())
    typer.echo(f"lsmtune: look through it, then: lsmtune tune {file}", err=True)


def _of_rocksdb(db_bench: Path | None) -> str:
    from lsmtune.backends.rocksdb import discover, find_db_bench
    from lsmtune.experiment import commented_experiment

    build = discover(find_db_bench(db_bench))
    path = db_bench.resolve() if db_bench is not None else None
    return commented_experiment(build.version, len(os.sched_getaffinity(0)), db_bench=path)


def _of_leveldb() -> str:
    from lsmtune.backends.ycsb import discover_driver, find_driver
    from lsmtune.experiment import commented_leveldb_experiment

    build = discover_driver(find_driver(), "leveldb")
    return commented_leveldb_experiment(build.version, len(os.sched_getaffinity(0)))
