"""lsmtune compare."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lsmtune.cli._common import (
    BudgetText,
    ComparedStudy,
    DbBench,
    ExperimentFile,
    Json,
    Num,
    Quiet,
    Scale,
    print_tuning,
    read_resized,
)

_Against: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--against",
        metavar="PATH",
        help="Also compare another build of the same engine, under the reference's configuration: its db_bench, or its "
        "lsmtune-ycsb where the experiment uses that; can be repeated.",
    ),
]


def compare(
    experiment: ExperimentFile,
    against: _Against = None,
    study: ComparedStudy = None,
    budget: BudgetText = None,
    scale: Scale = "",
    num: Num = "",
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare configurations and builds with the reference: fresh interleaved runs, a verdict for each.

    They are listed under [[compare]] in the experiment: each has what it sets on top of the reference, the path of
    another build, or both; --against names further builds. Runs are made until every claim is decided or the budget
    ends, but at least 6 of each. Ctrl-C stops cleanly; the same command goes on. With --scale or --num it is another
    study, named after them.
    """
    from lsmtune import api

    asked = read_resized(experiment, scale, num)
    result = api.compare(
        asked, against=against or (), study=study, budget=budget, db_bench=db_bench, quiet=quiet or json
    ).result
    print_tuning(result, json=json)
