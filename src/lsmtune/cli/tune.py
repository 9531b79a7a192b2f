"""lsmtune tune."""

from pathlib import Path
from typing import Annotated

import typer

from lsmtune.cli._common import DbBench, Json, Quiet, make_console, option_units, print_json


def tune(
    experiment: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="An experiment file; lsmtune init writes one.")
    ],
    study: Annotated[
        Path | None, typer.Option("--study", metavar="DIR", help="Study folder [default: studies/NAME].")
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="TEXT", help='Like "20m", "100 runs" or "20m, 100 runs".')
    ] = None,
    db_bench: DbBench = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Tune a workload the whole way: baselines, noise, search, verification, pruning.

    Ctrl-C stops cleanly; the same command goes on where the study stopped. Every run is kept as soon as it ends.
    """
    from lsmtune import report
    from lsmtune import study as studies
    from lsmtune.cli._listening import ViewListener
    from lsmtune.executors import LocalExecutor
    from lsmtune.result import summarise

    wanted = studies.load_experiment(experiment)
    limit = studies.Budget.parse(budget) if budget else studies.Budget(wanted.budget.time_s, wanted.budget.runs)
    prepared = studies.prepare(wanted, db_bench)
    folder = study or Path("studies") / wanted.name
    with studies.open_or_create(prepared, folder, experiment.read_text()) as opened:
        executor = LocalExecutor(prepared.bench(), studies.scratch_of(prepared, folder))
        try:
            with report.LiveView(make_console(stderr=True), quiet=quiet or json) as view:
                listener = ViewListener(view, prepared.rules)
                listener.introduce(prepared, folder)
                conductor = studies.Conductor(opened, executor, prepared.rules, prepared.conduct(limit), listener)
                studies.tune(conductor, prepared.search_settings())
        finally:
            executor.close()
        result = summarise(opened)
    if json:
        print_json(report.tune_json(result))
    else:
        make_console().print(report.tune_card(result, option_units()))
