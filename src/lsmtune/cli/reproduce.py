"""lsmtune reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import (
    BudgetText,
    DbBench,
    Json,
    NewStudy,
    Quiet,
    analysing,
    make_console,
    make_folder,
    print_json,
    refuse_beside_recorded,
    write_text,
)


def reproduce(
    experiment: Annotated[
        Path,
        typer.Argument(
            metavar="EXPERIMENT", help="An experiment file with a table [reproduce], a study folder, or RUNS.parquet."
        ),
    ],
    study: NewStudy = None,
    budget: BudgetText = None,
    db_bench: DbBench = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Also write the paper's figures 5 to 9 there, as SVG."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Repeat a published pipeline, and show how much of its gain is left: Jin et al. 2022.

    Samples, ranks the options by a forest, runs the genetic algorithm over the leaders, and compares the best with the
    reference in fresh interleaved runs. Ctrl-C stops cleanly; the same command goes on. The runs are also written as
    tables, runs.parquet and runs.csv in the study folder. Given such a .parquet or that folder, also of a sample that
    still runs or was stopped, the command shows it and runs nothing. For the figures the runs are analyzed, too, which
    takes a minute or two for each of the four indicators.
    """
    from lsmtune import api, jin2022
    from lsmtune.analysis import Runs
    from lsmtune.extras import need

    table = experiment.suffix == ".parquet"
    recorded = table or experiment.is_dir()
    if recorded:
        refuse_beside_recorded(experiment, study=study, budget=budget, db_bench=db_bench)
    if figures is not None:
        need("lsmtune reproduce --figures", "matplotlib")
        make_folder(figures)
    if recorded:
        source, runs = experiment, Runs.read(experiment) if table else api.load(experiment).table()
    else:
        done = api.reproduce(experiment, study=study, budget=budget, db_bench=db_bench, quiet=quiet or json)
        source, runs = done.folder, done.table()
    result = jin2022.summarise_jin2022(runs, jin2022.recorded_reproduction(runs))
    if json:
        print_json(jin2022.jin2022_json(result))
    else:
        make_console().print(jin2022.jin2022_card(result, runs))
    if figures is not None:
        with analysing() as tell:
            ours = api.analyze(source, indicators=result.names, tell=tell) if result.forests else None
        for name, text in jin2022.jin2022_figures(result, runs, ours).items():
            write_text(figures / name, text)
