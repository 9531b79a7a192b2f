"""lsmtune nni."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lsmtune.cli._common import BudgetText, DbBench, Json, NewStudy, Quiet, print_tuning

if TYPE_CHECKING:
    from lsmtune.nni import Asked

NniFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A configuration of NNI: YAML, with its search space beside it.")
]
ScaleText: TypeAlias = Annotated[
    str | None, typer.Option("--scale", metavar="FACTOR", help="Like 1/64: data and options shrink together.")
]
Benchmarks: TypeAlias = Annotated[
    str | None,
    typer.Option("--benchmarks", metavar="NAMES", help="What db_bench runs, where the trial's code does not tell."),
]
Num: TypeAlias = Annotated[
    str | None, typer.Option("--num", metavar="COUNT", help="Keys at full size, where the trial's code does not tell.")
]


def nni(
    config: NniFile,
    study: NewStudy = None,
    budget: BudgetText = None,
    scale: ScaleText = None,
    trial: Annotated[
        bool, typer.Option("--trial", help="Run the trial's command even where it is known to run db_bench.")
    ] = False,
    default: Annotated[
        Path | None,
        typer.Option(
            "--default",
            metavar="FILE",
            help="JSON of your own parameters, which gains are measured against; else the middle of the search space.",
        ),
    ] = None,
    benchmarks: Benchmarks = None,
    num: Num = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run an experiment of NNI as it is: find good parameters, and prove the gain with fresh runs.

    A trial that only runs db_bench with options of RocksDB, like NNI's example, is run without its code, as lsmtune
    tune would do it. Any other command is run as it is, with a package nni that hands it the parameters and takes its
    result. What lsmtune does otherwise than the configuration says is named first. Ctrl-C stops cleanly; the same
    command goes on.
    """
    from dataclasses import replace

    from lsmtune import api

    done = api.tune_nni(
        config,
        study=study,
        budget=budget,
        asked=replace(asked_of(scale, benchmarks, num, db_bench), trial=trial),
        default=default,
        quiet=quiet or json,
    )
    print_tuning(done.result, json=json)


def asked_of(scale: str | None, benchmarks: str | None, num: str | None, db_bench: Path | None) -> "Asked":
    """Return what the command line says beside a configuration of NNI.

    Raises:
        QuantityError: the scale is none.
    """
    from lsmtune.nni import Asked
    from lsmtune.units import parse_scale

    return Asked(None if scale is None else parse_scale(scale), benchmarks, num, db_bench)
