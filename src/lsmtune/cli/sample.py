"""lsmtune sample."""

import math
from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, Json, Quiet, make_console, print_json


def sample(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file; its table [sample] says what is run.")
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
    """Run the points of a design, to learn which options matter; lsmtune analyze says it.

    Points are run in random order among repeats of the reference. Ctrl-C stops cleanly; the same command goes on.
    The runs are also written as tables, runs.parquet and runs.csv in the study folder.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import LocalExecutor

    wanted = studies.load_experiment(experiment)
    limit = studies.Budget.parse(budget) if budget else studies.Budget(math.inf, None)
    prepared = studies.prepare(wanted, db_bench)
    settings = prepared.sample_settings()
    folder = study or Path("studies") / wanted.name
    with studies.open_or_create(prepared, folder, experiment.read_text()) as opened:
        executor = LocalExecutor(prepared.bench(), studies.scratch_of(prepared, folder))
        try:
            with report.LiveView(make_console(stderr=True), quiet=quiet or json) as view:
                listener = ViewListener(view, prepared.rules)
                listener.introduce(prepared, folder)
                conductor = studies.Conductor(opened, executor, prepared.rules, prepared.conduct(limit), listener)
                studies.sample(conductor, settings)
        finally:
            executor.close()
        runs = studies.runs_of(opened)
    for ending in ("parquet", "csv"):
        runs.write(folder / f"runs.{ending}")
    if json:
        print_json(report.sample_json(runs))
    else:
        make_console().print(report.sample_card(runs, folder))
