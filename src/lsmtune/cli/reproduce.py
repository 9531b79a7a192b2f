"""lsmtune reproduce."""

import math
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, Json, Quiet, make_console, print_json


def reproduce(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file with a table [reproduce], or RUNS.parquet.")
    ],
    study: Annotated[
        Path | None, typer.Option("--study", metavar="DIR", help="Study folder [default: studies/NAME].")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget", metavar="TEXT", help='Stop after so much, like "2h" or "100 runs"; the same command goes on.'
        ),
    ] = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Repeat a published pipeline, and show how much of its gain is left: Jin et al. 2022.

    Samples, ranks the options by a forest, runs the genetic algorithm over the leaders, and compares the best with the
    default in fresh interleaved runs. Ctrl-C stops cleanly; the same command goes on. The runs are also written as
    tables, runs.parquet and runs.csv in the study folder. Given such a .parquet, nothing is run: it is shown.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.analysis import Runs, summarise_jin2022
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import LocalExecutor

    if experiment.suffix == ".parquet":
        runs = Runs.read(experiment)
        settings = studies.recorded_reproduction(runs.facts["experiment"])
    else:
        wanted = studies.load_experiment(experiment)
        limit = studies.Budget.parse(budget) if budget else studies.Budget(math.inf, None)
        prepared = studies.prepare(wanted, db_bench)
        plan = prepared.jin2022_settings()
        settings = plan.indicators
        folder = study or Path("studies") / wanted.name
        with studies.open_or_create(prepared, folder, experiment.read_text()) as opened:
            executor = LocalExecutor(prepared.bench(), studies.scratch_of(prepared, folder))
            try:
                with report.LiveView(make_console(stderr=True), quiet=quiet or json) as view:
                    listener = ViewListener(view, prepared.rules)
                    listener.introduce(prepared, folder)
                    conductor = studies.Conductor(opened, executor, prepared.rules, prepared.conduct(limit), listener)
                    studies.reproduce_jin2022(conductor, plan)
            finally:
                executor.close()
            runs = studies.runs_of(opened)
        for ending in ("parquet", "csv"):
            runs.write(folder / f"runs.{ending}")
    result = summarise_jin2022(runs, settings)
    if json:
        print_json(report.jin2022_json(result))
    else:
        make_console().print(report.jin2022_card(result, runs))
