"""lsmtune import."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, write_text
from lsmtune.cli.nni import Benchmarks, NniFile, Num, ScaleText, asked_of


def import_(
    what: Annotated[str, typer.Argument(metavar="FORMAT", help="Whose experiment it is: nni.")],
    config: NniFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    scale: ScaleText = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBench = None,
) -> None:
    """Write another tool's experiment on options of RocksDB as an experiment file of lsmtune.

    What the other tool fixes in code is read from there; comments say what came from where, and what has no
    counterpart.
    """
    from lsmtune.errors import UsageError
    from lsmtune.nni import experiment_text, load_config

    if what != "nni":
        raise UsageError(f'"{what}" is not a format that can be imported; write nni')
    text = experiment_text(load_config(config), asked_of(scale, benchmarks, num, db_bench))
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
